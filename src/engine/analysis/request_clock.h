/*
 * What a file of requests calls a time, on the clock of a trace.
 */
#pragma once

#include "base/progress.h"

struct derived;

struct request_clock {
	const char *unknown;       /* why its offset is; NULL: it is known */
	int64_t offset;            /* ns, added to times of the file; NO_VALUE */
	size_t steps, tokens, due; /* decode steps that were matched; tokens that came, of all */
};

/*
 * The clock of the requests of the profile, which has some. One that began anywhere is matched:
 * after each decode step as many tokens arrive as it has requests; an offset stands if no other
 * explains the arrivals half as well. Those of 256 steps are looked at. False when cancelled.
 */
bool request_clock_find(struct request_clock *clock, const struct derived *derived,
			const struct progress *progress);
