/*
 * The NVTX_EVENTS table: ranges, marks, thread and domain names.
 */
#include "input/nsys/nsys_payload.h"
#include "input/nsys/nsys_private.h"
#include "input/nvtx/nvtx.h"

/* eventType */
enum {
	EVENT_MARK = 34,
	EVENT_THREAD_NAME = 39,
	EVENT_PUSH_POP = 59,
	EVENT_START_END = 60,
	TEXT_PUSH_POP = 70, /* imported from a file of NVTXT */
	TEXT_START_END = 71,
	EVENT_DOMAIN = 75,
};

enum {
	START,
	TYPE,
	TEXT,
	TEXT_ID,
	THREAD,
	DOMAIN,
	NAME_COLUMNS, /* those before are what names need */
	END = NAME_COLUMNS,
	END_THREAD,
	RECORD,
	PAYLOAD,
	COLUMNS = PAYLOAD + PAYLOAD_COLUMNS
};
#define NAME_LIST "start! eventType text:text textId globalTid domainId"
#define COLUMN_LIST NAME_LIST " end endGlobalTid rowid " PAYLOAD_COLUMN_LIST

struct nsys_nvtx_reading {
	struct nsys *nsys;
	struct nvtx *nvtx;
	struct nsys_payloads *payloads;
	struct hash *domains; /* (process, domain) → profile string */
};

static uint64_t domain_key(int64_t thread, int64_t domain)
{
	return hash_pair((uint64_t)(thread & ~NSYS_THREAD_BITS), (uint64_t)domain);
}

/* The inline or registered text of the row. */
static const char *row_text(struct nsys *nsys, const struct sqlite_rows *rows, size_t *length)
{
	const char *own = sqlite_text(rows, TEXT, length);
	if (own)
		return own;
	const struct nsys_text *text = nsys_text(nsys, sqlite_int(rows, TEXT_ID));
	*length = text ? text->length : 0;
	return text ? text->text : "";
}

static void read_name(struct nsys_nvtx_reading *reading, const struct sqlite_rows *rows,
		      int64_t type)
{
	size_t length;
	struct nsys *nsys = reading->nsys;
	int64_t thread = sqlite_int(rows, THREAD);
	const char *text = row_text(nsys, rows, &length);
	uint32_t name = intern_add(nsys->profile->strings, text, length);
	if (!name || thread == NO_VALUE)
		return;
	if (type == EVENT_DOMAIN)
		hash_add(reading->domains, domain_key(thread, sqlite_int(rows, DOMAIN)), name);
	else
		hash_add(nsys->thread_names, (uint64_t)thread, name);
}

/* First pass: rows are in no particular order. */
static void read_names(struct nsys_nvtx_reading *reading)
{
	struct sqlite_rows *rows =
		sqlite_rows_open(reading->nsys->database, "NVTX_EVENTS", NAME_LIST, NAME_COLUMNS);
	while (sqlite_rows_next(&rows)) {
		int64_t type = sqlite_int(rows, TYPE);
		if (type == EVENT_DOMAIN || type == EVENT_THREAD_NAME)
			read_name(reading, rows, type);
	}
}

static uint32_t domain_of(const struct nsys_nvtx_reading *reading, const struct sqlite_rows *rows,
			  int64_t thread)
{
	int64_t domain = sqlite_int(rows, DOMAIN);
	if (domain == NO_VALUE || domain == 0)
		return 0;
	uint32_t name = hash_first(reading->domains, domain_key(thread, domain));
	return name == NO_ROW ? 0 : name;
}

static void read_range(struct nsys_nvtx_reading *reading, const struct sqlite_rows *rows,
		       int64_t type)
{
	struct nsys *nsys = reading->nsys;
	int64_t start, dur, thread = sqlite_int(rows, THREAD), last = sqlite_int(rows, END_THREAD);
	size_t length;
	if (!nsys_times(nsys, rows, START, END, &start, &dur))
		return;
	enum nvtx_nesting nesting = NVTX_NESTS;
	if (type == EVENT_START_END || type == TEXT_START_END)
		nesting =
			last != NO_VALUE && last != 0 && last != thread ? NVTX_WANDERS : NVTX_FREE;
	const char *text = row_text(nsys, rows, &length);
	nvtx_range(reading->nvtx, nsys_thread(nsys, thread), text, length,
		   domain_of(reading, rows, thread), start, dur < 0 ? NO_VALUE : start + dur,
		   nesting);
	nvtx_record(reading->nvtx, sqlite_int(rows, RECORD));
	nsys_payload_read(reading->payloads, rows, PAYLOAD, reading->nvtx);
}

static void nsys_nvtx_read_event(struct nsys_nvtx_reading *reading, const struct sqlite_rows *rows)
{
	struct nsys *nsys = reading->nsys;
	int64_t type = sqlite_int(rows, TYPE), start = sqlite_int(rows, START);
	size_t length;
	switch (type) {
	case EVENT_PUSH_POP:
	case EVENT_START_END:
	case TEXT_PUSH_POP:
	case TEXT_START_END: read_range(reading, rows, type); return;
	case EVENT_MARK:
		nsys->profile->events++;
		if (start == NO_VALUE)
			return;
		const char *text = row_text(nsys, rows, &length);
		nvtx_mark(reading->nvtx, nsys_thread(nsys, sqlite_int(rows, THREAD)), text, length,
			  start);
		nsys_payload_read(reading->payloads, rows, PAYLOAD, reading->nvtx);
		return;
	case NO_VALUE: /* an export without the column: with an end it is a range */
		if (sqlite_int(rows, END) != NO_VALUE)
			read_range(reading, rows, EVENT_PUSH_POP);
		return;
	default: return;
	}
}

void nsys_read_ranges(struct nsys *nsys)
{
	struct nsys_nvtx_reading reading = { .nsys = nsys,
					     .nvtx = nvtx_new(nsys->profile, nsys->builder),
					     .payloads = nsys_payloads_new(nsys),
					     .domains = hash_new(16) };
	read_names(&reading);
	struct sqlite_rows *rows =
		sqlite_rows_open(nsys->database, "NVTX_EVENTS", COLUMN_LIST, COLUMNS);
	while (sqlite_rows_next(&rows))
		nsys_nvtx_read_event(&reading, rows);
	nvtx_finish(reading.nvtx);
	nvtx_free(reading.nvtx);
	nsys_payloads_free(reading.payloads);
	hash_free(reading.domains);
}
