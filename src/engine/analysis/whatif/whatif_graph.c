/*
 * Builds the graph (see whatif_graph.h): the tracks are merged by time, and each point gets its
 * sources. Rules:
 *
 * A call that blocks waits for the work that its record names, else for the work that ended last
 * before it returned. An allocator call, and a launch that takes long, waits only if work ended
 * inside of it just before it returned. A copy that ends within its call is waited for by it.
 *
 * Work waits for that of another stream by a recorded event; where none is recorded, for what ended
 * last before it, if the thread called StreamWaitEvent since its launch before, or if nothing else
 * explains its start.
 */
#include "analysis/whatif/whatif_graph.h"

#include "analysis/whatif/stream_waits.h"
#include "analysis/whatif/whatif_learn.h"
#include "derived/selection.h"

enum { WHATIF_GRAPH_LIMIT_ROWS(_) };

static const char stage[] = "building the graph of waits";

/* A thread or stream whose rows are merged. */
struct whatif_lane {
	uint32_t track, next, end; /* rows still to come */
	int64_t time;              /* of the next point; INT64_MAX: none is left */
	uint32_t open, launched;   /* the call that is in progress, and its work; NO_ROW */
	uint32_t step;             /* the next mark of a thread, or its end: twice the step */
	int64_t call_end;     /* of the last call; of a stream where the last began that launched */
	uint32_t done;        /* of a stream: the first work that has not ended */
	uint32_t ended, last; /* the work before it; the last that is a point; NO_ROW */
	int64_t asked, ready; /* of a thread: its last wait for a batch; INT64_MAX */
	bool waits_event;     /* it called StreamWaitEvent since its launch before */
};

struct whatif_building {
	struct whatif_graph *graph;
	const struct profile *profile;
	const struct derived *derived;
	struct stream_waits waits;
	struct whatif_lane *lanes;
	size_t lane_count, stream_first; /* threads come first */
	uint32_t *of_span;               /* the last work that a call launched, then its point */
	uint32_t *of_work;               /* the point of an activity; NO_ROW: not yet */
	uint8_t *after_event;            /* by activity: StreamWaitEvent was called before */
	uint8_t *event_name;             /* by name: is it StreamWaitEvent? */
	uint8_t *batch_name;             /* by name: does it wait for loader processes? */
	int64_t until;                   /* rows from here on are left out */
	uint32_t capacity;
	struct whatif_samples returns[RETURN_CLASSES]; /* from work to the call that waited */
};

int64_t whatif_time(const struct whatif_graph *graph, uint32_t point)
{
	const struct profile *profile = graph->profile;
	uint32_t row = graph->row[point];
	switch (graph->kind[point] & POINT_KIND) {
	case POINT_WORK: return profile->activity_start[row];
	case POINT_END: return profile_span_end(profile, row);
	case POINT_STEP: return graph->derived->steps[row].host_start;
	case POINT_STEP_END: return graph->derived->steps[row].host_end;
	default: return profile->span_start[row];
	}
}

bool whatif_is_judged(const struct whatif_graph *graph, uint32_t activity)
{
	uint32_t step = graph->derived->activity_step[activity];
	if (graph->step_last == NO_ROW)
		return true;
	if (step == NO_ROW) /* its launch was not recorded */
		return graph->profile->activity_start[activity] >=
		       graph->derived->steps[graph->step_first].host_start;
	return step >= graph->step_first && step <= graph->step_last;
}

static void set_far(struct whatif_sources *sources, uint32_t point, uint32_t source)
{
	sources->distance[point] = FAR;
	if (!sources->far_count || sources->far[sources->far_count - 1].point != point)
		mem_push(sources->far, sources->far_count);
	sources->far[sources->far_count - 1] = (struct whatif_far){ point, source };
}

void whatif_set_source(struct whatif_sources *sources, uint32_t point, uint32_t source)
{
	uint32_t distance = source < point ? point - source : 0;
	if (distance < FAR)
		sources->distance[point] = (uint16_t)distance;
	else
		set_far(sources, point, source);
}

uint32_t whatif_far_source(const struct whatif_sources *sources, uint32_t point)
{
	return sources
		->far[search_first(i, (size_t)0, sources->far_count,
				   sources->far[i].point >= point)]
		.source;
}

/* ---- calls around waits ---- */

