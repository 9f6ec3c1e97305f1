/*
 * NVIDIA's DLProf: its database, its eight reports, and iterations of a key node as steps.
 */
#include "model/recording.h"
#include "report/preset.h"
#include "tools/dlprof/dlprof_reader.h"
#include "tools/dlprof/dlprof_views.h"
#include "tools/dlprof/key_node.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &dlprof_reader, NULL };

#define DLPROF(report, id, what, writer)                                                           \
	{                                                                                          \
		.name = "dlprof-" report, .summary = what, .view = &view_dlprof_##id,              \
		.forms = { { "csv", "csv", true, writer } }, .limit = SIZE_MAX                     \
	}

static const struct preset presets[] = {
	DLPROF("summary", summary, "DLProf summary", dlprof_print_summary),
	DLPROF("detailed", detailed, "DLProf ops", dlprof_print),
	DLPROF("iteration", iteration, "DLProf kernels by iteration", dlprof_print),
	DLPROF("kernel", kernel, "DLProf kernels by op", dlprof_print),
	DLPROF("tensor_core", tensor_core, "DLProf Tensor Core use", dlprof_print),
	DLPROF("op_type", op_type, "DLProf op types", dlprof_print),
	DLPROF("group_op", group_op, "DLProf op groups", dlprof_print),
	DLPROF("expert_systems", expert_systems, "DLProf advice", dlprof_print),
	{ .name = NULL },
};

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
};

const struct tool tool_dlprof = {
	.name = "DLProf",
	.readers = readers,
	.recording = &recording,
	.presets = presets,
	.steps = &key_node,
	.columns = dlprof_columns,
	.advice = dlprof_visit_advice,
};
