/*
 * PyProf: its net.dict, and what its prof.py prints.
 */
#include "report/preset.h"
#include "tools/pyprof/pyprof.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &pyprof_reader, NULL };

static const struct preset presets[] = {
	{ .name = "pyprof",
	  .summary = "PyProf's prof.py",
	  .view = &view_pyprof,
	  .forms = { { "table", "txt", false, pyprof_print } },
	  .csv = { "csv", "csv", false, pyprof_print_csv },
	  .takes_columns = true,
	  .limit = SIZE_MAX },
	{ .name = NULL },
};

const struct tool tool_pyprof = { .name = "PyProf", .readers = readers, .presets = presets };
