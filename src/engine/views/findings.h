/*
 * The findings of a query: those of its rank, merged with those of the other ranks in its scope.
 */
#ifndef STRATA_VIEWS_FINDINGS_H
#define STRATA_VIEWS_FINDINGS_H

#include "analysis/advice/detectors.h"
#include "views/views.h"

/*
 * EVIDENCE: derived from the query's selection, or NULL. The caller frees with findings_free. False
 * when cancelled, with nothing to free.
 */
bool findings_of_query(struct findings *findings, const struct view_query *query,
		       const struct evidence *evidence);

/* The same of the query's rank alone. */
bool findings_of_rank(struct findings *findings, const struct view_query *query);

#endif
