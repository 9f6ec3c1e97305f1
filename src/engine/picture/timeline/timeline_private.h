/*
 * What the files that build a timeline share.
 */
#pragma once

#include "picture/timeline/timeline.h"

/*
 * The timeline of the base run, if there is one with that rank that can be read. False with ERROR
 * when cancelled.
 */
bool timeline_add_base(struct timeline *timeline, const struct scope *scope,
		       const struct progress *progress, struct error *error);

/*
 * All rows of the rank of SCOPE; ROWS, the scope that SELECTION has, lives as long and is cleared
 * by the caller. As selection_make.
 */
bool timeline_select_all(const struct timeline *timeline, const struct scope *scope,
			 struct scope *rows, struct selection *selection,
			 const struct progress *progress, struct error *error);
/* Find the gaps of the devices. False with ERROR when cancelled. */
bool timeline_find_gaps(struct timeline *timeline, const struct scope *scope,
			const struct progress *progress, struct error *error);
/* Draw them into the idle ones of the lane's CELLS. */
void timeline_draw_gaps(struct grid *grid, int row, const struct timeline *timeline,
			const struct lane *lane, const struct lane_cell *cells,
			const struct timeline_window *window, bool ascii);

/* A lane for each other rank of the run, unless SCOPE selects some rows only. */
void timeline_add_ranks(struct timeline *timeline, const struct scope *scope);

/*
 * Fill the lane of another rank, which is read for it; other lanes are left alone. A rank that
 * cannot be read has no events. False with ERROR when cancelled.
 */
bool timeline_load_rank(const struct timeline *timeline, uint32_t lane,
			const struct progress *progress, struct error *error);
