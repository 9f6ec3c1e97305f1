/*
 * The views of the summaries that `nsys stats` prints.  They are not in the registry: presets show
 * them.
 */
#ifndef STRATA_TOOLS_NSYS_NSYS_VIEWS_H
#define STRATA_TOOLS_NSYS_NSYS_VIEWS_H

#include "report/format.h"
#include "table/view.h"

struct buffer;
struct profile;

extern const struct view view_nsys_kernels, view_nsys_calls, view_nsys_ranges, view_nsys_pushed,
	view_nsys_started, view_nsys_work, view_nsys_work_and_calls, view_nsys_copy_times,
	view_nsys_copy_sizes, view_nsys_system_calls;
extern const struct view view_nsys_projection;                        /* nsys_projection.c */
extern const struct view view_nsys_launches, view_nsys_range_kernels; /* nsys_launches.c */

format_writer nsys_print, nsys_print_csv, nsys_print_json;

/*
 * What nsys stats calls a range: its domain and the whole of its text, for emit_nvtx puts numbers
 * behind the name, another in every call.  False when SPAN is no range.  *STARTED: it was not
 * pushed.
 */
bool nsys_range_name(const struct profile *profile, uint32_t span, struct buffer *name,
		     bool *started);

/* What nsys stats calls a call of the runtime or the driver: an interned text. */
uint32_t nsys_call_name(const struct profile *profile, uint32_t span);

#endif
