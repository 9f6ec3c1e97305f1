/*
 * What detectors know before they run: the time examined of the critical device, its idle time, and
 * what the capture is.
 */
#pragma once

#include "analysis/advice/detect.h"

/* Fill the window of DIAGNOSIS, its causes and idle time. False when cancelled. */
bool diagnosis_fill(struct diagnosis *diagnosis, const struct progress *progress);
void diagnosis_empty(struct diagnosis *diagnosis);
