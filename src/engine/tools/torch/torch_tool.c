/*
 * PyTorch's profiler: its traces and key_averages().
 */
#include "input/readers.h"
#include "input/kineto/kineto.h"
#include "report/preset.h"
#include "tools/tools.h"
#include "tools/torch/key_averages.h"

const struct tool tool_torch = {
	.name = "PyTorch",
	.readers = READERS(&trace_reader, &snapshot_reader, &memory_timeline_reader,
			   &execution_trace_reader, &flight_pickle_reader, &flight_json_reader,
			   &flops_report_reader),
	.recording = { .machine = true, .user_window = true },
	.presets = (const struct preset[]){ TORCH_PRESET_ROWS{ .name = NULL } },
	.reports = REPORTS(&view_key_averages),
};
