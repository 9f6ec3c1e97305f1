/*
 * The entries of the detail strip of the timeline.
 */
#include "tui/timeline/timeline_pane.h"

#include "base/number.h"
#include "model/frames.h"

#include <inttypes.h>

/* Details of the cursor's cell. */
static void detail_cell(const struct timeline_pane *self, struct buffer *out)
{
	const struct timeline_window *window = &self->window;
	const struct lane *lane = timeline_lane(self);
	int at = timeline_column(window, timeline_cursor(self)) - window->column;
	int64_t from = lane_edge(window->from, window->to, window->columns, at);
	int64_t to = lane_edge(window->from, window->to, window->columns, at + 1);
	struct lane_cell cell;
	lane_cells(self->box->timeline->lanes, lane, from, to > from ? to : from + 1, 1, &cell);
	if (cell.events > 1)
		buffer_printf(out, "Cell\t%" PRIu32 " events, %.0f %% busy\n", cell.events,
			      100.0 * (double)cell.busy / (double)(to - from));
}

static void add_neighbor(const struct profile *profile, const char *label, uint32_t activity,
			 struct buffer *out)
{
	if (activity != NO_ROW)
		buffer_printf(out, "%s\t%s\n", label,
			      profile_string(profile, profile->activity_name[activity]));
}

/* The gap of the device around the cursor, by owner; false: the device works then. */
static bool detail_owners(const struct timeline_pane *self, struct buffer *out)
{
	const struct timeline *timeline = self->box->timeline;
	const struct gap *gap =
		timeline_gap_at(timeline, timeline_lane(self)->device, timeline_cursor(self));
	AUTO_BUFFER struct buffer work = { 0 }, place = { 0 }, why = { 0 };
	if (!gap)
		return false;
	buffer_puts(out, "Idle\t");
	timeline_gap_text(timeline, gap, TIMELINE_GAP_TIME, out);
	buffer_puts(out, "\nCause\t");
	timeline_gap_text(timeline, gap, TIMELINE_GAP_CAUSES, out);
	timeline_gap_work(timeline, gap, &work, &place, &why);
	buffer_putc(out, '\n');
	if (work.length)
		buffer_printf(out, "CPU Work\t%s\n", buffer_text(&work));
	if (place.length)
		buffer_printf(out, "Source\t%s\n", buffer_text(&place));
	if (why.length)
		buffer_printf(out, "Reason\t%s\n", buffer_text(&why));
	add_neighbor(timeline->rank->profile, "Before", gap->before, out);
	add_neighbor(timeline->rank->profile, "After", gap->after, out);
	return true;
}

/* The gap around the cursor. */
static void detail_gap(const struct timeline_pane *self, struct buffer *out)
{
	const struct lane *lane = timeline_lane(self);
	if (lane->device >= 0 && detail_owners(self, out))
		return;
	uint32_t next = lane_events_before(lane, timeline_cursor(self));
	char text[NUMBER_MAX];
	if (next > 0 && next < lane->count) {
		const struct profile *profile = self->box->timeline->rank->profile;
		buffer_printf(
			out, "Idle\t%s\n",
			number_duration(text, lane_start(lane, next) - lane_end(lane, next - 1)));
		timeline_meanwhile(self->box->timeline, lane, next, out);
		for (uint32_t i = 0; i < 2; i++) {
			uint32_t name =
				lane_event_name(self->box->timeline->lanes, lane, next - 1 + i);
			if (name != NO_ROW)
				buffer_printf(out, "%s\t%s\n", i ? "After" : "Before",
					      profile_string(profile, name));
		}
	} else
		buffer_printf(out, "Idle\t%s\n",
			      next ? "after the last event of the lane"
				   : "before the first event of the lane");
}

static void detail_device(const struct timeline_pane *self, struct buffer *out)
{
	const struct lane *lane = timeline_lane(self);
	const struct timeline_window *window = &self->window;
	int64_t to = window->to < self->end ? window->to : self->end;
	int64_t busy = lane_busy(lane, window->from, to);
	char text[NUMBER_MAX];
	buffer_printf(out, "GPU Busy\t%.1f %% of the time shown, %s\n",
		      100.0 * (double)busy / (double)(to - window->from),
		      number_duration(text, busy));
	if (self->event == NO_ROW) {
		if (!detail_owners(self, out))
			buffer_puts(out, "Idle\toutside of the time that is examined\n");
		return;
	}
	buffer_printf(out, "Busy Interval\t%s\n", number_duration(text, lane->dur[self->event]));
}

