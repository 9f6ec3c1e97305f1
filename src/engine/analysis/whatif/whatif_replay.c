#include "analysis/whatif/whatif_replay_private.h"

enum { LATE_START = 10000, GRAPH_GAP = 1000 };
#define BLOCKED INT64_MIN /* the time of a point that other ranks have to come to */

static const char stage[] = "replaying";

enum whatif_edge_kind { EDGE_LAUNCH, EDGE_STREAM, EDGE_EVENT, EDGE_CALL, EDGE_SYNC };

/* A source: when it was and is done, and the weight of its class. */
struct whatif_edge {
	int64_t recorded, time, weight;
	uint32_t point;
	enum whatif_edge_kind kind;
};

enum { EDGES_MAX = 4 };

struct whatif_edges {
	struct whatif_edge edge[EDGES_MAX];
	int count;
};

static void add_edge(struct whatif_edges *edges, enum whatif_edge_kind kind, uint32_t point,
		     int64_t recorded, int64_t time, int64_t weight)
{
	edges->edge[edges->count++] = (struct whatif_edge){ recorded, time, weight, point, kind };
}

static uint8_t change_of(const struct whatif_replaying *replaying, uint32_t point)
{
	return replaying->weights->change ? replaying->weights->change[point] : 0;
}

static double gap_factor(const struct whatif_replaying *replaying, uint32_t point)
{
	return replaying->weights->gap ? whatif_unpack(replaying->weights->gap[point]) : 1;
}

static void set_origin(struct whatif_replaying *replaying, uint32_t point, uint32_t source)
{
	if (replaying->origins.distance)
		whatif_set_source(&replaying->origins, point, source);
}

static void note_residual(struct whatif_replaying *replaying, uint32_t point, int64_t ns)
{
	if (ns > LATE_START)
		*mem_push(replaying->residuals, replaying->residual_count) =
			(struct whatif_residual){ point, ns };
}

/* ---- weights ---- */

/* What the edit leaves of a weight. */
static int64_t edited(const struct whatif_replaying *replaying, const struct whatif_edge *edge,
		      uint32_t point, int64_t weight)
{
	const struct whatif_graph *graph = replaying->graph;
	if (weight <= 0)
		return weight;
	if (edge->kind == EDGE_LAUNCH) {
		int64_t call = replaying->profile->span_dur[graph->row[edge->point]];
		int64_t most = weight > EVENT_LATENCY ? weight - EVENT_LATENCY : 0;
		call = call < most ? call : most; /* the rest is the device's */
		return weight - call +
		       whatif_scaled(call, whatif_own_factor(replaying, edge->point));
	}
	if (edge->kind == EDGE_CALL) /* from its begin */
		return whatif_scaled(weight, whatif_own_factor(replaying, edge->point));
	if (edge->kind != EDGE_STREAM)
		return weight;
	weight = whatif_scaled(weight, gap_factor(replaying, point));
	return change_of(replaying, point) & CHANGE_GRAPH && weight > GRAPH_GAP ? GRAPH_GAP
										: weight;
}

/* Not what was done before the launch, or before the call that waits, began: that comes first. */
static int best_explains(const struct whatif_edges *edges)
{
	const struct whatif_edge *edge = edges->edge;
	bool begins = edge[0].kind == EDGE_LAUNCH || edge[0].kind == EDGE_CALL;
	int best = 0;
	for (int i = 1; i < edges->count; i++)
		if (edge[i].recorded + edge[i].weight > edge[best].recorded + edge[best].weight &&
		    (!begins || edge[i].recorded > edge[0].recorded))
			best = i;
	return best;
}

