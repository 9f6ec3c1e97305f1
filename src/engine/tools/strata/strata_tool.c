/*
 * strata's own views and pictures, and recording advice for unknown profilers.
 */
#include "input/readers.h"
#include "input/summary_file/summary_file.h"
#include "model/recording.h"
#include "picture/picture.h"
#include "tools/tools.h"
#include "views/views.h"

static const struct picture *const pictures[] = { &picture_dashboard, &picture_timeline, NULL };

/* Formats of no profiler in particular. */
static const struct reader *const readers[] = { &pftrace_reader, &summary_file_reader,
						&telemetry_reader, &compile_log_reader, NULL };

/* Columns with the same needs: GPU time of what launched it, and when a GPU is idle. */
#define GPU_TIMES "gpu_total_ns gpu_self_ns gpu_avg_ns gpu_min_ns gpu_max_ns gpu_bwd_ns kernels "
#define IDLE_TIMES "idle_total_ns idle_avg_ns idle_min_ns idle_max_ns "
#define IDLE_CAUSES                                                                                \
	"idle_launch_ns idle_sync_ns idle_dataloader_ns idle_allocator_ns idle_compile_ns "        \
	"idle_dependency_ns idle_overhead_ns idle_host_ns "

/* Views and columns that are empty without an option of the profiler. */
static const struct recording_need needs[] = {
	{ "modules layers", NULL, RECORDED_MODULES },
	{ "operators calls links", NULL, RECORDED_OPERATORS },
	{ "spans streams stacks", NULL, RECORDED_SPANS },
	{ "kernels launches durations rank-time utilization gaps whatif devices critical-path",
	  NULL, RECORDED_DEVICE },
	{ "rank-outliers collectives", NULL, RECORDED_RANKS },
	{ "critical-path utilization gaps whatif", NULL, RECORDED_TIMES },
	{ "python", NULL, RECORDED_STACKS },
	{ "memory memory-events memory-curve", NULL, RECORDED_MEMORY },
	{ "blocks ooms", NULL, RECORDED_SNAPSHOT },
	{ "counters", NULL, RECORDED_COUNTERS },
	{ "metrics", NULL, RECORDED_METRICS },
	{ "flight", NULL, RECORDED_FLIGHT },
	{ "compiles breaks guards autotunes generated", NULL, RECORDED_COMPILE },
	{ NULL, "input_shapes input_types tc_eligible flops", RECORDED_SHAPES },
	{ NULL, "stack", RECORDED_STACKS },
	{ NULL, "launched forward_ns backward_ns " IDLE_CAUSES IDLE_TIMES GPU_TIMES,
	  RECORDED_LINKS },
	{ NULL, "forward_ns backward_ns " GPU_TIMES, RECORDED_OWNERS },
	{ NULL, "runtime_ns idle_launch_ns idle_sync_ns idle_allocator_ns idle_compile_ns",
	  RECORDED_CALLS },
	{ NULL, "idle_overhead_ns", RECORDED_OVERHEAD },
	{ NULL, "dataloader_ns idle_dataloader_ns", RECORDED_LOADER },
	{ NULL, "gpu_bwd_ns operators cpu_exec_ns", RECORDED_OPERATORS },
	{ NULL, "cpu_total_ns cpu_self_ns", RECORDED_RANGES },
	{ NULL,
	  "tc_total_pct tc_self_pct kernel_ns communication_ns tc_ns "
	  "non_tc_ns gpu_util_pct compute_ns compute_overlapped_ns kernels "
	  "exposed_communication_ns computation_ns overlap_ns " IDLE_TIMES,
	  RECORDED_KERNELS },
	{ NULL, "busy_pct gpu_util_pct launches idle_outside_ns " IDLE_CAUSES IDLE_TIMES,
	  RECORDED_DEVICE, .whole = true },
	{ NULL,
	  "cpu_total_ns cpu_self_ns busy_pct gpu_util_pct util_pct idle_ns compute_overlapped_ns "
	  "overlap_ns other_ns exposed_communication_ns exposed_copy_ns "
	  "idle_outside_ns " IDLE_CAUSES IDLE_TIMES,
	  RECORDED_TIMES, .whole = true },
	{ NULL,
	  "dur_ns total_ns avg_ns min_ns max_ns p50_ns p90_ns p99_ns stddev_ns busy_ns kernel_ns "
	  "communication_ns computation_ns compute_ns step_ns capture_ns " GPU_TIMES,
	  RECORDED_DURATIONS },
	{ NULL, "memcpy_ns memset_ns exposed_copy_ns", RECORDED_COPIES },
	{ NULL, "overhead_total_ns overhead_avg_ns overhead_min_ns overhead_max_ns", RECORDED_CALLS,
	  .whole = true },
	{ NULL,
	  "size_increase_bytes self_size_increase_bytes alloc_count "
	  "self_alloc_count alloc_bytes self_alloc_bytes size_bytes",
	  RECORDED_SIZES },
	{ NULL, "cpu_mem_bytes cpu_self_mem_bytes", RECORDED_CPU_SIZES },
	{ NULL, "gpu_mem_bytes gpu_self_mem_bytes", RECORDED_DEVICE_SIZES },
	{ NULL, NULL, RECORDED_ALWAYS },
};

const struct tool tool_strata = {
	.name = "strata",
	.readers = readers,
	.recording = { .any_ranges = true },
	.needs = needs,
	.views = listed_views,
	.pictures = pictures,
};
