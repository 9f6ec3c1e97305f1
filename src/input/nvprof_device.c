/*
 * What ran on the device, by nvprof's tables.
 */
#include "base/buffer.h"
#include "base/demangle.h"
#include "input/cuda_names.h"
#include "input/nvprof_private.h"

#include <math.h>
#include <string.h>

enum { START, END, DEVICE, CONTEXT, STREAM, CORRELATION, COMMON };
#define COMMON_COLUMNS \
	[START] = { "start", COLUMN_INT, true }, [END] = { "end", COLUMN_INT, true }, \
	[DEVICE] = { "deviceId", COLUMN_INT, false }, \
	[CONTEXT] = { "contextId", COLUMN_INT, false }, \
	[STREAM] = { "streamId", COLUMN_INT, false }, \
	[CORRELATION] = { "correlationId", COLUMN_INT, false }

/* Records of synchronisations name a context instead of a device. */
static uint32_t stream_track(struct nvprof *nvprof, const struct sqlite_rows *rows)
{
	size_t cursor;
	int64_t device = sqlite_int(rows, DEVICE), stream = sqlite_int(rows, STREAM);
	int64_t context = sqlite_int(rows, CONTEXT);
	if (device == NO_VALUE && context != NO_VALUE) {
		uint32_t found = hash_find(nvprof->devices, (uint64_t)context, &cursor);
		device = found == NO_ROW ? 0 : found;
	}
	if (stream == UINT32_MAX)
		stream = -1;
	return builder_track(nvprof->builder, builder_process(nvprof->builder, nvprof->pid, 0),
			     stream, 0, cuda_small(device) >= 0 ? (int32_t)device : 0);
}

static bool common(struct nvprof *nvprof, const struct sqlite_rows *rows,
		   enum activity_kind kind, struct activity *activity)
{
	*activity = (struct activity){
		.kind = kind, .config = NO_ROW, .external = NO_VALUE, .bytes = NO_VALUE,
		.start = sqlite_int(rows, START), .correlation = sqlite_int(rows, CORRELATION),
	};
	if (!nvprof_times(nvprof, activity->start, sqlite_int(rows, END), &activity->dur))
		return false;
	activity->track = stream_track(nvprof, rows);
	return true;
}

/* nvprof keeps the symbols of kernels; one that is no mangled name stays as it is. */
static uint32_t kernel_name(struct nvprof *nvprof, uint32_t symbol)
{
	const char *text = intern_text(nvprof->profile->strings, symbol);
	struct buffer readable = { 0 };
	size_t cursor;
	uint32_t name = hash_find(nvprof->readable, symbol, &cursor);
	if (name != NO_ROW)
		return name;
	name = symbol;
	if (strncmp(text, "_Z", 2) == 0 && demangle(&readable, text))
		name = intern_add(nvprof->profile->strings, readable.data, readable.length);
	buffer_free(&readable);
	hash_add(nvprof->readable, symbol, name);
	return name;
}

/* Kernels run alone are in a table of their own, as are those that kernels launched. */
static void read_kernels(struct nvprof *nvprof, const char *table)
{
	enum { NAME = COMMON, REGISTERS, STATIC, DYNAMIC, GRID, BLOCK = GRID + 3,
	       COLUMNS = BLOCK + 3 };
	static const struct sqlite_column columns[COLUMNS] = {
		COMMON_COLUMNS,
		[NAME] = { "name", COLUMN_INT, false },
		[REGISTERS] = { "registersPerThread", COLUMN_INT, false },
		[STATIC] = { "staticSharedMemory", COLUMN_INT, false },
		[DYNAMIC] = { "dynamicSharedMemory", COLUMN_INT, false },
		[GRID] = { "gridX", COLUMN_INT, false }, { "gridY", COLUMN_INT, false },
		{ "gridZ", COLUMN_INT, false },
		[BLOCK] = { "blockX", COLUMN_INT, false }, { "blockY", COLUMN_INT, false },
		{ "blockZ", COLUMN_INT, false },
	};
	struct activity activity;
	struct sqlite_rows *rows = sqlite_rows_open(nvprof->database, table, columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		struct launch_config config;
		if (!common(nvprof, rows, ACTIVITY_KERNEL, &activity))
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
		activity.config = builder_config(nvprof->builder, &config);
		activity.name = kernel_name(nvprof, nvprof_string(nvprof, sqlite_int(rows, NAME)));
		builder_activity(nvprof->builder, &activity);
	}
	sqlite_rows_close(rows);
}

static void read_copies(struct nvprof *nvprof, const char *table)
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
	struct sqlite_rows *rows = sqlite_rows_open(nvprof->database, table, columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		if (!common(nvprof, rows, ACTIVITY_MEMCPY, &activity))
			continue;
		activity.bytes = sqlite_int(rows, BYTES);
		activity.name = cuda_copy_name(nvprof->profile, sqlite_int(rows, KIND),
					       sqlite_int(rows, FROM), sqlite_int(rows, TO),
					       CUDA_MEMORY_FROM_1);
		builder_activity(nvprof->builder, &activity);
	}
	sqlite_rows_close(rows);
}

static void read_sets(struct nvprof *nvprof)
{
	enum { BYTES = COMMON, KIND, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		COMMON_COLUMNS,
		[BYTES] = { "bytes", COLUMN_INT, false },
		[KIND] = { "memoryKind", COLUMN_INT, false },
	};
	struct activity activity;
	struct sqlite_rows *rows = sqlite_rows_open(
		nvprof->database, "CUPTI_ACTIVITY_KIND_MEMSET", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		if (!common(nvprof, rows, ACTIVITY_MEMSET, &activity))
			continue;
		activity.bytes = sqlite_int(rows, BYTES);
		activity.name = cuda_set_name(nvprof->profile, sqlite_int(rows, KIND),
					      CUDA_MEMORY_FROM_1);
		builder_activity(nvprof->builder, &activity);
	}
	sqlite_rows_close(rows);
}

static void read_syncs(struct nvprof *nvprof)
{
	enum { KIND = COMMON, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		COMMON_COLUMNS,
		[KIND] = { "type", COLUMN_INT, false },
	};
	struct activity activity;
	struct sqlite_rows *rows = sqlite_rows_open(
		nvprof->database, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		if (!common(nvprof, rows, ACTIVITY_SYNC, &activity))
			continue;
		activity.name = cuda_sync_name(nvprof->profile, sqlite_int(rows, KIND));
		builder_activity(nvprof->builder, &activity);
	}
	sqlite_rows_close(rows);
}

void nvprof_read_activities(struct nvprof *nvprof)
{
	read_kernels(nvprof, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL");
	read_kernels(nvprof, "CUPTI_ACTIVITY_KIND_KERNEL");
	read_kernels(nvprof, "CUPTI_ACTIVITY_KIND_CDP_KERNEL");
	read_copies(nvprof, "CUPTI_ACTIVITY_KIND_MEMCPY");
	read_copies(nvprof, "CUPTI_ACTIVITY_KIND_MEMCPY2");
	read_sets(nvprof);
	read_syncs(nvprof);
}
