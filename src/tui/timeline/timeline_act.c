/*
 * Actions and clicks on the timeline other than movement.
 */
#include "tui/timeline/timeline_pane.h"

#include "base/number.h"

#include <stdio.h>

/* ---- the event ---- */

struct ref timeline_ref_of(const struct lane *lane, uint32_t event)
{
	if (lane_is_union(lane) || lane->kind == LANE_SAMPLES)
		return NO_REF;
	if (lane->kind == LANE_STEPS)
		return (struct ref){ REF_STEP, event, 0, 0 };
	return (struct ref){ lane->activities ? REF_LAUNCH : REF_CALL, lane_row(lane, event), 0,
			     0 };
}

/* The event, or the gap of the device; REF_NONE: neither. */
struct ref timeline_ref(const struct timeline_pane *self)
{
	const struct ref none = { .kind = REF_NONE };
	const struct lane *lane = timeline_lane(self);
	if (!lane || self->event != NO_ROW)
		return lane ? timeline_ref_of(lane, self->event) : none;
	const struct gap *gap =
		lane->device < 0
			? NULL
			: timeline_gap_at(self->box->timeline, lane->device, timeline_cursor(self));
	return gap ? ref_of_time(lane->device, gap->start, gap_end(gap) - gap->start + 1000) : none;
}

/* Open a timeline narrowed to the time between the markers, else to that on the screen. */
static void narrow_range(struct timeline_pane *self, struct tui *tui)
{
	AUTO(scope_clear) struct scope scope = { 0 };
	scope_copy(&scope, &self->pane.level->scope);
	scope.has_time = true;
	if (!timeline_marked_range(self, &scope.time_first, &scope.time_last)) {
		scope.time_first = self->window.from;
		scope.time_last = self->window.to < self->end ? self->window.to : self->end;
	}
	nav_push_same(tui, &self->pane, &scope);
}

/* The operator span enclosing a call, or NO_ROW. */
static uint32_t operator_of(const struct derived *derived, uint32_t span)
{
	if (derived->span_flags[span] & SPAN_IS_OPERATOR ||
	    derived->profile->span_kind[span] == SPAN_RUNTIME)
		return derived_operator_around(derived, span);
	return NO_ROW;
}

static bool on_sample(const struct timeline_pane *self)
{
	const struct lane *lane = timeline_lane(self);
	return lane && lane->kind == LANE_SAMPLES && self->event != NO_ROW;
}

/* Narrow to the time between the markers around the cursor, else go to the event's row. */
static void open_event(struct timeline_pane *self, struct tui *tui)
{
	int rank = self->pane.level->scope.rank;
	struct ref ref = timeline_ref(self);
	if (timeline_in_range(self)) {
		narrow_range(self, tui);
	} else if (timeline_on_rank(self)) {
		timeline_request_rank(self, tui, NULL);
	} else if (ref.kind == REF_STEP) {
		nav_drill(tui, ref);
	} else if (ref.kind == REF_LAUNCH) {
		nav_show(tui, view_find("launches"), ref, rank);
	} else if (ref.kind == REF_TIME) {
		nav_show(tui, view_find("gaps"), ref, rank);
	} else if (ref.kind == REF_CALL) {
		ref.a = operator_of(self->box->timeline->rank->derived, ref.a);
		if (ref.a != NO_ROW)
			nav_show(tui, view_find("calls"), ref, rank);
		else
			tui->host->act(tui, ACTION_DETAIL_FULL);
	} else if (on_sample(self)) {
		tui->host->act(tui, ACTION_DETAIL_FULL);
	} else {
		tui_say(tui, MESSAGE_INFO, "no event here (, and . go to one)");
	}
}

/* ---- links ---- */

/* The timeline shows the launching call, which is nearer than its operator. */
static bool is_launched(const struct timeline_pane *self, struct ref from, bool forward)
{
	return from.kind == REF_LAUNCH && !forward &&
	       self->box->timeline->rank->profile->activity_launch[from.a] != NO_ROW;
}

