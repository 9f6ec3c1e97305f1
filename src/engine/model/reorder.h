/*
 * Sorts the rows of a profile by track and time, enclosing rows first, with their attributes.
 */
#ifndef STRATA_MODEL_REORDER_H
#define STRATA_MODEL_REORDER_H

#include "base/progress.h"
#include "model/profile.h"

/*
 * Rows more than a day from TYPICAL are dropped and counted as damage. False when cancelled: the
 * columns are then invalid.
 */
bool profile_order(struct profile *profile, int64_t typical, const struct progress *progress);

#endif
