/*
 * Walks the spans of a host thread by what is innermost.
 */
#pragma once

#include "base/progress.h"
#include "derived/intervals.h"

struct derived;

/*
 * Visit the innermost span of a host track, in order of time, for each segment [START, END) within
 * WITHIN (merged). False when cancelled.
 */
typedef void host_visitor(void *context, uint32_t span, int64_t start, int64_t end);
bool host_walk(const struct derived *derived, uint32_t track, const struct intervals *within,
	       host_visitor *visit, void *context, const struct progress *progress);
