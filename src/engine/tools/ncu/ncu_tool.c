/*
 * Nsight Compute.
 */
#include "input/readers.h"
#include "tools/ncu/ncu_advice.h"
#include "tools/tools.h"

const struct tool tool_ncu = {
	.name = "Nsight Compute",
	.readers = READERS(&ncu_report_reader, &ncu_printed_reader),
	.recording = { .what = RECORDING_OF_KERNELS, .totals_only = true },
	.advice = ncu_visit_advice,
};
