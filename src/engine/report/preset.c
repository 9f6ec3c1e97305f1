#include "report/preset.h"

#include "base/error.h"
#include "tools/dlprof/dlprof_views.h"
#include "tools/nsys/nsys_views.h"
#include "views/views.h"

#include <string.h>

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

/* Sort keys accepted by pstats, and their descriptions in its output. */
static const struct preset_key pstats_keys[] = { { "cumulative", "total_ns:desc" },
						 { "cumtime", "total_ns:desc" },
						 { "tottime", "self_ns:desc" },
						 { "time", "self_ns:desc" },
						 { "ncalls", "calls:desc" },
						 { "calls", "calls:desc" },
						 { "pcalls", "primitive_calls:desc" },
						 { "name", "function:asc" },
						 { "line", "line:asc" },
						 { "filename", "file:asc" },
						 { "module", "file:asc" },
						 { "nfl", "function:asc,file:asc,line:asc" },
						 { "stdname", "name:asc" },
						 { NULL, NULL } };

#define DLPROF(report, id, what, writer)                                                           \
	{                                                                                          \
		.name = "dlprof-" report, .summary = what, .view = &view_dlprof_##id,              \
		.forms = { { "csv", "csv", true, writer } }, .limit = SIZE_MAX                     \
	}

#define NSYS(report, id, what)                                                                     \
	{                                                                                          \
		.name = "nsys-" report, .summary = what, .view = &view_nsys_##id,                  \
		.forms = { { "table", "txt", true, preset_write_nsys },                            \
			   { "csv", "csv", true, preset_write_nsys_csv },                          \
			   { "json", "json", true, preset_write_nsys_json } },                     \
		.limit = SIZE_MAX                                                                  \
	}

static const struct preset presets[] = {
	{ .name = "key-averages",
	  .summary = "PyTorch's key_averages().table()",
	  .view = &view_key_averages,
	  .forms = { { "table", "txt", true, preset_write_key_averages } },
	  .keys = torch_keys,
	  .limit = 100 },
	DLPROF("summary", summary, "DLProf's summary", preset_write_dlprof_summary),
	DLPROF("detailed", detailed, "DLProf's ops", preset_write_dlprof),
	DLPROF("iteration", iteration, "DLProf's kernels by iteration", preset_write_dlprof),
	DLPROF("kernel", kernel, "DLProf's kernels by op", preset_write_dlprof),
	DLPROF("tensor_core", tensor_core, "DLProf's use of tensor cores", preset_write_dlprof),
	DLPROF("op_type", op_type, "DLProf's types of ops", preset_write_dlprof),
	DLPROF("group_op", group_op, "DLProf's groups of ops", preset_write_dlprof),
	DLPROF("expert_systems", expert_systems, "DLProf's advice", preset_write_dlprof),
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
	{ .name = "pyprof",
	  .summary = "PyProf's prof.py",
	  .view = &view_pyprof,
	  .forms = { { "table", "txt", false, preset_write_pyprof } },
	  .csv = { "csv", "csv", false, preset_write_pyprof_csv },
	  .takes_columns = true,
	  .limit = SIZE_MAX },
	{ .name = "pstats",
	  .summary = "Python's pstats, print_stats()",
	  .view = &view_pstats,
	  .forms = { { "table", "txt", true, preset_write_pstats } },
	  .keys = pstats_keys,
	  .limit = SIZE_MAX },
	{ .name = "lprof",
	  .summary = "line_profiler's lines",
	  .view = &view_lprof,
	  .forms = { { "table", "txt", true, preset_write_lprof } },
	  .limit = SIZE_MAX },
	{ .name = "mprof",
	  .summary = "mprof's peak",
	  .view = &view_memory_curve,
	  .forms = { { "table", "txt", true, preset_write_mprof } },
	  .limit = SIZE_MAX },
};

enum { PRESETS = sizeof presets / sizeof *presets };

const struct preset *preset_find(const char *name)
{
	for (size_t i = 0; i < PRESETS; i++)
		if (strcmp(presets[i].name, name) == 0)
			return &presets[i];
	return NULL;
}

const struct preset *preset_at(size_t index)
{
	return index < PRESETS ? &presets[index] : NULL;
}

const struct format *preset_form(const struct preset *preset, const struct format *format)
{
	if (format == format_at(0))
		return &preset->forms[0];
	for (int i = 0; i < PRESET_FORMS_MAX && preset->forms[i].name; i++)
		if (strcmp(preset->forms[i].name, format->name) == 0)
			return &preset->forms[i];
	return NULL;
}

bool preset_options_given(const struct preset_options *options)
{
	return options->sort_by || options->limited || options->by_shape || options->by_stack ||
	       options->csv;
}

const char *preset_sort(const struct preset *preset, const char *key, struct error *error)
{
	struct buffer known = { 0 };
	for (const struct preset_key *at = preset->keys; at && at->name; at++) {
		if (strcmp(at->name, key) == 0) {
			buffer_free(&known);
			return at->sort;
		}
		buffer_printf(&known, "%s%s", known.length ? ", " : "", at->name);
	}
	error_set(error, ERROR_USAGE, "%s cannot be sorted by \"%s\" (%s)", preset->name, key,
		  buffer_text(&known));
	buffer_free(&known);
	return NULL;
}

void preset_group(const struct preset_options *options, struct buffer *out)
{
	if (options->by_shape)
		buffer_puts(out, "shape");
	if (options->by_stack)
		buffer_printf(out, "%sstack=%s", out->length ? "-" : "", options->by_stack);
	if (options->key_node)
		buffer_printf(out, "%skey=%s", out->length ? "-" : "", options->key_node);
}