static bool is_blocking(const struct whatif_building *building, uint32_t span)
{
	return building->profile->span_kind[span] == SPAN_RUNTIME &&
	       building->derived->role[building->profile->span_name[span]] & NAME_BLOCKING;
}

static bool holds_wait(const struct whatif_graph *graph, uint32_t span)
{
	return graph->holds_wait[span / 8] & 1 << span % 8;
}

/* Mark what is around a call that blocks, up to another such. */
static bool find_holders(struct whatif_building *building, const struct progress *progress)
{
	const struct profile *profile = building->profile;
	uint8_t *holds = building->graph->holds_wait = mem_zalloc(profile->spans / 8 + 1, 1);
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		uint32_t span = is_blocking(building, i) ? profile->span_parent[i] : NO_ROW;
		for (; span != NO_ROW && !holds_wait(building->graph, span) &&
		       !is_blocking(building, span);
		     span = profile->span_parent[span])
			holds[span / 8] |= (uint8_t)(1 << span % 8);
	}
	return ok;
}

uint32_t whatif_call_around(const struct whatif_graph *graph, uint32_t span)
{
	const struct profile *profile = graph->profile;
	uint32_t call = span;
	for (uint32_t i = span;
	     i != NO_ROW && profile->span_kind[i] == SPAN_RUNTIME && !holds_wait(graph, i);
	     i = profile->span_parent[i])
		call = i;
	return call;
}

/* ---- lanes ---- */

/* Steps are in order, and so are their marks on each thread. */
static int64_t mark_time(const struct whatif_building *building, struct whatif_lane *lane)
{
	const struct derived *derived = building->derived;
	if (!derived->steps_from_profile)
		return INT64_MAX;
	for (; lane->step / 2 < derived->step_count; lane->step += 2 - lane->step % 2) {
		const struct step *step = &derived->steps[lane->step / 2];
		int64_t time = lane->step % 2 ? step->host_end : step->host_start;
		if (step->span != NO_ROW &&
		    building->profile->span_track[step->span] == lane->track)
			return time < building->until ? time : INT64_MAX;
	}
	return INT64_MAX;
}

/* Find the next point of a lane. */
static void lane_next(const struct whatif_building *building, struct whatif_lane *lane,
		      bool is_stream)
{
	const struct profile *profile = building->profile;
	lane->time = INT64_MAX;
	if (is_stream) {
		while (lane->next < lane->end && !profile_is_work(profile, lane->next))
			lane->next++;
		if (lane->next < lane->end && profile->activity_start[lane->next] < building->until)
			lane->time = profile->activity_start[lane->next];
		return;
	}
	for (; lane->open == NO_ROW && lane->next < lane->end &&
	       (profile->span_kind[lane->next] != SPAN_RUNTIME ||
		holds_wait(building->graph, lane->next) ||
		profile->span_start[lane->next] < lane->call_end);
	     lane->next++)
		if (building->batch_name[profile->span_name[lane->next]] &&
		    profile->span_dur[lane->next] > LONG_BATCH) {
			lane->asked = profile->span_start[lane->next];
			lane->ready = profile_span_end(profile, lane->next);
		}
	if (lane->open != NO_ROW)
		lane->time = lane->call_end;
	else if (lane->next < lane->end && profile->span_start[lane->next] < building->until)
		lane->time = profile->span_start[lane->next];
	int64_t mark = mark_time(building, lane);
	lane->time = mark <= lane->time ? mark : lane->time;
}

static void add_lane(struct whatif_building *building, uint32_t track, uint32_t first,
		     uint32_t count)
{
	building->lanes[building->lane_count++] = (struct whatif_lane){ .track = track,
									.next = first,
									.end = first + count,
									.open = NO_ROW,
									.done = first,
									.ended = NO_ROW,
									.last = NO_ROW,
									.call_end = INT64_MIN,
									.ready = INT64_MAX };
}

static void resize_points(struct whatif_building *building, size_t capacity)
{
	struct whatif_graph *graph = building->graph;
	capacity = capacity > UINT32_MAX - 1 ? UINT32_MAX - 1 : capacity;
	graph->row = mem_realloc(graph->row, capacity, sizeof *graph->row);
	graph->sources.distance =
		mem_realloc(graph->sources.distance, capacity, sizeof *graph->sources.distance);
	graph->kind = mem_realloc(graph->kind, capacity, sizeof *graph->kind);
	graph->track = mem_realloc(graph->track, capacity, sizeof *graph->track);
	building->capacity = (uint32_t)capacity;
}

