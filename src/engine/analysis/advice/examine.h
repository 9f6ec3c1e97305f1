/*
 * The time that detectors examine: the steps that count, without the head of the capture and
 * without a cold start.
 */
#ifndef STRATA_ANALYSIS_ADVICE_EXAMINE_H
#define STRATA_ANALYSIS_ADVICE_EXAMINE_H

#include "analysis/advice/detect.h"

/* Part of the window that one-off gaps fill at least when it is a cold start. */
enum { COLD_START_PERCENT = 20 };

/* Fill the window of DIAGNOSIS, its causes and idle time. False when cancelled. */
bool examine(struct diagnosis *diagnosis, const struct progress *progress);
void examine_release(struct diagnosis *diagnosis);

#endif
