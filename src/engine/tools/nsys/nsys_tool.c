/*
 * Nsight Systems: its exports, and the summaries of nsys stats.
 */
#include "input/nsys/nsys.h"
#include "report/preset.h"
#include "tools/nsys/nsys_views.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &nsys_reader, NULL };

#define NSYS(report, id, what)                                                                     \
	{                                                                                          \
		.name = "nsys-" report, .summary = what, .view = &view_nsys_##id,                  \
		.forms = { { "table", "txt", true, nsys_print },                                   \
			   { "csv", "csv", true, nsys_print_csv },                                 \
			   { "json", "json", true, nsys_print_json } },                            \
		.limit = SIZE_MAX                                                                  \
	}

static const struct preset presets[] = {
	NSYS("cuda_gpu_kern_sum", kernels, "Nsight Systems' kernels"),
	NSYS("cuda_api_sum", calls, "Nsight Systems' CUDA calls"),
	NSYS("nvtx_sum", ranges, "Nsight Systems' ranges"),
	NSYS("nvtx_pushpop_sum", pushed, "Nsight Systems' ranges that were pushed"),
	NSYS("nvtx_startend_sum", started, "Nsight Systems' ranges that were started"),
	NSYS("nvtx_gpu_proj_sum", projection, "Nsight Systems' ranges on the device"),
	NSYS("nvtx_kern_sum", range_kernels, "Nsight Systems' kernels by range"),
	NSYS("cuda_kern_exec_sum", launches, "Nsight Systems' kernels from launch to end"),
	NSYS("cuda_gpu_sum", work, "Nsight Systems' kernels and copies"),
	NSYS("cuda_api_gpu_sum", work_and_calls, "Nsight Systems' calls, kernels and copies"),
	NSYS("cuda_gpu_mem_time_sum", copy_times, "Nsight Systems' copies by time"),
	NSYS("cuda_gpu_mem_size_sum", copy_sizes, "Nsight Systems' copies by size"),
	NSYS("osrt_sum", system_calls, "Nsight Systems' system calls"),
	{ .name = NULL },
};

const struct tool tool_nsys = { .name = "Nsight Systems", .readers = readers, .presets = presets };
