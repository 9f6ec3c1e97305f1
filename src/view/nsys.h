/*
 * The views of the summaries that `nsys stats` prints.  They are not in the registry: presets show
 * them.
 */
#ifndef STRATA_VIEW_NSYS_H
#define STRATA_VIEW_NSYS_H

#include "view/view.h"

extern const struct view view_nsys_kernels, view_nsys_calls, view_nsys_ranges,
	view_nsys_copy_times, view_nsys_copy_sizes, view_nsys_system_calls;

#endif
