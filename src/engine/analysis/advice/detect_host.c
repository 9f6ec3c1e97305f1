/*
 * Detectors of host problems: does it keep the devices busy?
 */
#include "analysis/advice/refill.h"
#include "model/recording.h"

#include <string.h>

enum {
	LAUNCH_BOUND_PERCENT = 10,
	STACKS_BUSY_PERCENT = 60,
	HOST_BOUND_PERCENT = 10,
	SYNC_PERCENT = 2,
	QUEUE_CALL_NS = 1000000,
	QUEUE_PERCENT = 5,
	SMALL_KERNEL_NS = 10000,
	SMALL_KERNELS_MIN = 50,
	COMPILE_PERCENT = 1,
	OPTIMIZER_PERCENT = 10,
	OPTIMIZER_LAUNCHES = 20,
	BLOCKING_KERNEL_NS = 20000,
	BLOCKING_CALLS = 20,
	BLOCKING_PERCENT = 95,
	ONE_GAP_NS = 10000000,
	SMALL_LOST_PERCENT = 1,
};

static int64_t a_step(const struct diagnosis *diagnosis, int64_t ns)
{
	return diagnosis->steps ? ns / diagnosis->steps : ns;
}

/* Without marked steps the whole is one. */
static const char *per_step(const struct diagnosis *diagnosis)
{
	return diagnosis->derived->steps_from_profile ? " per step" : "";
}

/* A single gap of these is not typical of the program: tell where it is. */
static void name_one_gap(const struct diagnosis *diagnosis, struct finding *finding,
			 enum time_cause cause)
{
	struct interval gap = diagnosis->device->analysis_window.cause_longest[cause];
	int64_t ns = gap.end - gap.start, all_ns = diagnosis->cause_ns[cause];
	if (ns < ONE_GAP_NS || 2 * ns <= all_ns)
		return;
	buffer_printf(&finding->evidence, "; one gap of %s at %s", DURATION(ns),
		      DURATION(gap.start));
	finding->recommendation =
		"Inspect this gap on the timeline; if it is one-off work (library loading, algorithm search, first use of an operator), start the capture after warm-up.";
}

static bool stacks_slow_down(const struct diagnosis *diagnosis)
{
	return diagnosis->stacks &&
	       window_percent(diagnosis, causes_busy(diagnosis->cause_ns)) >= STACKS_BUSY_PERCENT;
}

/* Fire when idle time of a cause exceeds LIMIT percent of the steps. */
static void detect_idle(const struct diagnosis *diagnosis, struct finding *finding,
			enum time_cause cause, double limit, const char *doing)
{
	int64_t ns = diagnosis->cause_ns[cause];
	if (!need_kernels(diagnosis, finding))
		return;
	if (window_percent(diagnosis, ns) < limit) {
		report_ok(finding, "The GPU is idle for %s while the CPU %s.",
			  share_of_time(SHARE, diagnosis, ns), doing);
		return;
	}
	blame_cause_in(diagnosis, finding, cause, &diagnosis->window);
	if (cause == CAUSE_HOST && stacks_slow_down(diagnosis) &&
	    !blame_has_one_place(diagnosis, &finding->blame)) {
		report_unknown(
			finding, profile_recording(diagnosis->profile)->lighter,
			"Python stacks slow down the host, and the GPU is busy most of the time.");
		return;
	}
	report_problem(finding, "The GPU is idle for %s%s (%s) while the CPU %s",
		       DURATION(a_step(diagnosis, ns)), per_step(diagnosis),
		       share_of_time(SHARE, diagnosis, ns), doing);
	claim_cause(diagnosis, finding, cause);
	if (cause != CAUSE_COMPILE)
		name_one_gap(diagnosis, finding, cause);
	blame_settle(diagnosis, finding);
	qualify_by_stacks(diagnosis, finding);
}

/* ---- launching ---- */

