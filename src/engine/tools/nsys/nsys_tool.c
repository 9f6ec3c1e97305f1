/*
 * Nsight Systems: its exports and the reports of nsys stats.
 */
#include "input/readers.h"
#include "tools/nsys/nsys_reports.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &nsys_reader, &nsys_trace_csv_reader,
						&nsys_printed_reader, NULL };

const struct tool tool_nsys = {
	.name = "Nsight Systems",
	.readers = readers,
	.recording = { .nvtx_ranges = true },
	.clock_from_start = true,
	.presets = nsys_presets,
	.reports = nsys_report_views,
};
