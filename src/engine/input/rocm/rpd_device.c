/*
 * Device rows of an RPD database: operations with the calls that launched them, monitors.
 */
#include "input/rocm/rpd_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters ---- */

static struct rpd_launch *add_launch(struct rpd *rpd, struct hash *ids, int64_t call)
{
	mem_grow(rpd->launches, rpd->launch_cap, rpd->launch_count + 1);
	if (call != NO_VALUE)
		hash_add(ids, (uint64_t)call, (uint32_t)rpd->launch_count);
	return &rpd->launches[rpd->launch_count++];
}

/* Calls whose grid counts work-items, not workgroups. */
static bool counts_items(const struct rpd *rpd, int64_t call)
{
	size_t cursor;
	uint32_t span = call == NO_VALUE ? NO_ROW : hash_find(rpd->calls, (uint64_t)call, &cursor);
	if (span == NO_ROW)
		return false;
	const char *name = profile_string(rpd->profile, rpd->profile->span_name[span]);
	return strcmp(name, "hipExtModuleLaunchKernel") == 0 ||
	       strcmp(name, "hipHccModuleLaunchKernel") == 0;
}

static void read_launches(struct rpd *rpd)
{
	enum { CALL, SHARED, GRID, BLOCK = GRID + 3, COLUMNS = BLOCK + 3 };
	static const struct sqlite_column columns[COLUMNS] = {
		[CALL] = { "api_ptr_id", COLUMN_INT, true },
		[SHARED] = { "groupSegmentSize", COLUMN_INT, false },
		[GRID] = { "gridX", COLUMN_INT, false },
		{ "gridY", COLUMN_INT, false },
		{ "gridZ", COLUMN_INT, false },
		[BLOCK] = { "workgroupX", COLUMN_INT, false },
		{ "workgroupY", COLUMN_INT, false },
		{ "workgroupZ", COLUMN_INT, false },
	};
	struct sqlite_rows *rows =
		sqlite_rows_open(rpd->database, "rocpd_kernelapi", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		int64_t call = sqlite_int(rows, CALL);
		struct rpd_launch *launch = add_launch(rpd, rpd->launch_ids, call);
		*launch = (struct rpd_launch){ .bytes = NO_VALUE };
		launch->config = (struct rocm_launch){ .registers = NO_VALUE,
						       .shared = sqlite_int(rows, SHARED),
						       .items = counts_items(rpd, call) };
		for (size_t i = 0; i < 3; i++) {
			launch->config.grid[i] = sqlite_int(rows, GRID + i);
			launch->config.block[i] = sqlite_int(rows, BLOCK + i);
		}
	}
	sqlite_rows_close(rows);
}

/* Columns without a value hold an empty text. */
static int64_t rpd_device_number_of(const struct sqlite_rows *rows, size_t column)
{
	size_t length;
	const char *text = sqlite_text(rows, column, &length);
	char *end;
	long long number = text ? strtoll(text, &end, 10) : 0;
	return text && length && !*end ? number : NO_VALUE;
}

static int64_t copy_size(const struct sqlite_rows *rows, size_t size, size_t width, size_t height)
{
	int64_t area, bytes = rpd_device_number_of(rows, size);
	if (bytes != NO_VALUE)
		return bytes < 0 ? NO_VALUE : bytes;
	int64_t w = rpd_device_number_of(rows, width), h = rpd_device_number_of(rows, height);
	return w <= 0 || h <= 0 || __builtin_mul_overflow(w, h, &area) ? NO_VALUE : area;
}

static void read_copies(struct rpd *rpd)
{
	enum { CALL, SIZE, WIDTH, HEIGHT, KIND, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[CALL] = { "api_ptr_id", COLUMN_INT, true },
		[SIZE] = { "size", COLUMN_TEXT, false },
		[WIDTH] = { "width", COLUMN_TEXT, false },
		[HEIGHT] = { "height", COLUMN_TEXT, false },
		[KIND] = { "kind", COLUMN_TEXT, false },
	};
	struct sqlite_rows *rows =
		sqlite_rows_open(rpd->database, "rocpd_copyapi", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		int64_t bytes = copy_size(rows, SIZE, WIDTH, HEIGHT),
			kind = rpd_device_number_of(rows, KIND);
		struct rpd_launch *launch = add_launch(rpd, rpd->copy_ids, sqlite_int(rows, CALL));
		*launch = (struct rpd_launch){ .bytes = bytes, .kind = kind };
	}
	sqlite_rows_close(rows);
}

/* ---- links ---- */

static int compare_links(const void *a, const void *b)
{
	const struct rpd_link *x = a, *y = b;
	if (x->operation != y->operation)
		return x->operation < y->operation ? -1 : 1;
	return (x->call > y->call) - (x->call < y->call);
}

/* Ranges are linked to operations too; only calls launch them. */
static void read_links(struct rpd *rpd)
{
	enum { CALL, OPERATION, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[CALL] = { "api_id", COLUMN_INT, true },
		[OPERATION] = { "op_id", COLUMN_INT, true },
	};
	struct sqlite_rows *rows =
		sqlite_rows_open(rpd->database, "rocpd_api_ops", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		size_t cursor;
		int64_t call = sqlite_int(rows, CALL);
		if (call == NO_VALUE || hash_find(rpd->calls, (uint64_t)call, &cursor) == NO_ROW)
			continue;
		mem_grow(rpd->links, rpd->link_cap, rpd->link_count + 1);
		rpd->links[rpd->link_count++] =
			(struct rpd_link){ sqlite_int(rows, OPERATION), call };
	}
	sqlite_rows_close(rows);
	if (rpd->link_count)
		qsort(rpd->links, rpd->link_count, sizeof *rpd->links, compare_links);
}

