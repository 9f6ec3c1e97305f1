/*
 * Axes: where values lie on them, and the ticks that round numbers stand at.
 */
#ifndef STRATA_PICTURE_PLOT_PLOT_AXIS_H
#define STRATA_PICTURE_PLOT_PLOT_AXIS_H

#include "picture/plot/plot.h"

enum { PLOT_TICKS_MAX = 32, PLOT_LABEL_MAX = 24 };

struct plot_tick {
	double value;
	char label[PLOT_LABEL_MAX];
};

/* 0 at the low end, 1 at the high one, less or more beyond; NaN: never on a log axis. */
double plot_place(const struct plot_axis *axis, double value);
/* The value at a place. */
double plot_value(const struct plot_axis *axis, double place);

/*
 * At most MAX (and PLOT_TICKS_MAX) ticks inside the axis, ascending.  Steps are 1, 2 or 5 times a
 * power of ten, of bytes a power of two; on a log axis powers of ten, with 2 and 5 between when
 * there is room.  Returns how many.
 */
size_t plot_ticks(const struct plot_axis *axis, size_t max, struct plot_tick *ticks);

#endif
