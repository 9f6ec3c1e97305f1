#include "base/any_of.h"
#include "input/nvprof/nvprof_private.h"

#include "base/bytes.h"
#include "base/embedded.h"
#include "base/error.h"
#include "input/nvtx/nvtx.h"
#include "input/text_lines.h"

#include <inttypes.h>

static const char *const tables[] = { NVPROF_TABLE_ROWS };

static bool nvprof_recognize(const struct sqlite_database *database)
{
	return sqlite_database_has(database, "StringTable") &&
	       any_of(i, sizeof tables / sizeof *tables, sqlite_database_has(database, tables[i]));
}

/* ---- rows ---- */

/* The track of a thread; tolerates thread ids with an unset upper half. */
static uint32_t nvprof_thread(struct nvprof *nvprof, int64_t pid, int64_t tid)
{
	if (nvprof->pid == NO_VALUE)
		nvprof->pid = pid;
	uint32_t process = builder_process(nvprof->builder, pid, 0);
	return builder_track(nvprof->builder, process,
			     tid == NO_VALUE ? tid : tid & INT64_C(0xffffffff), 0, -1);
}

/*
 * Decode an object id. False when it is neither process nor thread but a device or stream; *TID is
 * NO_VALUE for a process.
 */
static bool nvprof_object(const struct sqlite_rows *rows, size_t kind_column, size_t id_column,
			  int64_t *pid, int64_t *tid)
{
	enum { PROCESS = 1, THREAD = 2, PID_BYTES = 4, TID_BYTES = 8 };
	int64_t kind = sqlite_int(rows, kind_column);
	struct bytes bytes = { 0 };
	uint64_t number;
	bytes.from = sqlite_blob(rows, id_column, &bytes.length);
	if ((kind != PROCESS && kind != THREAD) || !bytes.from ||
	    !bytes_read_number(&bytes, PID_BYTES, &number))
		return false;
	*pid = (int64_t)number;
	*tid = NO_VALUE;
	if (kind == THREAD && bytes_read_number(&bytes, TID_BYTES, &number))
		*tid = (int64_t)number;
	return true;
}

/* ---- calls ---- */

enum nvprof_api { NVPROF_RUNTIME, NVPROF_DRIVER };

/*
 * The functions of an interface, by their callback ids, which are all that nvprof stores: where the
 * line begins in the file that lists them ("20 cudaMalloc"). hash_free.
 */
static struct hash *call_names(const struct embedded *list, enum nvprof_api api)
{
	const char *text = (const char *)list->bytes, *at = text;
	struct hash *names = hash_new(512);
	struct text_slice line;
	while (text_line(&at, text + list->length, &line.text, &line.length)) {
		uint32_t place = (uint32_t)(line.text - text);
		int64_t id;
		if (slice_count(slice_next(&line), &id) &&
		    slice_begins(slice_trim(line), "cuda") == (api == NVPROF_RUNTIME))
			id_add(names, id, place);
	}
	return names;
}

static uint32_t call_name(struct nvprof *nvprof, const struct embedded *list,
			  const struct hash *names, enum nvprof_api api, int64_t id)
{
	uint32_t place = id_find(names, id);
	if (place == NO_ROW)
		return profile_print(nvprof->profile, "%s_%" PRId64,
				     api == NVPROF_RUNTIME ? "cbid" : "driver_cbid",
				     id == NO_VALUE ? -1 : id);
	const char *name = strchr((const char *)list->bytes + place, ' ') + 1;
	return intern_add(nvprof->profile->strings, name, strcspn(name, "\n"));
}

static void read_calls(struct nvprof *nvprof, const char *table, enum nvprof_api api)
{
	enum { START, END, PID, TID, CORRELATION, ID, COLUMNS };
	const struct embedded *list = embedded_find("nvprof_calls.txt");
	AUTO_HASH struct hash *names = call_names(list, api);
	sqlite_each (rows, nvprof->database, table,
		     "start! end! processId threadId correlationId cbid", COLUMNS) {
		int64_t dur, start = sqlite_int(rows, START);
		struct call_info info = { sqlite_int(rows, CORRELATION), NO_VALUE };
		if (!row_times(nvprof->profile, TIMES_ZERO_START, start, sqlite_int(rows, END),
			       &dur))
			continue;
		builder_span(nvprof->builder, SPAN_RUNTIME,
			     nvprof_thread(nvprof, sqlite_int(rows, PID), sqlite_int(rows, TID)),
			     call_name(nvprof, list, names, api, sqlite_int(rows, ID)), start, dur,
			     builder_call_info(nvprof->builder, &info));
	}
}

