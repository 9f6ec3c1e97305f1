/*
 * Nsight Compute.
 */
#include "input/readers.h"
#include "model/recording.h"
#include "tools/ncu/ncu_advice.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &ncu_report_reader, &ncu_printed_reader, NULL };

#define TIMELINE "Record a timeline with nsys profile or torch.profiler, and open both files."

static const struct recording recording = {
	.device = "Profile kernels with: ncu -o FILE PROGRAM.",
	.operators = TIMELINE,
	.modules = TIMELINE,
	.stacks = TIMELINE,
	.shapes = TIMELINE,
	.memory = TIMELINE,
	.what = RECORDING_OF_KERNELS,
	.steps = TIMELINE,
	.warm_up = "Skip the first kernels with ncu --launch-skip.",
	.lighter = "Profile fewer kernels (ncu --kernel-name, --launch-count).",
	.totals_only = true,
};

const struct tool tool_ncu = {
	.name = "Nsight Compute",
	.readers = readers,
	.recording = &recording,
	.advice = ncu_visit_advice,
};
