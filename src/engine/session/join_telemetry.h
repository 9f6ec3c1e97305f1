/*
 * Adds samples of GPUs (input/telemetry) to the timeline of the time they were taken in.
 */
#ifndef STRATA_SESSION_JOIN_TELEMETRY_H
#define STRATA_SESSION_JOIN_TELEMETRY_H

#include "model/profile.h"

#define TELEMETRY_JOINED "telemetry" /* metadata: what became of the samples */

/*
 * Add the counters of SAMPLES within TIMELINE, and of one sample's distance around it, which has no
 * derived data yet. Local times are of the zone, in quarters of an hour, in which they overlap it
 * longest. The metadata say what was assumed, or why nothing was added.
 */
void join_telemetry(struct profile *timeline, const struct profile *samples);

#endif
