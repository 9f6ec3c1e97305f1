/*
 * Movement in time, between events and between lanes.
 */
#include "base/number.h"
#include "tui/timeline/timeline_pane.h"

/* ---- cursor ---- */

struct lane *timeline_lane(const struct timeline_pane *self)
{
	if (!self->box || self->line >= self->line_count)
		return NULL;
	return &self->box->timeline->lanes->lane[self->lines[self->line].lane];
}

bool timeline_ready(const struct timeline_pane *self)
{
	const struct lane *lane = timeline_lane(self);
	return lane && lane_is_prepared(lane);
}

bool timeline_on_rank(const struct timeline_pane *self)
{
	return timeline_ready(self) && timeline_lane(self)->kind == LANE_RANK &&
	       self->event != NO_ROW;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
	return value < low ? low : value > high ? high : value;
}

int64_t timeline_cursor(const struct timeline_pane *self)
{
	const struct lane *lane = timeline_lane(self);
	int64_t time = self->anchor;
	if (lane && self->event != NO_ROW) {
		int64_t start = lane_start(lane, self->event), end = lane_end(lane, self->event);
		time = clamp(time, start, end > start ? end - 1 : start);
	}
	return clamp(time, self->window.from, self->window.to - 1);
}

/* ---- the window ---- */

void timeline_show(struct timeline_pane *self, int64_t from, int64_t to)
{
	int64_t least = 2 * (int64_t)self->window.columns, all = self->end - self->begin;
	int64_t span = to - from, max = all > least ? all : least;
	if (span < least) {
		from -= (least - span) / 2;
		span = least;
	}
	lower_to(span, max);
	if (from > self->end - span)
		from = self->end - span;
	raise_to(from, self->begin);
	self->window.from = from;
	self->window.to = from + span;
}

void timeline_show_examined(struct timeline_pane *self)
{
	enum { MARGIN = 50 }; /* a part of it, on each side */
	int64_t from, to;
	timeline_show(self, self->begin, self->end);
	if (!timeline_examined(self->box->timeline, &from, &to) || from >= self->end ||
	    to <= self->begin)
		return;
	from = from > self->begin ? from : self->begin;
	to = to < self->end ? to : self->end;
	timeline_show(self, from - (to - from) / MARGIN, to + (to - from) / MARGIN);
}

void timeline_center(struct timeline_pane *self, int64_t time)
{
	int64_t span = self->window.to - self->window.from;
	timeline_show(self, time - span / 2, time - span / 2 + span);
}

bool timeline_marked_range(const struct timeline_pane *self, int64_t *from, int64_t *to)
{
	int64_t a = self->marker[0], b = self->marker[1];
	*from = a < b ? a : b;
	*to = a < b ? b : a;
	return self->marked[0] && self->marked[1] && a != b;
}

bool timeline_in_range(const struct timeline_pane *self)
{
	int64_t from, to, time = timeline_cursor(self);
	return timeline_marked_range(self, &from, &to) && time >= from && time <= to;
}

bool timeline_told_range(const struct timeline_pane *self, int64_t *from, int64_t *to)
{
	const struct lane *lane = timeline_lane(self);
	if (timeline_in_range(self))
		return timeline_marked_range(self, from, to);
	if (!lane || lane->kind != LANE_STEPS || self->event == NO_ROW)
		return false;
	*from = lane_start(lane, self->event);
	*to = lane_end(lane, self->event);
	return true;
}

void timeline_zoom(struct timeline_pane *self, bool in, int64_t around)
{
	int64_t left = around - self->window.from, right = self->window.to - around;
	if (in)
		timeline_show(self, around - left / 2, around - left / 2 + (left + right) / 2);
	else
		timeline_show(self, around - 2 * left, around + 2 * right);
}

static void timeline_pan(struct timeline_pane *self, int64_t by)
{
	int64_t before = self->window.from, cursor = timeline_cursor(self);
	timeline_show(self, before + by, self->window.to + by);
	/* the cursor keeps its column; at the ends of time only it moves */
	int64_t moved = self->window.from - before;
	timeline_select_time(self,
			     clamp(cursor + (moved ? moved : by), self->begin, self->end - 1));
}