/* Of work on another rank, which may not be loaded. */
static const char *rank_link(const struct timeline_pane *self, bool forward)
{
	bool communicates = timeline_lane(self)->own_group[self->event] == GROUP_COMMUNICATION;
	return !forward ? "Operator" : communicates ? "Rank" : "Backward";
}

const char *timeline_link(struct pane *pane, struct tui *tui, bool forward)
{
	const struct timeline_pane *self = timeline_pane_of(pane);
	if (timeline_on_rank(self))
		return rank_link(self, forward);
	if (!timeline_ready(self))
		return NULL;
	struct ref from = timeline_ref(self);
	return is_launched(self, from, forward)
		       ? "Launch"
		       : view_link_name(tui->run, &pane->level->scope, from, NULL, forward);
}

/* Show both ends if that does not zoom out too far. */
static void show_both(struct timeline_pane *self, int64_t a_start, int64_t a_end, int64_t b_start,
		      int64_t b_end)
{
	int64_t from = a_start < b_start ? a_start : b_start;
	int64_t to = a_end > b_end ? a_end : b_end, span = self->window.to - self->window.from;
	if (from >= self->window.from && to <= self->window.to)
		return;
	if (to - from < 8 * span)
		timeline_show(self, from - (to - from) / 10, to + (to - from) / 10);
}

static bool go_along(struct timeline_pane *self, struct tui *tui, struct ref target)
{
	const struct lanes *lanes = self->box->timeline->lanes;
	struct timeline_event from = { self->lines[self->line].lane, self->event }, to;
	if (!lanes_find(lanes, target.kind == REF_LAUNCH, target.a, &to.lane, &to.event)) {
		tui_say(tui, MESSAGE_WARNING, "link target is outside of the scope");
		return false;
	}
	const struct lane *a = &lanes->lane[from.lane], *b = &lanes->lane[to.lane];
	bool event = from.event != NO_ROW; /* else a gap */
	show_both(self, event ? lane_start(a, from.event) : self->anchor,
		  event ? lane_end(a, from.event) : self->anchor, lane_start(b, to.event),
		  lane_end(b, to.event));
	nav_record(tui);
	timeline_go_event(self, to);
	timeline_request(self, tui);
	return true;
}

void timeline_link_arrived(struct timeline_pane *self, struct tui *tui,
			   const struct view_link *link)
{
	char text[NUMBER_MAX];
	if (!link->count) {
		tui_say(tui, MESSAGE_WARNING, "%s",
			link->why ? link->why : "no link on this event");
		return;
	}
	int64_t before =
		self->event == NO_ROW ? self->anchor : lane_start(timeline_lane(self), self->event);
	nav_followed(tui, link, link->rank == self->pane.level->scope.rank);
	if (link->rank != self->pane.level->scope.rank) {
		nav_show(tui, link->view, link->target, link->rank);
		tui_say(tui, MESSAGE_INFO, "%s", link->what);
		return;
	}
	if (!go_along(self, tui, link->target))
		return;
	int64_t distance = self->anchor - before;
	number_duration(text, distance < 0 ? -distance : distance);
	const char *comma = *link->what ? ", " : "";
	const char *side = distance < 0 ? "earlier" : "later";
	if (link->count > 1)
		tui_say(tui, MESSAGE_INFO, "%s%slink %zu of %zu, %s %s (again: next)", link->what,
			comma, link->nth + 1, link->count, text, side);
	else
		tui_say(tui, MESSAGE_INFO, "%s%s%s %s", link->what, comma, text, side);
}

