#include "input/cuda/cuda_activities.h"

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/sort.h"
#include "input/timeline_rows.h"

#include <inttypes.h>

/* ---- records ---- */

/* A call that recorded an event. Numbers are NO_VALUE where they are not stored. */
struct cuda_record {
	int64_t process, event;
	int64_t correlation; /* of the call; calls of a process count up */
	int64_t sync;        /* of this record and the waits for it */
	int64_t stream;
};

struct cuda_records {
	GROWING(struct cuda_record, items, count); /* by process, event and correlation */
};

enum { LOOK_BACK = 64 }; /* records of an event with other numbers that the search looks past */

COMPARE_MEMBERS(compare_records, struct cuda_record, UP(process) UP(event) UP(correlation))

/* Read the records, if the table exists; free them with mem_free(items). */
static void cuda_records_read(struct cuda_records *records, struct sqlite_database *database)
{
	enum { PROCESS, EVENT, CORRELATION, SYNC, STREAM, COLUMNS };
	struct sqlite_rows *rows = sqlite_rows_open(
		database, "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
		"globalPid eventId! correlationId! eventSyncId streamId!", COLUMNS);
	*records = (struct cuda_records){ 0 };
	while (sqlite_rows_next(&rows)) {
		*mem_push(records->items, records->count) = (struct cuda_record){
			.process = sqlite_int(rows, PROCESS),
			.event = sqlite_int(rows, EVENT),
			.correlation = sqlite_int(rows, CORRELATION),
			.sync = sqlite_int(rows, SYNC),
			.stream = sqlite_int(rows, STREAM),
		};
	}
	sort_items(records->items, records->count, compare_records);
}

/* The record that WAIT (all but its stream) waits for: the last before it; NULL. */
static const struct cuda_record *cuda_records_find(const struct cuda_records *records,
						   const struct cuda_record *wait)
{
	bool known = wait->sync != NO_VALUE && wait->sync != 0;
	size_t low = search_first(i, (size_t)0, records->count,
				  compare_records(&records->items[i], wait) >= 0);
	for (int looked = 0; low-- > 0 && looked < LOOK_BACK; looked++) {
		const struct cuda_record *record = &records->items[low];
		if (record->process != wait->process || record->event != wait->event)
			break;
		if (!known || record->sync == NO_VALUE || record->sync == wait->sync)
			return record;
	}
	return NULL;
}

#define COMMON_COLUMNS CUDA_COMMON_COLUMNS(SQLITE_COLUMN)

int64_t cuda_stream(const struct sqlite_rows *rows)
{
	int64_t stream = sqlite_int(rows, CUDA_STREAM);
	return stream == UINT32_MAX ? -1 : stream;
}

int32_t cuda_device(int64_t device)
{
	return cuda_small(device) >= 0 ? (int32_t)device : 0;
}

/* Fill the common fields; false without valid times. */
static bool cuda_activities_begin(const struct cuda_reader *reader, const struct sqlite_rows *rows,
				  enum activity_kind kind, struct activity *activity)
{
	*activity = activity_of(kind);
	activity->correlation = sqlite_int(rows, CUDA_CORRELATION);
	return reader->place(reader->context, rows, activity);
}

static void cuda_activities_keep(const struct cuda_reader *reader, uint32_t row, const char *key,
				 int64_t value)
{
	if (value)
		builder_activity_number(reader->builder, row, key, value);
}

static uint32_t cuda_activities_add(const struct cuda_reader *reader,
				    const struct sqlite_rows *rows, const struct activity *activity)
{
	uint32_t row = builder_activity(reader->builder, activity);
	cuda_activities_keep(reader, row, "graph node id", sqlite_int(rows, CUDA_GRAPH_NODE));
	if (reader->original_node)
		cuda_activities_keep(reader, row, ACTIVITY_NODE,
				     reader->original_node(reader->context, rows));
	cuda_activities_keep(reader, row, ACTIVITY_CONTEXT, sqlite_int(rows, CUDA_CONTEXT));
	cuda_activities_keep(reader, row, ACTIVITY_GREEN_CONTEXT,
			     sqlite_int(rows, CUDA_GREEN_CONTEXT));
	return row;
}

/* ---- kernels ---- */

enum { LAST_NAME = CUDA_NAMED - 1, CUDA_KERNEL_COLUMNS(SQLITE_PLACE) KERNEL_COLUMNS };

static uint32_t read_config(const struct cuda_reader *reader, const struct sqlite_rows *rows)
{
	struct launch_config config = launch_config_unknown();
	for (int i = 0; i < 3; i++) {
		config.grid[i] = cuda_small(sqlite_int(rows, (size_t)(GRID + i)));
		config.block[i] = cuda_small(sqlite_int(rows, (size_t)(BLOCK + i)));
	}
	int64_t fixed = cuda_small(sqlite_int(rows, STATIC));
	int64_t dynamic = cuda_small(sqlite_int(rows, DYNAMIC));
	config.regs_per_thread = cuda_small(sqlite_int(rows, REGISTERS));
	config.shared_mem_bytes = fixed < 0 || dynamic < 0 ? -1 : fixed + dynamic;
	return builder_config(reader->builder, &config);
}

void cuda_read_kernels(const struct cuda_reader *reader, const char *table)
{
	struct activity activity;
	sqlite_each (rows, reader->database, table,
		     COMMON_COLUMNS
		     " demangledName|name shortName mangledName" CUDA_KERNEL_COLUMNS(SQLITE_COLUMN),
		     KERNEL_COLUMNS) {
		if (!cuda_activities_begin(reader, rows, ACTIVITY_KERNEL, &activity))
			continue;
		activity.config = read_config(reader, rows);
		activity.name = reader->kernel_name(reader->context, rows);
		cuda_activities_keep(reader, cuda_activities_add(reader, rows, &activity),
				     ACTIVITY_STATIC_MEMORY, sqlite_int(rows, STATIC));
	}
}