/* Launches that found the queue empty: their work began as soon as it could. */
static void tell_queue(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	int64_t launches = 0, empty = 0;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t launch = profile->activity_launch[i];
		if (launch == NO_ROW || profile->activity_kind[i] != ACTIVITY_KERNEL ||
		    !is_critical(diagnosis, i))
			continue;
		int64_t end = profile_span_end(profile, launch);
		launches++;
		empty += profile->activity_start[i] <= end + LAUNCH_LATENCY_MAX;
	}
	if (launches)
		buffer_printf(&finding->evidence, "; the queue is empty at %s %% of %s launches",
			      PERCENT(empty, launches), COUNT(launches));
}

void detect_launch_bound(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (stacks_slow_down(diagnosis)) {
		report_unknown(
			finding, profile_recording(diagnosis->profile)->lighter,
			"Python stacks slow down the launches, and the GPU is busy most of the time.");
		return;
	}
	detect_idle(diagnosis, finding, CAUSE_LAUNCH, LAUNCH_BOUND_PERCENT, "launches work");
	if (finding->answer == ANSWER_FIRED)
		tell_queue(diagnosis, finding);
}

/* Launch calls of kernels that last longer than a call; and those that return after them. */
struct blocking {
	int64_t calls, blocked;
	struct intervals set; /* those calls; the caller frees */
};

static struct blocking find_blocking(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	struct blocking blocking = { 0 };
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t launch = profile->activity_launch[i];
		int64_t end = profile_activity_end(profile, i);
		if (launch == NO_ROW || profile->activity_kind[i] != ACTIVITY_KERNEL ||
		    profile->activity_dur[i] < BLOCKING_KERNEL_NS || !activity_counts(diagnosis, i))
			continue;
		int64_t start = profile->span_start[launch];
		blocking.calls++;
		if (start + profile->span_dur[launch] < end)
			continue;
		blocking.blocked++;
		intervals_add(&blocking.set, start, start + profile->span_dur[launch]);
	}
	return blocking;
}

static bool is_blocking(const struct blocking *blocking)
{
	return blocking->calls >= BLOCKING_CALLS &&
	       100 * blocking->blocked >= BLOCKING_PERCENT * blocking->calls;
}

void detect_blocking_launches(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct blocking blocking = find_blocking(diagnosis);
	int64_t ns = claim_common(diagnosis, finding, &blocking.set, &diagnosis->idle);
	finding->cost_ns = ns;
	if (is_blocking(&blocking))
		report_problem(
			finding,
			"%s of %s launch calls of kernels of 20 us or more return only after their kernel; the GPU is idle for %s of them",
			COUNT(blocking.blocked), COUNT(blocking.calls), DURATION(ns));
	else if (blocking.calls < BLOCKING_CALLS)
		report_ok(finding, "%s kernel%s of 20 us or more have a launch call.",
			  COUNT(blocking.calls), PLURAL(blocking.calls));
	else
		report_ok(finding, "%s of %s launch calls return after their kernel.",
			  COUNT(blocking.blocked), COUNT(blocking.calls));
}

static bool launches_block(const struct diagnosis *diagnosis)
{
	struct blocking blocking = find_blocking(diagnosis);
	intervals_free(&blocking.set);
	return is_blocking(&blocking);
}

