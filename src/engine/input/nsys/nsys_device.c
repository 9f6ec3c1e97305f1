/*
 * Device activities: kernels, copies, sets, synchronizations, graph launches.
 */
#include "input/cuda/cuda_activities.h"
#include "input/nsys/nsys_private.h"

/*
 * The GPU of a row. CUPTI stores 0 as the device of every synchronization: it is on the GPU of its
 * context, which the rows read before tell.
 */
static int32_t gpu_of(struct nsys *nsys, const struct sqlite_rows *rows, uint32_t process,
		      enum activity_kind kind)
{
	int64_t context = sqlite_int(rows, CUDA_CONTEXT);
	int32_t gpu = cuda_device(nsys_device(nsys, process, sqlite_int(rows, CUDA_DEVICE)));
	uint64_t key = hash_pair(process, (uint64_t)context);
	if (context == NO_VALUE || (kind != ACTIVITY_SYNC && key == nsys->last_context))
		return gpu;
	uint32_t known = hash_first(nsys->contexts, key);
	if (kind == ACTIVITY_SYNC)
		return known == NO_ROW ? gpu : (int32_t)known;
	if (known == NO_ROW)
		hash_add(nsys->contexts, key, (uint32_t)gpu);
	nsys->last_context = key;
	return gpu;
}

static bool nsys_device_place(void *context, const struct sqlite_rows *rows,
			      struct activity *activity)
{
	struct nsys *nsys = context;
	int64_t process = sqlite_int(rows, CUDA_PROCESS);
	if (!nsys_times(nsys, rows, CUDA_START, CUDA_END, &activity->start, &activity->dur))
		return false;
	if (activity->dur < 0) {
		profile_skip(nsys->profile, "GPU event without an end");
		return false;
	}
	if (process == NO_VALUE)
		nsys->profile->ids_per_process = false;
	uint32_t own = nsys_process(nsys, process);
	activity->track = builder_track(nsys->builder, own, cuda_stream(rows), 0,
					gpu_of(nsys, rows, own, activity->kind));
	return true;
}

static uint32_t kernel_name(void *context, const struct sqlite_rows *rows)
{
	uint32_t name = 0;
	for (size_t column = CUDA_NAME; column <= CUDA_MANGLED_NAME && !name; column++)
		name = nsys_string(context, sqlite_int(rows, column));
	return name;
}

static int64_t original_node(void *context, const struct sqlite_rows *rows)
{
	const struct nsys *nsys = context;
	return nsys_graphs_original(nsys->graphs, sqlite_int(rows, CUDA_PROCESS),
				    sqlite_int(rows, CUDA_GRAPH_NODE));
}

void nsys_read_activities(struct nsys *nsys)
{
	const struct cuda_reader reader = {
		.database = nsys->database,
		.builder = nsys->builder,
		.numbering = CUDA_MEMORY_FROM_0,
		.context = nsys,
		.place = nsys_device_place,
		.kernel_name = kernel_name,
		.original_node = original_node,
	};
	nsys->profile->ids_per_process = true;
	cuda_read_kernels(&reader, "CUPTI_ACTIVITY_KIND_KERNEL");
	cuda_read_copies(&reader, "CUPTI_ACTIVITY_KIND_MEMCPY");
	cuda_read_sets(&reader);
	cuda_read_syncs(&reader);
	cuda_read_graphs(&reader);
}
