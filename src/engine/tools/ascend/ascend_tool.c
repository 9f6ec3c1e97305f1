/*
 * Ascend's profilers: torch_npu and msprof.
 */
#include "input/readers.h"
#include "model/recording.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &ascend_database_reader, &ascend_kernels_reader,
						NULL };

static const struct recording recording = {
	.device =
		"Record with torch_npu.profiler and activities=[ProfilerActivity.CPU, ProfilerActivity.NPU].",
	.operators = "Record with torch_npu.profiler and ProfilerActivity.CPU in activities.",
	.modules = "Record with with_stack=True (and with_modules=True).",
	.stacks = "Record with with_stack=True.",
	.shapes = "Record with record_shapes=True.",
	.memory = "Record with profile_memory=True.",
	.steps =
		"Call profiler.step() after each iteration, or name the step range with --step-name.",
	.warm_up =
		"Record at least three steps after warm-up: schedule(wait=1, warmup=2, active=5).",
	.lighter = "Record again without with_stack, at profiler_level=Level0.",
	.user_window = true,
};

const struct tool tool_ascend = { .name = "Ascend", .readers = readers, .recording = &recording };
