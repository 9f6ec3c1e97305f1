/*
 * What several views derive from the same facts: made by the first that asks, kept as long as the
 * facts. Any thread may ask; where two ask at once both work and one result is kept.
 */
#ifndef STRATA_ANALYSIS_SHARED_H
#define STRATA_ANALYSIS_SHARED_H

#include "base/progress.h"

#include <stdint.h>

struct causes;
struct facts;
struct selection;
struct work_counts;

/* The work of the whole profile (work.h); NULL when cancelled. */
const struct work_counts *shared_work(const struct facts *facts, const struct progress *progress);

/*
 * The causes over the rows of SELECTION (causes.h): what is kept where those are all rows, else
 * OWN, which is filled.  OWN is the caller's to clear either way.  NULL when cancelled.
 */
const struct causes *shared_causes(const struct selection *selection, struct causes *own,
				   const struct progress *progress);

/* The rows of all device activities, earliest first; NULL when cancelled. */
const uint32_t *shared_by_start(const struct facts *facts, const struct progress *progress);

#endif