/* The first call of an operation; NO_VALUE: none. */
static int64_t rpd_device_call_of(const struct rpd *rpd, int64_t operation)
{
	size_t low = 0, high = rpd->link_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (rpd->links[middle].operation < operation)
			low = middle + 1;
		else
			high = middle;
	}
	return operation != NO_VALUE && low < rpd->link_count &&
			       rpd->links[low].operation == operation
		       ? rpd->links[low].call
		       : NO_VALUE;
}

/* ---- operations ---- */

static enum activity_kind rpd_device_kind_of(const char *type)
{
	static const struct {
		const char *prefix;
		enum activity_kind kind;
	} kinds[] = {
		{ "Kernel", ACTIVITY_KERNEL }, { "Copy", ACTIVITY_MEMCPY },
		{ "Memcpy", ACTIVITY_MEMCPY }, { "Fill", ACTIVITY_MEMSET },
		{ "Memset", ACTIVITY_MEMSET }, { "Marker", ACTIVITY_SYNC },
		{ "Barrier", ACTIVITY_SYNC },
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strncmp(type, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
			return kinds[i].kind;
	return ACTIVITY_SYNC;
}

static const struct rpd_launch *find_launch(const struct rpd *rpd, const struct hash *ids,
					    int64_t call)
{
	size_t cursor;
	uint32_t at = call == NO_VALUE ? NO_ROW : hash_find(ids, (uint64_t)call, &cursor);
	return at == NO_ROW ? NULL : &rpd->launches[at];
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
	size_t cursor;
	uint32_t span = call == NO_VALUE ? NO_ROW : hash_find(rpd->calls, (uint64_t)call, &cursor);
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
	const struct rpd_launch *copy = find_launch(rpd, rpd->copy_ids, call);
	const struct rpd_launch *launch = find_launch(rpd, rpd->launch_ids, call);
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
	static const struct sqlite_column columns[COLUMNS] = {
		[ID] = { "id", COLUMN_INT, true },
		[GPU] = { "gpuId", COLUMN_INT, true },
		[QUEUE] = { "queueId", COLUMN_INT, false },
		[START] = { "start", COLUMN_INT, true },
		[END] = { "end", COLUMN_INT, true },
		[DESCRIPTION] = { "description_id", COLUMN_INT, false },
		[TYPE] = { "opType_id", COLUMN_INT, true },
	};
	bool counted = sqlite_database_has(rpd->database, "rocpd_counter");
	struct sqlite_rows *rows = sqlite_rows_open(rpd->database, "rocpd_op", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		struct activity activity = { .external = NO_VALUE,
					     .bytes = NO_VALUE,
					     .config = NO_ROW,
					     .start = sqlite_int(rows, START) };
		if (!rocm_times(rpd->profile, activity.start, sqlite_int(rows, END), &activity.dur))
			continue;
		activity.correlation = rpd_device_call_of(rpd, sqlite_int(rows, ID));
		activity.track = builder_track(
			rpd->builder, rpd_device_process_of(rpd, activity.correlation),
			sqlite_int(rows, QUEUE), 0, rocm_device(sqlite_int(rows, GPU)));
		rpd_device_describe(rpd, &activity, rpd_string(rpd, sqlite_int(rows, TYPE)),
				    rpd_string(rpd, sqlite_int(rows, DESCRIPTION)));
		uint32_t row = builder_activity(rpd->builder, &activity);
		if (counted && sqlite_int(rows, ID) != NO_VALUE)
			hash_add(rpd->operations, (uint64_t)sqlite_int(rows, ID), row);
	}
	sqlite_rows_close(rows);
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
	static const struct sqlite_column columns[COLUMNS] = {
		[OPERATION] = { "op_id", COLUMN_INT, true },
		[NAME] = { "name_id", COLUMN_INT, true },
		[VALUE] = { "value", COLUMN_REAL, true },
	};
	struct sqlite_rows *rows =
		sqlite_rows_open(rpd->database, "rocpd_counter", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		size_t cursor;
		int64_t operation = sqlite_int(rows, OPERATION);
		struct metric metric = { .value = sqlite_real(rows, VALUE),
					 .activity = NO_ROW,
					 .name = rpd_string(rpd, sqlite_int(rows, NAME)) };
		if (operation != NO_VALUE)
			metric.activity = hash_find(rpd->operations, (uint64_t)operation, &cursor);
		if (metric.activity == NO_ROW || !isfinite(metric.value))
			profile_damage(rpd->profile, "counter without name or value", "skipped",
				       UINT64_MAX);
		else
			builder_metric(rpd->builder, &metric);
	}
	sqlite_rows_close(rows);
}

void rpd_read_monitors(struct rpd *rpd)
{
	enum { DEVICE_TYPE, DEVICE, MONITOR, START, VALUE, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[DEVICE_TYPE] = { "deviceType", COLUMN_TEXT, false },
		[DEVICE] = { "deviceId", COLUMN_INT, false },
		[MONITOR] = { "monitorType", COLUMN_TEXT, true },
		[START] = { "start", COLUMN_INT, true },
		[VALUE] = { "value", COLUMN_TEXT, true },
	};
	struct sqlite_rows *rows =
		sqlite_rows_open(rpd->database, "rocpd_monitor", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
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
			profile_damage(rpd->profile, "counter without name or value", "skipped",
				       UINT64_MAX);
			continue;
		}
		counter.track = builder_track(rpd->builder, rpd_device_process_of(rpd, NO_VALUE),
					      NO_VALUE, rpd_intern(rpd, "monitors"),
					      gpu ? rocm_device(sqlite_int(rows, DEVICE)) : -1);
		builder_counter(rpd->builder, &counter);
	}
	sqlite_rows_close(rows);
}
