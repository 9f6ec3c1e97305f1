/*
 * Times that a benchmark takes, in seconds.
 */
#pragma once

#include <time.h>

struct moment {
	double wall, cpu;
};

static inline double read_clock(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static inline struct moment now(void)
{
	return (struct moment){ read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID) };
}
