/*
 * The Python profilers.
 */
#include "input/readers.h"
#include "report/preset.h"
#include "tools/python/python_tool_private.h"
#include "tools/tools.h"
#include "views/views.h"

const struct tool tool_python = {
	.name = "Python",
	.readers = READERS(&pstats_reader, &lprof_reader, &dump_reader, &memray_reader,
			   &scalene_reader, &mprof_reader, &speedscope_reader, &perf_script_reader,
			   &pprof_reader, &importtime_reader, &flame_svg_reader, &printed_reader,
			   &collapsed_reader),
	.recording = { .totals_only = true },
	.presets = (const struct preset[]){ PYTHON_PRESET_ROWS{ .name = NULL } },
	.reports = REPORTS(&view_pstats, &view_lprof),
};
