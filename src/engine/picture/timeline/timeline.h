/*
 * The timeline: the lanes of a rank over a stretch of time, in cells.
 *
 * A cell is blank when nothing happens in it and only then.  Else its glyph says how much of it is
 * busy, never rounded up; one event that fills it looks unlike many that do; its role is that of
 * the group with most of the time.
 */
#ifndef STRATA_PICTURE_TIMELINE_TIMELINE_H
#define STRATA_PICTURE_TIMELINE_TIMELINE_H

#include "analysis/pyramid.h"
#include "model/run.h"
#include "model/scope.h"
#include "picture/grid.h"

struct error;

/* ---- what is drawn ---- */

enum timeline_fold {
	TIMELINE_FOLDED, /* one line: the outermost work */
	TIMELINE_OPEN,   /* annotations and work, level by level */
	TIMELINE_ALL,    /* module calls and Python functions too */
};

/* A thread or a stream: what has a name, folds, hides, is pinned and moved as one. */
struct timeline_track {
	uint32_t first, count; /* its lanes */
	enum timeline_fold fold;
	bool hidden, pinned;
};

/* The lanes of a scope, with the rank held; shared by all that draw it. */
struct timeline {
	const struct run *run;
	const struct rank *rank;
	struct lanes *lanes;
	char **names;                  /* by lane; NULL where the lane has that of the one before */
	struct timeline_track *tracks; /* as they are first arranged; all lanes with a track */
	size_t track_count;
	size_t charged; /* bytes counted in the run's budget of memory */
};

/*
 * The timeline of SCOPE: only lanes, and events in them, that belong to it.  Time and steps cut
 * nothing off: they bound the picture, see timeline_bounds.  NULL with ERROR: no such rank or
 * layer, a filter that is no expression, cancelled.  Any thread.
 */
struct timeline *timeline_new(const struct run *run, const struct scope *scope,
			      const struct progress *progress, struct error *error);
void timeline_free(struct timeline *timeline); /* NULL is fine */

/* The time of SCOPE, END > BEGIN.  False with ERROR: it has no such step, or nothing is then. */
bool timeline_bounds(const struct timeline *timeline, const struct scope *scope, int64_t *begin,
		     int64_t *end, struct error *error);

/* Have the two scopes the same timeline, within other bounds perhaps? */
bool timeline_same(const struct scope *a, const struct scope *b);

/* Prepare these lanes.  False with ERROR when cancelled. */
bool timeline_prepare(struct timeline *timeline, const uint32_t *lanes, size_t count,
		      const struct progress *progress, struct error *error);

/* ---- lines ---- */

struct timeline_line {
	uint32_t lane;
	uint32_t track; /* index of its timeline_track, NO_ROW: steps, a device */
	bool head;      /* the first of its track */
};

/*
 * The lines that TRACKS (COUNT, in that order) are shown as: steps and devices, pinned tracks, the
 * others.  *FIXED: how many of the first shall not scroll.  An array that the caller frees.
 */
struct timeline_line *timeline_lines(const struct timeline *timeline,
				     const struct timeline_track *tracks, size_t count,
				     size_t *line_count, size_t *fixed);

/* The name at the left of a line: of its track, else what its lane is; "" for a further level. */
const char *timeline_label(const struct timeline *timeline, const struct timeline_line *line);

/* The letter of all events of a prepared lane; ' ' when they are not of one group. */
char timeline_letter(const struct timeline *timeline, uint32_t lane);

/* ---- drawing ---- */

struct timeline_style {
	bool ascii, braille, labels;
};

struct timeline_window {
	int64_t from, to;    /* ns; at least 2 * columns of them */
	int column, columns; /* where it is on the grid */
};

/* The column of the window in which TIME lies, clamped to it. */
int timeline_column(const struct timeline_window *window, int64_t time);

void timeline_draw_lane(struct grid *grid, int row, const struct timeline *timeline, uint32_t lane,
			const struct timeline_window *window, const struct timeline_style *style);

/* A line with the letter of each cell's group, for those who see no colours. */
void timeline_draw_letters(struct grid *grid, int row, const struct timeline *timeline,
			   uint32_t lane, const struct timeline_window *window);

/* Would that line tell anything: has the lane more than one group? */
bool timeline_has_letters(const struct timeline *timeline, uint32_t lane);

/* Times, at round distances. */
void timeline_draw_ruler(struct grid *grid, int row, const struct timeline_window *window);

/* All of the time from BEGIN to END in one line, with brackets around what the window shows. */
void timeline_draw_map(struct grid *grid, int row, const struct timeline *timeline, int64_t begin,
		       int64_t end, const struct timeline_window *window,
		       const struct timeline_style *style);

/* A time with as many digits as tell it from one that lies STEP ns apart. */
char *timeline_time(char out[40], int64_t time, int64_t step);

/* These lines (COUNT) from FROM to TO as text, WIDTH columns wide, with what the signs mean. */
struct buffer;
void timeline_print(const struct timeline *timeline, const struct timeline_line *lines,
		    size_t count, int64_t from, int64_t to, int width, bool ascii,
		    struct buffer *out);

int timeline_role(enum lane_group group);

#endif