static void read_overhead(struct nvprof *nvprof)
{
	enum { START, END, KIND, OBJECT_KIND, OBJECT, COLUMNS };
	static const char *const kinds[] = { "Overhead", "Driver Compiler", "Buffer Flush",
					     "Instrumentation", "Resource" };
	sqlite_each (rows, nvprof->database, "CUPTI_ACTIVITY_KIND_OVERHEAD",
		     "start! end! overheadKind objectKind! objectId!", COLUMNS) {
		int64_t dur, pid, tid, start = sqlite_int(rows, START);
		if (!row_times(nvprof->profile, TIMES_ZERO_START, start, sqlite_int(rows, END),
			       &dur) ||
		    !nvprof_object(rows, OBJECT_KIND, OBJECT, &pid, &tid))
			continue;
		uint64_t kind = (uint64_t)sqlite_int(rows, KIND) >> 16;
		const char *name = kinds[kind < sizeof kinds / sizeof *kinds ? kind : 0];
		/* Overhead crosses calls and ranges and would break their nesting. */
		uint32_t track = builder_track(
			nvprof->builder, builder_process(nvprof->builder, pid, 0), NO_VALUE,
			builder_key(nvprof->builder, "profiler overhead"), -1);
		builder_span(nvprof->builder, SPAN_OVERHEAD, track,
			     builder_key(nvprof->builder, name), start, dur, NO_ROW);
	}
}

/* ---- ranges ---- */

enum { NVPROF_MARKER_COLUMNS(SQLITE_PLACE) MARKER_COLUMNS };
static const char marker_columns[] = NVPROF_MARKER_COLUMNS(SQLITE_COLUMN);

struct open_range {
	int64_t time, end;
	uint32_t track, name, domain;
	bool wanders;
};

/* A range is two rows with equal ids, in any order. */
struct markers {
	struct nvprof *nvprof;
	struct nvtx *nvtx;
	struct hash *by_id;
	GROWING(struct open_range, open_range, count);
};

static void begin_range(struct markers *markers, const struct sqlite_rows *rows, int64_t time,
			uint32_t track)
{
	struct nvprof *nvprof = markers->nvprof;
	mem_grow(markers->open_range, markers->count + 1);
	markers->open_range[markers->count] = (struct open_range){
		.time = time,
		.end = NO_VALUE,
		.track = track,
		.name = nvprof_string(nvprof, sqlite_int(rows, MARKER_NAME)),
		.domain = sqlite_int(rows, MARKER_DOMAIN) > 0
				  ? nvprof_string(nvprof, sqlite_int(rows, MARKER_DOMAIN))
				  : 0,
	};
	hash_add(markers->by_id, (uint64_t)sqlite_int(rows, MARKER_ID), (uint32_t)markers->count++);
}

static void end_range(struct markers *markers, const struct sqlite_rows *rows, int64_t time,
		      uint32_t track)
{
	uint32_t at = hash_last(markers->by_id, (uint64_t)sqlite_int(rows, MARKER_ID));
	if (at == NO_ROW) {
		profile_skip(markers->nvprof->profile, "end without begin");
		return;
	}
	struct open_range *open_range = &markers->open_range[at];
	open_range->end = time > open_range->time ? time : open_range->time;
	open_range->wanders = track != open_range->track;
}

/* The first pass reads starts and points (flags WANTED), the second ends. */
static void read_markers(struct markers *markers, int64_t wanted)
{
	enum { POINT = 1, BEGIN = 2, END = 4 };
	struct nvprof *nvprof = markers->nvprof;
	sqlite_each (rows, nvprof->database, "CUPTI_ACTIVITY_KIND_MARKER", marker_columns,
		     MARKER_COLUMNS) {
		int64_t pid, tid, flags = sqlite_int(rows, MARKER_FLAGS);
		int64_t time = sqlite_int(rows, MARKER_TIME);
		if (flags == NO_VALUE || !(flags & wanted) || time == NO_VALUE ||
		    !nvprof_object(rows, MARKER_KIND, MARKER_OBJECT, &pid, &tid))
			continue;
		nvprof->profile->events++;
		uint32_t track = nvprof_thread(nvprof, pid, tid);
		if (flags & BEGIN)
			begin_range(markers, rows, time, track);
		else if (flags & END)
			end_range(markers, rows, time, track);
		else {
			uint32_t name = nvprof_string(nvprof, sqlite_int(rows, MARKER_NAME));
			nvtx_mark(markers->nvtx, track, INTERNED(nvprof->profile->strings, name),
				  time);
		}
	}
}

