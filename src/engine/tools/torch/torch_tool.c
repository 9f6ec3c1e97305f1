/*
 * PyTorch's profiler: its traces and key_averages().
 */
#include "input/readers.h"
#include "input/kineto/kineto.h"
#include "report/preset.h"
#include "tools/tools.h"
#include "tools/torch/key_averages.h"

static const struct reader *const readers[] = { &trace_reader,           &snapshot_reader,
						&memory_timeline_reader, &execution_trace_reader,
						&flight_pickle_reader,   &flight_json_reader,
						&flops_report_reader,    NULL };

static const struct preset presets[] = { TORCH_PRESET_ROWS{ .name = NULL } };

static const struct view *const reports[] = { &view_key_averages, NULL };

const struct tool tool_torch = {
	.name = "PyTorch",
	.readers = readers,
	.recording = { .machine = true, .user_window = true },
	.presets = presets,
	.reports = reports,
};
