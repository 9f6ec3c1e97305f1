/*
 * What ran on the device: kernels, copies, sets, synchronisations, replays of whole graphs.
 */
#include "input/cuda_names.h"
#include "input/nsys_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Columns that all activities have, at the same places. */
enum { START, END, DEVICE, STREAM, CORRELATION, PROCESS, GRAPH_NODE, COMMON };
#define COMMON_COLUMNS \
	[START] = { "start", COLUMN_INT, true }, [END] = { "end", COLUMN_INT, true }, \
	[DEVICE] = { "deviceId", COLUMN_INT, false }, \
	[STREAM] = { "streamId", COLUMN_INT, false }, \
	[CORRELATION] = { "correlationId", COLUMN_INT, false }, \
	[PROCESS] = { "globalPid", COLUMN_INT, false }, \
	[GRAPH_NODE] = { "graphNodeId", COLUMN_INT, false }

/* The lane of the row; unsigned 32-bit numbers stand for "none". */
static uint32_t stream_track(struct nsys *nsys, const struct sqlite_rows *rows)
{
	int64_t device = sqlite_int(rows, DEVICE), stream = sqlite_int(rows, STREAM);
	int64_t process = sqlite_int(rows, PROCESS);
	if (process == NO_VALUE)
		nsys->profile->ids_per_process = false;
	if (stream == UINT32_MAX)
		stream = -1;
	return builder_track(nsys->builder, nsys_process(nsys, process), stream, 0,
			     cuda_small(device) >= 0 ? (int32_t)device : 0);
}

/* What every activity has; false when the row has no place in time. */
static bool common(struct nsys *nsys, const struct sqlite_rows *rows, enum activity_kind kind,
		   struct activity *activity)
{
	*activity = (struct activity){
		.kind = kind, .config = NO_ROW, .external = NO_VALUE, .bytes = NO_VALUE,
	};
	if (!nsys_times(nsys, rows, START, END, &activity->start, &activity->dur))
		return false;
	if (activity->dur < 0) {
		profile_damage(nsys->profile, "device activity without an end", "skipped",
			       UINT64_MAX);
		return false;
	}
	activity->track = stream_track(nsys, rows);
	activity->correlation = sqlite_int(rows, CORRELATION);
	return true;
}

static void add(struct nsys *nsys, const struct sqlite_rows *rows,
		const struct activity *activity)
{
	uint32_t row = builder_activity(nsys->builder, activity);
	int64_t node = sqlite_int(rows, GRAPH_NODE);
	if (node == NO_VALUE || node == 0)
		return;
	char text[24];
	snprintf(text, sizeof text, "%" PRId64, node);
	builder_activity_attribute(nsys->builder, row, nsys_intern(nsys, "graph node id"),
				   nsys_intern(nsys, text));
}

static void read_kernels(struct nsys *nsys)
{
	enum { NAME = COMMON, SHORT, MANGLED, REGISTERS, STATIC, DYNAMIC, GRID, BLOCK = GRID + 3,
	       COLUMNS = BLOCK + 3 };
	static const struct sqlite_column columns[COLUMNS] = {
		COMMON_COLUMNS,
		[NAME] = { "demangledName", COLUMN_INT, false },
		[SHORT] = { "shortName", COLUMN_INT, false },
		[MANGLED] = { "mangledName", COLUMN_INT, false },
		[REGISTERS] = { "registersPerThread", COLUMN_INT, false },
		[STATIC] = { "staticSharedMemory", COLUMN_INT, false },
		[DYNAMIC] = { "dynamicSharedMemory", COLUMN_INT, false },
		[GRID] = { "gridX", COLUMN_INT, false }, { "gridY", COLUMN_INT, false },
		{ "gridZ", COLUMN_INT, false },
		[BLOCK] = { "blockX", COLUMN_INT, false }, { "blockY", COLUMN_INT, false },
		{ "blockZ", COLUMN_INT, false },
	};
	struct activity activity;
	struct sqlite_rows *rows = sqlite_rows_open(nsys->database, "CUPTI_ACTIVITY_KIND_KERNEL",
						    columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		struct launch_config config;
		if (!common(nsys, rows, ACTIVITY_KERNEL, &activity))
			continue;
		memset(&config, 0, sizeof config);	/* compared as bytes */
		for (int i = 0; i < 3; i++) {
			config.grid[i] = cuda_small(sqlite_int(rows, (size_t)(GRID + i)));
			config.block[i] = cuda_small(sqlite_int(rows, (size_t)(BLOCK + i)));
		}
		int64_t fixed = cuda_small(sqlite_int(rows, STATIC));
		int64_t dynamic = cuda_small(sqlite_int(rows, DYNAMIC));
		config.regs_per_thread = cuda_small(sqlite_int(rows, REGISTERS));
		config.shared_mem_bytes = fixed < 0 || dynamic < 0 ? -1 : fixed + dynamic;
		config.blocks_per_sm = config.warps_per_sm = config.occupancy_pct = NAN;
		activity.config = builder_config(nsys->builder, &config);
		for (size_t name = NAME; name <= MANGLED && !activity.name; name++)
			activity.name = nsys_string(nsys, sqlite_int(rows, name));
		add(nsys, rows, &activity);
	}
	sqlite_rows_close(rows);
}

