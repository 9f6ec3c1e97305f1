/*
 * Nsight Systems: its exports and the reports of nsys stats.
 */
#include "input/readers.h"
#include "model/recording.h"
#include "report/preset.h"
#include "tools/nsys/nsys_reports.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &nsys_reader, &nsys_trace_csv_reader,
						&nsys_printed_reader, NULL };

/* One line a report: name, view, summary, row limit. */
#define REPORTS(_)                                                                                 \
	_("cuda_gpu_kern_sum", kernels, "Nsight Systems kernel summary", SIZE_MAX)                 \
	_("cuda_api_sum", calls, "Nsight Systems CUDA API summary", SIZE_MAX)                      \
	_("nvtx_sum", ranges, "Nsight Systems NVTX range summary", SIZE_MAX)                       \
	_("nvtx_pushpop_sum", pushed, "Nsight Systems push/pop range summary", SIZE_MAX)           \
	_("nvtx_startend_sum", started, "Nsight Systems start/end range summary", SIZE_MAX)        \
	_("nvtx_gpu_proj_sum", projection, "Nsight Systems GPU projection of ranges", SIZE_MAX)    \
	_("nvtx_kern_sum", range_kernels, "Nsight Systems kernels by range", SIZE_MAX)             \
	_("cuda_kern_exec_sum", launches, "Nsight Systems kernel launch and execution times",      \
	  SIZE_MAX)                                                                                \
	_("cuda_gpu_sum", work, "Nsight Systems kernel and copy summary", SIZE_MAX)                \
	_("cuda_api_gpu_sum", work_and_calls, "Nsight Systems API, kernel and copy summary",       \
	  SIZE_MAX)                                                                                \
	_("cuda_gpu_mem_time_sum", copy_times, "Nsight Systems copies by time", SIZE_MAX)          \
	_("cuda_gpu_mem_size_sum", copy_sizes, "Nsight Systems copies by size", SIZE_MAX)          \
	_("osrt_sum", system_calls, "Nsight Systems OS runtime summary", SIZE_MAX)                 \
	_("openmp_sum", openmp, "Nsight Systems OpenMP summary", SIZE_MAX)                         \
	_("openacc_sum", openacc, "Nsight Systems OpenACC summary", SIZE_MAX)                      \
	_("cuda_gpu_kern_gb_sum", shapes, "Nsight Systems kernel summary by grid and block",       \
	  SIZE_MAX)                                                                                \
	_("mpi_event_sum", messages, "Nsight Systems MPI summary", SIZE_MAX)                       \
	_("cuda_api_trace", call_events, "Nsight Systems CUDA API calls", SIZE_MAX)                \
	_("cuda_gpu_trace", work_events, "Nsight Systems kernels and copies", SIZE_MAX)            \
	_("cuda_kern_exec_trace", launch_events, "Nsight Systems kernels and their launches",      \
	  SIZE_MAX)                                                                                \
	_("mpi_event_trace", message_events, "Nsight Systems MPI calls", SIZE_MAX)                 \
	_("nvtx_pushpop_trace", pushed_events, "Nsight Systems push/pop ranges", SIZE_MAX)         \
	_("nvtx_gpu_proj_trace", projection_events, "Nsight Systems ranges projected to the GPU",  \
	  SIZE_MAX)                                                                                \
	_("um_sum", migrations, "Nsight Systems unified memory by address", 10)                    \
	_("um_total_sum", migration_totals, "Nsight Systems unified memory totals", SIZE_MAX)      \
	_("um_cpu_page_faults_sum", faults, "Nsight Systems host page faults", SIZE_MAX)

#define PRESET(report, id, what, rows)                                                             \
	{ .name = "nsys-" report,                                                                  \
	  .summary = what,                                                                         \
	  .view = &nsys_report_##id.view,                                                          \
	  .forms = { { "table", "txt", true, nsys_print },                                         \
		     { "csv", "csv", true, nsys_print_csv },                                       \
		     { "json", "json", true, nsys_print_json } },                                  \
	  .limit = rows },
#define VIEW(report, id, what, rows) &nsys_report_##id.view,

