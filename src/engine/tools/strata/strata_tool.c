/*
 * strata's own views and pictures, for profiles of unknown profilers, too.
 */
#include "input/readers.h"
#include "input/summary_file/summary_file.h"
#include "picture/picture.h"
#include "tools/tools.h"
#include "views/views.h"

static const struct picture *const pictures[] = { &picture_dashboard, &picture_timeline, NULL };

/* Formats of no profiler in particular. */
static const struct reader *const readers[] = { &pftrace_reader,   &summary_file_reader,
						&telemetry_reader, &compile_log_reader,
						&requests_reader,  NULL };

const struct tool tool_strata = {
	.name = "strata",
	.readers = readers,
	.recording = { .any_ranges = true },
	.views = listed_views,
	.pictures = pictures,
};