/* The numbering changed in 2022; copies that must touch the device give the old one away. */
static enum cuda_numbering numbering_of(int64_t copy_kind, int64_t from, int64_t to)
{
	enum { HTOD = 1, DTOH = 2, DTOD = 8, OLD_DEVICE = 3 };
	bool old = ((copy_kind == HTOD || copy_kind == DTOD) && to == OLD_DEVICE) ||
		   ((copy_kind == DTOH || copy_kind == DTOD) && from == OLD_DEVICE);
	return old ? CUDA_MEMORY_FROM_1 : CUDA_MEMORY_FROM_0;
}

static void read_copies(struct nsys *nsys)
{
	enum { BYTES = COMMON, KIND, FROM, TO, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		COMMON_COLUMNS,
		[BYTES] = { "bytes", COLUMN_INT, false },
		[KIND] = { "copyKind", COLUMN_INT, false },
		[FROM] = { "srcKind", COLUMN_INT, false },
		[TO] = { "dstKind", COLUMN_INT, false },
	};
	struct activity activity;
	struct sqlite_rows *rows = sqlite_rows_open(nsys->database, "CUPTI_ACTIVITY_KIND_MEMCPY",
						    columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		if (!common(nsys, rows, ACTIVITY_MEMCPY, &activity))
			continue;
		int64_t kind = sqlite_int(rows, KIND);
		int64_t from = sqlite_int(rows, FROM), to = sqlite_int(rows, TO);
		activity.bytes = sqlite_int(rows, BYTES);
		activity.name = cuda_copy_name(nsys->profile, kind, from, to,
					       numbering_of(kind, from, to));
		add(nsys, rows, &activity);
	}
	sqlite_rows_close(rows);
}

static void read_sets(struct nsys *nsys)
{
	enum { BYTES = COMMON, KIND, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		COMMON_COLUMNS,
		[BYTES] = { "bytes", COLUMN_INT, false },
		[KIND] = { "memKind", COLUMN_INT, false },
	};
	struct activity activity;
	struct sqlite_rows *rows = sqlite_rows_open(nsys->database, "CUPTI_ACTIVITY_KIND_MEMSET",
						    columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		if (!common(nsys, rows, ACTIVITY_MEMSET, &activity))
			continue;
		activity.bytes = sqlite_int(rows, BYTES);
		activity.name = cuda_set_name(nsys->profile, sqlite_int(rows, KIND),
					      CUDA_MEMORY_FROM_0);
		add(nsys, rows, &activity);
	}
	sqlite_rows_close(rows);
}

static void read_syncs(struct nsys *nsys)
{
	enum { KIND = COMMON, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		COMMON_COLUMNS,
		[KIND] = { "syncType", COLUMN_INT, false },
	};
	struct activity activity;
	struct sqlite_rows *rows = sqlite_rows_open(
		nsys->database, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		if (!common(nsys, rows, ACTIVITY_SYNC, &activity))
			continue;
		activity.name = cuda_sync_name(nsys->profile, sqlite_int(rows, KIND));
		add(nsys, rows, &activity);
	}
	sqlite_rows_close(rows);
}

/* One row a replay: the device was busy, but with which kernels was not recorded. */
static void read_graphs(struct nsys *nsys)
{
	enum { GRAPH = COMMON, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		COMMON_COLUMNS,
		[GRAPH] = { "graphId", COLUMN_INT, false },
	};
	struct activity activity;
	struct sqlite_rows *rows = sqlite_rows_open(
		nsys->database, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		char text[64] = "CUDA graph (kernels not recorded)";
		int64_t graph = sqlite_int(rows, GRAPH);
		if (!common(nsys, rows, ACTIVITY_KERNEL, &activity))
			continue;
		if (graph != NO_VALUE)
			snprintf(text, sizeof text, "CUDA graph %" PRId64 " (kernels not recorded)",
				 graph);
		activity.name = nsys_intern(nsys, text);
		add(nsys, rows, &activity);
		profile_damage(nsys->profile, "CUDA graph replayed without its kernels",
			       "one row a replay; record with --cuda-graph-trace=node",
			       UINT64_MAX);
	}
	sqlite_rows_close(rows);
}

void nsys_read_activities(struct nsys *nsys)
{
	nsys->profile->ids_per_process = true;
	read_kernels(nsys);
	read_copies(nsys);
	read_sets(nsys);
	read_syncs(nsys);
	read_graphs(nsys);
}