static void detail_load(const struct timeline_pane *self, struct buffer *out)
{
	const struct lane *lane = timeline_lane(self);
	const struct timeline_window *window = &self->window;
	int64_t to = window->to < self->end ? window->to : self->end;
	buffer_printf(out, "SM Efficiency\t%.1f %% of the time shown\n",
		      100.0 * lane_load(lane, window->from, to));
	if (self->event != NO_ROW)
		buffer_printf(out, "Here\t%.1f %%\n",
			      100.0 * lane_load(lane, lane_start(lane, self->event),
						lane_end(lane, self->event)));
}

/* What runs in the rank, if it is in memory. */
static void detail_of_rank(const struct timeline_pane *self, const struct tui *tui,
			   struct buffer *out)
{
	struct ref ref = timeline_peek_rank(self->box->timeline, self->lines[self->line].lane,
					    self->event, timeline_cursor(self));
	AUTO(scope_clear) struct scope scope = { 0 };
	if (ref.kind == REF_NONE)
		return;
	scope_copy(&scope, &self->pane.level->scope);
	scope.rank = (int)timeline_lane(self)->rank;
	view_detail(tui->run, &scope, ref, out);
}

static void detail_rank(const struct timeline_pane *self, const struct tui *tui, struct buffer *out)
{
	const struct lane *lane = timeline_lane(self);
	buffer_printf(out, "Rank\t%" PRId64 "\n", lane->rank);
	if (lane->why) {
		buffer_printf(out, "Unreadable\t%s\n", lane->why);
		return;
	}
	if (self->event != NO_ROW)
		detail_of_rank(self, tui, out);
	if (self->event != NO_ROW)
		buffer_printf(out, "Rank Work\t%s\n",
			      lane->own_group[self->event] == GROUP_COMMUNICATION
				      ? "communication without computation"
				      : "computation");
	buffer_puts(out, "Time Axis\t");
	timeline_ranks_note(self->box->timeline, out);
	buffer_putc(out, '\n');
	detail_device(self, out);
}

/* Function of a thread sample, and its callers from the innermost on. */
static void detail_sample(const struct timeline_pane *self, struct buffer *out)
{
	const struct profile *profile = self->box->timeline->rank->profile;
	const struct lane *lane = timeline_lane(self);
	uint32_t frame = lane->samples[lane_row(lane, self->event)].frame;
	if (frame == NO_ROW)
		return;
	buffer_printf(out, "Name\t%s\nStack\t",
		      profile_string(profile, profile->frames[frame].name));
	const char *between = "";
	while ((frame = profile->frames[frame].caller) != NO_ROW) {
		buffer_printf(out, "%s%s", between,
			      profile_string(profile, profile->frames[frame].name));
		between = " < ";
	}
	buffer_putc(out, '\n');
}

/* As in the details of device events. */
static void detail_kind(const struct timeline_pane *self, struct ref ref, struct buffer *out)
{
	const struct profile *profile = self->box->timeline->rank->profile;
	if (ref.kind == REF_CALL)
		buffer_printf(out, "Kind\t%s\n",
			      span_kind_name((enum span_kind)profile->span_kind[ref.a]));
}

/* How long the work of the base run in its place takes. */
static void detail_base(const struct timeline_pane *self, struct ref ref, struct buffer *out)
{
	char text[NUMBER_MAX];
	int64_t base;
	if (ref.kind == REF_LAUNCH && timeline_base_work(self->box->timeline, ref.a, &base))
		buffer_printf(out, "Base\t%s\n", number_duration(text, base));
}

/* Events whose details have the same entries. */
enum detail_class {
	DETAIL_KERNEL,
	DETAIL_COPY,
	DETAIL_SYNC,
	DETAIL_OPERATOR,
	DETAIL_CALL,
	DETAIL_RANGE
};

