/*
 * Rows of a view over several ranks, one rank after another; and over phases, likewise.
 *
 * Cells that the view stored are copied and the rank is released, so that one rank is in memory at
 * a time; for cells computed on demand the ranks stay, within the memory limit.
 */
#pragma once

#include "table/view.h"

/*
 * Cell of column rank of RANK, which is loaded; if it is the whole of a file of several, of the one
 * with lane TRACK (NO_ROW: of none). Missing if the only profile records no rank.
 */
struct value rank_rows_number(const struct run *run, const struct rank *rank, uint32_t track);

/* Does SCOPE ask for several ranks of RUN, and does VIEW list them? */
bool rank_rows_wanted(const struct view *view, const struct run *run, const struct scope *scope);

/*
 * Fill TABLE, a new one of VIEW. A rank without what the scope names (a device, a path) has no
 * rows, unless no rank has it. False with ERROR, as view_build.
 */
bool rank_rows_build(struct table *table, const struct view *view, const struct run *run,
		     const struct scope *scope, const char *group, const struct progress *progress,
		     struct error *error);

/*
 * The same of the default grouping of VIEW, by phase of the iterations of a server (PHASE_NONE: and
 * what is outside of steps). DERIVED is of the scope's rank.
 */
bool phase_rows_build(struct table *table, const struct view *view, const struct run *run,
		      const struct scope *scope, const struct derived *derived,
		      const struct progress *progress, struct error *error);