/* Launch calls that wait because the queue is full cost nothing: the GPU works. */
void detect_queue_full(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	int64_t calls = 0, waited = 0, longest = 0;
	if (launches_block(diagnosis)) {
		report_ok(finding, "Launch calls wait for their own kernels.");
		return;
	}
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++) {
		int64_t start = profile->span_start[i], dur = profile->span_dur[i];
		if (profile->span_kind[i] != SPAN_RUNTIME || dur < QUEUE_CALL_NS ||
		    !span_counts(diagnosis, i) ||
		    diagnosis->causes->span_cause[i] == CAUSE_COMPILE || /* loads its kernel */
		    !name_has(diagnosis, profile->span_name[i], MARK_LAUNCH))
			continue;
		int64_t busy = dur - intervals_length_in(&diagnosis->idle, start, start + dur);
		if (2 * busy < dur)
			continue;
		calls++;
		waited += busy;
		if (dur <= longest)
			continue;
		longest = dur;
		finding->longest = (struct interval){ start, start + dur };
	}
	if (window_percent(diagnosis, waited) >= QUEUE_PERCENT)
		report_problem(
			finding,
			"%s launch call%s of 1 ms or more, %s in all, while the GPU works; the longest takes %s",
			COUNT(calls), PLURAL(calls), DURATION(waited), DURATION(longest));
	else
		report_ok(finding, "%s launch call%s of 1 ms or more while the GPU works.",
			  COUNT(calls), PLURAL(calls));
}

/* ---- other work of the host ---- */

static bool is_host_bound(const struct diagnosis *diagnosis, int64_t ns)
{
	return window_percent(diagnosis, ns) >= HOST_BOUND_PERCENT;
}

/* Host time of the steps before their first device work, without a data loader. */
static void find_preprocessing(const struct diagnosis *diagnosis, struct intervals *out)
{
	const struct profile *profile = diagnosis->profile;
	const struct derived *derived = diagnosis->derived;
	struct intervals before = { 0 };
	if (!derived->steps_from_profile || diagnosis->cause_ns[CAUSE_DATALOADER] ||
	    !is_host_bound(diagnosis, diagnosis->cause_ns[CAUSE_HOST]))
		return;
	int64_t *first = mem_alloc(((size_t)derived->step_count + 1) * sizeof *first);
	size_t near = 0;
	for (uint32_t i = 0; i < derived->step_count; i++)
		first[i] = derived->steps[i].start;
	uint8_t *seen = mem_zalloc((size_t)derived->step_count + 1, 1);
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		int64_t start = profile->activity_start[i];
		if (!is_critical(diagnosis, i))
			continue;
		uint32_t step = derived_step_near(derived, start, &near);
		if (step == NO_ROW || (seen[step] && first[step] <= start))
			continue;
		first[step] = start;
		seen[step] = 1;
	}
	for (uint32_t i = 0; i < derived->step_count; i++)
		intervals_add(&before, derived->steps[i].start, first[i]);
	mem_free(first);
	mem_free(seen);
	intervals_merge(&before);
	intervals_intersect(&before, &diagnosis->window, &before);
	causes_set_in(diagnosis->device, CAUSE_HOST, &before, out);
	intervals_free(&before);
	if (!is_host_bound(diagnosis, intervals_length(out)))
		intervals_free(out);
}

void detect_preprocessing(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct intervals before = { 0 };
	find_preprocessing(diagnosis, &before);
	int64_t ns = intervals_length(&before);
	if (!ns) {
		report_ok(finding,
			  "Under %d %% of step time is host work before the first GPU work.",
			  HOST_BOUND_PERCENT);
		return;
	}
	report_problem(
		finding,
		"The GPU is idle for %s per step (%s) before its first work, while the CPU launches nothing",
		DURATION(a_step(diagnosis, ns)), share_of_time(SHARE, diagnosis, ns));
	blame_cause_in(diagnosis, finding, CAUSE_HOST, &before);
	blame_settle(diagnosis, finding);
	qualify_by_stacks(diagnosis, finding);
	claim_common(diagnosis, finding, &before, &diagnosis->window);
}

void detect_host_bound(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct intervals before = { 0 };
	struct diagnosis without = *diagnosis;
	find_preprocessing(diagnosis, &before);
	without.cause_ns[CAUSE_HOST] -= intervals_length(&before);
	detect_idle(&without, finding, CAUSE_HOST, HOST_BOUND_PERCENT,
		    "does work that launches nothing");
	if (before.count)
		claim_without(diagnosis, finding, &before);
	intervals_free(&before);
}