static const struct preset presets[] = { REPORTS(PRESET){ .name = NULL } };
static const struct view *const reports[] = { REPORTS(VIEW) NULL };

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
	.counters = "Record with nsys profile --gpu-metrics-devices=all.",
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
	{ "grid_xyz", "Grid XYZ", UNIT_TEXT, 14, "Grid dimensions, aligned." },
	{ "block_xyz", "Block XYZ", UNIT_TEXT, 14, "Block dimensions, aligned." },
	{ "message_class", "MPI Class", UNIT_TEXT, 12,
	  "Kind of the MPI call: p2p, collectives, start-wait or other." },
	{ "clock_ns", "Clock Start", UNIT_NS, 13, "Start on the clock of the file.", COLUMN_POINT },
	{ "clock_end_ns", "Clock End", UNIT_NS, 13, "End on the clock of the file.", COLUMN_POINT },
	{ "result", "Result", UNIT_ID, 7, "Value that the call returned." },
	{ "priority", "Priority", UNIT_ID, 8, "Scheduling priority of the thread." },
	{ "thread_name", "Thread Name", UNIT_TEXT, 16, "Name of the thread." },
	{ "grid_x", "Grid X", UNIT_ID, 7, "Grid size in x." },
	{ "grid_y", "Grid Y", UNIT_ID, 7, "Grid size in y." },
	{ "grid_z", "Grid Z", UNIT_ID, 7, "Grid size in z." },
	{ "block_x", "Block X", UNIT_ID, 7, "Block size in x." },
	{ "block_y", "Block Y", UNIT_ID, 7, "Block size in y." },
	{ "block_z", "Block Z", UNIT_ID, 7, "Block size in z." },
	{ "static_bytes", "Static Mem", UNIT_BYTES, 10, "Static shared memory per block.",
	  COLUMN_MEAN },
	{ "dynamic_bytes", "Dynamic Mem", UNIT_BYTES, 11, "Dynamic shared memory per block.",
	  COLUMN_MEAN },
	{ "source_memory", "Source", UNIT_TEXT, 9, "Kind of memory copied from, or set." },
	{ "target_memory", "Target", UNIT_TEXT, 9, "Kind of memory copied to." },
	{ "gpu_name", "GPU", UNIT_TEXT, 22, "Name and number of the GPU." },
	{ "context", "Context", UNIT_ID, 7, "CUDA context." },
	{ "green_context", "Green Ctx", UNIT_ID, 9, "CUDA green context." },
	{ "api_clock_ns", "API Clock", UNIT_NS, 13, "Start of the call on the clock of the file.",
	  COLUMN_POINT },
	{ "queue_clock_ns", "Queue Clock", UNIT_NS, 13,
	  "Return of the call on the clock of the file, if before the kernel.", COLUMN_POINT },
	{ "queue_ns", "Queue", UNIT_NS, 10, "Time from the return of the call to a later kernel." },
	{ "gpu_clock_ns", "GPU Clock", UNIT_NS, 13,
	  "Start of the GPU work on the clock of the file.", COLUMN_POINT },
	{ "gpu_span_ns", "GPU Span", UNIT_NS, 10,
	  "Time from the first to the last GPU work of the range." },
	{ "whole_ns", "Whole", UNIT_NS, 10,
	  "Time from the start of the call to the later end of call and kernel." },
	{ "tag", "Tag", UNIT_ID, 6, "MPI message tag." },
	{ "peer_rank", "Peer", UNIT_ID, 6, "MPI rank sent to or received from." },
	{ "root_rank", "Root", UNIT_ID, 6, "Root rank of an MPI collective." },
	{ "message_bytes", "Message", UNIT_BYTES, 10, "Size of an MPI message." },
	{ "sent_bytes", "Sent", UNIT_BYTES, 10, "Bytes sent by an MPI collective." },
	{ "received_bytes", "Received", UNIT_BYTES, 10, "Bytes received by an MPI collective." },
	{ "children_ns", "Children", UNIT_NS, 10, "Time of the ranges directly inside." },
	{ "level", "Level", UNIT_ID, 6, "Number of enclosing ranges." },
	{ "range_children", "Inner Ranges", UNIT_COUNT, 12, "Number of ranges directly inside." },
	{ "range_id", "Range ID", UNIT_ID, 9, "Row number of the range in its table." },
	{ "parent_id", "Parent ID", UNIT_ID, 9, "Row number of the range around it." },
	{ "range_stack", "Range Stack", UNIT_TEXT, 16, "Row numbers of the ranges around it." },
	{ "name_tree", "Name Tree", UNIT_TEXT, 40, "Name, indented by level." },
	{ "min_address", "Lowest Address", UNIT_TEXT, 16, "Lowest virtual address." },
	{ "max_address", "Highest Address", UNIT_TEXT, 16, "Highest virtual address." },
	{ "htod_bytes", "To Device", UNIT_BYTES, 10, "Bytes migrated to the device." },
	{ "dtoh_bytes", "To Host", UNIT_BYTES, 10, "Bytes migrated to the host." },
	{ "host_faults", "CPU Faults", UNIT_COUNT, 10, "Number of page faults on the host." },
	{ "device_faults", "GPU Faults", UNIT_COUNT, 10, "Number of page faults on devices." },
	{ .id = NULL },
};

const struct tool tool_nsys = {
	.name = "Nsight Systems",
	.readers = readers,
	.recording = &recording,
	.clock_from_start = true,
	.presets = presets,
	.reports = reports,
	.columns = columns,
};
