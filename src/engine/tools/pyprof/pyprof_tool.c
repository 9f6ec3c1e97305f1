/*
 * PyProf: its net.dict and the output of its prof.py.
 */
#include "input/readers.h"
#include "report/preset.h"
#include "tools/pyprof/pyprof_kernels.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &pyprof_reader, NULL };

static const struct preset presets[] = {
	{ .name = "pyprof",
	  .summary = "PyProf prof.py",
	  .view = &view_pyprof,
	  .forms = { { "table", "txt", false, pyprof_print } },
	  .csv = { "csv", "csv", false, pyprof_print_csv },
	  .csv_group = "prof.py",
	  .takes_columns = true,
	  .limit = SIZE_MAX },
	{ .name = "net-dict",
	  .summary = "PyProf parse.py: the input of prof.py",
	  .view = &view_net_dict,
	  .forms = { { "table", "dict", false, pyprof_write_dict } },
	  .limit = SIZE_MAX },
	{ .name = NULL },
};

static const struct view *const reports[] = { &view_pyprof, NULL };

const struct tool tool_pyprof = {
	.name = "PyProf",
	.readers = readers,
	.recording = { .totals_only = true },
	.presets = presets,
	.reports = reports,
};
