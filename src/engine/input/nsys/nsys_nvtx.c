/*
 * The NVTX_EVENTS table: ranges, marks, thread and domain names.
 */
#include "base/bytes.h"
#include "input/nsys/nsys_private.h"
#include "input/nvtx/nvtx.h"

#include <inttypes.h>
#include <math.h>

/* ---- payloads: a number, a text, or binary data described by a schema ---- */

/* Columns of NVTX_EVENTS, consecutive from the reader's FIRST. */
enum { NSYS_PAYLOAD_COLUMNS(SQLITE_PLACE) PAYLOAD_COLUMNS };

/* ---- schemas ---- */

/* A field of a payload schema. */
struct nsys_payload_entry {
	uint64_t schema; /* hash key */
	int64_t index, type, offset;
	uint32_t name; /* interned */
	uint32_t next; /* next field of the schema, by index; NO_ROW */
};

/* A named value of an enumeration schema. */
struct enumerator {
	int64_t value;
	uint32_t name;
};

struct nsys_payloads {
	struct nsys *nsys;
	GROWING(struct nsys_payload_entry, entries, entry_count);
	struct hash *first; /* schema → first entry */
	GROWING(struct enumerator, enumerators, enumerator_count);
	struct hash *of_enum; /* (schema, value) → enumerator */
	struct hash *enums;   /* enumeration schemas → size */
};

static uint64_t schema_key(int64_t domain, int64_t schema)
{
	return hash_pair((uint64_t)domain, (uint64_t)schema);
}

/* Insert into the schema's sorted list; each process registers its schemas again, in any order. */
static void link_entry(struct nsys_payloads *payloads, uint32_t at)
{
	struct nsys_payload_entry *entry = &payloads->entries[at];
	uint32_t before = NO_ROW, next = hash_first(payloads->first, entry->schema);
	if (next == NO_ROW) {
		hash_add(payloads->first, entry->schema, at);
		return;
	}
	while (next != NO_ROW && payloads->entries[next].index < entry->index) {
		before = next;
		next = payloads->entries[next].next;
	}
	if (next != NO_ROW && payloads->entries[next].index == entry->index)
		return;
	entry->next = next;
	if (before != NO_ROW) {
		payloads->entries[before].next = at;
		return;
	}
	/* It becomes the first entry: swap places. */
	struct nsys_payload_entry moved = payloads->entries[next];
	payloads->entries[next] = *entry;
	payloads->entries[next].next = at;
	*entry = moved;
}

/* Values behind pointers or in arrays are not included or vary in size. */
static bool is_plain(int64_t flags)
{
	enum { INDIRECT_OR_ARRAY = 0x7e };
	return flags == NO_VALUE || !(flags & INDIRECT_OR_ARRAY);
}

static void read_entries(struct nsys_payloads *payloads)
{
	enum { DOMAIN, SCHEMA, INDEX, FLAGS, TYPE, NAME, OFFSET, COLUMNS };
	struct nsys *nsys = payloads->nsys;
	sqlite_each (rows, nsys->database, "NVTX_PAYLOAD_SCHEMA_ENTRIES",
		     "domainId! schemaId! idx! flags type! name:text! offset!", COLUMNS) {
		size_t length;
		int64_t offset = sqlite_int(rows, OFFSET);
		const char *name = sqlite_text(rows, NAME, &length);
		if (!name || !length || !is_plain(sqlite_int(rows, FLAGS)))
			continue;
		mem_grow(payloads->entries, payloads->entry_count + 1);
		payloads->entries[payloads->entry_count] = (struct nsys_payload_entry){
			.schema = schema_key(sqlite_int(rows, DOMAIN), sqlite_int(rows, SCHEMA)),
			.index = sqlite_int(rows, INDEX),
			.type = sqlite_int(rows, TYPE),
			.offset = offset == NO_VALUE ? 0 : offset, /* the first field may omit it */
			.name = intern_add(nsys->profile->strings, name, length),
			.next = NO_ROW
		};
		link_entry(payloads, (uint32_t)payloads->entry_count++);
	}
}