/* Threads that launch, block or carry marks; streams with work. */
static bool find_lanes(struct whatif_building *building, const struct progress *progress)
{
	const struct profile *profile = building->profile;
	const struct derived *derived = building->derived;
	AUTO_FREE uint8_t *used = mem_zalloc(profile->track_count + 1, 1);
	uint64_t calls = 0;
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		calls += profile->span_kind[i] == SPAN_RUNTIME;
		if (building->of_span[i] != NO_ROW || is_blocking(building, i))
			used[profile->span_track[i]] = 1;
	}
	resize_points(building, calls + profile->activities + 2 * derived->step_count + 1);
	for (uint32_t i = 0; i < derived->step_count; i++)
		if (derived->steps[i].span != NO_ROW)
			used[profile->span_track[derived->steps[i].span]] = 1;
	building->lanes = mem_zalloc(2 * (size_t)profile->track_count + 1, sizeof *building->lanes);
	for (uint32_t i = 0; i < profile->track_count; i++)
		if (used[i])
			add_lane(building, i, profile->tracks[i].first_span,
				 profile->tracks[i].spans);
	building->stream_first = building->lane_count;
	for (uint32_t i = 0; i < profile->track_count; i++)
		if (profile->tracks[i].activities)
			add_lane(building, i, profile->tracks[i].first_activity,
				 profile->tracks[i].activities);
	for (size_t i = 0; i < building->lane_count; i++)
		lane_next(building, &building->lanes[i], i >= building->stream_first);
	return ok;
}

/* ---- sources ---- */

static uint32_t whatif_add_point(struct whatif_building *building, uint32_t track, uint8_t kind,
				 uint32_t row, uint32_t source)
{
	struct whatif_graph *graph = building->graph;
	if (graph->count == building->capacity)
		resize_points(building, mem_next_capacity(building->capacity, graph->count + 1));
	graph->row[graph->count] = row;
	graph->kind[graph->count] = kind;
	graph->track[graph->count] = track;
	graph->sources.distance[graph->count] = 0;
	if (source != NO_ROW && (kind & POINT_KIND) <= POINT_BEGIN)
		set_far(&graph->sources, graph->count, source);
	else if (source != NO_ROW)
		whatif_set_source(&graph->sources, graph->count, source);
	return graph->count++;
}

/* The work of a stream that ended last, until TIME, which never falls; NO_ROW. */
static uint32_t last_done(struct whatif_building *building, struct whatif_lane *lane, int64_t time)
{
	const struct profile *profile = building->profile;
	for (; lane->done < lane->next; lane->done++) {
		bool work = profile_is_work(profile, lane->done);
		if (work && profile_activity_end(profile, lane->done) > time)
			break;
		lane->ended = work ? lane->done : lane->ended;
	}
	return lane->ended;
}

/* The work that ended last until TIME on the streams of the process of track OF, but OF; NO_ROW. */
static uint32_t last_of_streams(struct whatif_building *building, int64_t time, uint32_t of)
{
	const struct profile *profile = building->profile;
	uint32_t space = profile_id_space(profile, of), best = NO_ROW;
	for (size_t i = building->stream_first; i < building->lane_count; i++) {
		struct whatif_lane *lane = &building->lanes[i];
		bool other = lane->track != of && profile_id_space(profile, lane->track) == space;
		uint32_t last = other ? last_done(building, lane, time) : NO_ROW;
		if (last != NO_ROW &&
		    (best == NO_ROW ||
		     profile_activity_end(profile, last) > profile_activity_end(profile, best)))
			best = last;
	}
	return best;
}