/* The predicted time of POINT, recorded at RECORDED; without a source it stays there. */
static int64_t latest(struct whatif_replaying *replaying, const struct whatif_edges *edges,
		      uint32_t point, int64_t recorded)
{
	int64_t time = INT64_MIN;
	uint32_t origin = NO_ROW;
	int best = best_explains(edges);
	for (int i = 0; i < edges->count; i++) {
		const struct whatif_edge *edge = &edges->edge[i];
		int64_t passed = recorded - edge->recorded, weight = edge->weight;
		if (replaying->mode != REPLAY_TYPICAL && (i == best || weight > passed))
			weight = passed;
		if (edge->kind == EDGE_STREAM && change_of(replaying, point) & CHANGE_MOVED)
			continue;
		int64_t done = edge->time + edited(replaying, edge, point, weight);
		if (done > time || (done == time && i == best)) {
			time = done;
			origin = edge->point;
		}
	}
	set_origin(replaying, point, origin);
	if (replaying->explains && edges->count && origin == edges->edge[best].point)
		note_residual(replaying, point,
			      recorded - edges->edge[best].recorded - edges->edge[best].weight);
	return edges->count ? time : recorded;
}

/* ---- the host ---- */

/* The batch that a point comes after, unless an edit has it there before; NULL. */
static const struct whatif_batch *batch_of(struct whatif_replaying *replaying, uint32_t point)
{
	const struct whatif_graph *graph = replaying->graph;
	size_t *next = &replaying->next_batch;
	while (*next < graph->batch_count && graph->batches[*next].point < point)
		(*next)++;
	return *next < graph->batch_count && graph->batches[*next].point == point &&
			       !(change_of(replaying, point) & CHANGE_READY)
		       ? &graph->batches[*next]
		       : NULL;
}

/* A call or mark follows on its thread, or continues another; the first is where it was. */
static int64_t after_on_thread(struct whatif_replaying *replaying, uint32_t point,
			       struct whatif_place *place, uint32_t other, int64_t recorded)
{
	const struct whatif_place *source = other == NO_ROW ? place : &replaying->places[other];
	if (source->point == NO_ROW)
		return recorded;
	const struct whatif_batch *batch = batch_of(replaying, point);
	int64_t passed = recorded - source->recorded, waited = 0, ready = INT64_MIN;
	double factor = gap_factor(replaying, point);
	if (batch)
		waited = batch->ready -
			 (batch->begin > source->recorded ? batch->begin : source->recorded);
	if (batch && replaying->mode != REPLAY_BATCH_LATENCY)
		ready = batch->ready + replaying->begun +
			whatif_scaled(recorded - batch->ready, factor);
	int64_t time = source->time + waited +
		       (passed > waited ? whatif_scaled(passed - waited, factor) : passed - waited);
	time = time > ready ? time : ready;
	set_origin(replaying, point, source->point);
	return place->point != NO_ROW && place->time > time ? place->time : time;
}

static void leave_at(struct whatif_place *place, uint32_t point, int64_t recorded, int64_t time)
{
	place->recorded = recorded;
	place->time = time;
	place->point = point;
}

static int64_t replay_begin(struct whatif_replaying *replaying, uint32_t point,
			    struct whatif_place *place, bool waits)
{
	const struct whatif_graph *graph = replaying->graph;
	uint32_t call = graph->row[point];
	int64_t recorded = replaying->profile->span_start[call];
	int64_t begin = after_on_thread(replaying, point, place,
					whatif_source_of(&graph->sources, point), recorded);
	int64_t dur = waits ? 0 : replaying->profile->span_dur[call];
	place->open = begin;
	leave_at(place, point, recorded + dur,
		 begin + whatif_scaled(dur, whatif_own_factor(replaying, point)));
	return begin;
}

/* Is it waited for by its launch, since launches block? */
static bool blocks_itself(const struct whatif_graph *graph, uint32_t activity)
{
	return graph->launches_block && graph->profile->activity_kind[activity] == ACTIVITY_KERNEL;
}

/* Does the call end without waiting? BEGIN is where it begins. */
static bool is_free(const struct whatif_replaying *replaying, uint32_t point, uint32_t begin)
{
	uint8_t change = change_of(replaying, point) | change_of(replaying, begin);
	return change & (CHANGE_NO_WAIT | CHANGE_REMOVED);
}

