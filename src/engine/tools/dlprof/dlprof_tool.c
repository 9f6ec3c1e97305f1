/*
 * NVIDIA's DLProf: its database, its eight reports, and iterations of a key node as steps.
 */
#include "report/preset.h"
#include "input/readers.h"
#include "tools/dlprof/dlprof_views.h"
#include "tools/dlprof/dlprof_key_node.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &dlprof_reader, NULL };

/* The reports, with the summaries of their presets. */
#define REPORTS(_)                                                                                 \
	_(summary, "DLProf summary")                                                               \
	_(detailed, "DLProf ops")                                                                  \
	_(iteration, "DLProf kernels by iteration")                                                \
	_(kernel, "DLProf kernels by op")                                                          \
	_(tensor_core, "DLProf Tensor Core use")                                                   \
	_(op_type, "DLProf op types")                                                              \
	_(group_op, "DLProf op groups")                                                            \
	_(expert_systems, "DLProf advice")

#define PRESET(id, what)                                                                           \
	{ .name = "dlprof-" #id,                                                                   \
	  .summary = what,                                                                         \
	  .view = &dlprof_##id.view,                                                               \
	  .forms = { { "csv", "csv", true, dlprof_print },                                         \
		     { "json", "json", true, dlprof_print_json } },                                \
	  .limit = SIZE_MAX },
#define VIEW(id, what) &dlprof_##id.view,

static const struct preset presets[] = { REPORTS(PRESET){ .name = NULL } };
static const struct view *const reports[] = { REPORTS(VIEW) & view_dlprof_aggregations, NULL };

static const struct step_rule key_node = { .cut = key_node_cut, .key_of_span = key_node_of_span };

const struct tool tool_dlprof = {
	.name = "DLProf",
	.readers = readers,
	.recording = { .all_devices = true },
	.clock_from_start = true,
	.presets = presets,
	.reports = reports,
	.steps = &key_node,
	.advice = dlprof_visit_advice,
};