static uint8_t call_point(const struct whatif_building *building, uint32_t call)
{
	const struct profile *profile = building->profile;
	uint16_t role = building->derived->role[profile->span_name[call]];
	uint32_t work = building->of_span[call];
	int64_t end = profile_span_end(profile, call);
	if (work != NO_ROW && profile->activity_kind[work] == ACTIVITY_MEMCPY &&
	    profile->activity_start[work] > profile->span_start[call] &&
	    profile->activity_start[work] < end) {
		int64_t done = profile_activity_end(profile, work);
		int64_t inside = end - profile->activity_start[work];
		/* or it returns a little before: it need not see the end of what it has staged */
		if (done <= end ? end - done <= RETURN_SLACK : done - end <= inside / 4)
			return POINT_BEGIN | POINT_OWN;
		if (done > end && inside <= RETURN_SLACK)
			return POINT_BEGIN | POINT_TURN;
	}
	if (work != NO_ROW && building->graph->launches_block &&
	    profile->activity_kind[work] == ACTIVITY_KERNEL &&
	    profile_activity_end(profile, work) <= end)
		return POINT_BEGIN | POINT_OWN;
	bool slow = work != NO_ROW && profile->span_dur[call] > LONG_LAUNCH;
	if (role & NAME_BLOCKING)
		return POINT_BEGIN | POINT_BLOCKS;
	return role & NAME_ALLOCATOR || slow ? POINT_BEGIN : POINT_CALL;
}

/* The thread that this one continues at TIME: idle before, while the other worked; NO_ROW. */
static uint32_t handed_on_by(const struct whatif_building *building, const struct whatif_lane *lane,
			     int64_t time)
{
	uint32_t best = NO_ROW;
	int64_t latest = INT64_MIN;
	for (size_t i = 0; i < building->stream_first; i++) {
		const struct whatif_lane *other = &building->lanes[i];
		if (other == lane || other->open != NO_ROW || other->call_end > time ||
		    other->call_end <= lane->call_end || other->call_end <= latest)
			continue;
		latest = other->call_end;
		best = other->track;
	}
	if (best == NO_ROW || lane->call_end == INT64_MIN)
		return best;
	int64_t idle = time - lane->call_end;
	return idle >= HANDOFF_MIN && idle / 4 >= time - latest ? best : NO_ROW;
}

static void add_call(struct whatif_building *building, struct whatif_lane *lane)
{
	const struct profile *profile = building->profile;
	uint32_t call = lane->next++, work = building->of_span[call];
	uint8_t kind = call_point(building, call);
	uint32_t source = handed_on_by(building, lane, profile->span_start[call]);
	lane->call_end = profile_span_end(profile, call);
	if (building->event_name[profile->span_name[call]]) {
		lane->waits_event = true;
	} else if (work != NO_ROW) {
		building->after_event[work] = lane->waits_event;
		lane->waits_event = false;
	}
	uint32_t point = whatif_add_point(building, lane->track, kind & POINT_KIND, call, source);
	building->of_span[call] = work == NO_ROW ? NO_ROW : point;
	if ((kind & POINT_KIND) == POINT_BEGIN) {
		lane->open = point;
		/* kept here until the call ends */
		building->graph->kind[point] = kind;
		lane->launched = work;
	}
}

/* The work that a call waited for, as a point; BITS are of its end. */
static uint32_t released_at(struct whatif_building *building, uint32_t call, uint32_t work,
			    uint8_t bits)
{
	const struct profile *profile = building->profile;
	int64_t start = profile->span_start[call], end = profile_span_end(profile, call);
	if (bits & (POINT_OWN | POINT_TURN))
		return building->of_work[work];
	uint32_t held = bits & POINT_BLOCKS ? stream_waits_of_host(&building->waits, profile, call)
					    : NO_ROW;
	if (held != NO_ROW)
		return building->of_work[held];
	uint32_t last = last_of_streams(building, end + POINTS_BACK, profile->span_track[call]);
	if (last == NO_ROW || bits & POINT_BLOCKS)
		return last == NO_ROW ? NO_ROW : building->of_work[last];
	int64_t done = profile_activity_end(profile, last);
	return done > start && end - done < RETURN_SLACK ? building->of_work[last] : NO_ROW;
}

static void end_call(struct whatif_building *building, struct whatif_lane *lane)
{
	struct whatif_graph *graph = building->graph;
	uint8_t bits = graph->kind[lane->open] & (uint8_t)~POINT_KIND;
	uint32_t call = graph->row[lane->open];
	uint32_t source = released_at(building, call, lane->launched, bits);
	graph->kind[lane->open] = POINT_BEGIN | (source == NO_ROW ? 0 : POINT_OWN);
	uint32_t point = whatif_add_point(building, lane->track, POINT_END | bits, call, source);
	if (source != NO_ROW)
		whatif_add_sample(
			&building->returns[whatif_return_class(graph, point)],
			profile_span_end(building->profile, call) -
				profile_activity_end(building->profile, graph->row[source]));
	lane->open = NO_ROW;
}

