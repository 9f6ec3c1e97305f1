/*
 * Jobs of timeline panes: lay out lanes, build pyramids, search names. Results are in a box shared
 * with the pane; a prepared lane is immutable.
 */
#include "tui/timeline/timeline_pane.h"

#include "tui/core/pane_job.h"

struct timeline_job {
	struct pane_job job;

	/* input */
	struct scope target_scope;
	struct ref target;
	char *search;          /* NULL: prepare lanes */
	struct view_link link; /* unless FROM is REF_NONE: find its target, and nothing else */
	struct timeline_event
		of_rank;   /* unless lane is NO_ROW: what runs there at time RANK_TIME, */
	int64_t rank_time; /* and if FOLLOWS what LINK leads to from there */
	bool follows;

	/* input and output */
	struct timeline_range range; /* unless it is empty, say what happens in it */
	struct timeline_box *box;
	uint32_t *lanes; /* lanes to prepare; NULL: those shown first */
	size_t lane_count;
	struct location located;
	struct timeline_hits *hits;
	uint32_t hits_lanes;
};

/* ---- worker thread ---- */

/* The initially visible lanes, and the lane of the target. */
static void want_first(struct timeline_job *self)
{
	const struct timeline *timeline = self->box->timeline;
	size_t count, fixed;
	uint32_t lane, event;
	struct timeline_line *lines =
		timeline_lines(timeline, timeline->tracks, timeline->track_count, &count, &fixed);
	self->lanes = mem_alloc((count + 2) * sizeof *self->lanes);
	for (size_t i = 0; i < count; i++)
		if (timeline->lanes->lane[lines[i].lane].kind != LANE_RANK)
			self->lanes[self->lane_count++] = lines[i].lane;
	mem_free(lines);
	if ((self->located.event.kind == REF_CALL || self->located.event.kind == REF_LAUNCH) &&
	    lanes_find(timeline->lanes, self->located.event.kind == REF_LAUNCH,
		       self->located.event.a, &lane, &event))
		self->lanes[self->lane_count++] = lane;
}

static bool make_box(struct timeline_job *self, const struct progress *progress,
		     struct error *error)
{
	struct timeline *timeline =
		timeline_new(self->job.tui->run, &self->job.scope, progress, error);
	if (!timeline)
		return false;
	self->box = mem_zalloc(1, sizeof *self->box);
	self->box->timeline = timeline;
	self->box->references = 1;
	return true;
}

static bool make_lanes(struct timeline_job *self, const struct progress *progress,
		       struct error *error)
{
	struct location at;
	if (self->target.kind != REF_NONE &&
	    view_locate(self->job.tui->run, &self->target_scope, self->target, &at, progress))
		self->located = at;
	if (!self->box && !make_box(self, progress, error))
		return false;
	if (!self->lanes)
		want_first(self);
	return timeline_prepare(self->box->timeline, self->lanes, self->lane_count, progress,
				error);
}

/* ---- searching ---- */

struct timeline_job_names {
	struct pattern *pattern;
	const struct profile *profile;
	uint8_t *known; /* by string: 1 no match, 2 match */
};

static bool name_matches(struct timeline_job_names *names, uint32_t name)
{
	if (name == NO_ROW)
		return false;
	if (!names->known[name])
		names->known[name] =
			1 + pattern_match(names->pattern, INTERNED(names->profile->strings, name),
					  NULL, NULL);
	return names->known[name] == 2;
}

static bool find_in_lane(struct timeline_job *self, struct timeline_job_names *names,
			 uint32_t index, const struct progress *progress)
{
	const struct lanes *lanes = self->box->timeline->lanes;
	const struct lane *lane = &lanes->lane[index];
	struct timeline_hits *hits = &self->hits[index];
	bool ok = true;
	for_rows (ok, i, lane->count, progress, "searching") {
		if (!name_matches(names, lane_event_name(lanes, lane, i)))
			continue;
		*mem_push(hits->event, hits->count) = i;
	}
	return ok;
}

static bool find_hits(struct timeline_job *self, const struct progress *progress,
		      struct error *error)
{
	const struct lanes *lanes = self->box->timeline->lanes;
	struct timeline_job_names names = { .pattern = pattern_new(self->search, error),
					    .profile = lanes->profile };
	bool good = true;
	if (!names.pattern)
		return false;
	names.known = mem_zalloc((size_t)intern_count(lanes->profile->strings) + 1, 1);
	self->hits = mem_zalloc((size_t)lanes->count + 1, sizeof *self->hits);
	self->hits_lanes = lanes->count;
	for (uint32_t i = 0; i < lanes->count && good; i++)
		good = find_in_lane(self, &names, i, progress);
	good = good ? pattern_completed(names.pattern, error)
		    : error_set(error, ERROR_CANCELLED, "canceled");
	mem_free(names.known);
	pattern_free(names.pattern);
	return good;
}