static void timeline_act_follow(struct timeline_pane *self, struct tui *tui, bool forward)
{
	if (!forward && nav_return(tui))
		return;
	struct view_link link = nav_follow(&tui->nav, timeline_ref(self), forward);
	if (timeline_on_rank(self)) {
		timeline_request_rank(self, tui, &link);
	} else if (link.from.kind == REF_NONE || link.from.kind == REF_STEP) {
		tui_say(tui, MESSAGE_WARNING, "no linked event here");
	} else if (is_launched(self, link.from, forward)) {
		const struct profile *profile = self->box->timeline->rank->profile;
		link.target.kind = REF_CALL;
		link.target.a = profile->activity_launch[link.from.a];
		link.count = 1;
		snprintf(link.what, sizeof link.what, "launched by %s",
			 profile_string(profile, profile->span_name[link.target.a]));
		link.rank = self->pane.level->scope.rank;
		timeline_link_arrived(self, tui, &link);
	} else {
		timeline_request_link(self, tui, &link);
	}
}

/* ---- markers ---- */

static void set_marker(struct timeline_pane *self, struct tui *tui, int index, int64_t time)
{
	char text[NUMBER_MAX];
	self->marker[index] = time;
	self->marked[index] = true;
	self->ranging = false;
	if (self->marked[0] && self->marked[1])
		tui_say(tui, MESSAGE_INFO, "A..B %s (Enter narrows to it)",
			number_duration(text, self->marker[1] - self->marker[0]));
	else
		tui_say(tui, MESSAGE_INFO, "marker %c set", 'A' + index);
}

/* Begin a range at the cursor, which it follows, or end it there. */
static void toggle_range(struct timeline_pane *self, struct tui *tui)
{
	bool begins = !self->ranging;
	self->marked[1] &= !begins;
	set_marker(self, tui, !begins, timeline_cursor(self));
	self->ranging = begins;
	if (begins)
		tui_say(tui, MESSAGE_INFO, "range from here (Space ends it, z clears)");
}

static void follow_cursor(struct timeline_pane *self)
{
	if (!self->ranging || !timeline_lane(self))
		return;
	self->marker[1] = timeline_cursor(self);
	self->marked[1] = self->marker[1] != self->marker[0];
}

bool timeline_letter_key(struct pane *pane, struct tui *tui, enum action action, char letter)
{
	struct timeline_pane *self = timeline_pane_of(pane);
	int index = letter == 'a' ? 0 : letter == 'b' ? 1 : -1;
	if (index < 0 || !self->box)
		return false;
	if (action == ACTION_POSITION_SET) {
		set_marker(self, tui, index, timeline_cursor(self));
	} else if (self->marked[index]) {
		nav_record(tui);
		int64_t time = self->marker[index];
		if (time < self->window.from || time >= self->window.to)
			timeline_center(self, time);
		timeline_select_time(self, time);
	} else {
		tui_say(tui, MESSAGE_WARNING, "marker %c not set (m %c sets it)", 'A' + index,
			letter);
	}
	return true;
}

/* ---- keys ---- */

/* The selected range, or the op of the selected event, separates the steps. */
static void choose_steps(struct timeline_pane *self, struct tui *tui)
{
	struct ref ref = timeline_ref(self);
	if (ref.kind == REF_CALL || ref.kind == REF_LAUNCH)
		tui->host->iterate(tui, &self->pane.level->scope, ref);
	else
		tui_say(tui, MESSAGE_WARNING, "no range or operator here");
}

static bool act_event(struct timeline_pane *self, struct tui *tui, enum action action)
{
	switch (action) {
	case ACTION_DRILL: open_event(self, tui); return true;
	case ACTION_CHOOSE_KEY_NODE: choose_steps(self, tui); return true;
	case ACTION_FOLLOW_FORWARD:
	case ACTION_FOLLOW_BACK:
		timeline_act_follow(self, tui, action == ACTION_FOLLOW_FORWARD);
		return true;
	case ACTION_SEARCH_NAME: timeline_search_name(self, tui); return true;
	case ACTION_NARROW: narrow_range(self, tui); return true;
	case ACTION_RANGE: toggle_range(self, tui); return true;
	case ACTION_MARKERS_CLEAR:
		self->marked[0] = self->marked[1] = self->ranging = false;
		return true;
	default: return false;
	}
}

