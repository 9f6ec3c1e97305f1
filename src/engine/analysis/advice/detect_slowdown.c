/*
 * Detectors of kernels that are slower than the same kernels at other times: beside communication,
 * and at lower clocks.
 */
#include "analysis/advice/judge_kernels.h"

#include <math.h>

enum { SLOWDOWN_LIMIT_ROWS(_) };

/*
 * Launches with the same kernel and launch parameters, by part of the window: the first third is
 * compared with the last. Where two sides are compared they are the first part and the last.
 */
enum { THIRD = DRIFT_PARTS / 3 };
struct detect_slowdown_kind {
	int64_t count[DRIFT_PARTS], ns[DRIFT_PARTS];
};

struct detect_slowdown_kinds {
	struct keyed keys; /* name and launch parameters */
	struct detect_slowdown_kind *items;
	int8_t *part;      /* by activity; -1: in none */
	uint32_t *kind_of; /* by activity, of those in a part */
};

typedef int part_of(const struct diagnosis *diagnosis, uint32_t activity, const void *context);

static struct detect_slowdown_kinds collect_kinds(const struct diagnosis *diagnosis, part_of *tell,
						  const void *context)
{
	const struct profile *profile = diagnosis->profile;
	struct detect_slowdown_kinds kinds = { .part = mem_alloc((size_t)profile->activities + 1) };
	memset(kinds.part, -1, (size_t)profile->activities + 1);
	kinds.kind_of = mem_alloc(((size_t)profile->activities + 1) * sizeof *kinds.kind_of);
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		if (!counts_as_kernel(diagnosis, i))
			continue;
		int part = tell(diagnosis, i, context);
		if (part < 0)
			continue;
		const uint32_t key[] = { profile->activity_name[i], profile->activity_config[i] };
		struct detect_slowdown_kind *kind = keyed_item(&kinds.keys, kinds.items, &key);
		kinds.part[i] = (int8_t)part;
		kinds.kind_of[i] = (uint32_t)(kind - kinds.items);
		kind->count[part]++;
		kind->ns[part] += profile->activity_dur[i];
	}
	return kinds;
}

STATIC_FREE_MEMBERS(kinds_free, struct detect_slowdown_kinds,
		    OWN(items) OWN(part) OWN(kind_of) OWN_IN(keyed_clear, keys))

struct mean {
	int64_t count, ns;
};

static struct mean mean_of_parts(const struct detect_slowdown_kind *kind, int first, int end)
{
	struct mean mean = { 0, 0 };
	for (int part = first; part < end; part++) {
		mean.count += kind->count[part];
		mean.ns += kind->ns[part];
	}
	return mean;
}

/* A kind whose launches before and after are compared. */
struct compared {
	struct mean before, after;
	double excess; /* of the time after, beyond what as many launches take before */
};

static struct compared compare_kind(const struct detect_slowdown_kind *kind)
{
	struct compared compared = { mean_of_parts(kind, 0, THIRD),
				     mean_of_parts(kind, DRIFT_PARTS - THIRD, DRIFT_PARTS), 0 };
	compared.excess = (double)compared.after.ns - (double)compared.after.count *
							      (double)compared.before.ns /
							      (double)compared.before.count;
	return compared;
}

static bool is_comparable(const struct compared *compared, int64_t least)
{
	return compared->before.count >= least && compared->after.count >= least &&
	       compared->before.ns > 0;
}

