/*
 * Sampling profilers of the CPU: speedscope's exporters and Linux perf.
 */
#include "input/python/python_readers.h"
#include "model/recording.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &speedscope_reader, &perf_script_reader, NULL };

#define NEVER "Record with a PyTorch or GPU profiler; this file has only stacks (:view stacks)."

static const struct recording recording = {
	.device = NEVER,
	.operators = NEVER,
	.modules = NEVER,
	.stacks = NEVER,
	.shapes = NEVER,
	.memory = NEVER,
	.steps = NEVER,
	.warm_up = "Record at least three steps after warm-up.",
	.lighter = "Record again with a lower sampling rate.",
	.totals_only = true,
};

const struct tool tool_sampling = {
	.name = "Sampling",
	.readers = readers,
	.recording = &recording,
};
