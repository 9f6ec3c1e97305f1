#include "analysis/whatif/whatif.h"

#include "analysis/whatif/whatif_joined.h"
#include "analysis/whatif/whatif_weights.h"
#include "base/any_of.h"
#include "base/number.h"
#include "base/parallel.h"
#include "derived/intervals.h"

#include <math.h>
#include <stdlib.h>

static int64_t length_of(const struct whatif_times *times)
{
	return times->end > times->start ? times->end - times->start : 0;
}

static double idle_percent(const struct whatif_times *times)
{
	double length = (double)length_of(times);
	return length > 0 ? fmax(0, 100 - 100 * (double)times->busy_ns / length) : 0;
}

static enum whatif_limit largest(const int64_t path[WHATIF_LIMITS], unsigned except)
{
	int best = -1;
	for (int i = 0; i < WHATIF_LIMITS; i++)
		if (!(except >> i & 1) && (best < 0 || path[i] > path[best]))
			best = i;
	return best < 0 ? LIMIT_KERNELS : (enum whatif_limit)best;
}

/* ---- refusals ---- */

static bool exceeds(int64_t part, int64_t whole, double percent)
{
	return (double)part * 100 > (double)whole * percent;
}

/*
 * The ids of calls count all that a program makes: does a recording hold few of those between its
 * own, and not for pauses alone?
 */
static bool is_sampled(const struct profile *profile)
{
	enum { CALLS_MIN = 100, APART = 20, LEFT_OUT = 50 };
	uint64_t calls = 0, apart = 0, passed = 0;
	uint32_t track = NO_ROW;
	int64_t last = 0;
	for (uint32_t i = 0; i < profile->spans; i++) {
		const struct call_info *info = profile->span_kind[i] == SPAN_RUNTIME
						       ? profile_call_info(profile, i)
						       : NULL;
		if (!info || info->correlation <= 0)
			continue;
		int64_t more = profile->span_track[i] == track ? info->correlation - last : 0;
		track = profile->span_track[i];
		last = info->correlation;
		if (more <= 0)
			continue;
		calls++;
		apart += more > APART;
		passed += (uint64_t)more;
	}
	return calls >= CALLS_MIN && apart > calls / 2 && passed / LEFT_OUT > calls;
}

/* The time of the window in which any thread compiles code or loads it. */
static int64_t compiling_ns(const struct whatif_graph *graph, const struct whatif_times *times)
{
	const struct profile *profile = graph->profile;
	AUTO_INTERVALS struct intervals compiling = { 0 };
	for (uint32_t i = 0; i < profile->spans; i++)
		if (graph->derived->role[profile->span_name[i]] & NAME_COMPILE &&
		    profile->span_kind[i] != SPAN_GPU_ANNOTATION)
			intervals_add(&compiling, profile->span_start[i],
				      profile_span_end(profile, i));
	intervals_merge(&compiling);
	return intervals_length_in(&compiling, times->start, times->end);
}

static const char cold_start[] = "code is compiled or loaded in over 20 % of the time";

