/*
 * Device rows of an RPD database: operations with the calls that launched them, monitors.
 */
#include "base/text_slice.h"
#include "input/rocm/rpd_private.h"

#include <math.h>
#include <stdlib.h>

/* ---- parameters ---- */

/* Calls whose grid counts work-items, not workgroups. */
static bool counts_items(const struct rpd *rpd, int64_t call)
{
	uint32_t span = id_find(rpd->calls, call);
	if (span == NO_ROW)
		return false;
	const char *name = profile_string(rpd->profile, rpd->profile->span_name[span]);
	return strcmp(name, "hipExtModuleLaunchKernel") == 0 ||
	       strcmp(name, "hipHccModuleLaunchKernel") == 0;
}

static void read_launches(struct rpd *rpd)
{
	enum { CALL, SHARED, GRID, BLOCK = GRID + 3, COLUMNS = BLOCK + 3 };
	sqlite_each (rows, rpd->database, "rocpd_kernelapi",
		     "api_ptr_id! groupSegmentSize gridX gridY gridZ workgroupX workgroupY "
		     "workgroupZ",
		     COLUMNS) {
		int64_t call = sqlite_int(rows, CALL);
		struct rpd_launch *launch = id_table_add(&rpd->launches, sizeof *launch, call);
		launch->bytes = NO_VALUE;
		launch->config = (struct rocm_launch){ .registers = NO_VALUE,
						       .shared = sqlite_int(rows, SHARED),
						       .items = counts_items(rpd, call) };
		for (size_t i = 0; i < 3; i++) {
			launch->config.grid[i] = sqlite_int(rows, GRID + i);
			launch->config.block[i] = sqlite_int(rows, BLOCK + i);
		}
	}
}

/* Columns without a value hold an empty text. */
static int64_t copy_size(const struct sqlite_rows *rows, size_t size, size_t width, size_t height)
{
	int64_t area, bytes = sqlite_text_int(rows, size);
	if (bytes != NO_VALUE)
		return bytes < 0 ? NO_VALUE : bytes;
	int64_t w = sqlite_text_int(rows, width), h = sqlite_text_int(rows, height);
	return w <= 0 || h <= 0 || __builtin_mul_overflow(w, h, &area) ? NO_VALUE : area;
}

static void read_copies(struct rpd *rpd)
{
	enum { CALL, SIZE, WIDTH, HEIGHT, KIND, COLUMNS };
	sqlite_each (rows, rpd->database, "rocpd_copyapi",
		     "api_ptr_id! size:text width:text height:text kind:text", COLUMNS) {
		struct rpd_launch *copy =
			id_table_add(&rpd->copies, sizeof *copy, sqlite_int(rows, CALL));
		copy->bytes = copy_size(rows, SIZE, WIDTH, HEIGHT);
		copy->kind = sqlite_text_int(rows, KIND);
	}
}

/* ---- links ---- */

/* The first call of each operation. Ranges are linked too; only calls launch operations. */
static void read_links(struct rpd *rpd)
{
	enum { CALL, OPERATION, COLUMNS };
	sqlite_each (rows, rpd->database, "rocpd_api_ops", "api_id! op_id!", COLUMNS) {
		int64_t call = sqlite_int(rows, CALL), operation = sqlite_int(rows, OPERATION);
		if (operation == NO_VALUE || id_find(rpd->calls, call) == NO_ROW)
			continue;
		int64_t *first = id_table_find(&rpd->links, operation);
		if (!first) {
			first = id_table_add(&rpd->links, sizeof *first, operation);
			*first = call;
		}
		*first = call < *first ? call : *first;
	}
}

/* ---- operations ---- */

static enum activity_kind rpd_device_kind_of(const char *type)
{
	return text_begins_one(type, "Kernel")        ? ACTIVITY_KERNEL
	       : text_begins_one(type, "Copy|Memcpy") ? ACTIVITY_MEMCPY
	       : text_begins_one(type, "Fill|Memset") ? ACTIVITY_MEMSET
						      : ACTIVITY_SYNC;
}

/* A copy's direction is in its type, else in the kind that its call was given. */
static uint32_t copy_name(struct rpd *rpd, const char *type, const struct rpd_launch *copy)
{
	static const enum rocm_side sides[][2] = { { ROCM_HOST, ROCM_HOST },
						   { ROCM_HOST, ROCM_DEVICE },
						   { ROCM_DEVICE, ROCM_HOST },
						   { ROCM_DEVICE, ROCM_DEVICE } };
	uint64_t kind = copy ? (uint64_t)copy->kind : UINT64_MAX;
	bool known = kind < sizeof sides / sizeof *sides;
	return rocm_copy_name(rpd->profile, type, known ? sides[kind][0] : ROCM_UNKNOWN,
			      known ? sides[kind][1] : ROCM_UNKNOWN);
}

