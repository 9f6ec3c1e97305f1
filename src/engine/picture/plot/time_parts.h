/*
 * The parts that step time is divided into, as every picture shows them.
 */
#pragma once

#include "picture/plot/plot.h"

/* There are too many to distinguish by color alone: each has glyphs of its own. */
struct time_part {
	const char *column, *name;
	const char *brief; /* the name where columns are few; NULL: the same */
	enum role role;
	const char *ascii, *unicode; /* glyphs */
	const char *minus;           /* a column that it includes and another part shows; NULL */
};

/* Both end with an entry without column. The causes end with time outside of the window. */
extern const struct time_part time_parts_by_class[], time_parts_by_cause[];
extern const struct time_part time_parts_by_tensor_core[]; /* of a step */
extern const struct time_part time_parts_of_ranks[], time_parts_of_collectives[];
extern const struct time_part time_parts_of_compiles[];

/* The parts that a view's rows are drawn by beside its table; NULL: none. */
const struct time_part *time_parts_of_view(const char *view);

/* The part of a row of TABLE, 0 if missing. */
double time_part_value(const struct table *table, const struct time_part *part, size_t row);

/* Sum of the parts of a row, without missing ones. */
double time_parts_sum(const struct plot *plot, const struct time_part *parts, size_t row);

/* Stack the part of each row, if any has it, on a bar around PLACES[row] of the x axis. */
void plot_add_part(struct plot *plot, const struct time_part *part, const double *places);