/* The first reason that holds, in this order. */
static const char *reason_to_refuse(const struct whatif *whatif)
{
	const struct whatif_graph *graph = whatif->graph;
	const struct profile *profile = graph->profile;
	int64_t typical = length_of(&whatif->times[REPLAY_TYPICAL]);
	uint64_t damaged = 0;
	for (size_t i = 0; i < profile->damage_count; i++)
		if (strcmp(profile->damages[i].action, "noted") != 0)
			damaged += profile->damages[i].count;
	if (graph->too_many_lanes)
		return "over 1,024 threads and streams take part";
	if (!graph->work_ns || whatif->recorded <= 0)
		return "no GPU work was recorded";
	if (any_of(name, graph->derived->names,
		   strstr(profile_string(profile, name), "): block_until_ready")))
		return "the host waits for devices in a Python function of JAX, which is not replayed";
	if (exceeds(graph->unlinked_ns, graph->work_ns, 10))
		return "launches of over 10 % of the work are missing";
	if (exceeds(graph->before_ns, graph->work_ns, 30))
		return "over 30 % of the work was launched before the recording";
	if (exceeds(llabs(typical - whatif->recorded), whatif->recorded, 2))
		return exceeds(whatif->times[REPLAY_STRICT].head_ns, whatif->recorded, 2)
			       ? "the first work starts late, as if it waited for work from before the recording"
			       : "without a change, a replay misses the recorded time by over 2 %";
	if (whatif->times[REPLAY_TYPICAL].step_error > 2)
		return "without a change, a replay misses the time of a step by over 2 %";
	if (exceeds(whatif->times[REPLAY_STRICT].residual_ns, whatif->recorded, 2))
		return "waits without a known cause decide over 2 % of the time";
	if (exceeds(whatif->times[REPLAY_STRICT].late_ns, whatif->recorded, 10))
		return "work starts late without a known cause";
	if (exceeds(graph->contradictions, graph->count, 0.1))
		return "recorded times contradict each other";
	if (graph->joined && whatif->steps < 2)
		return "one step of several ranks shows no steady state";
	if (exceeds(whatif->times[REPLAY_STRICT].unexplained_ns, whatif->recorded, 2))
		return "what decides the time begins without a known cause";
	if (profile->truncated || profile->partial ||
	    exceeds((int64_t)damaged, profile->spans + (int64_t)profile->activities, 0.1))
		return "the recording is truncated or damaged";
	if (is_sampled(profile))
		return "the recording is sampled: most calls were left out";
	if (exceeds(compiling_ns(graph, &whatif->times[REPLAY_STRICT]), whatif->recorded, 20))
		return cold_start;
	return NULL;
}

const char *whatif_refusal(const struct whatif *whatif, const struct whatif_edit *edits,
			   size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (edits[i].what == WHATIF_COMPILE && whatif->refused == cold_start)
			return NULL;
	return whatif->refused;
}

/* ---- the range ---- */

struct replaying_modes {
	const struct whatif_joined *joined;
	size_t read;
	bool punctual;
	bool as_strict[REPLAY_MODES]; /* not replayed: what differs was not recorded */
	struct whatif_times *times;
};

static bool replay_mode(void *context, size_t mode, const struct progress *progress)
{
	const struct replaying_modes *modes = context;
	if (modes->as_strict[mode])
		return true;
	return whatif_replay_joined(modes->joined, modes->read, (enum whatif_mode)mode,
				    modes->punctual, &modes->times[mode], progress);
}

/*
 * Of all ranks, each under the edits, with weights of its own. NOTHING: they change none of what
 * was recorded.
 */
static bool replay_edits(const struct whatif *whatif, const struct whatif_edit *edits, size_t count,
			 struct whatif_times times[REPLAY_MODES], bool *nothing,
			 const struct progress *progress)
{
	struct whatif_joined joined = *whatif->joined;
	AUTO_FREE struct whatif_rank *ranks = mem_alloc(joined.count * sizeof *ranks);
	bool ok = true, punctual = false;
	joined.ranks = memcpy(ranks, joined.ranks, joined.count * sizeof *ranks);
	joined.no_path = whatif->brief;
	for (size_t i = 0; i < count; i++)
		punctual |= whatif->graph->joined && edits[i].what == WHATIF_STRAGGLER;
	for (size_t r = 0; r < joined.count && ok; r++)
		ok = whatif_weights_of(&ranks[r].weights, ranks[r].graph, edits, count, progress);
	*nothing = !punctual;
	for (size_t r = 0; r < joined.count && *nothing; r++)
		*nothing = whatif_changes_nothing(&ranks[r].weights);
	const struct whatif_graph *graph = whatif->graph;
	struct replaying_modes modes = {
		&joined, whatif->read, punctual,
		.as_strict = { [REPLAY_WITHOUT_GUESSES] = !graph->joined && !graph->guesses,
			       [REPLAY_BATCH_LATENCY] = !graph->joined && !graph->batch_count },
		.times = times
	};
	uint64_t rows = whatif->brief ? 0 : graph->count * (uint64_t)REPLAY_MODES;
	if (ok && !joined.meeting_count)
		ok = parallel_try_rows(rows, REPLAY_MODES, replay_mode, &modes, "replaying",
				       progress, NULL);
	for (size_t mode = 0; mode < REPLAY_MODES && ok && joined.meeting_count; mode++)
		ok = replay_mode(&modes, mode, progress); /* one at a time: ranks meet */
	for (size_t mode = 0; mode < REPLAY_MODES; mode++)
		if (modes.as_strict[mode])
			times[mode] = times[REPLAY_STRICT];
	for (size_t r = 0; r < joined.count; r++)
		whatif_weights_clear(&ranks[r].weights);
	return ok;
}