/* The time of a call that need not wait: a launch that blocks is done just before WORK, a point. */
static int64_t call_itself(const struct whatif_graph *graph, uint32_t call, uint32_t work)
{
	const struct profile *profile = graph->profile;
	int64_t dur = profile->span_dur[call], itself = 0;
	if (work != NO_ROW && blocks_itself(graph, graph->row[work]))
		itself = profile->activity_start[graph->row[work]] - profile->span_start[call] -
			 EVENT_LATENCY;
	itself = itself > CALL_ITSELF ? itself : CALL_ITSELF;
	return itself < dur ? itself : dur;
}

static int64_t replay_end(struct whatif_replaying *replaying, uint32_t point,
			  struct whatif_place *place)
{
	const struct whatif_graph *graph = replaying->graph;
	const struct profile *profile = replaying->profile;
	uint32_t call = graph->row[point], source = whatif_source_of(&graph->sources, point);
	int64_t dur = profile->span_dur[call], end = profile_span_end(profile, call);
	int64_t itself = call_itself(graph, call, source);
	struct whatif_edges edges = { .count = 0 };
	bool waits = source != NO_ROW;
	add_edge(&edges, EDGE_CALL, place->point, profile->span_start[call], place->open,
		 waits ? itself : dur);
	if (waits) {
		uint32_t work = graph->row[source];
		bool turn = graph->kind[point] & POINT_TURN;
		int64_t back = turn ? whatif_work_time(replaying, source) : 0;
		add_edge(&edges, EDGE_SYNC, source,
			 turn ? profile->activity_start[work] : profile_activity_end(profile, work),
			 replaying->time[source] - back,
			 turn ? 0 : graph->return_latency[whatif_return_class(graph, point)]);
	}
	int64_t time =
		is_free(replaying, point, place->point)
			? place->open +
				  whatif_scaled(itself, whatif_own_factor(replaying, place->point))
			: latest(replaying, &edges, point, end);
	leave_at(place, point, end, time);
	return time;
}

static int64_t replay_mark(struct whatif_replaying *replaying, uint32_t point,
			   struct whatif_place *place, bool is_end)
{
	const struct whatif_graph *graph = replaying->graph;
	uint32_t step = graph->row[point];
	int64_t recorded = whatif_time(graph, point);
	int64_t time = after_on_thread(replaying, point, place, NO_ROW, recorded);
	if (is_end) {
		whatif_end_step(&replaying->steps[step], recorded, time);
		if (step <= graph->step_last && graph->step_last != NO_ROW)
			replaying->last_mark = point;
	} else {
		replaying->steps[step].begin = time;
		replaying->steps[step].recorded_begin = recorded;
		if (step == graph->step_first)
			replaying->begun = time - recorded;
	}
	if (recorded >= place->recorded)
		leave_at(place, point, recorded, time);
	return time;
}

/* ---- the device ---- */

static void add_launch_edge(const struct whatif_replaying *replaying, struct whatif_edges *edges,
			    uint32_t activity, uint32_t launch)
{
	const struct whatif_graph *graph = replaying->graph;
	const struct profile *profile = replaying->profile;
	uint32_t call = graph->row[launch];
	int64_t called = profile->span_start[call],
		delay = profile->activity_start[activity] - called;
	int64_t dur = profile->span_dur[call], weight = graph->latency;
	bool waits = graph->kind[launch] & POINT_OWN;
	/* a call that takes long, but waits for nothing, starts its work inside or at its end */
	if (waits ? blocks_itself(graph, activity)
		  : dur > weight && delay > weight && delay - dur <= LATE_START)
		weight = dur < delay ? dur : delay;
	add_edge(edges, EDGE_LAUNCH, launch, called, replaying->time[launch], weight);
}