static void read_enums(struct nsys_payloads *payloads)
{
	enum { DOMAIN, SCHEMA, NAME, VALUE, COLUMNS };
	struct nsys *nsys = payloads->nsys;
	sqlite_each (rows, nsys->database, "NVTX_PAYLOAD_ENUM_ENTRIES",
		     "domainId! schemaId! name:text! value!", COLUMNS) {
		size_t length;
		uint64_t schema = schema_key(sqlite_int(rows, DOMAIN), sqlite_int(rows, SCHEMA));
		const char *name = sqlite_text(rows, NAME, &length);
		int64_t value = sqlite_int(rows, VALUE);
		if (!name || value == NO_VALUE)
			continue;
		hash_add(payloads->enums, schema, 0);
		hash_add(payloads->of_enum, hash_pair(schema, (uint64_t)value),
			 (uint32_t)payloads->enumerator_count);
		*mem_push(payloads->enumerators, payloads->enumerator_count) =
			(struct enumerator){ value,
					     intern_add(nsys->profile->strings, name, length) };
	}
}

/* reads the schemas */
static struct nsys_payloads *nsys_payloads_new(struct nsys *nsys)
{
	struct nsys_payloads *payloads = mem_zalloc(1, sizeof *payloads);
	payloads->nsys = nsys;
	payloads->first = hash_new(16);
	payloads->of_enum = hash_new(16);
	payloads->enums = hash_new(16);
	read_entries(payloads);
	read_enums(payloads);
	return payloads;
}

/* ---- bytes ---- */

enum nsys_payload_form { SIGNED, UNSIGNED, REAL, ADDRESS };

/* nvToolsExtPayload type numbers; LONG as on 64-bit Linux. */
static const struct {
	uint8_t size, form;
} types[] = { NVTX_TYPE_ROWS };

static uint32_t real_text(struct nsys *nsys, uint64_t bits, size_t size)
{
	float narrow;
	double wide;
	uint32_t half = (uint32_t)bits;
	memcpy(&narrow, &half, sizeof narrow);
	memcpy(&wide, &bits, sizeof wide);
	return size == sizeof narrow ? profile_print(nsys->profile, "%.9g", (double)narrow)
				     : profile_print(nsys->profile, "%.17g", wide);
}

static uint32_t number_text(struct nsys *nsys, uint64_t bits, size_t size,
			    enum nsys_payload_form form)
{
	if (form == REAL)
		return real_text(nsys, bits, size);
	if (form == SIGNED)
		return profile_print(nsys->profile, "%" PRId64, bytes_sign_extend(bits, size));
	return profile_print(nsys->profile, form == ADDRESS ? "0x%" PRIx64 : "%" PRIu64, bits);
}

/* 0 when the value is not a number or missing. */
static uint32_t entry_text(const struct nsys_payloads *payloads, int64_t domain,
			   const struct nsys_payload_entry *entry, struct bytes payload)
{
	enum { ENUM_SIZE = 4 };
	uint64_t bits, schema = schema_key(domain, entry->type);
	if (entry->offset < 0 || (uint64_t)entry->offset > payload.length)
		return 0;
	payload.at = (size_t)entry->offset;
	if (hash_first(payloads->enums, schema) != NO_ROW) {
		if (!bytes_read_number(&payload, ENUM_SIZE, &bits))
			return 0;
		int64_t value = bytes_sign_extend(bits, ENUM_SIZE);
		uint32_t at = hash_first(payloads->of_enum, hash_pair(schema, (uint64_t)value));
		return at == NO_ROW ? number_text(payloads->nsys, bits, ENUM_SIZE, SIGNED)
				    : payloads->enumerators[at].name;
	}
	if (entry->type < 0 || (uint64_t)entry->type >= sizeof types / sizeof *types ||
	    !types[entry->type].size)
		return 0;
	size_t size = types[entry->type].size;
	if (!bytes_read_number(&payload, size, &bits))
		return 0;
	return number_text(payloads->nsys, bits, size,
			   (enum nsys_payload_form)types[entry->type].form);
}

