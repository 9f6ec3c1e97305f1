/*
 * The findings of a query: those of its rank, merged with those of the other ranks in its scope.
 */
#pragma once

#include "analysis/advice/detectors.h"
#include "views/views.h"

/*
 * EVIDENCE: derived from the query's selection, or NULL. The caller frees with findings_free. False
 * when cancelled, with nothing to free.
 */
bool findings_of_query(struct findings *findings, const struct view_query *query,
		       const struct evidence *evidence);

/* Of a row of the advice view; SEVERITIES: none. */
enum severity severity_at(const struct table *table, size_t row);

/* Is the query about all ranks? Rows and names of a scope belong to one. */
bool is_of_all_ranks(const struct view_query *query);

/*
 * Of ranks that are summaries: what those in the query's scope kept, merged, with what compares
 * them. Their texts belong to STRINGS.
 */
bool findings_of_summaries(struct findings *findings, const struct view_query *query,
			   struct intern *strings);

/* The same of the query's rank alone. */
bool findings_of_rank(struct findings *findings, const struct view_query *query);