static void add_wait_edges(struct whatif_replaying *replaying, struct whatif_edges *edges,
			   uint32_t point)
{
	const struct whatif_graph *graph = replaying->graph;
	size_t *next = &replaying->next_wait;
	for (; *next < graph->wait_count && graph->waits[*next].point <= point; (*next)++) {
		const struct whatif_wait *wait = &graph->waits[*next];
		if (wait->point < point || edges->count == EDGES_MAX ||
		    (wait->guessed && replaying->mode == REPLAY_WITHOUT_GUESSES) ||
		    change_of(replaying, point) & CHANGE_NO_WAIT)
			continue;
		add_edge(edges, EDGE_EVENT, wait->source,
			 profile_activity_end(replaying->profile, graph->row[wait->source]),
			 replaying->time[wait->source], EVENT_LATENCY);
	}
}

/* FIRST: of its stream, which may follow work from before the capture. */
static void note_late(struct whatif_replaying *replaying, const struct whatif_edges *edges,
		      int64_t start, bool first)
{
	const struct whatif_edge *edge = &edges->edge[best_explains(edges)];
	int64_t late = edges->count ? start - edge->recorded - edge->weight : 0;
	if (first)
		replaying->head = late > replaying->head ? late : replaying->head;
	else if (late > LATE_START)
		replaying->late += late;
}

/* The end of work that starts at START where ranks meet; false if some have yet to come. */
static bool meet(struct whatif_replaying *replaying, uint32_t point, int64_t start, int64_t *end)
{
	const struct whatif_rank *rank = replaying->rank;
	struct whatif_join *join = rank && replaying->next_join < rank->join_count
					   ? &rank->joins[replaying->next_join]
					   : NULL;
	if (!join || join->point != point)
		return true;
	struct whatif_meeting *meeting = &replaying->meetings[join->meeting];
	/* at the recorded time of the last of them, by the clock of this rank */
	int64_t last = profile_activity_end(replaying->profile, replaying->graph->row[point]) -
		       join->transfer;
	if (!join->arrived) {
		join->arrived = true;
		meeting->missing -= meeting->missing > 0;
		if (replaying->awaited && start - last > meeting->shift)
			meeting->shift = start - last;
	}
	if (meeting->missing)
		return false;
	replaying->next_join++;
	if (meeting->ranks > 1)
		*end = last + meeting->shift +
		       whatif_scaled(join->transfer, whatif_own_factor(replaying, point));
	*end = *end > start ? *end : start;
	return true;
}

static void note_busy(struct whatif_replaying *replaying, int64_t begin, int64_t end)
{
	begin = begin > replaying->busy_until ? begin : replaying->busy_until;
	replaying->busy_until = end > begin ? end : begin;
	replaying->busy += replaying->busy_until - begin;
}

/* BLOCKED where it waits for other ranks: to be tried again. */
static int64_t replay_work(struct whatif_replaying *replaying, uint32_t point,
			   struct whatif_place *place)
{
	const struct whatif_graph *graph = replaying->graph;
	uint32_t activity = graph->row[point];
	uint32_t step = graph->derived->activity_step[activity];
	int64_t start = replaying->profile->activity_start[activity], late = replaying->late;
	size_t next_wait = replaying->next_wait;
	struct whatif_edges edges = { .count = 0 };
	uint32_t launch = whatif_source_of(&graph->sources, point);
	if (launch != NO_ROW)
		add_launch_edge(replaying, &edges, activity, launch);
	bool moved = change_of(replaying, point) & CHANGE_MOVED;
	bool follows = launch != NO_ROW || start - place->recorded <= LATE_START;
	if (place->point != NO_ROW && follows)
		add_edge(&edges, EDGE_STREAM, place->point, place->recorded, place->time,
			 graph->stream_gap[whatif_stream_class(replaying->profile, place->before,
							       activity)]);
	add_wait_edges(replaying, &edges, point);
	if (edges.count && replaying->mode == REPLAY_STRICT && whatif_is_judged(graph, activity))
		note_late(replaying, &edges, start, place->point == NO_ROW);
	int64_t begin = latest(replaying, &edges, point, start);
	int64_t end = begin + whatif_work_time(replaying, point);
	if (!meet(replaying, point, begin, &end)) {
		replaying->next_wait = next_wait;
		replaying->late = late;
		return BLOCKED;
	}
	int64_t recorded = profile_activity_end(replaying->profile, activity);
	if (!moved)
		leave_at(place, point, recorded, end);
	else if (place->point != NO_ROW) /* what comes next follows the work before */
		place->recorded = recorded;
	place->before = activity;
	if (step != NO_ROW)
		whatif_end_step(&replaying->steps[step], recorded, end);
	if (whatif_is_judged(graph, activity))
		note_busy(replaying, begin, end);
	if (end >= replaying->last &&
	    (graph->step_last == NO_ROW || (step != NO_ROW && step <= graph->step_last))) {
		replaying->last = end;
		replaying->last_point = point;
	}
	return end;
}

