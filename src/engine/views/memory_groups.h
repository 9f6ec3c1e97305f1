/*
 * Further groupings of the memory view, and helpers of the memory views.
 */
#ifndef STRATA_VIEWS_MEMORY_GROUPS_H
#define STRATA_VIEWS_MEMORY_GROUPS_H

#include "views/views.h"

/*
 * Memory live at each device's peak: one row per operator or (BY_LAYER) layer, with number and
 * bytes of live allocations; allocations from before the capture have a row of their own. False
 * when cancelled; so are the functions below.
 */
bool memory_add_peak(struct table *table, const struct selection *selection, bool by_layer,
		     const struct progress *progress);

/* One row per step and device: growth, allocations and their bytes. */
bool memory_add_steps(struct table *table, const struct selection *selection,
		      const struct progress *progress);

bool memory_in_scope(const struct selection *selection, const struct memory_event *event,
		     uint32_t owner);
void memory_note_none(struct table *table, const struct profile *profile); /* if there are none */

#endif
