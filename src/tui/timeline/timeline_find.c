/*
 * Search matches in time order, across lanes.
 */
#include "tui/core/pane_job.h"
#include "tui/timeline/timeline_pane.h"

#include <inttypes.h>

uint32_t timeline_hit_from(const struct timeline_pane *self, uint32_t lane, uint32_t event)
{
	const struct timeline_hits *hits = &self->hits[lane];
	return search_first(i, 0, hits->count, hits->event[i] >= event);
}

/* A position in the order of matches: by start, then lane. */
struct point {
	int64_t time;
	struct timeline_event at; /* lane NO_ROW: before all events that start then */
};

static bool is_before(const struct timeline_pane *self, uint32_t lane, uint32_t event,
		      const struct point *point)
{
	int64_t start = lane_start(&self->box->timeline->lanes->lane[lane], event);
	return start != point->time       ? start < point->time
	       : point->at.lane == NO_ROW ? false
	       : lane != point->at.lane   ? lane < point->at.lane
					  : event < point->at.event;
}

/* Number of matches in a lane before POINT. */
static uint32_t hits_before(const struct timeline_pane *self, uint32_t index,
			    const struct point *point)
{
	const struct timeline_hits *hits = &self->hits[index];
	return search_first(i, 0, hits->count, !is_before(self, index, hits->event[i], point));
}

static struct point point_of(const struct timeline_pane *self, struct timeline_event at)
{
	return (struct point){ lane_start(&self->box->timeline->lanes->lane[at.lane], at.event),
			       at };
}

/* Step through matches on visible lanes; if there are none, also on folded and hidden ones. */
static void choose_lanes(struct timeline_pane *self)
{
	self->hit_count = 0;
	for (uint32_t i = 0; i < self->hits_lanes; i++)
		self->hits[i].skipped = true;
	for (size_t i = 0; i < self->line_count; i++) {
		struct timeline_hits *hits = &self->hits[self->lines[i].lane];
		hits->skipped = false;
		self->hit_count += hits->count;
	}
	if (self->hit_count)
		return;
	for (uint32_t i = 0; i < self->hits_lanes; i++) {
		self->hits[i].skipped = false;
		self->hit_count += self->hits[i].count;
	}
}

/* First match from POINT on or (BACKWARD) last before it; lane NO_ROW: none. */
static struct timeline_event hit_from(const struct timeline_pane *self, const struct point *point,
				      bool backward)
{
	struct point best = { 0, { NO_ROW, NO_ROW } };
	for (uint32_t i = 0; i < self->hits_lanes; i++) {
		uint32_t at = hits_before(self, i, point) - backward;
		if (self->hits[i].skipped ||
		    at >= self->hits[i].count) /* wraps around when below 0 */
			continue;
		struct timeline_event hit = { i, self->hits[i].event[at] };
		if (best.at.lane == NO_ROW ||
		    is_before(self, hit.lane, hit.event, &best) != backward)
			best = point_of(self, hit);
	}
	return best.at;
}

static uint64_t rank_of(const struct timeline_pane *self, struct timeline_event hit)
{
	struct point point = point_of(self, hit);
	uint64_t rank = 1;
	for (uint32_t i = 0; i < self->hits_lanes; i++)
		rank += self->hits[i].skipped ? 0 : hits_before(self, i, &point);
	return rank;
}

static struct point here(const struct timeline_pane *self)
{
	if (self->event == NO_ROW)
		return (struct point){ self->anchor, { NO_ROW, NO_ROW } };
	return point_of(self, (struct timeline_event){ self->lines[self->line].lane, self->event });
}

static void go_to_next(struct timeline_pane *self, struct tui *tui)
{
	struct point point = here(self);
	bool backward = self->pane.seek < 0;
	const char *wrapped = "";
	choose_lanes(self);
	/* start after the current event */
	if (!self->seek_here && !backward && point.at.lane != NO_ROW)
		point.at.event++;
	struct timeline_event hit = hit_from(self, &point, backward);
	if (hit.lane == NO_ROW) {
		point = (struct point){ backward ? INT64_MAX : INT64_MIN, { NO_ROW, NO_ROW } };
		hit = hit_from(self, &point, backward);
		wrapped = backward ? ", wrapped to the end" : ", wrapped to the start";
	}
	if (hit.lane == NO_ROW) {
		tui_say(tui, MESSAGE_WARNING, "no match for '%s'", tui->search.text);
		return;
	}
	timeline_go_event(self, hit);
	timeline_request(self, tui);
	tui_say(tui, MESSAGE_INFO, "%" PRIu64 " of %" PRIu64 " matches '%s'%s", rank_of(self, hit),
		self->hit_count, tui->search.text, wrapped);
}

void timeline_find_arrived(struct timeline_pane *self, struct tui *tui)
{
	if (!self->pane.seek || self->hits_serial != tui->search.serial || self->line_count == 0)
		return;
	go_to_next(self, tui);
	self->pane.seek = 0;
}

void timeline_search(struct pane *pane, struct tui *tui, size_t origin, int direction)
{
	struct timeline_pane *self = timeline_pane_of(pane);
	self->pane.seek = direction ?: 1;
	self->seek_here = !direction;
	if (!self->box)
		return; /* its arrival goes on */
	if (self->hits_serial == tui->search.serial)
		timeline_find_arrived(self, tui);
	else if (!pane_job_searches(&self->pane, tui))
		timeline_request_hits(self, tui);
}

/* Search for exactly the name of the event. */
void timeline_search_name(struct timeline_pane *self, struct tui *tui)
{
	const struct lanes *lanes = self->box->timeline->lanes;
	uint32_t name = NO_ROW;
	AUTO_BUFFER struct buffer text = { 0 };
	struct error error = { 0 };
	if (timeline_ready(self) && self->event != NO_ROW)
		name = lane_event_name(lanes, timeline_lane(self), self->event);
	if (name == NO_ROW) {
		tui_say(tui, MESSAGE_INFO, "no named event here");
		return;
	}
	const char *words = profile_string(lanes->profile, name);
	pattern_quote(&text, words, strlen(words));
	if (!search_set(&tui->search, buffer_text(&text), &error))
		tui_say_error(tui, &error);
	else
		timeline_search(&self->pane, tui, 0, 1);
}