static int64_t replay_point(struct whatif_replaying *replaying, uint32_t point)
{
	struct whatif_place *place = &replaying->places[replaying->graph->track[point]];
	switch (replaying->graph->kind[point] & POINT_KIND) {
	case POINT_WORK: return replay_work(replaying, point, place);
	case POINT_END: return replay_end(replaying, point, place);
	case POINT_STEP: return replay_mark(replaying, point, place, false);
	case POINT_STEP_END: return replay_mark(replaying, point, place, true);
	case POINT_BEGIN: return replay_begin(replaying, point, place, true);
	default: return replay_begin(replaying, point, place, false);
	}
}

static void note_move(const struct whatif_replaying *replaying, uint32_t point,
		      const struct whatif_moves *moves)
{
	const struct whatif_graph *graph = replaying->graph;
	int kind = graph->kind[point] & POINT_KIND;
	int64_t time = replaying->time[point];
	moves->begin[point] = moves->end[point] = time;
	if (kind == POINT_WORK)
		moves->begin[point] -= whatif_work_time(replaying, point);
	else if (kind == POINT_CALL)
		moves->end[point] = replaying->places[graph->track[point]].time;
}

/* ---- all of it ---- */

static void start_replay(struct whatif_replaying *replaying, bool path)
{
	const struct whatif_graph *graph = replaying->graph;
	uint32_t steps = graph->derived->step_count + 1, tracks = graph->profile->track_count + 1;
	replaying->profile = graph->profile;
	/* residuals tell of a recording, and only of one */
	replaying->explains = path && replaying->mode == REPLAY_STRICT &&
			      whatif_changes_nothing(replaying->weights);
	replaying->places = mem_zalloc(tracks, sizeof *replaying->places);
	replaying->steps = mem_zalloc(steps, sizeof *replaying->steps);
	for (uint32_t i = 0; i < steps; i++)
		replaying->steps[i].end = replaying->steps[i].recorded_end = INT64_MIN;
	for (uint32_t i = 0; i < tracks; i++)
		replaying->places[i].point = NO_ROW;
	replaying->first = graph->count ? whatif_time(graph, 0) : 0;
	replaying->last = replaying->busy_until = replaying->first;
	replaying->last_point = replaying->last_mark = NO_ROW;
	replaying->time = mem_alloc(((size_t)graph->count + 1) * sizeof *replaying->time);
	replaying->origins.distance =
		path ? mem_zalloc((size_t)graph->count + 1, sizeof *replaying->origins.distance)
		     : NULL;
}

/* Until the end, or where other ranks have to come first. False when cancelled. */
static bool advance_replay(struct whatif_replaying *replaying, const struct whatif_moves *moves,
			   const struct progress *progress)
{
	const uint32_t count = replaying->graph->count;
	for (; replaying->at < count; replaying->at++) {
		if (!progress_heavy_row(progress, stage, replaying->at, count, 2))
			return false;
		int64_t time = replay_point(replaying, replaying->at);
		if (time == BLOCKED)
			return true;
		replaying->time[replaying->at] = time;
		if (moves)
			note_move(replaying, replaying->at, moves);
	}
	return true;
}

