/*
 * Start and duration of a row as profilers store them, with the rule of each format for what is
 * missing.
 */
#ifndef STRATA_INPUT_ROW_TIMES_H
#define STRATA_INPUT_ROW_TIMES_H

#include "model/profile.h"

/* What a format's times mean; a row without start or end is otherwise without times. */
enum row_times {
	TIMES_BOTH = 0,
	TIMES_OPEN_END = 1,   /* the end may be missing: then the duration is -1 */
	TIMES_ZERO_START = 2, /* a start of 0 was not measured */
	TIMES_ZEROS = 4,      /* a start and an end of 0 were not measured */
};

/*
 * Count a row as an event of the file, and set *DUR. False, counted as damage, without usable times
 * by the RULES (of enum row_times). An end before the start counts as damage and takes no time.
 */
bool row_times(struct profile *profile, unsigned rules, int64_t start, int64_t end, int64_t *dur);

#endif
