#include "tui/timeline/timeline_pane.h"

#include "base/number.h"
#include "base/text.h"
#include "table/remap_rows.h"

#include <assert.h>
#include <inttypes.h>

/* ---- boxes ---- */

void timeline_box_drop(struct timeline_box *box)
{
	if (!box || --box->references > 0)
		return;
	timeline_free(box->timeline);
	shared_run_drop(box->shared);
	mem_free(box);
}

/* ---- creation ---- */

static const struct pane_ops timeline_pane_ops;

struct timeline_pane *timeline_pane_of(const struct pane *pane)
{
	assert(pane->ops == &timeline_pane_ops);
	return (struct timeline_pane *)pane;
}

/* Go to the event of row REF of a table in SCOPE, once built. */
static void set_target(struct timeline_pane *self, struct ref ref, const struct scope *scope)
{
	self->target = ref;
	scope_clear(&self->target_scope);
	scope_copy(&self->target_scope, scope);
}

struct pane *timeline_pane_new(const struct pane_subject *subject)
{
	struct timeline_pane *self = pane_new(sizeof *self, &timeline_pane_ops, "timeline");
	self->window.columns = 100;
	self->event = NO_ROW;
	self->located = subject->at;
	if (subject->scope)
		set_target(self, subject->target, subject->scope);
	return &self->pane;
}

/* A new pane that shows the same event, time and markers once built. */
static struct pane *timeline_carry(struct pane *pane, struct tui *tui, const struct run *from)
{
	const struct timeline_pane *old = timeline_pane_of(pane);
	const struct scope *scope = &pane->level->scope;
	struct pane_subject subject = { .kind = PANE_TIMELINE, .scope = scope };
	int64_t times[3 + TIMELINE_MARKERS] = { old->window.from, old->window.to, old->anchor };
	if (!old->box)
		return timeline_pane_new(&(struct pane_subject){ .kind = PANE_TIMELINE });
	subject.target = carry_ref(from, tui->run, scope->rank, timeline_ref(old));
	struct timeline_pane *self = timeline_pane_of(timeline_pane_new(&subject));
	memcpy(times + 3, old->marker, sizeof old->marker);
	if (!carry_times(from, tui->run, scope->rank, times, sizeof times / sizeof *times))
		return &self->pane;
	memcpy(self->marker, times + 3, sizeof self->marker);
	memcpy(self->marked, old->marked, sizeof self->marked);
	self->kept.set = true;
	self->kept.all = old->window.from <= old->begin && old->window.to >= old->end;
	self->kept.from = times[0];
	self->kept.to = times[1];
	self->kept.anchor = times[2];
	return &self->pane;
}

static void timeline_pane_free(struct pane *pane)
{
	AUTO_FREE struct timeline_pane *self = timeline_pane_of(pane);
	timeline_hits_clear(self);
	timeline_box_drop(self->box);
	scope_clear(&self->target_scope);
	buffer_free(&self->range.text);
	mem_free_all(self->tracks, self->lines);
	for (int i = 0; i < TIMELINE_DETAILS; i++)
		strip_places_free(&self->places[i]);
}

const char *timeline_track_name(const struct timeline_pane *self, size_t track)
{
	return self->box->timeline->names[self->tracks[track].first];
}

static const char *timeline_lane_name(const struct pane *pane, size_t index)
{
	const struct timeline_pane *self = timeline_pane_of(pane);
	return self->box && index < self->track_count ? timeline_track_name(self, index) : NULL;
}

/* A new level with the events that FILTER and SHORTEST leave, at the same time. */
static void refilter(struct timeline_pane *self, struct tui *tui, const char *filter,
		     int64_t shortest)
{
	const struct pane_subject subject = { .kind = PANE_TIMELINE };
	struct pane *pane = tui->host->make(tui, &subject);
	struct timeline_pane *made = timeline_pane_of(pane);
	AUTO(scope_clear) struct scope scope = { 0 };
	scope_copy(&scope, &self->pane.level->scope);
	scope_set_text(&scope.filter, filter && *filter ? filter : NULL);
	scope.shortest = shortest;
	made->kept.set = true;
	made->kept.from = self->window.from;
	made->kept.to = self->window.to;
	made->kept.anchor = self->anchor;
	nav_push(tui, pane, &scope);
}

static bool set_filter(struct timeline_pane *self, struct tui *tui, const char *text,
		       struct error *error)
{
	AUTO_PATTERN struct pattern *pattern = *text ? pattern_new(text, error) : NULL;
	if (*text && !pattern)
		return false;
	refilter(self, tui, text, self->pane.level->scope.shortest);
	return true;
}

/* "10us"; empty: events of any length. */
static bool set_shortest(struct timeline_pane *self, struct tui *tui, const char *text,
			 struct error *error)
{
	int64_t shortest = 0;
	if (*text && (!number_parse_duration(text, strlen(text), &shortest) || shortest < 0))
		return error_usage(error, "'%s' is not a duration (10us, 1.5ms)", text);
	refilter(self, tui, self->pane.level->scope.filter, shortest);
	return true;
}

static bool timeline_requery(struct pane *pane, struct tui *tui, enum query_part part,
			     const char *text, struct error *error)
{
	struct timeline_pane *self = timeline_pane_of(pane);
	if (!self->box)
		return pane_refuse(part, error);
	switch (part) {
	case QUERY_LANE: return timeline_go_lane(self, tui, text, error);
	case QUERY_FILTER: return set_filter(self, tui, text, error);
	case QUERY_SHORTEST: return set_shortest(self, tui, text, error);
	default: return pane_refuse(part, error);
	}
}

/* ---- description ---- */