/* A part. Steps take as long as their work if most of it is before the mark of the first now. */
static double gain_of(const struct whatif_times *before, const struct whatif_times *after)
{
	int64_t all = length_of(before), left = length_of(after), busy = after->busy_ns;
	left = busy / 2 > left ? busy : left;
	return all > 0 ? 1 - (double)left / (double)all : 0;
}

static void find_gain_range(const struct whatif *whatif,
			    const struct whatif_times times[REPLAY_MODES],
			    const struct whatif_edit *edits, size_t count,
			    struct whatif_prediction *prediction)
{
	double less = 0, more = 0, low = INFINITY, high = -INFINITY;
	double recorded = (double)whatif->recorded, steps = whatif->steps;
	bool loads = false;
	double least = 0; /* less work never makes a step longer, though it may begin earlier */
	for (size_t i = 0; i < count; i++)
		least = edits[i].factor > 1 ? -INFINITY : least;
	for (int mode = 0; mode < REPLAY_MODES; mode++) {
		double gain = fmax(gain_of(&whatif->times[mode], &times[mode]), least);
		low = fmin(low, gain);
		high = fmax(high, gain);
	}
	for (size_t i = 0; i < count; i++) {
		loads |= edits[i].what == WHATIF_LOADER;
		less = fmax(less, whatif_kinds[edits[i].what].less);
		more = fmax(more, whatif_kinds[edits[i].what].more);
		if (edits[i].rows) { /* how much faster the work becomes is a bound… */
			less = fmax(less, 0.5);
			/* …but fewer messages wait less, too; an early one is shorter */
			bool fewer = edits[i].messages && edits[i].what == WHATIF_REMOVE;
			more = fmax(more, fewer ? 0.3 : 0.15);
		}
	}
	double gain = fmax(gain_of(&whatif->times[REPLAY_STRICT], &times[REPLAY_STRICT]), least);
	/* by half a point, or a tenth of a small gain */
	double point = fmin(0.005, fabs(gain) / 10);
	low -= point + less * fabs(low);
	/* one worker process takes as long for a batch, beside what else the step does */
	if (loads && !whatif->graph->batch_count)
		low = fmin(low, (1 - gain) * 0.95);
	low = fmax(low, least);
	/* half of what is left is certain to stay */
	high = fmin(high + point + more * fabs(high), (1 + high) / 2);
	prediction->recorded = (int64_t)(recorded / steps);
	prediction->predicted = (int64_t)(recorded * (1 - gain) / steps);
	prediction->low = (int64_t)(recorded * (1 - high) / steps);
	prediction->high = (int64_t)(recorded * (1 - low) / steps);
	prediction->uncertain = high - low > fmax(fabs(gain), 0.001);
}

