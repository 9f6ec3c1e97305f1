/*
 * Putting the rows of a profile that was read in order: lanes one behind the other, each by time,
 * enclosing rows first, and what belongs to the rows with them.
 */
#ifndef STRATA_MODEL_REORDER_H
#define STRATA_MODEL_REORDER_H

#include "base/progress.h"
#include "model/profile.h"

/*
 * Rows away from TYPICAL, a start that most are near, are set aside and counted as damage.  False
 * when cancelled: what is in the columns then has no meaning.
 */
bool profile_order_spans(struct profile *profile, int64_t typical, const struct progress *progress);
bool profile_order_activities(struct profile *profile, int64_t typical,
			      const struct progress *progress);

#endif
