/*
 * The timeline: a rank's lanes over a time range, and a lane of each other rank, drawn into cells.
 *
 * A cell is blank if and only if nothing happens in it. Its glyph shows how much of it is busy,
 * rounded down; a cell filled by a single event looks different from one filled by many. Its role
 * is that of the group with most time.
 */
#pragma once

#include "analysis/causes.h"
#include "analysis/pyramid.h"
#include "analysis/whatif/stream_waits.h"
#include "picture/grid.h"
#include "picture/lane_role.h"

/* ---- contents ---- */

enum timeline_fold {
	TIMELINE_FOLDED, /* one line: the outermost work */
	TIMELINE_OPEN,   /* annotations and work, by level */
	TIMELINE_ALL,    /* also module calls and Python functions */
};

/* A thread or a stream: named, folded, hidden, pinned and moved as a unit. */
struct timeline_track {
	uint32_t first, count; /* its lanes */
	enum timeline_fold fold;
	bool hidden, pinned;
};

/* More lanes than a screen has; the pictures of others take their places. */
enum { TIMELINE_PICTURES = 256 };

/* The cells of a lane in a window; CELLS is owned, NULL: not drawn yet. */
struct lane_picture {
	int64_t from, to;
	uint32_t lane;
	int columns;
	struct lane_cell *cells;
};

/* The lanes of a scope, shared by all that draw it; holds the rank. */
struct timeline {
	const struct run *run;
	const struct rank *rank;
	struct lanes *lanes;
	char **names;                  /* by lane; NULL: part of the previous lane's track */
	struct timeline_track *tracks; /* initial arrangement; all lanes of a thread or stream */
	size_t track_count;
	bool hosts_differ;     /* some of the ranks drawn below are on another host */
	size_t charged;        /* bytes counted in the run's memory limit */
	struct timeline *base; /* of the base run, to compare with; NULL */
	/* By lane: the one of BASE to be shown below it, or NO_ROW; NULL without a base. */
	uint32_t *base_lanes;
	uint32_t *base_of; /* by activity: that of the base in its place, or NO_ROW */
	/* By activity of the base: that in its place, or NO_ROW; start in this run's time. */
	uint32_t *own_of;
	int64_t *placed; /* followed by the lengths there */
	/* Gaps of the devices, whatever the lanes hold; NULL: no device works. */
	const struct causes *causes;
	struct causes own_causes; /* they, if not cached with the rank */
	uint32_t *launched;       /* by call: the first activity that it launched, or NO_ROW */
	struct stream_waits waits;
	/* Of the thread that draws: the cells of lanes as drawn last; after them that of the map.
	 */
	struct lane_picture *pictures;
};

/*
 * The timeline of SCOPE, with only the lanes and events selected by it. Time and steps do not
 * select events; they bound the picture (timeline_bounds). NULL with ERROR: unknown rank or layer,
 * invalid filter expression, cancelled. Any thread.
 */
struct timeline *timeline_new(const struct run *run, const struct scope *scope,
			      const struct progress *progress, struct error *error);
void timeline_free(struct timeline *timeline); /* NULL is allowed */

/* Time range of SCOPE, END > BEGIN. False with ERROR: unknown step, or nothing recorded then. */
bool timeline_bounds(const struct timeline *timeline, const struct scope *scope, int64_t *begin,
		     int64_t *end, struct error *error);

/* The time that findings and shares refer to, of all devices; false: no device works. */
bool timeline_examined(const struct timeline *timeline, int64_t *from, int64_t *to);

/* True if the scopes differ at most in time and step bounds. */
bool timeline_same(const struct scope *a, const struct scope *b);

/* Build the pyramids of these lanes. False with ERROR when cancelled. */
bool timeline_prepare(struct timeline *timeline, const uint32_t *lanes, size_t count,
		      const struct progress *progress, struct error *error);

/* The lane of the base run to be shown below a lane; false: none. */
bool timeline_base_lane(const struct timeline *timeline, uint32_t lane, uint32_t *base);
/* How long the work of the base run in the place of activity ROW takes; false: there is none. */
bool timeline_base_work(const struct timeline *timeline, uint32_t row, int64_t *dur);
/* What to add to times around AT for times of the base run: the same steps begin together. */
int64_t timeline_base_shift(const struct timeline *timeline, int64_t at);

/* Number of the rank that a thread or stream of a file of several ranks is of, or NO_VALUE. */
int64_t timeline_rank_of(const struct timeline *timeline, uint32_t lane);
/* Host of another rank; NULL: unknown, or all ranks of the run are on one host. */
const char *timeline_host_of(const struct timeline *timeline, uint32_t lane);

/* How the clocks of the other ranks are aligned with the shown one; nothing without others. */
void timeline_ranks_note(const struct timeline *timeline, struct buffer *out);

/*
 * The kernel that runs at TIME in event EVENT of the lane of another rank; the rank is read if it
 * is not in memory. False with ERROR: it cannot be read, or nothing is found. PEEK: at once, for
 * drawing; REF_NONE if the rank is not in memory.
 */
bool timeline_find_rank(const struct timeline *timeline, uint32_t lane, uint32_t event,
			int64_t time, const struct progress *progress, struct ref *ref,
			struct error *error);
struct ref timeline_peek_rank(const struct timeline *timeline, uint32_t lane, uint32_t event,
			      int64_t time);

