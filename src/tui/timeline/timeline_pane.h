/*
 * The pane that shows the timeline: a window of time over lanes, a cursor in it and an event under
 * it. The lanes are made and added up by the worker (timeline_job.c); what is here belongs to the
 * UI's thread.
 *
 * The cursor is a line and a time, the anchor.  The event selected is one of the cursor's lane:
 * that at the anchor, or the one gone to; there is none where the lane is idle.
 */
#ifndef STRATA_TUI_TIMELINE_TIMELINE_PANE_H
#define STRATA_TUI_TIMELINE_TIMELINE_PANE_H

#include "picture/timeline/timeline.h"
#include "tui/core/tui.h"
#include "tui/core/pane.h"
#include "table/view.h"

/* A timeline, shared by panes and jobs. */
struct timeline_box {
	struct timeline *timeline;
	int references; /* counted by the UI's thread alone */
};

struct timeline_box *timeline_box_hold(struct timeline_box *box);
void timeline_box_drop(struct timeline_box *box); /* NULL is fine */

/* An event of a lane; lane NO_ROW: none. */
struct timeline_event {
	uint32_t lane, event;
};

struct timeline_hits { /* of one lane: events that match the search, in order */
	uint32_t *event;
	uint32_t count;
	bool skipped; /* n and N pass over this lane */
};

enum { TIMELINE_MARKERS = 2, TIMELINE_ROWS_MAX = 1024 };

struct timeline_pane {
	struct pane pane;
	struct timeline_box *box; /* NULL until it is made */

	struct timeline_track *tracks; /* as they are arranged here */
	size_t track_count;
	struct timeline_line *lines;
	size_t line_count, fixed;

	int64_t begin, end;            /* the time of the scope */
	struct timeline_window window; /* columns: of the last draw */
	int64_t anchor;
	size_t line;                   /* of the cursor */
	size_t top;                    /* the first line shown below the fixed ones */
	uint32_t event;                /* selected, of the cursor's lane; NO_ROW */
	struct timeline_event ends[2]; /* of the link followed last */

	int64_t marker[TIMELINE_MARKERS];
	bool marked[TIMELINE_MARKERS];

	/* to be gone to when the timeline is there */
	struct ref target;
	struct scope target_scope; /* the one of the row it is of */
	struct location located;
	bool targeted; /* it is somewhere in time, and not gone to yet */
	struct {
		bool set, all; /* ALL: the whole time of the scope, whatever that is now */
		int64_t from, to, anchor;
	} kept; /* what is to be shown then, of the run before */

	struct timeline_hits *hits; /* by lane */
	uint32_t hits_lanes;
	uint64_t hit_count;   /* on the lanes that are not skipped */
	unsigned hits_serial; /* of the search they belong to; 0: none */
	bool stalled;         /* adding up was stopped: not again before the next key */
	bool seek_here;       /* to the event under the cursor too */

	/* of the last draw, for clicks */
	int map_row;
	uint32_t row_line[TIMELINE_ROWS_MAX]; /* by row of the body; NO_ROW: none */
	struct rect body;
};

struct pane *timeline_pane_new(const struct subject *subject);
struct timeline_pane *timeline_pane_of(const struct pane *pane); /* which is one */

const char *timeline_track_name(const struct timeline_pane *self, size_t track);

/* ---- timeline_job.c ---- */
/* Make the timeline when there is none yet, and add up the lanes that are shown. */
void timeline_request(struct timeline_pane *self, struct tui *tui);
void timeline_request_hits(struct timeline_pane *self, struct tui *tui);
bool timeline_hits_coming(const struct timeline_pane *self, unsigned serial);
void timeline_hits_clear(struct timeline_pane *self);

/* ---- timeline_move.c ---- */
struct lane *timeline_lane(const struct timeline_pane *self); /* of the cursor; NULL: no lines */
bool timeline_ready(const struct timeline_pane *self);        /* is there such a lane, added up? */
int64_t timeline_cursor(const struct timeline_pane *self);    /* the time shown as the cursor's */
void timeline_show(struct timeline_pane *self, int64_t from, int64_t to); /* the window, clamped */
void timeline_zoom(struct timeline_pane *self, bool in, int64_t around);
void timeline_pan(struct timeline_pane *self, int64_t by);
void timeline_select_time(struct timeline_pane *self, int64_t time);
void timeline_select_event(struct timeline_pane *self, uint32_t event); /* brought into sight */
void timeline_select_line(struct timeline_pane *self, size_t line);
/* Go to an event of any lane, whether that is shown or not. */
void timeline_go_event(struct timeline_pane *self, struct timeline_event event);
/* Go to where the target is, and to what was kept. */
void timeline_go_target(struct timeline_pane *self);
void timeline_go_kept(struct timeline_pane *self);
bool timeline_move(struct timeline_pane *self, struct tui *tui, enum action action);

/* ---- timeline_lanes.c ---- */
/* The lines anew, the cursor on the same lane. */
void timeline_arrange(struct timeline_pane *self);
void timeline_reveal(struct timeline_pane *self, uint32_t lane);
bool timeline_lanes_act(struct timeline_pane *self, struct tui *tui, enum action action);
bool timeline_go_lane(struct timeline_pane *self, struct tui *tui, const char *name,
		      struct error *error);
/* Arrange tracks as they were for this profile, now or in a session before (state.h, "lanes"). */
void timeline_recall(struct timeline_pane *self, const struct tui *tui);

/* ---- timeline_act.c ---- */
bool timeline_act(struct pane *pane, struct tui *tui, enum action action);
bool timeline_can(struct pane *pane, struct tui *tui, enum action action);
void timeline_click(struct pane *pane, struct tui *tui, int row, int column, bool twice);
void timeline_wheel(struct pane *pane, struct tui *tui, int row, int column, int direction);
bool timeline_letter_key(struct pane *pane, struct tui *tui, enum action action, char letter);
/* What the selected event is to views; REF_NONE when there is none or it is a union. */
struct ref timeline_ref(const struct timeline_pane *self);

/* ---- timeline_find.c ---- */
void timeline_find_move(struct timeline_pane *self, struct tui *tui, int direction);
void timeline_find_arrived(struct timeline_pane *self, struct tui *tui);
void timeline_find_from(struct pane *pane, struct tui *tui, size_t origin);
void timeline_search_name(struct timeline_pane *self, struct tui *tui);

/* ---- timeline_screen.c ---- */
void timeline_draw(struct pane *pane, struct tui *tui, struct rect body);

#endif
