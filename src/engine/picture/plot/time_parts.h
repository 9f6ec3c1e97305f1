/*
 * The parts that step time is divided into, as every picture shows them.
 */
#ifndef STRATA_PICTURE_PLOT_TIME_PARTS_H
#define STRATA_PICTURE_PLOT_TIME_PARTS_H

#include "picture/plot/plot.h"

/* There are too many to distinguish by color alone: each has glyphs of its own. */
struct time_part {
	const char *column, *name;
	enum role role;
	struct plot_glyphs glyphs; /* only the first of each */
};

/* Both end with an entry without column. The causes end with time outside of the window. */
extern const struct time_part time_parts_by_class[], time_parts_by_cause[];

#endif
