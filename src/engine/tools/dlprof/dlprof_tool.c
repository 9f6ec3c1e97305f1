/*
 * NVIDIA's DLProf: its database, its eight reports, and iterations of a key node as steps.
 */
#include "model/recording.h"
#include "report/preset.h"
#include "input/dlprof/dlprof_reader.h"
#include "tools/dlprof/dlprof_views.h"
#include "tools/dlprof/dlprof_key_node.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &dlprof_reader, NULL };

/* One line a report: name, view, summary, writer. */
#define REPORTS(_)                                                                                 \
	_("summary", summary, "DLProf summary", dlprof_print_summary)                              \
	_("detailed", detailed, "DLProf ops", dlprof_print)                                        \
	_("iteration", iteration, "DLProf kernels by iteration", dlprof_print)                     \
	_("kernel", kernel, "DLProf kernels by op", dlprof_print)                                  \
	_("tensor_core", tensor_core, "DLProf Tensor Core use", dlprof_print)                      \
	_("op_type", op_type, "DLProf op types", dlprof_print)                                     \
	_("group_op", group_op, "DLProf op groups", dlprof_print)                                  \
	_("expert_systems", expert_systems, "DLProf advice", dlprof_print)

#define FORMS(writer)                                                                              \
	{                                                                                          \
		{ "csv", "csv", true, writer },                                                    \
		{                                                                                  \
			"json", "json", true, writer##_json                                        \
		}                                                                                  \
	}
#define PRESET(report, id, what, writer)                                                           \
	{ .name = "dlprof-" report,                                                                \
	  .summary = what,                                                                         \
	  .view = &view_dlprof_##id,                                                               \
	  .forms = FORMS(writer),                                                                  \
	  .limit = SIZE_MAX },
#define VIEW(report, id, what, writer) &view_dlprof_##id,

static const struct preset presets[] = { REPORTS(PRESET){ .name = NULL } };
static const struct view *const reports[] = { REPORTS(VIEW) & view_dlprof_aggregations, NULL };

static const struct step_rule key_node = { .cut = key_node_cut, .key_of_span = key_node_of_span };

static const struct recording recording = {
	.device = "Record with dlprof --mode=pytorch.",
	.operators = "Call nvidia_dlprof_pytorch_nvtx.init() before creating the model.",
	.modules = "Call nvidia_dlprof_pytorch_nvtx.init() before creating the model.",
	.stacks = "Call nvidia_dlprof_pytorch_nvtx.init(enable_function_stack=True).",
	.shapes = "Call nvidia_dlprof_pytorch_nvtx.init() before creating the model.",
	.memory = "Use another profiler; DLProf does not record allocations.",
	.steps = "Choose the op that ends a step with --key-node.",
	.warm_up = "Record at least three steps after warm-up: dlprof --delay SECONDS.",
	.lighter = "Record again without enable_function_stack.",
	.all_devices = true,
};

const struct tool tool_dlprof = {
	.name = "DLProf",
	.readers = readers,
	.recording = &recording,
	.presets = presets,
	.reports = reports,
	.steps = &key_node,
	.columns = dlprof_columns,
	.advice = dlprof_visit_advice,
};