static void bring_into_sight(struct timeline_pane *self, int64_t start, int64_t end)
{
	int64_t span = self->window.to - self->window.from;
	int64_t middle = end - start < span ? start + (end - start) / 2 : start + span / 4;
	if (start < self->window.from || start >= self->window.to)
		timeline_center(self, middle);
}

/* ---- events ---- */

/* Select the event at TIME, otherwise the longest one in its cell. */
void timeline_select_time(struct timeline_pane *self, int64_t time)
{
	const struct timeline_window *window = &self->window;
	self->anchor = time;
	self->event = NO_ROW;
	if (!timeline_ready(self))
		return;
	self->event = lane_event_at(timeline_lane(self), time);
	if (self->event != NO_ROW || time < window->from || time >= window->to)
		return;
	int at = timeline_column(window, time) - window->column;
	self->event = lane_longest(timeline_lane(self),
				   lane_edge(window->from, window->to, window->columns, at),
				   lane_edge(window->from, window->to, window->columns, at + 1));
}

void timeline_select_event(struct timeline_pane *self, uint32_t event)
{
	const struct lane *lane = timeline_lane(self);
	self->event = event;
	self->anchor = lane_start(lane, event);
	bring_into_sight(self, self->anchor, lane_end(lane, event));
}

void timeline_go_event(struct timeline_pane *self, struct timeline_event at)
{
	if (at.lane == NO_ROW)
		return;
	timeline_reveal(self, at.lane);
	timeline_select_event(self, at.event);
}

/* On a new lane, select the event at this time, otherwise the nearest visible one. */
void timeline_select_line(struct timeline_pane *self, size_t line)
{
	int64_t time = self->anchor;
	if (self->line_count == 0)
		return;
	/* the anchor may be outside the window although the cursor is in it */
	if (time < self->window.from || time >= self->window.to)
		time = timeline_cursor(self);
	self->line = line < self->line_count ? line : self->line_count - 1;
	self->anchor = time;
	self->event = NO_ROW;
	if (!timeline_ready(self))
		return;
	const struct lane *lane = timeline_lane(self);
	uint32_t nearest = lane_nearest(lane, time);
	if (nearest != NO_ROW && lane_start(lane, nearest) < self->window.to &&
	    lane_end(lane, nearest) >= self->window.from)
		self->event = nearest;
}

static void step_event(struct timeline_pane *self, struct tui *tui, int direction)
{
	const struct lane *lane = timeline_lane(self);
	uint32_t next = self->event;
	if (next == NO_ROW)
		next = lane_events_before(lane, self->anchor) - (direction < 0);
	else
		next += (uint32_t)direction;
	if (next < lane->count) /* wraps around when below 0 */
		timeline_select_event(self, next);
	else
		tui_say(tui, MESSAGE_INFO, "already at the %s event",
			direction < 0 ? "first" : "last");
}

/*
 * A time from START to END, between two events of a stream, in which the whole device is idle,
 * which has causes: in the longest gap at a sixteenth of it. Its middle if other streams work then.
 */
static int64_t idle_time(const struct timeline_pane *self, int64_t start, int64_t end)
{
	enum { PLACES = 16 };
	const struct lane *lane = timeline_lane(self);
	int64_t best = start + (end - start) / 2, longest = 0;
	for (int i = 0; i < PLACES && lane->device >= 0; i++) {
		int64_t time = start + (end - start) / PLACES * i + (end - start) / (2 * PLACES);
		const struct gap *gap = timeline_gap_at(self->box->timeline, lane->device, time);
		if (!gap || gap_end(gap) - gap->start <= longest)
			continue;
		longest = gap_end(gap) - gap->start;
		best = time;
	}
	return best;
}

/* A gap, and enough around it to see what it is between. */
static void frame_gap(struct timeline_pane *self, int64_t start, int64_t end)
{
	enum { AROUND_GAP = 4 }; /* of its length, on each side */
	int64_t around = (end - start) / AROUND_GAP;
	timeline_show(self, start - around, end + around);
	self->framed = self->window;
	self->anchor = idle_time(self, start, end);
	self->event = NO_ROW;
}