/* TIMES of what was replayed to the end; NULL: they are not wanted. False when cancelled. */
static bool end_replay(struct whatif_replaying *replaying, struct whatif_times *times,
		       const struct progress *progress)
{
	bool ok = true;
	if (times) {
		whatif_find_window(replaying, times);
		ok = !replaying->origins.distance || whatif_follow_path(replaying, times, progress);
	}
	mem_free_all(replaying->places, replaying->steps, replaying->residuals, replaying->time,
		     replaying->origins.distance, replaying->origins.far);
	return ok;
}

static const struct whatif_weights no_edit;

bool whatif_find_origins(struct whatif_sources *origins, const struct whatif_graph *graph,
			 const struct progress *progress)
{
	struct whatif_replaying replaying = { .graph = graph, .weights = &no_edit };
	start_replay(&replaying, true);
	bool ok = advance_replay(&replaying, NULL, progress);
	*origins = replaying.origins;
	replaying.origins = (struct whatif_sources){ 0 };
	return end_replay(&replaying, NULL, progress) && ok;
}

bool whatif_replay(const struct whatif_graph *graph, const struct whatif_weights *weights,
		   enum whatif_mode mode, bool path, const struct whatif_moves *moves,
		   struct whatif_times *times, const struct progress *progress)
{
	struct whatif_replaying replaying = { .graph = graph,
					      .weights = weights ? weights : &no_edit,
					      .mode = mode };
	*times = (struct whatif_times){ 0 };
	start_replay(&replaying, path);
	bool ok = advance_replay(&replaying, moves, progress);
	return end_replay(&replaying, ok ? times : NULL, progress) && ok;
}

/* ---- several ranks ---- */

static void expect_all(const struct whatif_joined *joined)
{
	for (uint32_t i = 0; i < joined->meeting_count; i++) {
		joined->meetings[i].missing = joined->meetings[i].ranks;
		joined->meetings[i].shift = INT64_MIN / 2;
	}
	for (size_t r = 0; r < joined->count; r++)
		for (size_t i = 0; i < joined->ranks[r].join_count; i++)
			joined->ranks[r].joins[i].arrived = false;
}

/* The first rank that waits for others does so no longer: they come as recorded, or came later. */
static bool break_circle(const struct whatif_replaying *replaying, size_t count)
{
	size_t r = 0;
	while (r < count && replaying[r].at >= replaying[r].graph->count)
		r++;
	if (r == count)
		return false;
	const struct whatif_join *join = &replaying[r].rank->joins[replaying[r].next_join];
	struct whatif_meeting *meeting = &replaying[r].meetings[join->meeting];
	meeting->missing = 0;
	meeting->shift = meeting->shift > 0 ? meeting->shift : 0;
	return true;
}

static bool advance_ranks(struct whatif_replaying *replaying, size_t count,
			  const struct progress *progress)
{
	bool moved;
	do {
		moved = false;
		for (size_t r = 0; r < count; r++) {
			uint32_t at = replaying[r].at;
			if (!advance_replay(&replaying[r], NULL, progress))
				return false;
			moved |= replaying[r].at != at;
		}
	} while (moved || break_circle(replaying, count));
	return true;
}

bool whatif_replay_joined(const struct whatif_joined *joined, size_t read, enum whatif_mode mode,
			  bool punctual, struct whatif_times *times,
			  const struct progress *progress)
{
	struct whatif_replaying *replaying = mem_zalloc(joined->count, sizeof *replaying);
	*times = (struct whatif_times){ 0 };
	expect_all(joined);
	for (size_t r = 0; r < joined->count; r++) {
		replaying[r] = (struct whatif_replaying){
			.graph = joined->ranks[r].graph,
			.weights = &joined->ranks[r].weights,
			.mode = mode,
			.rank = &joined->ranks[r],
			.meetings = joined->meetings,
			.awaited = !punctual || r != joined->straggler,
		};
		start_replay(&replaying[r], r == read && mode == REPLAY_STRICT && !joined->no_path);
	}
	bool ok = advance_ranks(replaying, joined->count, progress);
	for (size_t r = 0; r < joined->count; r++)
		ok &= end_replay(&replaying[r], ok && r == read ? times : NULL, progress);
	mem_free(replaying);
	return ok;
}