void detect_compilation(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (!diagnosis->derived->steps_from_profile || diagnosis->derived->step_count < 2)
		report_unknown(finding, how_to_get_steps(diagnosis),
			       "No steps follow the first one, in which code is compiled.");
	else
		detect_idle(diagnosis, finding, CAUSE_COMPILE, COMPILE_PERCENT,
			    "compiles code or loads modules");
	if (finding->answer == ANSWER_FIRED && !(diagnosis->any_roles & NAME_COMPILE)) {
		finding->title = "Kernel loading in the steps";
		finding->recommendation =
			"Run each kernel once before the capture starts: first launches load it.";
	}
}

/* ---- synchronization ---- */

/* A runtime call that itself waits, rather than being inside one. */
static bool is_wait(const struct diagnosis *diagnosis, uint32_t span, void *context)
{
	return diagnosis->profile->span_kind[span] == SPAN_RUNTIME &&
	       diagnosis->causes->span_cause[span] == CAUSE_SYNC;
}

void detect_synchronization(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct span_sum waits = sum_spans(
		diagnosis, NULL,
		&(struct span_check){ .match = is_wait, .spans = diagnosis->profile->spans });
	struct refill idle = claim_refill(diagnosis, finding, CAUSE_SYNC, &diagnosis->window);
	if (window_percent(diagnosis, idle.in_calls + idle.after) < SYNC_PERCENT) {
		report_ok(
			finding,
			"The GPU is idle inside %s blocking calls, and until its queue is filled again, for %s; waiting for a busy GPU costs nothing.",
			COUNT(waits.calls),
			share_of_time(SHARE, diagnosis, idle.in_calls + idle.after));
		return;
	}
	report_problem(finding,
		       "%s blocking %s for %s in all; the GPU is idle inside %s for %s%s (%s)",
		       COUNT(waits.calls), waits.calls == 1 ? "call waits" : "calls wait",
		       DURATION(waits.ns), waits.calls == 1 ? "it" : "them",
		       DURATION(a_step(diagnosis, idle.in_calls)), per_step(diagnosis),
		       share_of_time(SHARE, diagnosis, idle.in_calls));
	tell_refill(diagnosis, finding, &idle);
	blame_cause_in(diagnosis, finding, CAUSE_SYNC, &diagnosis->window);
}

/* ---- launches ---- */

/* By call: number of activities launched. */
static uint32_t *count_launched(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t *launched = mem_zalloc((size_t)profile->spans + 1, sizeof *launched);
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++)
		if (profile->activity_launch[i] != NO_ROW)
			launched[profile->activity_launch[i]]++;
	return launched;
}

struct small_kernels {
	int64_t count, small; /* kernels, and those that are short */
	/* of the short ones: replayed in a graph; host time beyond theirs */
	int64_t replayed, lost;
};

static struct small_kernels count_small(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	struct small_kernels found = { 0 };
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		if (profile->activity_kind[i] != ACTIVITY_KERNEL || !activity_counts(diagnosis, i))
			continue;
		found.count++;
		found.small += profile->activity_dur[i] < SMALL_KERNEL_NS;
	}
	return found;
}

/* What launching the small ones costs, and who launches them. */
static void add_launches(const struct diagnosis *diagnosis, struct finding *finding,
			 struct small_kernels *found)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t *launched = count_launched(diagnosis);
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t launch = profile->activity_launch[i];
		if (profile->activity_kind[i] != ACTIVITY_KERNEL ||
		    !activity_counts(diagnosis, i) || profile->activity_dur[i] >= SMALL_KERNEL_NS)
			continue;
		blame_activity(diagnosis, finding, i);
		if (launch == NO_ROW)
			continue;
		int64_t over =
			profile->span_dur[launch] / launched[launch] - profile->activity_dur[i];
		found->replayed += name_has(diagnosis, profile->span_name[launch], MARK_REPLAY);
		found->lost += over > 0 ? over : 0;
	}
	mem_free(launched);
}

