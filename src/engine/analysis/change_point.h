/*
 * Finds the place in a series of times, one a run, where they change and stay changed.
 */
#pragma once

#include "analysis/difference.h"

struct change_point {
	enum change change;   /* SAME: none is found */
	size_t first;         /* of the values after it */
	double before, after; /* means, ns; of all values where none is found */
};

/*
 * The last change of COUNT VALUES, all known: the series is split where the squared distances from
 * the means of both parts, of two at least, are least, and what follows is split again, as long as
 * difference_judge finds the parts different. SERIES is the number of series among which one is
 * looked for.
 */
struct change_point change_point_find(const double *values, size_t count, size_t series);