bool timeline_act(struct pane *pane, struct tui *tui, enum action action)
{
	struct timeline_pane *self = timeline_pane_of(pane);
	if (!self->box)
		return false;
	self->stalled = false;
	if (action != ACTION_FOLLOW_FORWARD && action != ACTION_FOLLOW_BACK &&
	    timeline_move(self, tui, action)) {
		follow_cursor(self);
		return true;
	}
	return timeline_lanes_act(self, tui, action) || act_event(self, tui, action);
}

bool timeline_can(struct pane *pane, struct tui *tui, enum action action)
{
	const struct timeline_pane *self = timeline_pane_of(pane);
	bool ready = timeline_ready(self);
	enum action_group group = action_info(action)->group;
	if (!self->line_count && action != ACTION_LANES &&
	    (group == GROUP_TIMELINE || group == GROUP_FIND || action == ACTION_RANGE))
		return false; /* it needs events */
	switch (action) {
	case ACTION_DRILL:
	case ACTION_DETAIL_FULL:
		return timeline_on_rank(self) || timeline_in_range(self) ||
		       (ready && (timeline_ref(self).kind != REF_NONE || on_sample(self)));
	case ACTION_CHOOSE_KEY_NODE:
		return ready && self->event != NO_ROW && timeline_ref(self).kind != REF_NONE;
	case ACTION_FOLD:
	case ACTION_PIN:
	case ACTION_HIDE: return ready && self->lines[self->line].track != NO_ROW;
	case ACTION_FILTER:
	case ACTION_PLOT:
	case ACTION_CENTER:
	case ACTION_SCROLL_LEFT:
	case ACTION_SCROLL_RIGHT: return false;
	case ACTION_MARKERS_CLEAR: return self->marked[0] || self->marked[1];
	case ACTION_LANES: return self->box && self->track_count > 0;
	default: return self->box != NULL;
	}
}

/* ---- the mouse ---- */

static bool time_at(const struct timeline_pane *self, int column, int64_t *time)
{
	const struct timeline_window *window = &self->window;
	int at = column - window->column;
	if (at < 0 || at >= window->columns)
		return false;
	*time = lane_edge(window->from, window->to, window->columns, at);
	return true;
}

/* A click on the overview map goes there. */
static void click_map(struct timeline_pane *self, int column)
{
	int at = column - self->window.column;
	if (at < 0 || at >= self->window.columns)
		return;
	int64_t time = lane_edge(self->begin, self->end, self->window.columns, at);
	timeline_center(self, time);
	timeline_select_time(self, time);
}

void timeline_click(struct pane *pane, struct tui *tui, int row, int column, bool twice)
{
	struct timeline_pane *self = timeline_pane_of(pane);
	int at = row - self->body.row;
	int64_t time;
	if (!self->box)
		return;
	if (row == self->map_row) {
		click_map(self, column);
		return;
	}
	if (at < 0 || at >= self->body.rows || at >= TIMELINE_ROWS_MAX ||
	    self->row_line[at] == NO_ROW)
		return;
	timeline_select_line(self, self->row_line[at]);
	if (time_at(self, column, &time))
		timeline_select_time(self, time);
	if (twice)
		open_event(self, tui);
}

void timeline_drag(struct pane *pane, struct tui *tui, int from, int to)
{
	struct timeline_pane *self = timeline_pane_of(pane);
	int64_t begin, end;
	if (!self->box || !time_at(self, from, &begin) || !time_at(self, to, &end))
		return;
	timeline_select_time(self, end);
	set_marker(self, tui, 0, begin);
	set_marker(self, tui, 1, end);
}

void timeline_wheel(struct pane *pane, struct tui *tui, int row, int column, int direction)
{
	struct timeline_pane *self = timeline_pane_of(pane);
	int64_t time;
	if (self->box && time_at(self, column, &time))
		timeline_zoom(self, direction < 0, time);
	else if (self->box)
		timeline_move(self, tui, direction < 0 ? ACTION_MOVE_UP : ACTION_MOVE_DOWN);
}
