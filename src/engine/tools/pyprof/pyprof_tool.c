/*
 * PyProf: its net.dict and the output of its prof.py.
 */
#include "input/readers.h"
#include "report/preset.h"
#include "tools/pyprof/pyprof_kernels.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &pyprof_reader, NULL };

static const struct preset presets[] = { PYPROF_PRESET_ROWS{ .name = NULL } };

static const struct view *const reports[] = { &view_pyprof, NULL };

const struct tool tool_pyprof = {
	.name = "PyProf",
	.readers = readers,
	.recording = { .totals_only = true },
	.presets = presets,
	.reports = reports,
};