void detect_small_kernels(const struct diagnosis *diagnosis, struct finding *finding)
{
	int64_t idle = intervals_length(&diagnosis->idle);
	int64_t max = diagnosis->cause_ns[CAUSE_LAUNCH];
	struct small_kernels found = count_small(diagnosis);
	int64_t small = found.small, count = found.count;
	bool fires = small >= SMALL_KERNELS_MIN && 2 * small > count && 10 * idle > diagnosis->dur;
	if (fires)
		add_launches(diagnosis, finding, &found);
	int64_t lost = found.lost < max ? found.lost : max;
	if (!fires || window_percent(diagnosis, lost) < SMALL_LOST_PERCENT) {
		report_ok(finding,
			  "%s of %s kernels are shorter than 10 us; the GPU is idle for %s.",
			  COUNT(small), COUNT(count), share_of_time(SHARE, diagnosis, idle));
		return;
	}
	report_problem(
		finding,
		"%s of %s kernels are shorter than 10 us; the GPU is idle for %s, %s of it because launch calls take longer than the kernels",
		COUNT(small), COUNT(count), share_of_time(SHARE, diagnosis, idle), DURATION(lost));
	finding->recommendation =
		2 * found.replayed > small
			? "Fuse them with torch.compile, fused operators or batched calls; they are replayed as a graph already."
			: "Fuse them with torch.compile, fused operators or batched calls, or replay them as a CUDA graph.";
}

/* Does anything inside this call update many parameters at once? */
static bool is_fused(const struct diagnosis *diagnosis, uint32_t span)
{
	const struct profile *profile = diagnosis->profile;
	for (uint32_t i = span; i < span + profile->span_size[span]; i++)
		if (name_has(diagnosis, profile->span_name[i], MARK_MANY_AT_ONCE))
			return true;
	return false;
}

struct optimizer_steps {
	int64_t launches, fused;
};

static bool is_optimizer_step(const struct diagnosis *diagnosis, uint32_t span, void *context)
{
	const struct profile *profile = diagnosis->profile;
	const struct derived *derived = diagnosis->derived;
	struct optimizer_steps *steps = context;
	if (!(derived->role[profile->span_name[span]] & NAME_OPTIMIZER) ||
	    profile->span_kind[span] == SPAN_GPU_ANNOTATION ||
	    !strstr(profile_string(profile, profile->span_name[span]), ".step"))
		return false;
	steps->launches += derived->gpu_count_prefix[span + profile->span_size[span]] -
			   derived->gpu_count_prefix[span];
	steps->fused += is_fused(diagnosis, span);
	return true;
}

void detect_optimizer(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct optimizer_steps steps = { 0 };
	struct span_sum sum =
		sum_spans(diagnosis, NULL,
			  &(struct span_check){ .match = is_optimizer_step,
						.spans = spans_in_role(diagnosis, NAME_OPTIMIZER),
						.context = &steps });
	if (!sum.calls)
		report_unknown(finding, "Record CPU events too; torch.optim marks its steps.",
			       "No Optimizer.step was recorded.");
	else if (steps.fused || steps.launches <= OPTIMIZER_LAUNCHES * sum.calls ||
		 window_percent(diagnosis, sum.covered_ns) < OPTIMIZER_PERCENT)
		report_ok(finding, "Optimizer.step takes %s with %s launches per call.",
			  share_of_time(SHARE, diagnosis, sum.covered_ns),
			  COUNT(steps.launches / sum.calls));
	else
		report_problem(
			finding,
			"Optimizer.step takes %s with %s launches per call, none of them fused; the GPU is idle for %s of it",
			share_of_time(SHARE, diagnosis, sum.covered_ns),
			COUNT(steps.launches / sum.calls), DURATION(sum.claimed_ns));
}