/* Gaps are sought by the zoom from before the first was framed. */
static int64_t least_gap(struct timeline_pane *self)
{
	const struct timeline_window *window = &self->window;
	int64_t cell = (window->to - window->from) / window->columns;
	if (self->framed.from != window->from || self->framed.to != window->to)
		self->least_gap = cell > 0 ? cell : 1;
	return self->least_gap;
}

static void step_gap(struct timeline_pane *self, struct tui *tui, int direction)
{
	const struct lane *lane = timeline_lane(self);
	uint32_t at = self->event;
	char text[NUMBER_MAX];
	if (lane->kind == LANE_STEPS) {
		step_event(self, tui, direction);
		return;
	}
	if (at == NO_ROW) { /* of the gap that holds the cursor, what follows it */
		uint32_t before = lane_events_before(lane, self->anchor);
		at = direction < 0 || self->framed.to == self->window.to ? before
		     : before > 0                                        ? before - 1
									 : 0;
	}
	int64_t least = least_gap(self), longest = lane_longest_gap(lane);
	if (longest <
	    least) /* where no gap takes a cell, the longer ones of those that there are */
		least = longest > 1 ? longest / 2 : 1;
	uint32_t next = lane_gap(lane, at, least, direction < 0);
	const struct gap *gap = NULL; /* of the device, before and after all of the lane */
	if (next == NO_ROW)
		gap = timeline_gap_beyond(self->box->timeline, lane->device, self->anchor, least,
					  direction < 0);
	if (next == NO_ROW && !gap) {
		tui_say(tui, MESSAGE_INFO, "no %s gap", direction < 0 ? "earlier" : "later");
		return;
	}
	int64_t start = gap ? gap->start : lane_end(lane, next - 1);
	int64_t end = gap ? gap_end(gap) : lane_start(lane, next);
	self->least_gap = least;
	frame_gap(self, start, end);
	tui_say(tui, MESSAGE_INFO, "%s idle %s", gap ? "device" : "lane",
		number_duration(text, end - start));
}

static void step_cell(struct timeline_pane *self, int direction)
{
	const struct timeline_window *window = &self->window;
	int at = timeline_column(window, timeline_cursor(self)) - window->column + direction;
	int64_t cell = (window->to - window->from) / window->columns;
	if (at < 0 || at >= window->columns) {
		timeline_pan(self, direction * (cell > 0 ? cell : 1));
		return;
	}
	timeline_select_time(self, lane_edge(window->from, window->to, window->columns, at));
}

/* ---- fitting ---- */

static void timeline_move_fit(struct timeline_pane *self, struct tui *tui)
{
	const struct lane *lane = timeline_lane(self);
	if (self->event != NO_ROW && timeline_ready(self)) {
		int64_t start = lane_start(lane, self->event), end = lane_end(lane, self->event);
		timeline_show(self, start - (end - start) / 10, end + (end - start) / 10);
	} else if (self->marked[0] && self->marked[1]) {
		timeline_show(self, self->marker[0], self->marker[1]);
	} else {
		tui_say(tui, MESSAGE_INFO, "no event or range to fit");
	}
}

/* Go to the step at the cursor or next to it. */
static void fit_step(struct timeline_pane *self, struct tui *tui)
{
	const struct lane *steps = self->box->timeline->lanes->lane;
	if (steps->kind != LANE_STEPS || !lane_is_prepared(steps)) {
		tui_say(tui, MESSAGE_INFO, "no steps here");
		return;
	}
	uint32_t step = lane_nearest(steps, timeline_cursor(self));
	timeline_go_event(self, (struct timeline_event){ 0, step });
	timeline_show(self, lane_start(steps, step), lane_end(steps, step));
}

/* Context shown around a target, relative to its length. */
enum { AROUND = 4 };

/* Its outermost work lane, otherwise its first. */
static void go_track(struct timeline_pane *self, uint32_t track)
{
	const struct lanes *lanes = self->box->timeline->lanes;
	uint32_t found = NO_ROW;
	for (uint32_t i = 0; i < lanes->count; i++) {
		bool work = lanes->lane[i].kind == LANE_WORK && !lanes->lane[i].level;
		if (lanes->lane[i].track == track && (found == NO_ROW || work))
			found = i;
	}
	if (found == NO_ROW)
		return;
	timeline_reveal(self, found);
	timeline_select_line(self, self->line);
}

