/*
 * NVIDIA's DLProf: its database, its eight reports, and iterations of a key node as steps.
 */
#include "report/preset.h"
#include "input/readers.h"
#include "tools/dlprof/dlprof_views.h"
#include "tools/dlprof/dlprof_key_node.h"
#include "tools/tools.h"

#define REPORT(id, list, heading, others, name_of_view, of_row, says, shown, what)                 \
	const struct dlprof_report dlprof_##id = {                                                 \
		.view = { .name = "dlprof-" #id,                                                   \
			  .aliases = others,                                                       \
			  .title = name_of_view,                                                   \
			  .row = of_row,                                                           \
			  .summary = says,                                                         \
			  .columns = &list(DLPROF_LISTED)[1],                                      \
			  .default_columns = shown,                                                \
			  .default_sort = "",                                                      \
			  .groups = { "stored", "key=", "aggregation=" },                          \
			  .no_selection = true,                                                    \
			  .build = dlprof_build },                                                 \
		.title = heading,                                                                  \
		.fields = { list(DLPROF_FIELD) },                                                  \
		.fill = dlprof_fill_##id,                                                          \
	};
DLPROF_REPORT_ROWS(REPORT)

#define PRESET(id, list, heading, others, name_of_view, of_row, says, shown, what)                 \
	{ .name = "dlprof-" #id,                                                                   \
	  .summary = what,                                                                         \
	  .view = &dlprof_##id.view,                                                               \
	  .forms = { { "csv", "csv", true, dlprof_print },                                         \
		     { "json", "json", true, dlprof_print_json } },                                \
	  .limit = SIZE_MAX },
#define VIEW(id, ...) &dlprof_##id.view,

static const struct preset presets[] = { DLPROF_REPORT_ROWS(PRESET){ .name = NULL } };
static const struct view *const reports[] = { DLPROF_REPORT_ROWS(VIEW) & view_dlprof_aggregations,
					      NULL };

static const struct step_rule key_node = { .cut = key_node_cut, .key_of_span = key_node_of_span };

const struct tool tool_dlprof = {
	.name = "DLProf",
	.readers = READERS(&dlprof_reader),
	.recording = { .all_devices = true },
	.clock_from_start = true,
	.presets = presets,
	.reports = reports,
	.steps = &key_node,
	.advice = dlprof_visit_advice,
};