/* ---- links ---- */

/* An event of a lane; lane NO_ROW: none. */
struct timeline_event {
	uint32_t lane, event;
};

enum { TIMELINE_LINKS = 4 };

/*
 * What a call or an activity is linked to: its launch or what it launched first, the work that it
 * waited for, the operator of the other pass. Returns how many.
 */
size_t timeline_links(const struct timeline *timeline, struct ref row,
		      struct timeline_event ends[TIMELINE_LINKS]);

/* ---- gaps ---- */

/* The gap of DEVICE at TIME; NULL: it works then, or nothing is known. */
const struct gap *timeline_gap_at(const struct timeline *timeline, int32_t device, int64_t time);

/* The next gap of DEVICE, or the one before, that does not hold TIME and takes LEAST; NULL: none.
 */
const struct gap *timeline_gap_beyond(const struct timeline *timeline, int32_t device, int64_t time,
				      int64_t least, bool before);

/* From the most telling to the shortest. */
enum timeline_gap_form { TIMELINE_GAP_FORM_ROWS(_) TIMELINE_GAP_FORMS };
void timeline_gap_text(const struct timeline *timeline, const struct gap *gap,
		       enum timeline_gap_form form, struct buffer *out);
/*
 * What the CPU did for most of it, where in the program, and why it compiled code meanwhile;
 * nothing where that is unknown.
 */
void timeline_gap_work(const struct timeline *timeline, const struct gap *gap, struct buffer *work,
		       struct buffer *place, struct buffer *why);

/*
 * What all work of SCOPE's rank does from FROM to TO, as labelled lines of a detail strip. False
 * with ERROR when cancelled. Any thread.
 */
bool timeline_range_text(const struct timeline *timeline, const struct scope *scope, int64_t from,
			 int64_t to, const struct progress *progress, struct buffer *out,
			 struct error *error);
/* What lanes of work do most before the event NEXT of a lane that is IDLE until then, as such a
 * line. */
void timeline_meanwhile(const struct timeline *timeline, const struct lane *idle, uint32_t next,
			struct buffer *out);

/* ---- lines ---- */

struct timeline_line {
	uint32_t lane;
	uint32_t track; /* index of its timeline_track; NO_ROW: steps, a device, another rank */
	bool head;      /* first line of its track */
};

/*
 * Lines for TRACKS (COUNT, in this order): steps and devices, pinned tracks, the others; other
 * ranks before those, many after them. *FIXED:
 * how many at the top do not scroll. The caller frees the array.
 */
struct timeline_line *timeline_lines(const struct timeline *timeline,
				     const struct timeline_track *tracks, size_t count,
				     size_t *line_count, size_t *fixed);

/* Label of a line: name of its track or lane; "" for further levels. */
const char *timeline_label(const struct timeline *timeline, const struct timeline_line *line);

/* Group letter of a prepared lane; ' ' if it has several groups. */
char timeline_letter(const struct timeline *timeline, uint32_t lane);

/* Groups on the prepared lanes of LINES (COUNT) and their base lanes, as a set: bit 1 << group. */
unsigned timeline_groups(const struct timeline *timeline, const struct timeline_line *lines,
			 size_t count);

/* ---- drawing ---- */

struct timeline_style {
	bool ascii, braille, labels;
	bool map;      /* it is drawn as the map, beside itself */
	int row, rows; /* of a lane ROWS rows high, the row to draw, from the top; 0: it has one */
};

struct timeline_window {
	int64_t from, to;    /* ns; at least 2 * columns of them */
	int column, columns; /* where it is on the grid */
};

/* Column of TIME in the window, clamped. */
int timeline_column(const struct timeline_window *window, int64_t time);

void timeline_draw_lane(struct grid *grid, int row, const struct timeline *timeline, uint32_t lane,
			const struct timeline_window *window, const struct timeline_style *style);

/* Draw the group letter of each cell, for use without color. */
void timeline_draw_letters(struct grid *grid, int row, const struct timeline *timeline,
			   uint32_t lane, const struct timeline_window *window);

/* True if the lane has several groups. */
bool timeline_has_letters(const struct timeline *timeline, uint32_t lane);

/* Times at round intervals. */
void timeline_draw_ruler(struct grid *grid, int row, const struct timeline_window *window);

/* Lines through the lane at ROW, where it is idle: at the ticks of the ruler, and at TIME. */
void timeline_draw_ticks(struct grid *grid, int row, const struct timeline_window *window);
void timeline_draw_time(struct grid *grid, int row, const struct timeline_window *window,
			int64_t time, int role);

/* Overview map: BEGIN to END in one line, with brackets around the window. */
void timeline_draw_map(struct grid *grid, int row, const struct timeline *timeline, int64_t begin,
		       int64_t end, const struct timeline_window *window,
		       const struct timeline_style *style);

/* Format a time precisely enough to distinguish times STEP ns apart. */
char *timeline_time(char out[40], int64_t time, int64_t step);

/* How to print one: bits; 0: text. */
enum { TIMELINE_ASCII = 1, TIMELINE_SVG = 2, TIMELINE_COLOR = 4 };

/* COUNT lines from FROM to TO, WIDTH columns wide, with a legend. */
void timeline_print(const struct timeline *timeline, const struct timeline_line *lines,
		    size_t count, int64_t from, int64_t to, int width, unsigned how,
		    struct buffer *out);
