/*
 * Views of the reports of `nsys stats`. They are shown by presets and not in the registry.
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
 * Name of a range in nsys stats: domain and full text, including the numbers that emit_nvtx
 * appends, which differ per call. False if SPAN is not a range. *STARTED: a start/end range, not
 * push/pop.
 */
bool nsys_range_name(const struct profile *profile, uint32_t span, struct buffer *name,
		     bool *started);

/* Name of a runtime or driver call in nsys stats, interned. */
uint32_t nsys_call_name(const struct profile *profile, uint32_t span);

#endif
