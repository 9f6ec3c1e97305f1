/*
 * The parts that step time is divided into, as every picture shows them.
 */
#pragma once

#include "picture/grid.h"
#include "picture/plot/plot.h"

/* A row of time_parts.txt, which says more. */
struct time_part {
	const char *set, *column, *name;
	const char *brief; /* the name where columns are few; NULL: the same */
	enum role role;
	const char *ascii, *unicode; /* glyphs */
	const char *minus;           /* a column that it includes and another part shows; NULL */
};

/* The parts of a set, which end with one without a name; NULL: there is no such set. */
const struct time_part *time_parts(const char *set);

/* The part of a row of TABLE, 0 if missing. */
double time_part_value(const struct table *table, const struct time_part *part, size_t row);

/* Sum of the parts of a row, without missing ones. */
double time_parts_sum(const struct plot *plot, const struct time_part *parts, size_t row);

/* Stack the part of each row, if any has it, on a bar around PLACES[row] of the x axis. */
void plot_add_part(struct plot *plot, const struct time_part *part, const double *places);

/* Draw a cell of it in ROLE, "█" or a letter, which is filled as blocks are. */
void time_part_draw(const struct time_part *part, struct grid *grid, int row, int column, int role);
