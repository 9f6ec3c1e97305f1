/*
 * Nsight Compute.
 */
#include "input/readers.h"
#include "tools/ncu/ncu_advice.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &ncu_report_reader, &ncu_printed_reader, NULL };

const struct tool tool_ncu = {
	.name = "Nsight Compute",
	.readers = readers,
	.recording = { .what = RECORDING_OF_KERNELS, .totals_only = true },
	.advice = ncu_visit_advice,
};
