/*
 * PyProf: its net.dict and the output of its prof.py.
 */
#include "input/readers.h"
#include "report/preset.h"
#include "tools/pyprof/pyprof_kernels.h"
#include "tools/tools.h"

const struct tool tool_pyprof = {
	.name = "PyProf",
	.readers = READERS(&pyprof_reader),
	.recording = { .totals_only = true },
	.presets = (const struct preset[]){ PYPROF_PRESET_ROWS{ .name = NULL } },
	.reports = REPORTS(&view_pyprof),
};