static void read_ranges(struct nvprof *nvprof)
{
	struct markers markers = {
		.nvprof = nvprof,
		.nvtx = nvtx_new(nvprof->profile, nvprof->builder),
		.by_id = hash_new(1024),
	};
	const struct intern *strings = nvprof->profile->strings;
	read_markers(&markers, 1 | 2);
	read_markers(&markers, 4);
	for_each (open_range, markers.open_range, markers.count) {
		nvtx_range(markers.nvtx, open_range->track, INTERNED(strings, open_range->name),
			   open_range->domain, open_range->time, open_range->end,
			   open_range->wanders ? NVTX_WANDERS : NVTX_EITHER);
	}
	nvtx_finish(markers.nvtx);
	nvtx_free(markers.nvtx);
	hash_free(markers.by_id);
	mem_free(markers.open_range);
}

/* ---- devices ---- */

static void nvprof_read_devices(struct nvprof *nvprof)
{
	enum { NVPROF_DEVICE_COLUMNS(SQLITE_PLACE) COLUMNS };
	static const size_t fields[] = { GPU_FIELD_ROWS };
	sqlite_each (rows, nvprof->database, "CUPTI_ACTIVITY_KIND_DEVICE",
		     NVPROF_DEVICE_COLUMNS(SQLITE_COLUMN), COLUMNS) {
		int64_t id = sqlite_int(rows, ID);
		if (id < 0 || id > INT32_MAX)
			continue;
		struct device *device = builder_device(nvprof->builder, (int32_t)id);
		if (!device)
			continue;
		device->name = nvprof_string(nvprof, sqlite_int(rows, NAME));
		for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
			*(int64_t *)(void *)((char *)device + fields[i]) =
				sqlite_int(rows, FIELDS + i);
		int64_t product;
		if (!__builtin_mul_overflow(sqlite_int(rows, WARPS), device->warp_size, &product))
			device->max_threads_per_sm = product;
		if (!__builtin_mul_overflow(sqlite_int(rows, BANDWIDTH), 1000, &product))
			device->memory_bandwidth = product; /* kB/s */
		if (!__builtin_mul_overflow(sqlite_int(rows, CLOCK), 1000, &product))
			device->clock_hz = product; /* kHz */
	}
}

static void read_contexts(struct nvprof *nvprof)
{
	sqlite_each (rows, nvprof->database, "CUPTI_ACTIVITY_KIND_CONTEXT", "contextId! deviceId!",
		     2) {
		int64_t device = sqlite_int(rows, 1);
		if (device >= 0 && device <= INT32_MAX)
			hash_add(nvprof->devices, (uint64_t)sqlite_int(rows, 0), (uint32_t)device);
	}
}

static bool nvprof_read(struct sqlite_database *database, struct builder *builder,
			struct error *error)
{
	struct nvprof nvprof = { .database = database,
				 .profile = database->profile,
				 .builder = builder,
				 .devices = hash_new(16),
				 .readable = hash_new(256),
				 .pid = NO_VALUE };
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		sqlite_database_expect(database, tables[i], "");
	nvprof.strings = sqlite_strings(database, "StringTable", "_id_! value:text!");
	nvprof_read_devices(&nvprof);
	read_contexts(&nvprof);
	read_calls(&nvprof, "CUPTI_ACTIVITY_KIND_RUNTIME", NVPROF_RUNTIME);
	read_calls(&nvprof, "CUPTI_ACTIVITY_KIND_DRIVER", NVPROF_DRIVER);
	read_overhead(&nvprof);
	read_ranges(&nvprof);
	nvprof_read_activities(&nvprof);
	nvprof_read_memory(&nvprof);
	hash_free_all(nvprof.strings, nvprof.devices, nvprof.readable);
	return true;
}

const struct reader nvprof_reader = {
	.format = "nvprof profile (SQLite)",
	.recognize_database = nvprof_recognize,
	.read_database = nvprof_read,
	.empty = "is an nvprof profile without kernels, API calls or markers"
};
