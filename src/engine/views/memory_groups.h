/*
 * Other groupings of the memory view, and what the views of memory share.
 */
#ifndef STRATA_VIEWS_MEMORY_GROUPS_H
#define STRATA_VIEWS_MEMORY_GROUPS_H

#include "views/views.h"

/*
 * Who held the memory when each device had most allocated: a row an operator or (BY_LAYER) a layer,
 * with its live allocations and their bytes; what was allocated before the capture has its own row.
 * False when cancelled, as below.
 */
bool memory_add_peak(struct table *table, const struct selection *selection, bool by_layer,
		     const struct progress *progress);

/* A row a step and device: growth, allocations and their bytes inside it. */
bool memory_add_steps(struct table *table, const struct selection *selection,
		      const struct progress *progress);

bool memory_in_scope(const struct selection *selection, const struct memory_event *event,
		     uint32_t owner);
void memory_note_none(struct table *table,
		      const struct profile *profile); /* where there are none */

#endif
