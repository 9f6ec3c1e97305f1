/*
 * PyProf: its net.dict and the output of its prof.py.
 */
#include "input/readers.h"
#include "model/recording.h"
#include "report/preset.h"
#include "tools/pyprof/pyprof.h"
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

#define ORIGINAL "Open the database that the net.dict was made from."

static const struct recording recording = {
	.device = ORIGINAL,
	.operators = ORIGINAL,
	.modules = ORIGINAL,
	.stacks = ORIGINAL,
	.shapes = ORIGINAL,
	.memory = ORIGINAL,
	.steps = ORIGINAL,
	.warm_up = "Record at least three steps after warm-up.",
	.lighter = "Record again without pyprof.init().",
	.totals_only = true,
};

/* Columns used only by its reports. */
static const struct column columns[] = {
	{ "idx", "Idx", UNIT_ID, 7, "PyProf kernel number: position in the file, from 1." },
	{ "dict", "Dict", UNIT_TEXT, 60,
	  "Line of the net.dict: the kernel as a Python dictionary." },
	{ "altseq", "Alt Seq", UNIT_TEXT, 7,
	  "Sequence numbers of the other calls that PyProf finds around the kernel." },
	{ "trace", "Trace", UNIT_TEXT, 25, "Call site of the operator, outermost frame first." },
	{ "dir", "Dir", UNIT_TEXT, 5, "Pass, as PyProf detects it: fprop or bprop." },
	{ "sub", "Sub", UNIT_ID, 3, "Index of the kernel within its call, from 0." },
	{ "mod", "Module", UNIT_TEXT, 15, "Python module or class of the operator." },
	{ "op", "Op", UNIT_TEXT, 15,
	  "Python name of the operator; for a backward kernel, of the forward operator." },
	{ "params", "Params", UNIT_TEXT, 30,
	  "Sizes and types from which PyProf counts FLOPs and bytes." },
	{ "sil", "Silicon", UNIT_NS, 10, "Kernel duration." },
	{ "tc", "TC", UNIT_TEXT, 2,
	  "Tensor Core use by PyProf kernel names: 1, 0, - (not applicable) or na (unknown)." },
	{ .id = NULL },
};

const struct tool tool_pyprof = {
	.name = "PyProf",
	.readers = readers,
	.recording = &recording,
	.presets = presets,
	.reports = reports,
	.columns = columns,
};
