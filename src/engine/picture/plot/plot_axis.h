/*
 * Axes: positions of values, and ticks at round numbers.
 */
#pragma once

#include "picture/plot/plot.h"

enum { PLOT_TICKS_MAX = 32, PLOT_LABEL_MAX = 24 };

struct plot_tick {
	double value;
	char label[PLOT_LABEL_MAX];
};

/*
 * Position of a value: 0 at the low end, 1 at the high end, possibly beyond; NaN if not on a log
 * axis.
 */
double plot_place(const struct plot_axis *axis, double value);
/* Inverse of plot_place. */
double plot_value(const struct plot_axis *axis, double place);

/*
 * At most MAX (and PLOT_TICKS_MAX) ticks inside the axis, ascending; returns their number. Steps
 * are 1, 2 or 5 times a power of ten, for bytes a power of two. Log axes have ticks at powers of
 * ten, and at 2 and 5 times these if there is room.
 */
size_t plot_ticks(const struct plot_axis *axis, size_t max, struct plot_tick *ticks);
