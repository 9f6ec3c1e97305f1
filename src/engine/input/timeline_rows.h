/*
 * Rows of a timeline as profilers store them: start and duration by the rule of each format for
 * what is missing, and work of which little is known.
 */
#pragma once

#include "model/builder.h"

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

/* An activity of which nothing but its kind is known. */
static inline struct activity activity_of(enum activity_kind kind)
{
	return (struct activity){ .kind = kind,
				  .config = NO_ROW,
				  .correlation = NO_VALUE,
				  .external = NO_VALUE,
				  .bytes = NO_VALUE };
}

/* Launch parameters of which nothing is known but a grid and block of 0. */
struct launch_config launch_config_unknown(void);

/* Has anything been read: events, samples, totals, allocations of a snapshot, operators? */
bool profile_has_rows(const struct profile *profile);
