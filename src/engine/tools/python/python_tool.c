/*
 * The Python profilers.
 */
#include "input/readers.h"
#include "report/preset.h"
#include "tools/python/python_tool_private.h"
#include "tools/tools.h"
#include "views/views.h"

static const struct reader *const readers[] = { &pstats_reader,
						&lprof_reader,
						&dump_reader,
						&memray_reader,
						&scalene_reader,
						&mprof_reader,
						&speedscope_reader,
						&perf_script_reader,
						&pprof_reader,
						&importtime_reader,
						&printed_reader,
						&collapsed_reader,
						NULL };

static const struct preset presets[] = { PYTHON_PRESET_ROWS{ .name = NULL } };

static const struct view *const reports[] = { &view_pstats, &view_lprof, NULL };

const struct tool tool_python = {
	.name = "Python",
	.readers = readers,
	.recording = { .totals_only = true },
	.presets = presets,
	.reports = reports,
};