/* Claim the launches of the last part, of the kinds that are compared. */
static void claim_slower(const struct diagnosis *diagnosis, struct finding *finding,
			 const struct detect_slowdown_kinds *kinds, int64_t least)
{
	const struct profile *profile = diagnosis->profile;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		if (kinds->part[i] != DRIFT_PARTS - 1)
			continue;
		struct compared compared = compare_kind(&kinds->items[kinds->kind_of[i]]);
		if (!is_comparable(&compared, least))
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

static int part_beside(const struct diagnosis *diagnosis, uint32_t activity, const void *context)
{
	int64_t dur = diagnosis->profile->activity_dur[activity];
	int64_t beside = time_beside(diagnosis, activity, context);
	return !beside ? 0 : 2 * beside >= dur ? DRIFT_PARTS - 1 : -1;
}

void detect_sm_contention(const struct diagnosis *diagnosis, struct finding *finding)
{
	static const char not_slower[] = "Kernels are not slower beside communication.";
	AUTO_INTERVALS struct intervals communication = { 0 };
	double excess = 0, beside = 0;
	collect_communication(diagnosis, &communication);
	if (!communication.count) {
		report_ok(finding, "%s", not_slower);
		return;
	}
	struct detect_slowdown_kinds kinds = collect_kinds(diagnosis, part_beside, &communication);
	for (size_t i = 0; i < kinds.keys.count; i++) {
		struct compared compared = compare_kind(&kinds.items[i]);
		if (!is_comparable(&compared, CONTENDED_MIN))
			continue;
		excess += compared.excess;
		beside += (double)compared.after.ns;
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
}

/* ---- clocks ---- */

/* The kernels that tell of clocks: long ones that communication does not disturb. */
static int part_in_time(const struct diagnosis *diagnosis, uint32_t activity, const void *context)
{
	if (diagnosis->profile->activity_dur[activity] < DRIFT_NS ||
	    time_beside(diagnosis, activity, context))
		return -1;
	return drift_part(&diagnosis->drift, diagnosis->profile->activity_start[activity]);
}

/*
 * A part is as slow as its launches take longer than the mean of their kinds, against the fastest
 * part; those with less than half of the mean work tell nothing.
 */
static void find_rates(const struct detect_slowdown_kinds *kinds, struct drift *drift)
{
	double ns[DRIFT_PARTS] = { 0 }, mean[DRIFT_PARTS] = { 0 }, all = 0, fastest = 1;
	for_each (kind, kinds->items, kinds->keys.count) {
		struct compared compared = compare_kind(kind);
		if (!is_comparable(&compared, DRIFT_MIN))
			continue;
		struct mean whole = mean_of_parts(kind, 0, DRIFT_PARTS);
		for (int part = 0; part < DRIFT_PARTS; part++) {
			ns[part] += (double)kind->ns[part];
			mean[part] +=
				(double)kind->count[part] * (double)whole.ns / (double)whole.count;
		}
		all += (double)whole.ns;
	}
	for (int part = 0; part < DRIFT_PARTS; part++)
		if (2 * DRIFT_PARTS * mean[part] >= all && ns[part] < fastest * mean[part])
			fastest = ns[part] / mean[part];
	for (int part = 0; part < DRIFT_PARTS; part++)
		if (mean[part] > 0 && ns[part] > fastest * mean[part])
			drift->slower[part] = ns[part] / mean[part] / fastest;
}

/* By how much later launches take longer than early ones, if nearly all kinds of kernels agree. */
static double drift_percent(const struct detect_slowdown_kinds *kinds)
{
	double agreeing = 0, excess = 0, late = 0;
	size_t count = 0;
	for (size_t i = 0; i < kinds->keys.count; i++) {
		struct compared compared = compare_kind(&kinds->items[i]);
		if (!is_comparable(&compared, DRIFT_MIN))
			continue;
		double ns = (double)compared.after.ns;
		count++;
		late += ns;
		excess += compared.excess;
		agreeing +=
			percent_of(compared.excess, ns - compared.excess) >= DRIFT_SLOWER ? ns : 0;
	}
	return count < DRIFT_KINDS || percent_of(agreeing, late) < DRIFT_AGREE
		       ? 0
		       : percent_of(excess, late - excess);
}

void drift_find(struct diagnosis *diagnosis, const struct progress *progress)
{
	const struct intervals *window = &diagnosis->window;
	struct drift *drift = &diagnosis->drift;
	struct diagnosis with_progress = *diagnosis;
	AUTO_INTERVALS struct intervals communication = { 0 };
	for (int part = 0; part < DRIFT_PARTS; part++)
		drift->slower[part] = 1;
	if (!window->count)
		return;
	drift->start = window->item[0].start;
	drift->end = window->item[window->count - 1].end;
	with_progress.progress = progress;
	with_progress.drift = *drift;
	collect_communication(&with_progress, &communication);
	struct detect_slowdown_kinds kinds =
		collect_kinds(&with_progress, part_in_time, &communication);
	drift->percent = drift_percent(&kinds);
	if (drift->percent >= SLOWER_PERCENT)
		find_rates(&kinds, drift);
	kinds_free(&kinds);
}

/* Kernel time of the marked steps beyond what as many kernels take in the fastest; NAN: too few. */
static double lost_by_step(const struct diagnosis *diagnosis)
{
	const struct derived *derived = diagnosis->derived;
	struct mean all = { 0, 0 },
		    *steps = mem_zalloc((size_t)derived->step_count + 1, sizeof *steps);
	double fastest = INFINITY;
	size_t near = 0;
	for (uint32_t i = 0; i < diagnosis->profile->activities && detect_row(diagnosis, i); i++) {
		int64_t dur = diagnosis->profile->activity_dur[i];
		uint32_t step =
			derived_step_near(derived, diagnosis->profile->activity_start[i], &near);
		if (!counts_as_kernel(diagnosis, i) || step == NO_ROW)
			continue;
		steps[step] = (struct mean){ steps[step].count + 1, steps[step].ns + dur };
		all = (struct mean){ all.count + 1, all.ns + dur };
	}
	for (uint32_t i = 0; i < derived->step_count; i++)
		if (2 * steps[i].count * derived->step_count >= all.count && steps[i].count)
			fastest = fmin(fastest, (double)steps[i].ns / (double)steps[i].count);
	mem_free(steps);
	return derived->steps_from_profile && derived->step_count >= DRIFT_STEPS
		       ? (double)all.ns - fastest * (double)all.count
		       : NAN;
}

/* What the clock slows down is all kernels, also those that are too short or rare to tell of it. */
static void claim_drift(const struct diagnosis *diagnosis, struct finding *finding)
{
	double lost = 0, by_step = lost_by_step(diagnosis);
	for (uint32_t i = 0; i < diagnosis->profile->activities && detect_row(diagnosis, i); i++) {
		double dur = (double)diagnosis->profile->activity_dur[i];
		if (!counts_as_kernel(diagnosis, i) || kernel_own_ns(diagnosis, i) >= dur)
			continue;
		lost += dur - kernel_own_ns(diagnosis, i);
		claim_activity(diagnosis, finding, i);
		blame_activity(diagnosis, finding, i);
	}
	finding->cost_ns = (int64_t)(by_step >= 0 ? by_step : lost);
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
	AUTO_FREE uint8_t *named = mem_zalloc((size_t)intern_count(profile->strings) + 1, 1);
	for (size_t i = 0; i < profile->counter_count && detect_row(diagnosis, i); i++) {
		const struct counter *at = &profile->counters[i];
		if (!named[at->name])
			named[at->name] = names_clock(profile_string(profile, at->name)) ? 1 : 2;
		if (named[at->name] != 1 || (clock.name != NO_ROW && clock.name != at->name))
			continue;
		clock.name = at->name;
		raise_to(clock.max, at->value);
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
	return clock;
}

struct reason {
	int64_t samples, on;
	uint32_t name;
};

/* The reason for lower clocks that most of the samples in the window have; on 0: none. */
static struct reason reason_of(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	AUTO_KEYED struct keyed keys = { 0 };
	struct reason *reasons = NULL, most = { 0 };
	for (size_t i = 0; i < profile->counter_count && detect_row(diagnosis, i); i++) {
		const struct counter *at = &profile->counters[i];
		if (!in_window(diagnosis, at->time) ||
		    !strstr(profile_string(profile, at->name), COUNTER_THROTTLED))
			continue;
		struct reason *reason = keyed_item(&keys, reasons, &at->name);
		reason->samples++;
		reason->on += at->value > 0;
		reason->name = at->name;
	}
	for (uint32_t i = 0; i < keys.count; i++)
		most = reasons[i].on > most.on ? reasons[i] : most;
	mem_free(reasons);
	return most;
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
	struct reason reason = reason_of(diagnosis);
	if (reason.on)
		buffer_printf(&finding->evidence, "; %s in %s %% of samples",
			      profile_string(diagnosis->profile, reason.name),
			      PERCENT(reason.on, reason.samples));
}

void detect_throttling(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct clock_rate clock = clock_of(diagnosis);
	bool drifts = diagnosis->drift.percent >= SLOWER_PERCENT;
	bool low = clock.samples >= CLOCK_SAMPLES &&
		   percent_of((double)clock.low, (double)clock.samples) >= CLOCK_PERCENT;
	if (!drifts && !low)
		report_ok(finding, "Kernels take as long at the end as at the start.");
	else if (drifts)
		report_problem(
			finding,
			"The same kernels take %s %% longer in the last third of the window than in the first",
			PERCENT(diagnosis->drift.percent, 100));
	else
		report_problem(finding, "%s", "");
	if (finding->answer == ANSWER_FIRED && low)
		tell_clock(diagnosis, finding, &clock);
	if (drifts)
		claim_drift(diagnosis, finding);
}
