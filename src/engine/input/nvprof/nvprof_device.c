/*
 * Device activities.
 */
#include "base/demangle.h"
#include "input/cuda/cuda_activities.h"
#include "input/nvprof/nvprof_private.h"

/* Synchronization records have a context instead of a device. */
static uint32_t stream_track(struct nvprof *nvprof, const struct sqlite_rows *rows)
{
	int64_t device = sqlite_int(rows, CUDA_DEVICE), context = sqlite_int(rows, CUDA_CONTEXT);
	if (device == NO_VALUE && context != NO_VALUE) {
		uint32_t found = hash_first(nvprof->devices, (uint64_t)context);
		device = found == NO_ROW ? 0 : found;
	}
	return builder_track(nvprof->builder, builder_process(nvprof->builder, nvprof->pid, 0),
			     cuda_stream(rows), 0, cuda_device(device));
}

static bool nvprof_device_place(void *context, const struct sqlite_rows *rows,
				struct activity *activity)
{
	struct nvprof *nvprof = context;
	activity->start = sqlite_int(rows, CUDA_START);
	if (!row_times(nvprof->profile, TIMES_ZERO_START, activity->start,
		       sqlite_int(rows, CUDA_END), &activity->dur))
		return false;
	activity->track = stream_track(nvprof, rows);
	return true;
}

/* nvprof stores mangled kernel names; other names stay as they are. */
static uint32_t kernel_name(void *context, const struct sqlite_rows *rows)
{
	struct nvprof *nvprof = context;
	uint32_t symbol = nvprof_string(nvprof, sqlite_int(rows, CUDA_NAME));
	const char *text = intern_text(nvprof->profile->strings, symbol);
	uint32_t name = hash_first(nvprof->readable, symbol);
	if (name != NO_ROW)
		return name;
	AUTO_BUFFER struct buffer readable = { 0 };
	name = symbol;
	if (strncmp(text, "_Z", 2) == 0 && demangle(&readable, text))
		name = intern_add(nvprof->profile->strings, readable.data, readable.length);
	hash_add(nvprof->readable, symbol, name);
	return name;
}

/* Serialized kernels and kernels launched by kernels have tables of their own. */
void nvprof_read_activities(struct nvprof *nvprof)
{
	const struct cuda_reader reader = {
		.database = nvprof->database,
		.builder = nvprof->builder,
		.numbering = CUDA_MEMORY_FROM_1,
		.context = nvprof,
		.place = nvprof_device_place,
		.kernel_name = kernel_name,
	};
	cuda_read_kernels(&reader, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL");
	cuda_read_kernels(&reader, "CUPTI_ACTIVITY_KIND_KERNEL");
	cuda_read_kernels(&reader, "CUPTI_ACTIVITY_KIND_CDP_KERNEL");
	cuda_read_copies(&reader, "CUPTI_ACTIVITY_KIND_MEMCPY");
	cuda_read_copies(&reader, "CUPTI_ACTIVITY_KIND_MEMCPY2");
	cuda_read_sets(&reader);
	cuda_read_syncs(&reader);
	cuda_read_graphs(&reader);
}
