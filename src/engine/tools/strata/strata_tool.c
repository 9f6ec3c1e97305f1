/*
 * strata's own views and pictures, for profiles of unknown profilers, too.
 */
#include "input/readers.h"
#include "input/summary_file/summary_file.h"
#include "picture/picture.h"
#include "tools/tools.h"
#include "views/views.h"

const struct tool tool_strata = {
	.name = "strata",
	/* formats of no profiler in particular */
	.readers = READERS(&pftrace_reader, &summary_file_reader, &telemetry_reader,
			   &compile_log_reader, &requests_reader),
	.recording = { .any_ranges = true },
	.views = listed_views,
	.pictures = (const struct picture *const[]){ &picture_dashboard, &picture_timeline, NULL },
};