/* ---- copies and sets ---- */

/* Nsight's numbering changed in 2022; copies that must involve the device reveal the old one. */
static enum cuda_numbering numbering_of(const struct cuda_reader *reader, int64_t copy_kind,
					int64_t from, int64_t to)
{
	enum { HTOD = 1, DTOH = 2, DTOD = 8, OLD_DEVICE = 3 };
	bool old = ((copy_kind == HTOD || copy_kind == DTOD) && to == OLD_DEVICE) ||
		   ((copy_kind == DTOH || copy_kind == DTOD) && from == OLD_DEVICE);
	return old ? CUDA_MEMORY_FROM_1 : reader->numbering;
}

static void keep_address(const struct cuda_reader *reader, uint32_t row, int64_t address)
{
	if (address != NO_VALUE && address != 0)
		builder_activity_text(
			reader->builder, row, MEMORY_ADDRESS,
			profile_print(reader->database->profile, "0x%" PRIx64, address));
}

void cuda_read_copies(const struct cuda_reader *reader, const char *table)
{
	enum { BYTES = CUDA_COMMON, KIND, FROM, TO, ADDRESS, COLUMNS };
	struct activity activity;
	sqlite_each (rows, reader->database, table,
		     COMMON_COLUMNS " bytes copyKind srcKind dstKind virtualAddress", COLUMNS) {
		if (!cuda_activities_begin(reader, rows, ACTIVITY_MEMCPY, &activity))
			continue;
		int64_t kind = sqlite_int(rows, KIND);
		int64_t from = sqlite_int(rows, FROM), to = sqlite_int(rows, TO);
		activity.bytes = sqlite_int(rows, BYTES);
		activity.name = cuda_copy_name(reader->database->profile, kind, from, to,
					       numbering_of(reader, kind, from, to));
		keep_address(reader, cuda_activities_add(reader, rows, &activity),
			     sqlite_int(rows, ADDRESS));
	}
}

void cuda_read_sets(const struct cuda_reader *reader)
{
	enum { BYTES = CUDA_COMMON, KIND, COLUMNS };
	struct activity activity;
	sqlite_each (rows, reader->database, "CUPTI_ACTIVITY_KIND_MEMSET",
		     COMMON_COLUMNS " bytes memKind|memoryKind", COLUMNS) {
		if (!cuda_activities_begin(reader, rows, ACTIVITY_MEMSET, &activity))
			continue;
		activity.bytes = sqlite_int(rows, BYTES);
		activity.name = cuda_set_name(reader->database->profile, sqlite_int(rows, KIND),
					      reader->numbering);
		cuda_activities_add(reader, rows, &activity);
	}
}

/* ---- synchronizations and graphs ---- */

/* Note the record that a wait waits for, with the keys of Kineto. */
static void keep_record(const struct cuda_reader *reader, uint32_t row,
			const struct cuda_record *record)
{
	if (!record)
		return;
	cuda_activities_keep(reader, row, ACTIVITY_WAIT_STREAM, record->stream);
	cuda_activities_keep(reader, row, ACTIVITY_WAIT_RECORD, record->correlation);
}

void cuda_read_syncs(const struct cuda_reader *reader)
{
	enum { KIND = CUDA_COMMON, EVENT, SYNC, COLUMNS };
	enum { EVENT_SYNC = 1, STREAM_WAIT = 2 };
	struct cuda_records records;
	struct activity activity;
	cuda_records_read(&records, reader->database);
	sqlite_each (rows, reader->database, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
		     COMMON_COLUMNS " syncType|type eventId eventSyncId", COLUMNS) {
		int64_t kind = sqlite_int(rows, KIND);
		if (!cuda_activities_begin(reader, rows, ACTIVITY_SYNC, &activity))
			continue;
		const struct cuda_record wait = {
			.process = sqlite_int(rows, CUDA_PROCESS),
			.event = sqlite_int(rows, EVENT),
			.correlation = activity.correlation,
			.sync = sqlite_int(rows, SYNC),
		};
		activity.name = cuda_sync_name(reader->database->profile, kind);
		uint32_t row = cuda_activities_add(reader, rows, &activity);
		if (kind == EVENT_SYNC || kind == STREAM_WAIT)
			keep_record(reader, row, cuda_records_find(&records, &wait));
	}
	mem_free(records.items);
}

/* One row per graph launch; its kernels were not recorded. */
void cuda_read_graphs(const struct cuda_reader *reader)
{
	enum { GRAPH = CUDA_COMMON, COLUMNS };
	struct profile *profile = reader->database->profile;
	struct activity activity;
	sqlite_each (rows, reader->database, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
		     COMMON_COLUMNS " graphId", COLUMNS) {
		int64_t graph = sqlite_int(rows, GRAPH);
		if (!cuda_activities_begin(reader, rows, ACTIVITY_KERNEL, &activity))
			continue;
		activity.name =
			graph == NO_VALUE
				? profile_intern(profile, "CUDA graph (kernels not recorded)")
				: profile_print(profile,
						"CUDA graph %" PRId64 " (kernels not recorded)",
						graph);
		cuda_activities_add(reader, rows, &activity);
		profile_damage(profile, "CUDA graph without kernels",
			       "one row per replay; record with --cuda-graph-trace=node",
			       UINT64_MAX);
	}
}
