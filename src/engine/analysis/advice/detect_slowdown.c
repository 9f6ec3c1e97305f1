/*
 * Detectors of kernels that are slower than the same kernels at other times: beside communication,
 * and at lower clocks.
 */
#include "analysis/advice/judge_kernels.h"
#include "base/keyed.h"

#include <string.h>

enum {
	CONTENTION_PERCENT = 5, /* of kernel time */
	SLOWER_PERCENT = 10,
	CONTENDED_MIN = 3, /* launches on each side */
	DRIFT_MIN = 5,
	DRIFT_KINDS = 3,
	DRIFT_SLOWER = 5, /* percent by which a kind is slower */
	DRIFT_AGREE = 80, /* percent of the time in such kinds */
	DRIFT_NS = 10000, /* shorter kernels vary anyway */
	CLOCK_SAMPLES = 10,
	CLOCK_LOW = 90,     /* percent of the highest */
	CLOCK_PERCENT = 20, /* of the samples */
};

/* Launches with the same kernel and launch parameters, on two sides that are compared. */
struct detect_slowdown_kind {
	int64_t count[2], ns[2];
};

struct detect_slowdown_kinds {
	struct keyed keys; /* name and launch parameters */
	struct detect_slowdown_kind *items;
	int8_t *side;      /* by activity: 0, 1; -1: on neither */
	uint32_t *kind_of; /* by activity, of those on a side */
};

typedef int side_of(const struct diagnosis *diagnosis, uint32_t activity, const void *context);

static struct detect_slowdown_kinds collect_kinds(const struct diagnosis *diagnosis, side_of *tell,
						  const void *context)
{
	const struct profile *profile = diagnosis->profile;
	struct detect_slowdown_kinds kinds = { .side = mem_alloc((size_t)profile->activities + 1) };
	memset(kinds.side, -1, (size_t)profile->activities + 1);
	kinds.kind_of = mem_alloc(((size_t)profile->activities + 1) * sizeof *kinds.kind_of);
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		if (!counts_as_kernel(diagnosis, i))
			continue;
		int side = tell(diagnosis, i, context);
		if (side < 0)
			continue;
		const uint32_t key[] = { profile->activity_name[i], profile->activity_config[i] };
		struct detect_slowdown_kind *kind = keyed_item(&kinds.keys, kinds.items, &key);
		kinds.side[i] = (int8_t)side;
		kinds.kind_of[i] = (uint32_t)(kind - kinds.items);
		kind->count[side]++;
		kind->ns[side] += profile->activity_dur[i];
	}
	return kinds;
}

static void kinds_free(struct detect_slowdown_kinds *kinds)
{
	mem_free(kinds->items);
	mem_free(kinds->side);
	mem_free(kinds->kind_of);
	keyed_clear(&kinds->keys);
}

/* Time of side 1 beyond what its launches take on side 0. */
static double excess_of(const struct detect_slowdown_kind *kind)
{
	return (double)kind->ns[1] -
	       (double)kind->count[1] * (double)kind->ns[0] / (double)kind->count[0];
}

static bool is_comparable(const struct detect_slowdown_kind *kind, int64_t least)
{
	return kind->count[0] >= least && kind->count[1] >= least && kind->ns[0] > 0;
}

/* Claim the launches of side 1 of the kinds that are compared. */
static void claim_slower(const struct diagnosis *diagnosis, struct finding *finding,
			 const struct detect_slowdown_kinds *kinds, int64_t least)
{
	const struct profile *profile = diagnosis->profile;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		if (kinds->side[i] != 1 || !is_comparable(&kinds->items[kinds->kind_of[i]], least))
			continue;
		claim_activity(diagnosis, finding, i);
		blame_activity(diagnosis, finding, i);
	}
}

static void collect_communication(const struct diagnosis *diagnosis, struct intervals *busy)
{
	const struct profile *profile = diagnosis->profile;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++)
		if (profile->activity_kind[i] == ACTIVITY_KERNEL && is_critical(diagnosis, i) &&
		    derived_is_communication(diagnosis->derived, i))
			intervals_add(busy, profile->activity_start[i],
				      profile_activity_end(profile, i));
	intervals_merge(busy);
}

