/*
 * The rows of profiles that hold sums without events (model/totals.h).
 */
#pragma once

#include "table/view.h"

/* False when cancelled, so are the others. BY_SHAPE: a row for each name and shapes. */
bool totals_add_operators(struct table *table, const struct view_query *query, bool by_shape);
bool totals_add_layers(struct table *table, const struct view_query *query);
bool totals_add_stacks(struct table *table, const struct view_query *query);

/* What the file says about itself; nothing without totals. */
void totals_add_facts(struct table *table, const struct profile *profile);
/* How many rows there are, and the largest. */
void totals_add_summary(struct table *table, const struct profile *profile);
