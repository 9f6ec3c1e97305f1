/*
 * The time of a device that findings and shares refer to: the complete steps without a slow first
 * one, without the head of the capture and without a cold start.
 */
#pragma once

#include "analysis/gaps.h"

/* Part of the time that one-off gaps fill at least when it is a cold start. */
enum { COLD_START_PERCENT = 20 };

struct analysis_window {
	struct intervals window;
	int64_t steps;            /* the number of steps in it */
	int64_t dur;              /* its length, ns */
	int64_t capture;          /* of the capture in scope; NO_VALUE: steps were chosen */
	struct interval head;     /* left out: waits for work from before the capture */
	int64_t head_ns;          /* of the steps in it */
	uint32_t blocked;         /* the host's wait in it, a span; NO_ROW */
	struct intervals one_off; /* left out: the gaps of a cold start */
	int64_t one_off_ns;
	int64_t cause_ns[TIME_CAUSES];              /* in the window */
	struct interval cause_longest[TIME_CAUSES]; /* likewise, without a break */
};

/* Is it less than half of the capture, so that its shares say little about the run? */
static inline bool analysis_window_is_small(const struct analysis_window *analysis_window)
{
	return analysis_window->capture != NO_VALUE && analysis_window->dur > 0 &&
	       analysis_window->dur < analysis_window->capture / 2;
}

/*
 * All but the causes, of the device with this WORK, of BUSY ns, these GAPS, and the time OUTSIDE of
 * its work. The caller frees with analysis_window_free.
 */
void analysis_window_find(struct analysis_window *analysis_window,
			  const struct selection *selection, const struct work_window *work,
			  const struct gaps *gaps, const struct intervals *outside, int64_t busy);
void analysis_window_free(struct analysis_window *analysis_window); /* accepts all zero */
