/*
 * Nsight Systems: its exports and the reports of nsys stats.
 */
#include "input/readers.h"
#include "tools/nsys/nsys_reports.h"
#include "tools/tools.h"

const struct tool tool_nsys = {
	.name = "Nsight Systems",
	.readers = READERS(&nsys_reader, &nsys_trace_csv_reader, &nsys_printed_reader),
	.recording = { .nvtx_ranges = true },
	.clock_from_start = true,
	.presets = nsys_presets,
	.reports = nsys_report_views,
};
