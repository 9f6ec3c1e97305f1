#include "analysis/whatif/whatif_scenario.h"

#include "analysis/whatif/whatif.h"
#include "analysis/whatif/whatif_weights.h"
#include "base/binary_search.h"
#include "base/error.h"

#include <math.h>

static const char stage[] = "moving rows to predicted times";

/* Where a time of a thread is moved to; ascending, and so is where it was. */
struct whatif_shift {
	int64_t recorded, predicted;
};

struct whatif_shifts {
	GROWING(struct whatif_shift, item, count);
};

struct whatif_moving {
	struct profile *profile;
	struct whatif_shifts *threads;    /* by track */
	const struct whatif_shifts *main; /* of the thread with most */
};

static void add_shift(struct whatif_shifts *shifts, int64_t recorded, int64_t predicted)
{
	if (shifts->count) {
		struct whatif_shift last = shifts->item[shifts->count - 1];
		recorded = recorded > last.recorded ? recorded : last.recorded;
		predicted = predicted > last.predicted ? predicted : last.predicted;
	}
	*mem_push(shifts->item, shifts->count) = (struct whatif_shift){ recorded, predicted };
}

/* Between two shifts in proportion; before and after them all as the nearest. */
static int64_t moved(const struct whatif_shifts *shifts, int64_t time)
{
	struct ascending times = ASCENDING(shifts->item, recorded, shifts->count);
	size_t after = search_between(times, time + 1, 0, shifts->count);
	if (!shifts->count)
		return time;
	const struct whatif_shift *to = &shifts->item[after < shifts->count ? after : after - 1];
	const struct whatif_shift *from = after ? to - (after < shifts->count) : to;
	if (from == to)
		return time - from->recorded + from->predicted;
	double part = (double)(time - from->recorded) / (double)(to->recorded - from->recorded);
	return from->predicted + llround(part * (double)(to->predicted - from->predicted));
}

static void find_shifts(struct whatif_moving *moving, const struct whatif_graph *graph,
			const struct whatif_moves *moves)
{
	const struct profile *profile = graph->profile;
	moving->threads = mem_zalloc((size_t)profile->track_count + 1, sizeof *moving->threads);
	moving->main = moving->threads;
	for (uint32_t i = 0; i < graph->count; i++) {
		int kind = graph->kind[i] & POINT_KIND;
		struct whatif_shifts *shifts = &moving->threads[graph->track[i]];
		if (kind == POINT_WORK)
			continue;
		add_shift(shifts, whatif_time(graph, i), moves->begin[i]);
		if (kind == POINT_CALL)
			add_shift(shifts, profile_span_end(profile, graph->row[i]), moves->end[i]);
		if (shifts->count > moving->main->count)
			moving->main = shifts;
	}
}

static bool move_spans(struct whatif_moving *moving, const struct progress *progress)
{
	struct profile *profile = moving->profile;
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		const struct whatif_shifts *own = &moving->threads[profile->span_track[i]];
		int64_t end = profile_span_end(profile, i);
		own = own->count ? own : moving->main;
		profile->span_start[i] = moved(own, profile->span_start[i]);
		profile->span_dur[i] = moved(own, end) - profile->span_start[i];
	}
	return ok;
}

/* Work has its own times; the rows of a stream stay in order. */
static void move_activities(struct whatif_moving *moving, const struct whatif_graph *graph,
			    const struct whatif_moves *moves)
{
	struct profile *profile = moving->profile;
	for (uint32_t i = 0; i < profile->activities; i++)
		profile->activity_start[i] = moved(moving->main, profile->activity_start[i]);
	for (uint32_t i = 0; i < graph->count; i++)
		if ((graph->kind[i] & POINT_KIND) == POINT_WORK) {
			profile->activity_start[graph->row[i]] = moves->begin[i];
			profile->activity_dur[graph->row[i]] = moves->end[i] - moves->begin[i];
		}
	for (uint32_t i = 1; i < profile->activities; i++)
		if (profile->activity_track[i] == profile->activity_track[i - 1] &&
		    profile->activity_start[i] < profile->activity_start[i - 1])
			profile->activity_start[i] = profile->activity_start[i - 1];
}

