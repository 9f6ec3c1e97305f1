/*
 * Proton, Triton's profiler.
 */
#include "input/readers.h"
#include "model/recording.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &proton_reader, NULL };

static const struct recording recording = {
	.device = "Record with proton.start(), which measures kernels.",
	.operators = "Record with the profiler of the framework too.",
	.modules = "Enclose parts of the program in proton.scope(NAME).",
	.stacks = "Record with proton.start(context=\"python\").",
	.shapes = "Record with hooks: proton.start(hook=\"triton\").",
	.memory = "Record with the profiler of the framework too.",
	.steps = "Enclose each iteration in proton.scope(NAME).",
	.warm_up = "Call proton.activate() after the first iterations.",
	.lighter = "Record fewer scopes.",
	.totals_only = true,
};

const struct tool tool_proton = { .name = "Proton", .readers = readers, .recording = &recording };