/* The kernel of another rank, which is read if necessary, and then its link. */
static bool find_in_rank(struct timeline_job *self, const struct progress *progress,
			 struct error *error)
{
	const struct timeline *timeline = self->box->timeline;
	if (!timeline_find_rank(timeline, self->of_rank.lane, self->of_rank.event, self->rank_time,
				progress, &self->link.from, error))
		return false;
	self->job.scope.rank = self->link.rank =
		(int)timeline->lanes->lane[self->of_rank.lane].rank;
	return !self->follows || pane_job_follow(&self->job, &self->link, progress, error);
}

static bool timeline_job_run(struct job *job, const struct progress *progress, struct error *error)
{
	struct timeline_job *self = (struct timeline_job *)job;
	if (self->of_rank.lane != NO_ROW)
		return find_in_rank(self, progress, error);
	if (self->link.from.kind != REF_NONE)
		return pane_job_follow(&self->job, &self->link, progress, error);
	if (self->range.to > self->range.from)
		return timeline_range_text(self->box->timeline, &self->job.scope, self->range.from,
					   self->range.to, progress, &self->range.text, error);
	return self->search ? find_hits(self, progress, error) : make_lanes(self, progress, error);
}

/* ---- UI thread ---- */

static void free_hits(struct timeline_hits *hits, uint32_t lanes)
{
	for (uint32_t i = 0; hits && i < lanes; i++)
		mem_free(hits[i].event);
	mem_free(hits);
}

void timeline_hits_clear(struct timeline_pane *pane)
{
	free_hits(pane->hits, pane->hits_lanes);
	pane->hits = NULL;
	pane->hits_lanes = 0;
	pane->hit_count = 0;
	pane->hits_serial = 0;
}

static void take_hits(struct timeline_pane *pane, struct timeline_job *self)
{
	timeline_hits_clear(pane);
	pane->hits = self->hits;
	pane->hits_lanes = self->hits_lanes;
	self->hits = NULL;
	pane->hits_serial = self->job.search;
	timeline_find_arrived(pane, self->job.tui);
}

/* Install the box; show the scope's whole time range or the target. */
static bool take_box(struct timeline_pane *pane, struct timeline_job *self, struct error *error)
{
	const struct timeline *timeline = self->box->timeline;
	struct place *last = &self->job.tui->nav.timeline;
	if (!timeline_bounds(timeline, &self->job.scope, &pane->begin, &pane->end, error))
		return false;
	pane->box = take_hold(self->box);
	if (!pane->box->shared)
		pane->box->shared = take_hold(self->job.tui->shared);
	place_clear(last);
	*last = (struct place){ .level = take_hold(pane->pane.level), .pane = &pane->pane };
	pane->tracks = mem_alloc((timeline->track_count + 1) * sizeof *pane->tracks);
	memcpy(pane->tracks, timeline->tracks, timeline->track_count * sizeof *pane->tracks);
	pane->track_count = timeline->track_count;
	pane->located = self->located;
	pane->targeted = self->located.event.kind != REF_NONE || self->located.to > 0;
	timeline_recall(pane, self->job.tui);
	timeline_arrange(pane);
	timeline_show_examined(pane);
	/* start on the first lane with work */
	pane->line = pane->line_count;
	for (size_t i = pane->line_count; i-- > 0;)
		if (timeline->lanes->lane[pane->lines[i].lane].kind == LANE_WORK)
			pane->line = i;
	timeline_select_line(pane, pane->line < pane->line_count ? pane->line : 0);
	pane->anchor = pane->window.from;
	if (timeline_ready(pane) && timeline_lane(pane)->count > 0 && !pane->targeted) {
		uint32_t first = lane_events_before(timeline_lane(pane), pane->window.from);
		if (first < timeline_lane(pane)->count)
			timeline_select_time(pane, lane_start(timeline_lane(pane), first));
	}
	timeline_go_target(pane);
	timeline_go_kept(pane);
	return true;
}

static void timeline_job_arrive(struct job *job, bool good, const struct error *cause)
{
	struct timeline_job *self = (struct timeline_job *)job;
	struct timeline_pane *pane = timeline_pane_of(self->job.pane);
	struct tui *tui = self->job.tui;
	struct error error = *cause;
	if (good && self->of_rank.lane != NO_ROW && !self->follows)
		nav_show(tui, view_find("launches"), self->link.from, self->link.rank);
	else if (good && self->link.from.kind != REF_NONE)
		timeline_link_arrived(pane, tui, &self->link);
	else if (good && self->range.to > self->range.from) {
		struct timeline_range before = pane->range;
		pane->range = self->range;
		self->range = before;
	} else if (good && self->search)
		take_hits(pane, self);
	else if (good && !pane->box)
		good = take_box(pane, self, &error);
	else if (good && timeline_ready(pane) && pane->event == NO_ROW)
		timeline_select_line(pane, pane->line);
	if (good) {
		/* a search asked for before the lanes were there */
		if (pane->pane.seek && tui->search.pattern &&
		    pane->hits_serial != tui->search.serial)
			timeline_request_hits(pane, tui);
		else
			timeline_request(pane, tui);
		return;
	}
	pane->pane.seek = 0;
	pane->stalled = self->of_rank.lane == NO_ROW;
	tui_say_error(tui, &error);
	if (!pane->box)
		nav_abandon(tui, &pane->pane);
}

