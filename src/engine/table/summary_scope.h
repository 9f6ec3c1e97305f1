/*
 * Narrows the rows that a summary keeps to a scope: rows that belong to one step, time, device,
 * stream or layer as a whole. Sums over a part of the recording need its events.
 */
#ifndef STRATA_TABLE_SUMMARY_SCOPE_H
#define STRATA_TABLE_SUMMARY_SCOPE_H

#include "table/view.h"

/* The scope is wider than a rank and a name. */
bool summary_scope_is_narrowed(const struct scope *scope);
/* Can the rows of VIEW answer it? */
bool summary_scope_fits(const struct view *view, const struct scope *scope);
/* Keep the rows of TABLE in SCOPE, which fits. */
void summary_scope_apply(struct table *table, const struct scope *scope);

#endif
