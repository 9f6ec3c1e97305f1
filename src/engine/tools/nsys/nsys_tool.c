/*
 * Nsight Systems: its exports and the reports of nsys stats.
 */
#include "input/readers.h"
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

const struct tool tool_nsys = {
	.name = "Nsight Systems",
	.readers = readers,
	.recording = { .nvtx_ranges = true },
	.clock_from_start = true,
	.presets = presets,
	.reports = reports,
};