/*
 * The work of another stream that ended last, if it was launched before and StreamWaitEvent called
 * since; *GUESSED: else, if it explains a start which the launch and the stream do not.
 */
static uint32_t unrecorded_wait(struct whatif_building *building, uint32_t activity,
				int64_t explained, bool *guessed)
{
	const struct profile *profile = building->profile;
	int64_t start = profile->activity_start[activity];
	bool after_event = building->after_event[activity];
	if (start - explained <= POINTS_BACK && !after_event)
		return NO_ROW;
	uint32_t other = last_of_streams(building, start, profile->activity_track[activity]);
	if (other == NO_ROW)
		return NO_ROW;
	uint32_t launch = profile->activity_launch[activity],
		 before = profile->activity_launch[other];
	*guessed = !after_event || before == NO_ROW || launch == NO_ROW ||
		   profile->span_start[before] > profile->span_start[launch];
	if (!*guessed)
		return other;
	int64_t end = profile_activity_end(profile, other);
	return end + EVENT_LATENCY > explained && start - end <= GUESS_SLACK ? other : NO_ROW;
}

static void add_wait(struct whatif_building *building, uint32_t point, uint32_t work, bool recorded,
		     bool guessed)
{
	struct whatif_graph *graph = building->graph;
	uint32_t source = building->of_work[work];
	if (source == NO_ROW ||
	    profile_activity_end(graph->profile, work) > whatif_time(graph, point) + POINTS_BACK) {
		graph->contradictions += recorded;
		return;
	}
	*mem_push(graph->waits, graph->wait_count) = (struct whatif_wait){ point, source, guessed };
	graph->guesses |= guessed;
}

static void add_work(struct whatif_building *building, struct whatif_lane *lane)
{
	const struct profile *profile = building->profile;
	struct whatif_graph *graph = building->graph;
	uint32_t work = lane->next++, launch = profile->activity_launch[work], source = NO_ROW;
	int64_t explained = INT64_MIN;
	if (launch != NO_ROW) {
		launch = whatif_call_around(graph, launch);
		source = building->of_span[launch];
		if (source >= graph->count || graph->row[source] != launch ||
		    (graph->kind[source] & POINT_KIND) > POINT_BEGIN ||
		    profile->span_start[launch] > profile->activity_start[work])
			source = NO_ROW;
		graph->contradictions += source == NO_ROW;
		explained = profile->span_start[launch] + graph->latency;
	}
	if (lane->last != NO_ROW) {
		int64_t free = profile_activity_end(profile, lane->last) +
			       graph->stream_gap[whatif_stream_class(profile, lane->last, work)];
		explained = free > explained ? free : explained;
	}
	uint32_t point = whatif_add_point(building, lane->track, POINT_WORK, work, source);
	lane->last = work;
	building->of_work[work] = point;
	bool recorded = stream_waits_recorded(&building->waits, lane->track), guessed = false;
	uint32_t wait = recorded ? stream_waits_of(&building->waits, profile, work, lane->call_end)
				 : unrecorded_wait(building, work, explained, &guessed);
	if (profile->activity_launch[work] != NO_ROW)
		lane->call_end = profile->span_start[profile->activity_launch[work]];
	if (wait != NO_ROW)
		add_wait(building, point, wait, recorded, guessed);
}

static void add_next(struct whatif_building *building, size_t at)
{
	struct whatif_lane *lane = &building->lanes[at];
	struct whatif_graph *graph = building->graph;
	if (at < building->stream_first && lane->time >= lane->ready) {
		*mem_push(graph->batches, graph->batch_count) =
			(struct whatif_batch){ graph->count, lane->asked, lane->ready };
		lane->ready = INT64_MAX;
	}
	if (at >= building->stream_first)
		add_work(building, lane);
	else if (mark_time(building, lane) <= lane->time) {
		whatif_add_point(building, lane->track,
				 lane->step % 2 ? POINT_STEP_END : POINT_STEP, lane->step / 2,
				 NO_ROW);
		lane->step++;
	} else if (lane->open != NO_ROW)
		end_call(building, lane);
	else
		add_call(building, lane);
	lane_next(building, lane, at >= building->stream_first);
}

