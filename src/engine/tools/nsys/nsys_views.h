/*
 * Views, and writers, of the nsys presets.
 */
#ifndef STRATA_TOOLS_NSYS_NSYS_VIEWS_H
#define STRATA_TOOLS_NSYS_NSYS_VIEWS_H

#include "base/buffer.h"
#include "report/format.h"
#include "table/view.h"

/* nsys_views.c: sums by name */
extern const struct view view_nsys_kernels, view_nsys_shapes, view_nsys_calls, view_nsys_ranges,
	view_nsys_pushed, view_nsys_started, view_nsys_work, view_nsys_work_and_calls,
	view_nsys_copy_times, view_nsys_copy_sizes, view_nsys_system_calls, view_nsys_openmp,
	view_nsys_openacc, view_nsys_messages;
/* nsys_projection.c */
extern const struct view view_nsys_projection;
/* nsys_launches.c */
extern const struct view view_nsys_launches, view_nsys_range_kernels;
/* nsys_events.c: one row per event */
extern const struct view view_nsys_call_events, view_nsys_work_events, view_nsys_launch_events,
	view_nsys_message_events;
/* nsys_range_events.c: one row per range */
extern const struct view view_nsys_pushed_events, view_nsys_projection_events;
/* nsys_unified.c: unified memory */
extern const struct view view_nsys_migrations, view_nsys_migration_totals, view_nsys_faults;

format_writer nsys_print, nsys_print_csv, nsys_print_json;

#endif
