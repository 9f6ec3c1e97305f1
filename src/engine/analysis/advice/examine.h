/*
 * What detectors know before they run: the time examined of the critical device, its idle time, and
 * what the capture is.
 */
#ifndef STRATA_ANALYSIS_ADVICE_EXAMINE_H
#define STRATA_ANALYSIS_ADVICE_EXAMINE_H

#include "analysis/advice/detect.h"
#include "analysis/examined.h"

/* Fill the window of DIAGNOSIS, its causes and idle time. False when cancelled. */
bool examine(struct diagnosis *diagnosis, const struct progress *progress);
void examine_release(struct diagnosis *diagnosis);

#endif