/* The lanes are few: the first of the earliest, so that threads come before streams. */
static bool merge_lanes(struct whatif_building *building, const struct progress *progress)
{
	building->graph->too_many_lanes = building->lane_count > LANES_MAX;
	if (building->graph->too_many_lanes)
		return true;
	for (uint64_t rows = 0;; rows++) {
		size_t first = 0;
		for (size_t i = 1; i < building->lane_count; i++)
			if (building->lanes[i].time < building->lanes[first].time)
				first = i;
		if (!building->lane_count || building->lanes[first].time == INT64_MAX)
			return true;
		if (!progress_row(progress, stage, rows, 0) ||
		    building->graph->count >= UINT32_MAX - 2)
			return false;
		add_next(building, first);
	}
}

/* ---- all of it ---- */

/*
 * The steps that are judged: those selected; else complete, not the first of three or more. Of
 * those, what has room.
 */
static void choose_judged(struct whatif_building *building, const struct selection *selection,
			  uint32_t rows_max)
{
	const struct derived *derived = building->derived;
	struct whatif_graph *graph = building->graph;
	uint32_t count = derived->step_count, first = 0, launched = 0;
	graph->step_first = graph->step_last = NO_ROW;
	building->until = INT64_MAX;
	if (!derived->steps_from_profile || !count || !rows_max)
		return;
	bool chosen = selection && selection->scope->has_steps;
	while (first + 1 < count &&
	       (chosen ? !selection_has_step(selection, first) : derived->steps[first].partial))
		first++;
	if (count - first > 2 && !chosen)
		first++;
	uint32_t last = first;
	for (uint32_t i = 0; i < count && (i <= first || launched < rows_max / 2); i++) {
		launched += derived->steps[i].launched;
		if (i >= first &&
		    (chosen ? selection_has_step(selection, i) : !derived->steps[i].partial))
			last = i;
	}
	graph->step_first = first;
	graph->step_last = last;
	if (last + 1 < count)
		building->until = derived->steps[last].end + 1;
}

static uint8_t *names_with(const struct derived *derived, const char *part)
{
	uint8_t *has = mem_zalloc((size_t)derived->names + 1, 1);
	for (uint32_t i = 0; i < derived->names; i++)
		has[i] = strstr(profile_string(derived->profile, i), part) != NULL;
	return has;
}

struct whatif_graph *whatif_graph_make(const struct derived *derived,
				       const struct selection *selection, uint32_t rows_max,
				       const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	struct whatif_graph *graph = mem_zalloc(1, sizeof *graph);
	struct whatif_building building = { .graph = graph,
					    .profile = profile,
					    .derived = derived,
					    .of_span = mem_no_rows(profile->spans),
					    .of_work = mem_no_rows(profile->activities) };
	graph->profile = profile;
	graph->rank = profile->rank;
	graph->derived = derived;
	building.after_event = mem_zalloc((size_t)profile->activities + 1, 1);
	building.event_name = names_with(derived, "StreamWaitEvent");
	building.batch_name = names_with(derived, "_MultiProcessingDataLoaderIter");
	choose_judged(&building, selection, rows_max);
	bool ok = stream_waits_find(&building.waits, profile, progress) &&
		  find_holders(&building, progress) &&
		  whatif_learn(graph, building.of_span, building.until, progress) &&
		  find_lanes(&building, progress) && merge_lanes(&building, progress);
	resize_points(&building, (size_t)graph->count + 1);
	for (int i = 0; i < RETURN_CLASSES; i++)
		graph->return_latency[i] = whatif_low_cluster(&building.returns[i], CALL_ITSELF);
	stream_waits_free(&building.waits);
	mem_free_all(building.lanes, building.of_span, building.of_work, building.after_event,
		     building.event_name, building.batch_name);
	if (!ok)
		whatif_graph_free(graph);
	return ok ? graph : NULL;
}

void whatif_graph_free(struct whatif_graph *graph)
{
	if (graph)
		mem_free_all(graph->row, graph->sources.distance, graph->sources.far, graph->kind,
			     graph->track, graph->waits, graph->batches, graph->holds_wait);
	mem_free(graph);
}
