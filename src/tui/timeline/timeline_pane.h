/*
 * The timeline pane: a time window over lanes, with cursor and selected event. Lanes are built and
 * prepared in the worker (timeline_job.c); everything here runs in the UI thread.
 *
 * The cursor is a line and a time (the anchor). The selected event is on the cursor's lane: at the
 * anchor, or the one jumped to; none where the lane is idle.
 */
#pragma once

#include "picture/timeline/timeline.h"
#include "tui/core/tui.h"
#include "tui/core/pane.h"

/* A timeline shared by panes and jobs. */
struct timeline_box {
	struct timeline *timeline;
	struct shared_run *shared; /* its run, held once a pane has it */
	int references;            /* accessed only by the UI thread */
};

void timeline_box_drop(struct timeline_box *box); /* NULL is allowed */

struct timeline_hits { /* matching events of a lane, in order */
	uint32_t *event;
	uint32_t count;
	bool skipped; /* n and N skip this lane */
};

enum { TIMELINE_MARKERS = 2, TIMELINE_ROWS_MAX = 1024, TIMELINE_DETAILS = 6 };

struct timeline_pane {
	struct pane pane;
	struct timeline_box *box; /* NULL until built */

	struct timeline_track *tracks; /* arranged by this pane */
	size_t track_count;
	struct timeline_line *lines;
	size_t line_count, fixed;
	bool opened; /* what is folded at first was opened as far as there was room */

	int64_t begin, end;            /* time range of the scope */
	struct timeline_window window; /* columns: of the last draw */
	struct timeline_window framed; /* when a gap was framed last, */
	int64_t least_gap;             /* sought from this length on */
	int64_t anchor;
	size_t line;    /* of the cursor */
	size_t top;     /* first visible line below the fixed ones */
	uint32_t event; /* selected, on the cursor's lane; or NO_ROW */

	int64_t marker[TIMELINE_MARKERS];
	bool marked[TIMELINE_MARKERS];
	bool ranging; /* marker B is where the cursor is */
	struct timeline_range {
		int64_t from, to;
		struct buffer text; /* what happens in it, for the strip */
	} range;                    /* between the markers, or when they were set last */

	/* to go to once built */
	struct ref target;
	struct scope target_scope; /* scope of the target's table */
	struct location located;
	bool targeted; /* the target has a time and is still pending */
	struct {
		bool set, all; /* ALL: the scope's whole time range */
		int64_t from, to, anchor;
	} kept; /* to restore once built, from the previous run */

	struct timeline_hits *hits; /* by lane */
	uint32_t hits_lanes;
	uint64_t hit_count;   /* on lanes that are not skipped */
	unsigned hits_serial; /* search they belong to; 0: none */
	bool stalled;         /* preparation was cancelled: wait for the next key */
	bool seek_here;       /* the current event counts as a match */

	struct strip_places places[TIMELINE_DETAILS]; /* by kind of event, of a sample of events */
	bool sampled;

	/* of the last draw, for clicks */
	int map_row;
	uint32_t row_line[TIMELINE_ROWS_MAX]; /* by body row; NO_ROW: none */
	struct rect body;
};

struct pane *timeline_pane_new(const struct pane_subject *subject);
struct timeline_pane *timeline_pane_of(const struct pane *pane); /* PANE must be one */

const char *timeline_track_name(const struct timeline_pane *self, size_t track);

/* ---- timeline_job.c ---- */
/* Build the timeline if needed, and prepare the visible lanes. */
void timeline_request(struct timeline_pane *self, struct tui *tui);
void timeline_request_hits(struct timeline_pane *self, struct tui *tui);
/* Find the target of LINK; the result goes to timeline_link_arrived. */
void timeline_request_link(struct timeline_pane *self, struct tui *tui,
			   const struct view_link *link);
/* Show the kernel of another rank under the cursor or, unless NULL, what LINK leads to from there.
 */
void timeline_request_rank(struct timeline_pane *self, struct tui *tui,
			   const struct view_link *link);
void timeline_hits_clear(struct timeline_pane *self);

/* ---- timeline_move.c ---- */
struct lane *timeline_lane(const struct timeline_pane *self); /* of the cursor; NULL: no lines */
bool timeline_ready(const struct timeline_pane *self);        /* the lane exists and is prepared */
bool timeline_on_rank(const struct timeline_pane *self);   /* at an event of another rank's lane */
int64_t timeline_cursor(const struct timeline_pane *self); /* displayed cursor time */
void timeline_show(struct timeline_pane *self, int64_t from,
		   int64_t to);                          /* set the window, clamped */