bool whatif_predict(const struct whatif *whatif, const struct whatif_edit *edits, size_t count,
		    struct whatif_prediction *prediction, const struct progress *progress)
{
	struct whatif_times times[REPLAY_MODES];
	unsigned touched = 0;
	*prediction = (struct whatif_prediction){ 0 };
	if (!replay_edits(whatif, edits, count, times, &prediction->nothing, progress))
		return false;
	find_gain_range(whatif, times, edits, count, prediction);
	for (size_t i = 0; i < count; i++) {
		touched |= whatif_kinds[edits[i].what].touches;
		prediction->at_most |= whatif_kinds[edits[i].what].at_most || edits[i].rows;
	}
	for (int i = 0; i < WHATIF_LIMITS; i++)
		prediction->path[i] = times[REPLAY_STRICT].path[i];
	prediction->idle_pct[0] = idle_percent(&whatif->times[REPLAY_STRICT]);
	prediction->idle_pct[1] = idle_percent(&times[REPLAY_STRICT]);
	prediction->limit = largest(prediction->path, touched);
	return true;
}

double whatif_gain(const struct whatif_prediction *prediction, int64_t time)
{
	return prediction->recorded ? 100 - 100 * (double)time / (double)prediction->recorded : 0;
}

const char *whatif_certainty(const struct whatif_prediction *prediction)
{
	return prediction->at_most ? "at most" : prediction->uncertain ? "uncertain" : NULL;
}

void whatif_describe(const struct whatif_prediction *prediction, struct buffer *out)
{
	char recorded[NUMBER_MAX], predicted[NUMBER_MAX];
	const char *certainty = whatif_certainty(prediction);
	bool bound = prediction->at_most;
	number_duration(recorded, prediction->recorded);
	number_duration(predicted, prediction->predicted);
	buffer_printf(out, "step %s -> %s%s%s (%.1f %%, %.1f%s to %.1f %%)", recorded, predicted,
		      certainty && !bound ? ", " : "", certainty && !bound ? certainty : "",
		      -whatif_gain(prediction, prediction->predicted),
		      -whatif_gain(prediction, prediction->low), bound ? " % at most" : "",
		      -whatif_gain(prediction, prediction->high));
}

/* ---- making ---- */

static struct whatif *judge_whatif(struct whatif *whatif, const struct progress *progress)
{
	const struct whatif_graph *graph = whatif->graph;
	bool nothing;
	if (!graph || !replay_edits(whatif, NULL, 0, whatif->times, &nothing, progress)) {
		whatif_free(whatif);
		return NULL;
	}
	whatif->recorded = length_of(&whatif->times[REPLAY_STRICT]); /* to the nanosecond */
	whatif->steps = graph->step_first == NO_ROW ? 1 : graph->step_last - graph->step_first + 1;
	whatif->limit = largest(whatif->times[REPLAY_STRICT].path, 0);
	whatif->refused = reason_to_refuse(whatif);
	return whatif;
}

struct whatif *whatif_make(const struct derived *derived, const struct selection *selection,
			   uint32_t rows_max, const struct progress *progress)
{
	struct whatif *whatif = mem_zalloc(1, sizeof *whatif);
	whatif->graph = whatif_graph_make(derived, selection, rows_max, progress);
	whatif->joined = whatif->graph ? whatif_join_none(whatif->graph) : NULL;
	return judge_whatif(whatif, progress);
}

struct whatif *whatif_make_joined(const struct run *run, size_t rank, uint32_t rows_max,
				  const struct progress *progress)
{
	struct whatif *whatif = mem_zalloc(1, sizeof *whatif);
	struct whatif_joined *joined = whatif_join_ranks(run, rows_max, progress);
	whatif->joined = joined;
	whatif->read = joined && rank == joined->straggler ? (rank + 1) % joined->count : rank;
	whatif->graph = joined ? joined->ranks[whatif->read].graph : NULL;
	return judge_whatif(whatif, progress);
}

void whatif_free(struct whatif *whatif)
{
	if (whatif)
		whatif_joined_free(whatif->joined);
	mem_free(whatif);
}