static void timeline_job_clear(struct job *job)
{
	struct timeline_job *self = (struct timeline_job *)job;
	timeline_box_drop(self->box);
	scope_clear(&self->target_scope);
	free_hits(self->hits, self->hits_lanes);
	buffer_free(&self->range.text);
	mem_free_all(self->search, self->lanes);
}

/* The box of this pane, or of the most recent timeline if it has the same scope. */
static struct timeline_box *box_for(const struct timeline_pane *pane, const struct tui *tui)
{
	const struct place *last = &tui->nav.timeline;
	if (!pane->box && place_exists(last) &&
	    timeline_same(&last->level->scope, &pane->pane.level->scope))
		pane = timeline_pane_of(last->pane);
	return pane->box ? take_hold(pane->box) : NULL;
}

static struct timeline_job *new_job(struct timeline_pane *pane, struct tui *tui)
{
	static const struct pane_job_kind kind = { timeline_job_run, timeline_job_arrive,
						   timeline_job_clear };
	struct timeline_job *self = pane_job_new(sizeof *self, &kind, &pane->pane, tui, "Timeline");
	scope_copy(&self->target_scope, &pane->target_scope);
	self->target = pane->target;
	self->located = pane->located;
	self->box = box_for(pane, tui);
	self->of_rank = (struct timeline_event){ NO_ROW, NO_ROW };
	return self;
}

/* The first lane on the screen of another rank that is not read yet, or NO_ROW. */
static uint32_t missing_rank(const struct timeline_pane *pane)
{
	const struct lane *lanes = pane->box->timeline->lanes->lane;
	for (int i = 0; i < pane->body.rows && i < TIMELINE_ROWS_MAX; i++) {
		size_t line = pane->row_line[i];
		uint32_t lane = line < pane->line_count ? pane->lines[line].lane : NO_ROW;
		if (lane != NO_ROW && lanes[lane].kind == LANE_RANK &&
		    !lane_is_prepared(&lanes[lane]))
			return lane;
	}
	return NO_ROW;
}

/* Lanes of lines not prepared yet; if there are none, another rank. NULL: none. */
static uint32_t *missing_lanes(const struct timeline_pane *pane, size_t *count)
{
	const struct lane *all = pane->box->timeline->lanes->lane;
	uint32_t *lanes = NULL;
	*count = 0;
	for (size_t i = 0; i < pane->line_count; i++) {
		uint32_t lane = pane->lines[i].lane;
		if (all[lane].kind == LANE_RANK || lane_is_prepared(&all[lane]))
			continue;
		*mem_push(lanes, *count) = lane;
	}
	uint32_t rank = *count ? NO_ROW : missing_rank(pane);
	if (rank == NO_ROW)
		return lanes;
	lanes = mem_alloc(sizeof *lanes);
	lanes[(*count)++] = rank;
	return lanes;
}

void timeline_request(struct timeline_pane *pane, struct tui *tui)
{
	uint32_t *lanes = NULL;
	size_t count = 0;
	int64_t from = 0, to = 0;
	if (tui->quit)
		return;
	if (pane->box) {
		lanes = missing_lanes(pane, &count);
		bool marked = timeline_told_range(pane, &from, &to) &&
			      (from != pane->range.from || to != pane->range.to);
		if (!lanes && !marked)
			return;
	}
	struct timeline_job *self = new_job(pane, tui);
	if (pane->box && !lanes)
		self->range = (struct timeline_range){ .from = from, .to = to };
	self->lanes = lanes;
	self->lane_count = count;
	self->job.job.background = pane->box != NULL;
	pane_job_submit(&self->job);
}

void timeline_request_hits(struct timeline_pane *pane, struct tui *tui)
{
	if (tui->quit)
		return;
	struct timeline_job *self = new_job(pane, tui);
	self->search = mem_strdup(tui->search.text);
	self->job.search = tui->search.serial;
	self->job.job.background = true;
	pane_job_submit(&self->job);
}

void timeline_request_link(struct timeline_pane *pane, struct tui *tui,
			   const struct view_link *link)
{
	struct timeline_job *self = new_job(pane, tui);
	self->link = *link;
	pane->pane.seek = 0;
	pane_job_submit(&self->job);
}

void timeline_request_rank(struct timeline_pane *pane, struct tui *tui,
			   const struct view_link *link)
{
	struct timeline_job *self = new_job(pane, tui);
	self->of_rank = (struct timeline_event){ pane->lines[pane->line].lane, pane->event };
	self->rank_time = timeline_cursor(pane);
	self->follows = link != NULL;
	self->link = link ? *link : (struct view_link){ 0 };
	pane->pane.seek = 0;
	pane_job_submit(&self->job);
}