void timeline_go_target(struct timeline_pane *self)
{
	const struct location *located = &self->located;
	const struct lanes *lanes = self->box->timeline->lanes;
	int64_t length = located->to - located->from, around = AROUND * length;
	struct timeline_event at = { NO_ROW, NO_ROW };
	if (!self->targeted)
		return;
	self->targeted = false;
	if (located->event.kind == REF_CALL || located->event.kind == REF_LAUNCH) {
		bool activity = located->event.kind == REF_LAUNCH;
		if (!lanes_find(lanes, activity, located->event.a, &at.lane, &at.event))
			at.lane = NO_ROW;
	}
	if (located->event.kind == REF_TRACK) {
		go_track(self, located->event.a);
		return;
	}
	if (located->event.kind == REF_STEP && lanes->count && lanes->lane[0].kind == LANE_STEPS)
		at = (struct timeline_event){ 0, located->event.a };
	if ((located->event.kind == REF_NONE || located->event.kind == REF_STEP) && length > 0)
		around = length / 20; /* it is the request itself */
	timeline_show(self, located->from - around, located->to + around);
	if (at.lane != NO_ROW)
		timeline_go_event(self, at);
	else
		timeline_select_time(self, located->from);
}

void timeline_go_kept(struct timeline_pane *self)
{
	if (!self->kept.set)
		return;
	self->kept.set = false;
	if (self->kept.all)
		timeline_show(self, self->begin, self->end);
	else
		timeline_show(self, self->kept.from, self->kept.to);
	if (self->target.kind == REF_NONE)
		timeline_select_time(self, self->kept.anchor);
}

/* ---- keys ---- */

static bool move_time(struct timeline_pane *self, enum action action)
{
	int64_t span = self->window.to - self->window.from, quarter = span > 4 ? span / 4 : 1;
	switch (action) {
	case ACTION_ZOOM_IN:
	case ACTION_ZOOM_OUT:
		timeline_zoom(self, action == ACTION_ZOOM_IN, timeline_cursor(self));
		return true;
	case ACTION_PAN_LEFT: timeline_pan(self, -quarter); return true;
	case ACTION_PAN_RIGHT: timeline_pan(self, quarter); return true;
	case ACTION_PAN_PAGE_LEFT: timeline_pan(self, -span); return true;
	case ACTION_PAN_PAGE_RIGHT: timeline_pan(self, span); return true;
	case ACTION_CURSOR_LEFT:
	case ACTION_CURSOR_RIGHT:
		step_cell(self, action == ACTION_CURSOR_LEFT ? -1 : 1);
		return true;
	case ACTION_FIT_ALL: timeline_show(self, self->begin, self->end); return true;
	default: return false;
	}
}

static bool move_line(struct timeline_pane *self, enum action action)
{
	int rows = action_rows(action, self->body.rows > 4 ? self->body.rows - 4 : 1);
	if (rows)
		timeline_select_line(self, action_moved(self->line, rows));
	return rows != 0;
}

bool timeline_move(struct timeline_pane *self, struct tui *tui, enum action action)
{
	if (move_time(self, action) || move_line(self, action))
		return true;
	if (!timeline_ready(self))
		return false;
	switch (action) {
	case ACTION_EVENT_NEXT:
	case ACTION_EVENT_PREVIOUS:
		step_event(self, tui, action == ACTION_EVENT_NEXT ? 1 : -1);
		return true;
	case ACTION_GAP_NEXT:
	case ACTION_GAP_PREVIOUS:
		step_gap(self, tui, action == ACTION_GAP_NEXT ? 1 : -1);
		return true;
	case ACTION_FIRST:
	case ACTION_LAST:
		timeline_select_event(self,
				      action == ACTION_FIRST ? 0 : timeline_lane(self)->count - 1);
		return true;
	case ACTION_FIT: timeline_move_fit(self, tui); return true;
	case ACTION_FIT_STEP: fit_step(self, tui); return true;
	default: return false;
	}
}