static enum detail_class detail_class_of(const struct lanes *lanes, const struct lane *lane,
					 uint32_t event)
{
	switch (lane_event_group(lanes, lane, event)) {
	case GROUP_COPY: return DETAIL_COPY;
	case GROUP_SYNC: return DETAIL_SYNC;
	case GROUP_RUNTIME: return DETAIL_CALL;
	case GROUP_ANNOTATION:
	case GROUP_MODULE:
	case GROUP_PYTHON: return DETAIL_RANGE;
	default: return lane->activities ? DETAIL_KERNEL : DETAIL_OPERATOR;
	}
}

static bool has_places(const struct lane *lane)
{
	return lane->kind != LANE_SAMPLES && lane->kind != LANE_STEPS && !lane_is_union(lane);
}

static void note_places(struct timeline_pane *self, const struct tui *tui, const struct lane *lane,
			uint32_t event)
{
	struct ref ref = timeline_ref_of(lane, event);
	AUTO_BUFFER struct buffer text = { 0 };
	buffer_puts(&text, "Time\t100.000 ms\nCell\t100 events, 100 % busy\n");
	detail_kind(self, ref, &text);
	detail_base(self, ref, &text);
	view_detail(tui->run, &self->pane.level->scope, ref, &text);
	strip_drop_long_forms(&text);
	strip_places_note(&self->places[detail_class_of(self->box->timeline->lanes, lane, event)],
			  pane_strip_set(ref), buffer_text(&text));
}

/* Room in the strip for the details of events of all lanes, evenly spaced. */
static void sample_details(struct timeline_pane *self, const struct tui *tui)
{
	enum { SAMPLE = 200 };
	const struct lanes *lanes = self->box->timeline->lanes;
	uint64_t events = 0, next = 0, before = 0;
	for (uint32_t i = 0; i < lanes->count; i++)
		events += has_places(&lanes->lane[i]) ? lanes->lane[i].count : 0;
	for_each (lane, lanes->lane, lanes->count) {
		if (!has_places(lane))
			continue;
		for (; next < before + lane->count; next += events / SAMPLE + 1)
			note_places(self, tui, lane, (uint32_t)(next - before));
		before += lane->count;
	}
	strip_places_share(self->places, TIMELINE_DETAILS, pane_strip_set(NO_REF));
	self->sampled = true;
}

void timeline_detail(struct pane *pane, struct tui *tui, struct buffer *out)
{
	struct timeline_pane *self = timeline_pane_of(pane);
	struct ref ref = timeline_ref(self);
	char text[40];
	int64_t from, to;
	pane->places = NULL; /* samples have several entries of one label */
	if (!timeline_ready(self))
		return;
	const struct lane *lane = timeline_lane(self);
	if (timeline_told_range(self, &from, &to)) {
		bool step = ref.kind == REF_STEP,
		     told = self->range.from == from && self->range.to == to;
		if (step)
			view_detail(tui->run, &self->pane.level->scope, ref, out);
		if (told || !step) /* a range may move on while it is measured */
			buffer_add(out, self->range.text.data, self->range.text.length);
		return;
	}
	if (!self->sampled)
		sample_details(self, tui);
	if (has_places(lane) && self->event != NO_ROW)
		pane->places = &self->places[detail_class_of(self->box->timeline->lanes, lane,
							     self->event)];
	int64_t cell = (self->window.to - self->window.from) / self->window.columns;
	buffer_printf(out, "Time\t%s\n", timeline_time(text, timeline_cursor(self), cell));
	detail_cell(self, out);
	enum lane_kind kind = lane->kind;
	if (kind == LANE_RANK)
		detail_rank(self, tui, out);
	else if (kind == LANE_DEVICE)
		detail_device(self, out);
	else if (kind == LANE_LOAD)
		detail_load(self, out);
	else if (self->event == NO_ROW)
		detail_gap(self, out);
	else if (kind == LANE_SAMPLES)
		detail_sample(self, out);
	detail_kind(self, ref, out);
	detail_base(self, ref, out);
	if (ref.kind != REF_NONE)
		view_detail(tui->run, &self->pane.level->scope, ref, out);
}