static void timeline_state(struct pane *pane, struct buffer *out)
{
	const struct timeline_pane *self = timeline_pane_of(pane);
	int64_t cell = (self->window.to - self->window.from) / self->window.columns;
	char text[40], span[NUMBER_MAX];
	if (!self->box || self->line_count == 0)
		return;
	buffer_printf(out, "  %s", timeline_time(text, self->window.from, cell));
	buffer_printf(out, "..%s", timeline_time(text, self->window.to, cell));
	buffer_printf(out, " (%s)", number_duration(span, self->window.to - self->window.from));
	for (int i = 0; i < TIMELINE_MARKERS; i++)
		if (self->marked[i])
			buffer_printf(out, "  %c %s", 'A' + i,
				      timeline_time(text, self->marker[i], cell));
	const struct scope *scope = &pane->level->scope;
	if (scope->filter)
		buffer_printf(out, "  &%s", scope->filter);
	if (scope->shortest > 0)
		buffer_printf(out, "  from %s on", number_duration(span, scope->shortest));
	if (self->marked[0] && self->marked[1])
		buffer_printf(out, "  A..B %s",
			      number_duration(span, self->marker[1] - self->marker[0]));
}

/* Index of the event on its lane; between events, of the previous one. */
static void timeline_position(struct pane *pane, struct buffer *out)
{
	const struct timeline_pane *self = timeline_pane_of(pane);
	if (!timeline_ready(self))
		return;
	const struct lane *lane = timeline_lane(self);
	uint32_t at = self->event != NO_ROW ? self->event + 1
					    : lane_events_before(lane, timeline_cursor(self));
	buffer_printf(out, "%" PRIu32 "/%" PRIu32, at, lane->count);
}

/* No column shows what the strip does. */
static enum strip_shown timeline_shows(const struct pane *pane, const char *title, size_t length)
{
	return false;
}

/* ---- row numbers ---- */

/* Row numbers encode a profile row or, with PLACE_TIME, a time. */
#define PLACE_TIME ((size_t)1 << 62)
#define PLACE_ACTIVITY ((size_t)1 << 40)

static size_t timeline_row(const struct pane *pane)
{
	const struct timeline_pane *self = timeline_pane_of(pane);
	struct ref ref;
	if (!self->box)
		return SIZE_MAX;
	ref = timeline_ref(self);
	if (ref.kind == REF_CALL)
		return ref.a;
	if (ref.kind == REF_LAUNCH)
		return PLACE_ACTIVITY | ref.a;
	return PLACE_TIME | (size_t)self->anchor;
}

static void timeline_go(struct pane *pane, size_t row)
{
	struct timeline_pane *self = timeline_pane_of(pane);
	struct timeline_event at;
	if (!self->box || row == SIZE_MAX)
		return;
	if (row & PLACE_TIME) {
		int64_t time = (int64_t)(row & ~PLACE_TIME);
		if (time < self->window.from || time >= self->window.to)
			timeline_show(self, time - (self->window.to - self->window.from) / 2,
				      time + (self->window.to - self->window.from) / 2);
		timeline_select_time(self, time);
		return;
	}
	if (lanes_find(self->box->timeline->lanes, row & PLACE_ACTIVITY, (uint32_t)row, &at.lane,
		       &at.event))
		timeline_go_event(self, at);
}

static struct ref timeline_place_ref(const struct pane *pane, const struct tui *tui, size_t row)
{
	if (row == SIZE_MAX || row & PLACE_TIME)
		return NO_REF;
	return (struct ref){ row & PLACE_ACTIVITY ? REF_LAUNCH : REF_CALL, (uint32_t)row, 0, 0 };
}

static void timeline_go_ref(struct pane *pane, struct tui *tui, struct ref ref)
{
	struct timeline_pane *self = timeline_pane_of(pane);
	if (self->box) {
		timeline_go(pane, ref.kind == REF_LAUNCH ? PLACE_ACTIVITY | ref.a : ref.a);
	} else {
		set_target(self, ref, &pane->level->scope);
		self->located = (struct location){ 0 };
	}
}

static void timeline_go_row(struct pane *pane, size_t line)
{
	struct timeline_pane *self = timeline_pane_of(pane);
	if (timeline_ready(self) && timeline_lane(self)->count > 0) {
		uint32_t last = timeline_lane(self)->count - 1;
		timeline_select_event(self, line < last ? (uint32_t)line : last);
	}
}

/* The event's name, or (WHOLE) the visible timeline as text. */
static size_t timeline_copy(struct pane *pane, struct tui *tui, bool whole, struct buffer *out)
{
	const struct timeline_pane *self = timeline_pane_of(pane);
	uint32_t name = NO_ROW;
	if (!timeline_ready(self))
		return 0;
	const struct timeline *timeline = self->box->timeline;
	if (whole) {
		timeline_print(timeline, self->lines, self->line_count, self->window.from,
			       self->window.to, tui->grid.columns,
			       tui->settings.ascii ? TIMELINE_ASCII : 0, out);
		return 1;
	}
	if (self->event != NO_ROW)
		name = lane_event_name(timeline->lanes, timeline_lane(self), self->event);
	if (name == NO_ROW)
		return 0;
	const char *text = profile_string(timeline->lanes->profile, name);
	text_escape(out, text, strlen(text));
	return 1;
}

static void timeline_shown(struct pane *pane, struct tui *tui)
{
	struct timeline_pane *self = timeline_pane_of(pane);
	if (!self->box && !pane->job)
		timeline_request(self, tui);
}

/* Where nothing can be selected. */
static bool timeline_no_strip(const struct pane *pane)
{
	const struct timeline_pane *self = timeline_pane_of(pane);
	return self->box && !self->line_count;
}

static const struct pane_ops timeline_pane_ops = { TIMELINE_PANE_OPS };
