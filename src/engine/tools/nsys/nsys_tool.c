/*
 * Nsight Systems: its exports and the reports of nsys stats.
 */
#include "input/nsys/nsys.h"
#include "model/recording.h"
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
	NSYS("cuda_gpu_kern_sum", kernels, "Nsight Systems kernel summary"),
	NSYS("cuda_api_sum", calls, "Nsight Systems CUDA API summary"),
	NSYS("nvtx_sum", ranges, "Nsight Systems NVTX range summary"),
	NSYS("nvtx_pushpop_sum", pushed, "Nsight Systems push/pop range summary"),
	NSYS("nvtx_startend_sum", started, "Nsight Systems start/end range summary"),
	NSYS("nvtx_gpu_proj_sum", projection, "Nsight Systems GPU projection of ranges"),
	NSYS("nvtx_kern_sum", range_kernels, "Nsight Systems kernels by range"),
	NSYS("cuda_kern_exec_sum", launches, "Nsight Systems kernel launch and execution times"),
	NSYS("cuda_gpu_sum", work, "Nsight Systems kernel and copy summary"),
	NSYS("cuda_api_gpu_sum", work_and_calls, "Nsight Systems API, kernel and copy summary"),
	NSYS("cuda_gpu_mem_time_sum", copy_times, "Nsight Systems copies by time"),
	NSYS("cuda_gpu_mem_size_sum", copy_sizes, "Nsight Systems copies by size"),
	NSYS("osrt_sum", system_calls, "Nsight Systems OS runtime summary"),
	{ .name = NULL },
};

/* The five statistics of a time; the row has the count. */
#define FIGURES(id, title, what)                                                                   \
	{ id "_avg_ns", title " Mean", UNIT_NS, 11, "Mean " what, COLUMN_MEAN },                   \
		{ id "_median_ns", title " Median", UNIT_NS, 13, "Median " what, COLUMN_MEAN },    \
		{ id "_min_ns", title " Min", UNIT_NS, 10, "Minimum " what, COLUMN_MEAN },         \
		{ id "_max_ns", title " Max", UNIT_NS, 10, "Maximum " what, COLUMN_MEAN },         \
	{                                                                                          \
		id "_stddev_ns", title " StdDev", UNIT_NS, 13,                                     \
			"Sample standard deviation of the " what, COLUMN_MEAN                      \
	}

static const struct recording recording = {
	.device = "Record with nsys profile --trace=cuda,nvtx.",
	.operators = "Record with nsys profile --pytorch=autograd-nvtx, or inside emit_nvtx().",
	.modules =
		"Push NVTX ranges around modules and record with nsys profile --trace=cuda,nvtx, or record with --pytorch=functions-trace.",
	.stacks = "Record with nsys profile --sample=process-tree --cudabacktrace=all.",
	.shapes = "Record with nsys profile --pytorch=autograd-shapes-nvtx, or inside "
		  "emit_nvtx(record_shapes=True).",
	.memory = "Record with nsys profile --cuda-memory-usage=true.",
	.steps =
		"Push an NVTX range around each iteration and name it with --step-name, or choose the operator that ends a step with --key-node.",
	.warm_up =
		"Record at least three steps after warm-up: call cudaProfilerStart() there and use nsys profile --capture-range=cudaProfilerApi.",
	.lighter = "Record again with --sample=none --cpuctxsw=none.",
	.nvtx_ranges = true,
};

/* Columns used only by its reports. */
static const struct column columns[] = {
	{ "range_ns", "Range Time", UNIT_NS, 10, "CPU time of the ranges." },
	{ "gpu_ops", "GPU Ops", UNIT_COUNT, 8,
	  "Number of kernels, copies and memsets launched by the ranges." },
	{ "avg_gpu_ops", "Mean Ops", UNIT_RATIO, 8,
	  "Mean number of kernels, copies and memsets per range.", COLUMN_MEAN },
	{ "avg_level", "Level", UNIT_RATIO, 6, "Mean number of enclosing ranges.", COLUMN_MEAN },
	{ "avg_children", "Children", UNIT_RATIO, 8,
	  "Mean number of child ranges that launch GPU work.", COLUMN_MEAN },
	{ "range", "Range", UNIT_TEXT, 30, "Range around the launch." },
	{ "range_calls", "Ranges", UNIT_COUNT, 8,
	  "Number of ranges of this name that launched it." },
	{ "device_id", "Device ID", UNIT_ID, 9, "GPU number." },
	{ "api_name", "API", UNIT_TEXT, 24, "Launch function." },
	{ "queued", "Queued", UNIT_COUNT, 8,
	  "Launches whose call returned before the GPU started." },
	FIGURES("whole", "Whole",
		"time from the start of the launch call to the later end of call and kernel."),
	FIGURES("queue", "Queue",
		"queue time: from the end of the launch call to the kernel start."),
	FIGURES("kernel", "Kernel", "kernel duration."),
	{ "api_median_ns", "API Median", UNIT_NS, 12, "Median duration of the launch calls.",
	  COLUMN_MEAN },
	{ "api_stddev_ns", "API StdDev", UNIT_NS, 12,
	  "Sample standard deviation of the duration of the launch calls.", COLUMN_MEAN },
	{ "style", "Style", UNIT_TEXT, 8, "Whether a range is push/pop or start/end." },
	{ .id = NULL },
};

const struct tool tool_nsys = {
	.name = "Nsight Systems",
	.readers = readers,
	.recording = &recording,
	.presets = presets,
	.columns = columns,
};