static int64_t time_beside(const struct diagnosis *diagnosis, uint32_t activity,
			   const struct intervals *communication)
{
	int64_t start = diagnosis->profile->activity_start[activity];
	return intervals_length_in(communication, start,
				   start + diagnosis->profile->activity_dur[activity]);
}

/* ---- communication kernels occupy SMs ---- */

static int side_beside(const struct diagnosis *diagnosis, uint32_t activity, const void *context)
{
	int64_t dur = diagnosis->profile->activity_dur[activity];
	int64_t beside = time_beside(diagnosis, activity, context);
	return !beside ? 0 : 2 * beside >= dur ? 1 : -1;
}

void detect_sm_contention(const struct diagnosis *diagnosis, struct finding *finding)
{
	static const char not_slower[] = "Kernels are not slower beside communication.";
	struct intervals communication = { 0 };
	double excess = 0, beside = 0;
	collect_communication(diagnosis, &communication);
	if (!communication.count) {
		report_ok(finding, "%s", not_slower);
		return;
	}
	struct detect_slowdown_kinds kinds = collect_kinds(diagnosis, side_beside, &communication);
	for (size_t i = 0; i < kinds.keys.count; i++) {
		if (!is_comparable(&kinds.items[i], CONTENDED_MIN))
			continue;
		excess += excess_of(&kinds.items[i]);
		beside += (double)kinds.items[i].ns[1];
	}
	double slower = percent_of(excess, beside - excess);
	if (slower >= SLOWER_PERCENT &&
	    percent_of(excess, (double)diagnosis->kernel_ns) >= CONTENTION_PERCENT) {
		finding->cost_ns = (int64_t)excess;
		report_problem(
			finding,
			"Beside communication kernels, the same kernels take %s %% longer: %s of %s",
			PERCENT(slower, 100), DURATION((int64_t)excess), DURATION((int64_t)beside));
		claim_slower(diagnosis, finding, &kinds, CONTENDED_MIN);
	} else {
		report_ok(finding, "%s", not_slower);
	}
	kinds_free(&kinds);
	intervals_free(&communication);
}

/* ---- clocks ---- */

struct thirds {
	int64_t first_end, last_start;
	struct intervals communication;
};

static int side_in_time(const struct diagnosis *diagnosis, uint32_t activity, const void *context)
{
	const struct thirds *thirds = context;
	int64_t start = diagnosis->profile->activity_start[activity];
	if (diagnosis->profile->activity_dur[activity] < DRIFT_NS ||
	    time_beside(diagnosis, activity, &thirds->communication))
		return -1;
	return start < thirds->first_end ? 0 : start >= thirds->last_start ? 1 : -1;
}

static struct thirds thirds_of(const struct diagnosis *diagnosis)
{
	const struct intervals *window = &diagnosis->window;
	struct thirds thirds = { 0, 0, { 0 } };
	if (!window->count)
		return thirds;
	int64_t start = window->item[0].start, end = window->item[window->count - 1].end;
	thirds.first_end = start + (end - start) / 3;
	thirds.last_start = end - (end - start) / 3;
	return thirds;
}

/* How much later launches take longer than early ones, if nearly all kinds of kernels agree. */
struct drift {
	double excess, late;
};

static struct drift drift_of(const struct detect_slowdown_kinds *kinds)
{
	struct drift drift = { 0, 0 };
	double agreeing = 0;
	size_t count = 0;
	for (size_t i = 0; i < kinds->keys.count; i++) {
		const struct detect_slowdown_kind *kind = &kinds->items[i];
		if (!is_comparable(kind, DRIFT_MIN))
			continue;
		double late = (double)kind->ns[1], excess = excess_of(kind);
		count++;
		drift.late += late;
		drift.excess += excess;
		agreeing += percent_of(excess, late - excess) >= DRIFT_SLOWER ? late : 0;
	}
	if (count < DRIFT_KINDS || percent_of(agreeing, drift.late) < DRIFT_AGREE)
		return (struct drift){ 0, drift.late };
	return drift;
}

/* A counter of the clock of the cores: "GPC Clock Frequency", "sclk". */
static bool names_clock(const char *name)
{
	return (strcasestr(name, "clock") || strcasestr(name, "sclk")) &&
	       !strcasestr(name, "mem") && !strcasestr(name, "mclk");
}

struct clock_rate {
	uint32_t name;
	double max;
	int64_t samples, low; /* while the device works */
};