/* Layout: domain, schema, payload size and total size in 8 bytes each, then the payload. */
static void nsys_payload_read_bytes(struct nsys_payloads *payloads, struct bytes bytes,
				    struct nvtx *nvtx)
{
	uint64_t domain, schema, size, whole;
	if (!bytes_read_number(&bytes, 8, &domain) || !bytes_read_number(&bytes, 8, &schema) ||
	    !bytes_read_number(&bytes, 8, &size) || !bytes_read_number(&bytes, 8, &whole) ||
	    size > bytes.length - bytes.at) {
		profile_damage(payloads->nsys->profile, "truncated payload", "discarded",
			       UINT64_MAX);
		return;
	}
	struct bytes payload = { bytes.from + bytes.at, 0, (size_t)size };
	domain &= UINT32_MAX;
	schema &= UINT32_MAX;
	for (uint32_t at =
		     hash_first(payloads->first, schema_key((int64_t)domain, (int64_t)schema));
	     at != NO_ROW; at = payloads->entries[at].next) {
		const struct nsys_payload_entry *entry = &payloads->entries[at];
		uint32_t text = entry_text(payloads, (int64_t)domain, entry, payload);
		if (text)
			nvtx_attribute(nvtx, entry->name, text);
	}
}

/* ---- any payload ---- */

static uint32_t plain_text(struct nsys *nsys, const struct sqlite_rows *rows, size_t first)
{
	static const uint8_t integers[] = { PAYLOAD_INT64, PAYLOAD_UINT32, PAYLOAD_INT32 };
	static const uint8_t reals[] = { PAYLOAD_DOUBLE, PAYLOAD_FLOAT };
	size_t length;
	const char *json = sqlite_text(rows, first + PAYLOAD_JSON, &length);
	int64_t value = sqlite_int(rows, first + PAYLOAD_JSON_ID);
	if (json)
		return intern_add(nsys->profile->strings, json, length);
	if (value != NO_VALUE)
		return nsys_string(nsys, value);
	value = sqlite_int(rows, first + PAYLOAD_UINT64);
	if (value != NO_VALUE)
		return number_text(nsys, (uint64_t)value, 8, UNSIGNED);
	for (size_t i = 0; i < sizeof integers; i++) {
		value = sqlite_int(rows, first + integers[i]);
		if (value != NO_VALUE)
			return number_text(nsys, (uint64_t)value, 8, SIGNED);
	}
	for (size_t i = 0; i < sizeof reals; i++) {
		double real = sqlite_real(rows, first + reals[i]);
		if (!isnan(real))
			return profile_print(nsys->profile, "%.17g", real);
	}
	return 0;
}

/* Attach the payload of the current row, if any, to the last event added to NVTX. */
static void nsys_payload_read(struct nsys_payloads *payloads, const struct sqlite_rows *rows,
			      size_t first_column, struct nvtx *nvtx)
{
	struct bytes bytes = { 0 };
	uint32_t text = plain_text(payloads->nsys, rows, first_column);
	if (text)
		nvtx_attribute(nvtx, profile_intern(payloads->nsys->profile, NVTX_PAYLOAD), text);
	bytes.from = sqlite_blob(rows, first_column + PAYLOAD_BYTES, &bytes.length);
	if (bytes.from)
		nsys_payload_read_bytes(payloads, bytes, nvtx);
}

/* eventType */
enum { NSYS_EVENT_TYPE_ROWS(_) };

enum { NSYS_NAME_COLUMNS(SQLITE_PLACE) NAME_COLUMNS };
enum { BEFORE_END = NAME_COLUMNS - 1, NSYS_EVENT_COLUMNS(SQLITE_PLACE) PAYLOAD };
enum { COLUMNS = PAYLOAD + PAYLOAD_COLUMNS };
#define NAME_LIST NSYS_NAME_COLUMNS(SQLITE_COLUMN)
#define EVENT_LIST NSYS_EVENT_COLUMNS(SQLITE_COLUMN) NSYS_PAYLOAD_COLUMNS(SQLITE_COLUMN)

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
	sqlite_each (rows, reading->nsys->database, "NVTX_EVENTS", NAME_LIST, NAME_COLUMNS) {
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
	sqlite_each (rows, nsys->database, "NVTX_EVENTS", NAME_LIST EVENT_LIST, COLUMNS)
		nsys_nvtx_read_event(&reading, rows);
	nvtx_finish(reading.nvtx);
	nvtx_free(reading.nvtx);
	mem_free_all(reading.payloads->entries, reading.payloads->enumerators);
	hash_free_all(reading.payloads->first, reading.payloads->of_enum, reading.payloads->enums);
	mem_free(reading.payloads);
	hash_free(reading.domains);
}
