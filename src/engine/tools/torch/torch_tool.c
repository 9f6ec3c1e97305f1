/*
 * PyTorch's profiler: its traces and key_averages().
 */
#include "input/readers.h"
#include "input/kineto/kineto.h"
#include "report/preset.h"
#include "tools/tools.h"
#include "tools/torch/key_averages.h"

static const struct reader *const readers[] = { &trace_reader,           &snapshot_reader,
						&memory_timeline_reader, &execution_trace_reader,
						&flight_pickle_reader,   &flight_json_reader,
						&flops_report_reader,    NULL };

/* Columns of PyTorch's averages, by their names before and after "cuda" was renamed "device". */
static const struct preset_key torch_keys[] = {
	{ "cpu_time", "cpu_avg_ns:desc" },
	{ "cpu_time_total", "cpu_total_ns:desc" },
	{ "self_cpu_time_total", "cpu_self_ns:desc" },
	{ "cuda_time", "gpu_avg_ns:desc" },
	{ "cuda_time_total", "gpu_total_ns:desc" },
	{ "self_cuda_time_total", "gpu_self_ns:desc" },
	{ "device_time", "gpu_avg_ns:desc" },
	{ "device_time_total", "gpu_total_ns:desc" },
	{ "self_device_time_total", "gpu_self_ns:desc" },
	{ "cpu_memory_usage", "cpu_mem_bytes:desc" },
	{ "self_cpu_memory_usage", "cpu_self_mem_bytes:desc" },
	{ "cuda_memory_usage", "gpu_mem_bytes:desc" },
	{ "self_cuda_memory_usage", "gpu_self_mem_bytes:desc" },
	{ "device_memory_usage", "gpu_mem_bytes:desc" },
	{ "self_device_memory_usage", "gpu_self_mem_bytes:desc" },
	{ "count", "calls:desc" },
	{ "key", "name:desc" },
	{ "input_shapes", "input_shapes:desc" },
	{ "stack", "stack:desc" },
	{ NULL, NULL },
};

static const struct preset presets[] = {
	{ .name = "key-averages",
	  .summary = "PyTorch key_averages().table()",
	  .view = &view_key_averages,
	  .forms = { { "table", "txt", true, key_averages_print } },
	  .keys = torch_keys,
	  .limit = 100 },
	{ .name = NULL },
};

static const struct view *const reports[] = { &view_key_averages, NULL };

const struct tool tool_torch = {
	.name = "PyTorch",
	.readers = readers,
	.recording = { .machine = true, .user_window = true },
	.presets = presets,
	.reports = reports,
};
