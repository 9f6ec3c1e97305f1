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

/* Place the streams of the base run in the time of this one; false when cancelled. */
bool timeline_align_base(struct timeline *timeline, const struct progress *progress);
/* The name of activity ROW of the base run in the strings of this one, or NO_ROW. */
uint32_t timeline_base_name(const struct timeline *timeline, uint32_t row);

/*
 * Pair equal items of BASE and NEW in order, as many as possible: PARTNER[i] is the index in BASE
 * of the partner of NEW[i], or NO_ROW. Where more than a thousand items in a row are left over,
 * there may be fewer pairs than possible. False when cancelled.
 */
bool sequences_align(const uint32_t *base, size_t base_count, const uint32_t *new, size_t new_count,
		     uint32_t *partner, const struct progress *progress);

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

/* Find what timeline_links needs. False with ERROR when cancelled. */
bool timeline_find_links(struct timeline *timeline, const struct progress *progress,
			 struct error *error);

/* A lane for each other rank of the run, unless SCOPE selects some rows only. */
void timeline_add_ranks(struct timeline *timeline, const struct scope *scope);

/*
 * Fill the lane of another rank, which is read for it; other lanes are left alone. A rank that
 * cannot be read has no events. False with ERROR when cancelled.
 */
bool timeline_load_rank(const struct timeline *timeline, uint32_t lane,
			const struct progress *progress, struct error *error);

/* Name of the track of a lane; NULL: none. */
const char *timeline_track_of(const struct timeline *timeline, uint32_t lane);

/* Lane of a folded track: the outermost work, otherwise its first. */
uint32_t timeline_folded_lane(const struct timeline *timeline, const struct timeline_track *track);

/* The step that has begun at a time, and that of the base run which is shown with it; NULL: none.
 */
const struct step *timeline_base_step(const struct timeline *timeline, int64_t at,
				      const struct step **step);