static uint32_t rpd_device_process_of(struct rpd *rpd, int64_t call)
{
	uint32_t span = id_find(rpd->calls, call);
	if (span != NO_ROW)
		return rpd->profile->tracks[rpd->profile->span_track[span]].process;
	if (rpd->process == NO_ROW)
		rpd->process = builder_process(rpd->builder, NO_VALUE, 0);
	return rpd->process;
}

static void rpd_device_describe(struct rpd *rpd, struct activity *activity, uint32_t type,
				uint32_t description)
{
	int64_t call = activity->correlation;
	activity->kind = rpd_device_kind_of(profile_string(rpd->profile, type));
	activity->name = description ? description : type;
	const struct rpd_launch *copy = id_table_find(&rpd->copies, call);
	const struct rpd_launch *launch = id_table_find(&rpd->launches, call);
	if (activity->kind == ACTIVITY_MEMCPY) {
		activity->name = copy_name(rpd, profile_string(rpd->profile, type), copy);
		activity->bytes = copy ? copy->bytes : NO_VALUE;
	} else if (activity->kind == ACTIVITY_KERNEL && launch) {
		activity->config = rocm_config(rpd->builder, &launch->config);
	}
}

static void read_operations(struct rpd *rpd)
{
	enum { ID, GPU, QUEUE, START, END, DESCRIPTION, TYPE, COLUMNS };
	bool counted = sqlite_database_has(rpd->database, "rocpd_counter");
	sqlite_each (rows, rpd->database, "rocpd_op",
		     "id! gpuId! queueId start! end! description_id opType_id!", COLUMNS) {
		struct activity activity = activity_of(ACTIVITY_SYNC);
		activity.start = sqlite_int(rows, START);
		if (!rocm_times(rpd->profile, activity.start, sqlite_int(rows, END), &activity.dur))
			continue;
		const int64_t *call = id_table_find(&rpd->links, sqlite_int(rows, ID));
		activity.correlation = call ? *call : NO_VALUE;
		activity.track = builder_track(
			rpd->builder, rpd_device_process_of(rpd, activity.correlation),
			sqlite_int(rows, QUEUE), 0, rocm_device(sqlite_int(rows, GPU)));
		rpd_device_describe(rpd, &activity, rpd_string(rpd, sqlite_int(rows, TYPE)),
				    rpd_string(rpd, sqlite_int(rows, DESCRIPTION)));
		uint32_t row = builder_activity(rpd->builder, &activity);
		if (counted)
			id_add(rpd->operations, sqlite_int(rows, ID), row);
	}
}

void rpd_read_device(struct rpd *rpd)
{
	read_launches(rpd);
	read_copies(rpd);
	read_links(rpd);
	read_operations(rpd);
}

/* ---- counters and monitors ---- */

void rpd_read_counters(struct rpd *rpd)
{
	enum { OPERATION, NAME, VALUE, COLUMNS };
	sqlite_each (rows, rpd->database, "rocpd_counter", "op_id! name_id! value!", COLUMNS) {
		struct metric metric = {
			.value = sqlite_real(rows, VALUE),
			.activity = id_find(rpd->operations, sqlite_int(rows, OPERATION)),
			.name = rpd_string(rpd, sqlite_int(rows, NAME)),
		};
		if (metric.activity == NO_ROW || !isfinite(metric.value))
			profile_skip(rpd->profile, "counter without name or value");
		else
			builder_metric(rpd->builder, &metric);
	}
}

void rpd_read_monitors(struct rpd *rpd)
{
	enum { DEVICE_TYPE, DEVICE, MONITOR, START, VALUE, COLUMNS };
	sqlite_each (rows, rpd->database, "rocpd_monitor",
		     "deviceType:text deviceId monitorType:text! start! value:text!", COLUMNS) {
		size_t length;
		struct counter counter = { .time = sqlite_int(rows, START) };
		const char *type = sqlite_text(rows, DEVICE_TYPE, &length);
		bool gpu = !type || sqlite3_stricmp(type, "gpu") == 0;
		const char *name = sqlite_text(rows, MONITOR, &length);
		counter.name = name ? intern_add(rpd->profile->strings, name, length) : 0;
		counter.series = counter.name;
		const char *value = sqlite_text(rows, VALUE, &length);
		char *end = NULL;
		counter.value = value ? strtod(value, &end) : NAN;
		rpd->profile->events++;
		if (end == value || !isfinite(counter.value) || counter.time == NO_VALUE) {
			profile_skip(rpd->profile, "counter without name or value");
			continue;
		}
		counter.track = builder_track(rpd->builder, rpd_device_process_of(rpd, NO_VALUE),
					      NO_VALUE, profile_intern(rpd->profile, "monitors"),
					      gpu ? rocm_device(sqlite_int(rows, DEVICE)) : -1);
		builder_counter(rpd->builder, &counter);
	}
}