/* The first clock that was recorded. */
static struct clock_rate clock_of(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	struct clock_rate clock = { NO_ROW, 0, 0, 0 };
	uint8_t *named = mem_zalloc((size_t)intern_count(profile->strings) + 1, 1);
	for (size_t i = 0; i < profile->counter_count && detect_row(diagnosis, i); i++) {
		const struct counter *at = &profile->counters[i];
		if (!named[at->name])
			named[at->name] = names_clock(profile_string(profile, at->name)) ? 1 : 2;
		if (named[at->name] != 1 || (clock.name != NO_ROW && clock.name != at->name))
			continue;
		clock.name = at->name;
		if (at->value > clock.max)
			clock.max = at->value;
	}
	for (size_t i = 0;
	     clock.name != NO_ROW && i < profile->counter_count && detect_row(diagnosis, i); i++) {
		const struct counter *at = &profile->counters[i];
		if (at->name != clock.name || !in_window(diagnosis, at->time) ||
		    intervals_length_in(&diagnosis->idle, at->time, at->time + 1))
			continue;
		clock.samples++;
		clock.low += 100 * at->value < CLOCK_LOW * clock.max;
	}
	mem_free(named);
	return clock;
}

struct reason {
	int64_t samples, on;
};

/* The reason for lower clocks that most of the samples in the window have, or NO_ROW. */
static uint32_t reason_of(const struct diagnosis *diagnosis, struct reason *most)
{
	const struct profile *profile = diagnosis->profile;
	struct keyed keys = { 0 };
	struct reason *reasons = NULL;
	uint32_t name = NO_ROW;
	for (size_t i = 0; i < profile->counter_count && detect_row(diagnosis, i); i++) {
		const struct counter *at = &profile->counters[i];
		if (!in_window(diagnosis, at->time) ||
		    strncmp(profile_string(profile, at->name), COUNTER_THROTTLED,
			    strlen(COUNTER_THROTTLED)) != 0)
			continue;
		struct reason *reason = keyed_item(&keys, reasons, &at->name);
		reason->samples++;
		reason->on += at->value > 0;
		if (reason->on > (name == NO_ROW ? 0 : most->on)) {
			*most = *reason;
			name = at->name;
		} else if (name == at->name) {
			*most = *reason;
		}
	}
	mem_free(reasons);
	keyed_clear(&keys);
	return name;
}

static void tell_clock(const struct diagnosis *diagnosis, struct finding *finding,
		       const struct clock_rate *clock)
{
	buffer_printf(
		&finding->evidence,
		"%s%s is below %d %% of its highest in %s %% of samples while the GPU is busy",
		finding->evidence.length ? "; " : "",
		profile_string(diagnosis->profile, clock->name), CLOCK_LOW,
		PERCENT(clock->low, clock->samples));
	struct reason reason;
	uint32_t name = reason_of(diagnosis, &reason);
	if (name != NO_ROW)
		buffer_printf(&finding->evidence, "; %s in %s %% of samples",
			      profile_string(diagnosis->profile, name),
			      PERCENT(reason.on, reason.samples));
}

void detect_throttling(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct thirds thirds = thirds_of(diagnosis);
	collect_communication(diagnosis, &thirds.communication);
	struct detect_slowdown_kinds kinds = collect_kinds(diagnosis, side_in_time, &thirds);
	struct drift drift = drift_of(&kinds);
	struct clock_rate clock = clock_of(diagnosis);
	double slower = percent_of(drift.excess, drift.late - drift.excess);
	bool drifts = slower >= SLOWER_PERCENT;
	bool low = clock.samples >= CLOCK_SAMPLES &&
		   percent_of((double)clock.low, (double)clock.samples) >= CLOCK_PERCENT;
	if (!drifts && !low)
		report_ok(finding, "Kernels take as long at the end as at the start.");
	else if (drifts)
		report_problem(
			finding,
			"The same kernels take %s %% longer in the last third of the window than in the first",
			PERCENT(slower, 100));
	else
		report_problem(finding, "%s", "");
	if (finding->answer == ANSWER_FIRED && low)
		tell_clock(diagnosis, finding, &clock);
	if (drifts) {
		finding->cost_ns = (int64_t)drift.excess;
		claim_slower(diagnosis, finding, &kinds, DRIFT_MIN);
	}
	kinds_free(&kinds);
	intervals_free(&thirds.communication);
}