void timeline_show_examined(struct timeline_pane *self); /* the time that findings refer to */
void timeline_center(struct timeline_pane *self, int64_t time); /* of as much time as now */
/* The time between the markers; false if there is none. */
bool timeline_marked_range(const struct timeline_pane *self, int64_t *from, int64_t *to);
/* The time of which the strip tells what happens: between the markers, or the selected step. */
bool timeline_told_range(const struct timeline_pane *self, int64_t *from, int64_t *to);
/* Is the cursor in it? */
bool timeline_in_range(const struct timeline_pane *self);
void timeline_zoom(struct timeline_pane *self, bool in, int64_t around);
void timeline_select_time(struct timeline_pane *self, int64_t time);
void timeline_select_event(struct timeline_pane *self, uint32_t event); /* and make it visible */
void timeline_select_line(struct timeline_pane *self, size_t line);
/* Go to an event of any lane, visible or not. */
void timeline_go_event(struct timeline_pane *self, struct timeline_event event);
/* Go to the pending target, and restore kept state. */
void timeline_go_target(struct timeline_pane *self);
void timeline_go_kept(struct timeline_pane *self);
bool timeline_move(struct timeline_pane *self, struct tui *tui, enum action action);

/* ---- timeline_lanes.c ---- */
/* Recompute the lines, keeping the cursor's lane. */
void timeline_arrange(struct timeline_pane *self);
void timeline_reveal(struct timeline_pane *self, uint32_t lane);
bool timeline_lanes_act(struct timeline_pane *self, struct tui *tui, enum action action);
bool timeline_go_lane(struct timeline_pane *self, struct tui *tui, const char *name,
		      struct error *error);
/* Restore the arrangement saved for this profile (state.h, "lanes"). */
void timeline_recall(struct timeline_pane *self, const struct tui *tui);

/* ---- timeline_heights.c ---- */
enum { TIMELINE_HEIGHTS = 5 };

struct timeline_heights {
	int more[TIMELINE_HEIGHTS]; /* rows beyond the first, by class of lane */
};

/* Share ROWS among the lanes of the lines, which would use USED of them with a row each. */
void timeline_share_room(struct timeline_heights *heights, const struct timeline_pane *self,
			 int rows, int used);
/* Rows of the lane of LINE. */
int timeline_height(const struct timeline_heights *heights, const struct timeline_pane *self,
		    size_t line);

/* ---- timeline_section.c ---- */
/*
 * Does another section begin at LINE, below a rule? Of devices and hosts only with ROOM; ranks of
 * one host have no rules between them, since each is one lane with its name.
 */
bool timeline_has_rule(const struct timeline_pane *self, size_t line, bool room);
void timeline_name_section(const struct timeline_pane *self, size_t line, struct buffer *out);

/* ---- timeline_act.c ---- */
bool timeline_act(struct pane *pane, struct tui *tui, enum action action);
bool timeline_can(struct pane *pane, struct tui *tui, enum action action);
const char *timeline_link(struct pane *pane, struct tui *tui, bool forward);
void timeline_click(struct pane *pane, struct tui *tui, int row, int column, bool twice);
void timeline_drag(struct pane *pane, struct tui *tui, int from, int to);
void timeline_wheel(struct pane *pane, struct tui *tui, int row, int column, int direction);
bool timeline_letter_key(struct pane *pane, struct tui *tui, enum action action, char letter);
void timeline_link_arrived(struct timeline_pane *self, struct tui *tui,
			   const struct view_link *link);
/* Index of the first match on a lane from EVENT on. */
uint32_t timeline_hit_from(const struct timeline_pane *self, uint32_t lane, uint32_t event);
struct ref timeline_ref_of(const struct lane *lane, uint32_t event); /* REF_NONE: no row */
struct ref timeline_ref(const struct timeline_pane *self);

/* ---- timeline_find.c ---- */
void timeline_find_arrived(struct timeline_pane *self, struct tui *tui);
void timeline_search(struct pane *pane, struct tui *tui, size_t origin, int direction);
void timeline_search_name(struct timeline_pane *self, struct tui *tui);

/* ---- timeline_paint.c ---- */
/* First and last column of an event; false if not visible. */
bool timeline_event_columns(const struct timeline_pane *self, const struct lane *lane,
			    uint32_t event, int *from, int *to);
/* Ends of a link: between < and >, or a single star. */
void timeline_paint_end(struct grid *grid, int row, int from, int to);
/* Matches, selected event and link on the lane of LINE at ROW; AWAY: rows from that with names. */
void timeline_paint_lane(const struct timeline_pane *self, struct tui *tui, int row, int away,
			 size_t line);

/* ---- timeline_detail.c ---- */
void timeline_detail(struct pane *pane, struct tui *tui, struct buffer *out);

/* ---- timeline_screen.c ---- */
void timeline_draw(struct pane *pane, struct tui *tui, struct rect body);