#define MOVE_TIMES(rows, count, time)                                                              \
	for (size_t i = 0; i < (count); i++)                                                       \
	(rows)[i].time = moved(moving->main, (rows)[i].time)

static void move_others(struct whatif_moving *moving)
{
	struct profile *profile = moving->profile;
	MOVE_TIMES(profile->memory_events, profile->memory_count, time);
	MOVE_TIMES(profile->flows, profile->flow_count, time);
	MOVE_TIMES(profile->counters, profile->counter_count, time);
	MOVE_TIMES(profile->samples, profile->sample_count, time);
	profile->run_count = 0; /* when threads would have run, nothing tells */
	profile->end_ns = 0;
	for (uint32_t i = 0; i < profile->spans; i++)
		raise_to(profile->end_ns, profile_span_end(profile, i));
	for (uint32_t i = 0; i < profile->activities; i++)
		raise_to(profile->end_ns, profile_activity_end(profile, i));
}

static bool note_prediction(struct profile *profile, const struct whatif *whatif,
			    const struct whatif_edits *edits, const struct progress *progress)
{
	struct whatif_prediction prediction;
	AUTO_BUFFER struct buffer text = { 0 };
	if (!whatif_predict(whatif, edits->item, edits->count, &prediction, progress))
		return false;
	whatif_describe(&prediction, &text);
	buffer_printf(&text, ", next limit: %s", whatif_limit_name(prediction.limit));
	*mem_push(profile->metadata, profile->metadata_count) =
		(struct metadata){ profile_intern(profile, WHATIF_SCENARIO),
				   profile_intern(profile, buffer_text(&text)) };
	return true;
}

static bool move_rows(struct profile *profile, const struct whatif *whatif,
		      const struct whatif_edits *edits, const struct progress *progress)
{
	struct whatif_graph *graph = whatif->graph;
	struct whatif_moving moving = { .profile = profile };
	struct whatif_weights weights;
	struct whatif_times times;
	struct whatif_moves moves = { mem_alloc(((size_t)graph->count + 1) * sizeof(int64_t)),
				      mem_alloc(((size_t)graph->count + 1) * sizeof(int64_t)) };
	bool ok = whatif_weights_of(&weights, graph, edits->item, edits->count, progress) &&
		  whatif_replay(graph, &weights, REPLAY_STRICT, false, &moves, &times, progress);
	whatif_weights_clear(&weights);
	if (ok) {
		find_shifts(&moving, graph, &moves);
		move_activities(&moving, graph, &moves);
		ok = move_spans(&moving, progress);
		move_others(&moving);
	}
	for (size_t i = 0; moving.threads && i < profile->track_count; i++)
		mem_free(moving.threads[i].item);
	mem_free_all(moving.threads, moves.begin, moves.end);
	return ok;
}

bool whatif_scenario(struct profile *profile, const struct derived *derived, const char *edits,
		     const struct progress *progress, struct error *error)
{
	struct whatif_edits parsed;
	struct whatif *whatif = NULL;
	bool ok = whatif_edits_parse(&parsed, edits, error);
	if (ok) {
		whatif = whatif_make(derived, NULL, UINT32_MAX, progress);
		ok = whatif || error_cancelled(error);
	}
	const char *refused = ok ? whatif_refusal(whatif, parsed.item, parsed.count) : NULL;
	if (refused)
		ok = error_set(error, ERROR_LIMIT, "nothing is predicted: %s", refused);
	if (ok)
		ok = (note_prediction(profile, whatif, &parsed, progress) &&
		      move_rows(profile, whatif, &parsed, progress)) ||
		     error_cancelled(error);
	whatif_free(whatif);
	whatif_edits_clear(&parsed);
	return ok;
}
