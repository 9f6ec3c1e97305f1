/*
 * Detectors of host problems: does it keep the devices busy?
 */
#include "analysis/advice/refill.h"
#include "base/any_of.h"
#include "model/recording.h"

enum { HOST_LIMIT_ROWS(_) };

static int64_t a_step(const struct diagnosis *diagnosis, int64_t ns)
{
	return diagnosis->steps ? ns / diagnosis->steps : ns;
}

/* Without marked steps the whole is one. */
static const char *per_step(const struct diagnosis *diagnosis)
{
	return diagnosis->derived->steps_from_profile ? " per step" : "";
}

/* Idle time that a check is about. */
struct detect_host_idle {
	enum time_cause cause; /* of the CPU events in it */
	int64_t ns;
	struct interval longest;
	const struct intervals *within; /* merged: where these events are */
};

static struct detect_host_idle idle_of_cause(const struct diagnosis *diagnosis,
					     enum time_cause cause)
{
	return (struct detect_host_idle){ cause, diagnosis->cause_ns[cause],
					  diagnosis->device->analysis_window.cause_longest[cause],
					  &diagnosis->window };
}

/* A single gap of these is not typical of the program: tell where it is. */
static void name_one_gap(struct finding *finding, const struct detect_host_idle *idle)
{
	int64_t ns = idle->longest.end - idle->longest.start;
	if (ns < ONE_GAP_NS || 2 * ns <= idle->ns)
		return;
	buffer_printf(&finding->evidence, "; one gap of %s at %s", DURATION(ns),
		      DURATION(idle->longest.start));
	finding->recommendation =
		"Inspect this gap on the timeline; if it is one-off work (library loading, algorithm search, first use of an operator), start the capture after warm-up.";
}

static bool stacks_slow_down(const struct diagnosis *diagnosis)
{
	return diagnosis->stacks &&
	       window_percent(diagnosis, causes_busy(diagnosis->cause_ns)) >= STACKS_BUSY_PERCENT;
}

/* Fire when this idle time exceeds LIMIT percent of the steps; the caller claims it. */
static void detect_idle(const struct diagnosis *diagnosis, struct finding *finding,
			const struct detect_host_idle *idle, double limit, const char *doing)
{
	if (!need_kernels(diagnosis, finding))
		return;
	if (window_percent(diagnosis, idle->ns) < limit) {
		report_ok(finding, "The GPU is idle for %s while the CPU %s.",
			  share_of_time(SHARE, diagnosis, idle->ns), doing);
		return;
	}
	blame_cause_in(diagnosis, finding, idle->cause, idle->within);
	if (finding->blame.total < idle->ns) /* the rest is between events */
		finding->blame.total = idle->ns;
	if (idle->cause == CAUSE_HOST && stacks_slow_down(diagnosis) &&
	    !blame_has_one_place(diagnosis, &finding->blame)) {
		report_unknown(
			finding, profile_recording(diagnosis->profile)->lighter,
			"Python stacks slow down the host, and the GPU is busy most of the time.");
		return;
	}
	report_problem(finding, "The GPU is idle for %s%s (%s) while the CPU %s",
		       DURATION(a_step(diagnosis, idle->ns)), per_step(diagnosis),
		       share_of_time(SHARE, diagnosis, idle->ns), doing);
	finding->cost_ns = idle->ns;
	if (idle->cause != CAUSE_COMPILE)
		name_one_gap(finding, idle);
	blame_settle(diagnosis, finding);
	qualify_by_stacks(diagnosis, finding);
}

/* ---- launching ---- */

/* Launches, and those that found the queue empty: their work began at once, or nothing ran. */
struct queue {
	int64_t launches, empty;
	int64_t kernels, small, replayed; /* launched; short ones; those of graphs */
};

static struct queue find_queue(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	struct queue queue = { 0 };
	uint32_t last = NO_ROW;
	for (uint32_t i = 0; i < profile->activities && detect_heavy_row(diagnosis, i); i++) {
		uint32_t launch = profile->activity_launch[i];
		if (launch == NO_ROW || profile->activity_kind[i] != ACTIVITY_KERNEL ||
		    !is_critical(diagnosis, i))
			continue;
		queue.kernels++;
		queue.small += profile->activity_dur[i] < SMALL_KERNEL_NS;
		queue.replayed += name_has(diagnosis, profile->span_name[launch], MARK_REPLAY);
		if (launch == last)
			continue;
		int64_t end = profile_span_end(profile, last = launch);
		queue.launches++;
		queue.empty += profile->activity_start[i] <= end + LAUNCH_LATENCY_MAX ||
			       intervals_length_in(&diagnosis->idle, end, end + 1);
	}
	return queue;
}

/* Of the idle time while the host launches what is left if it did not wait in a step before. */
static int64_t launching_alone(const struct diagnosis *diagnosis, int64_t launching)
{
	AUTO_INTERVALS struct intervals filled = { 0 };
	if (!refill_is_one_a_step(diagnosis, refill_after_cause(diagnosis, CAUSE_SYNC, &filled)))
		launching -= intervals_length(&filled);
	return launching;
}

/* Does the GPU wait for launches, and is that no consequence? Otherwise answers. */
static bool is_launching(const struct diagnosis *diagnosis, struct finding *finding, int64_t idle,
			 const struct queue *queue)
{
	if (window_percent(diagnosis, launching_alone(diagnosis, idle)) < LAUNCH_BOUND_PERCENT)
		report_ok(
			finding,
			"The GPU is idle for %s while the CPU launches work, most of it because the CPU waited for it before.",
			share_of_time(SHARE, diagnosis, idle));
	else if (100 * queue->empty < QUEUE_EMPTY_PERCENT * queue->launches)
		report_ok(finding, "The queue is empty at %s %% of %s launches.",
			  PERCENT(queue->empty, queue->launches), COUNT(queue->launches));
	else
		return true;
	return false;
}

static void tell_queue(struct finding *finding, const struct queue *queue)
{
	buffer_printf(&finding->evidence, "; the queue is empty at %s %% of %s launches",
		      PERCENT(queue->empty, queue->launches), COUNT(queue->launches));
	if (2 * queue->small > queue->kernels)
		buffer_printf(&finding->evidence, ", %s %% of the kernels are shorter than 10 us",
			      PERCENT(queue->small, queue->kernels));
	if (2 * queue->replayed > queue->kernels)
		finding->recommendation =
			"Fuse them with torch.compile, fused operators or batched calls; they are replayed as a graph already.";
}

void detect_launch_bound(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct detect_host_idle idle = idle_of_cause(diagnosis, CAUSE_LAUNCH);
	if (stacks_slow_down(diagnosis)) {
		report_unknown(
			finding, profile_recording(diagnosis->profile)->lighter,
			"Python stacks slow down the launches, and the GPU is busy most of the time.");
		return;
	}
	struct queue queue = find_queue(diagnosis);
	if (window_percent(diagnosis, idle.ns) >= LAUNCH_BOUND_PERCENT &&
	    !is_launching(diagnosis, finding, idle.ns, &queue))
		return;
	claim_cause(diagnosis, finding, CAUSE_LAUNCH);
	detect_idle(diagnosis, finding, &idle, LAUNCH_BOUND_PERCENT,
		    "launches work or pauses briefly between launches");
	if (finding->answer == ANSWER_FIRED && queue.launches)
		tell_queue(finding, &queue);
}

#define UNLINKED "No GPU event is linked to its launch call."
/* Launch calls of kernels that last longer than a call; and those that return after them. */
struct blocking {
	int64_t calls, blocked;
	bool linked;           /* is any GPU event linked to its call? */
	uint8_t *returns_late; /* by span: a launch call that returns after its kernel */
};

static struct blocking find_blocking(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	struct blocking blocking = { .returns_late = mem_zalloc((size_t)profile->spans + 1, 1) };
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t launch = profile->activity_launch[i];
		blocking.linked |= launch != NO_ROW;
		if (launch == NO_ROW || profile->activity_kind[i] != ACTIVITY_KERNEL ||
		    !activity_counts(diagnosis, i))
			continue;
		bool late = profile_span_end(profile, launch) >= profile_activity_end(profile, i);
		blocking.returns_late[launch] = late;
		if (profile->activity_dur[i] < BLOCKING_KERNEL_NS)
			continue;
		blocking.calls++;
		blocking.blocked += late;
	}
	return blocking;
}

static bool is_blocking(const struct blocking *blocking)
{
	return blocking->calls >= BLOCKING_CALLS &&
	       100 * blocking->blocked >= BLOCKING_PERCENT * blocking->calls;
}

static bool returns_late(const struct diagnosis *diagnosis, uint32_t span, void *context)
{
	return ((const struct blocking *)context)->returns_late[span];
}

void detect_blocking_launches(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct blocking blocking = find_blocking(diagnosis);
	struct intervals waits = { 0 };
	if (is_blocking(&blocking)) {
		refill_after(diagnosis, returns_late, &blocking, &waits);
		int64_t ns = claim_common(diagnosis, finding, &waits, &diagnosis->window);
		report_problem(
			finding,
			"%s of %s launch calls of kernels of 20 us or more return only after their kernel; without that the CPU would launch ahead for %s, in which the GPU is idle",
			COUNT(blocking.blocked), COUNT(blocking.calls),
			share_of_time(SHARE, diagnosis, ns));
	} else if (!blocking.linked)
		report_unknown(finding, NULL, UNLINKED);
	else if (blocking.calls < BLOCKING_CALLS)
		report_ok(finding, "%s kernel%s of 20 us or more have a launch call.",
			  COUNT(blocking.calls), PLURAL(blocking.calls));
	else
		report_ok(finding, "%s of %s launch calls return after their kernel.",
			  COUNT(blocking.blocked), COUNT(blocking.calls));
	mem_free(blocking.returns_late);
}

/* Launch calls that wait because the queue is full cost nothing: the GPU works. */
void detect_queue_full(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	int64_t calls = 0, waited = 0, longest = 0;
	struct blocking blocking = find_blocking(diagnosis);
	mem_free(blocking.returns_late);
	if (!blocking.linked) {
		report_unknown(finding, NULL, UNLINKED);
		return;
	}
	if (is_blocking(&blocking)) {
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

static bool is_preprocessing(const struct diagnosis *diagnosis, int64_t ns)
{
	return window_percent(diagnosis, ns) >= PREPROCESSING_PERCENT;
}

/* Host time of the steps before their first device work, without a data loader. */
static void find_preprocessing(const struct diagnosis *diagnosis, struct intervals *out)
{
	const struct profile *profile = diagnosis->profile;
	const struct derived *derived = diagnosis->derived;
	AUTO_INTERVALS struct intervals before = { 0 };
	if (!derived->steps_from_profile || diagnosis->cause_ns[CAUSE_DATALOADER] ||
	    !is_preprocessing(diagnosis, diagnosis->cause_ns[CAUSE_HOST]))
		return;
	AUTO_FREE int64_t *first = mem_alloc(((size_t)derived->step_count + 1) * sizeof *first);
	size_t near = 0;
	for (uint32_t i = 0; i < derived->step_count; i++)
		first[i] = INT64_MAX;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		int64_t start = profile->activity_start[i];
		if (!is_critical(diagnosis, i))
			continue;
		uint32_t step = derived_step_near(derived, start, &near);
		if (step != NO_ROW && start < first[step])
			first[step] = start;
	}
	for (uint32_t i = 0; i < derived->step_count; i++)
		if (first[i] != INT64_MAX)
			intervals_add(&before, derived->steps[i].start, first[i]);
	intervals_merge(&before);
	intervals_intersect(&before, &diagnosis->window, &before);
	causes_set_in(diagnosis->device, CAUSE_HOST, &before, out);
	if (!is_preprocessing(diagnosis, intervals_length(out)))
		intervals_free(out);
}

void detect_cpu_preprocessing(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct intervals before = { 0 };
	find_preprocessing(diagnosis, &before);
	int64_t ns = intervals_length(&before);
	if (ns && !profile_has_recorded(diagnosis->profile, RECORDED_CATEGORIES)) {
		report_unknown(finding, NULL, "Not all CPU events have a category.");
		intervals_free(&before);
		return;
	}
	if (!ns) {
		report_ok(finding,
			  "Under %d %% of step time is host work before the first GPU work.",
			  PREPROCESSING_PERCENT);
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

/*
 * Is what launches a thread of its own, so that it is at work where it has no event: in Python, or
 * in a library? Of a pool of threads those without events rather have nothing to do.
 */
static bool knows_launching_thread(const struct diagnosis *diagnosis)
{
	size_t threads = 0;
	for (uint32_t t = 0; t < diagnosis->profile->track_count; t++)
		threads += diagnosis->launching[t];
	return threads > 0 && threads <= 2 * diagnosis->device_count; /* forward and backward */
}

static void find_silence(const struct diagnosis *diagnosis, bool known, struct intervals *out)
{
	if (knows_launching_thread(diagnosis) == known)
		causes_set_in(diagnosis->device, CAUSE_UNKNOWN, &diagnosis->window, out);
}

/* Add the pauses in recorded work that is no preprocessing. */
static void find_pauses(const struct diagnosis *diagnosis, struct intervals *out)
{
	AUTO_INTERVALS struct intervals named = { 0 }, before = { 0 };
	causes_set_in(diagnosis->device, CAUSE_HOST, &diagnosis->window, &named);
	find_preprocessing(diagnosis, &before);
	intervals_subtract(&named, &before, &named);
	intervals_unite(out, &named, out);
}

/* "CPU work" that is none, where the scheduler was recorded: a sleep, a lock, another process. */
static void say_if_off_cpu(const struct diagnosis *diagnosis, struct finding *finding,
			   const struct intervals *pauses)
{
	AUTO_INTERVALS struct intervals off = { 0 };
	intervals_intersect(pauses, &diagnosis->window, &off);
	int64_t ns = intervals_length(&off);
	if (!keep_off_cpu(diagnosis, &off) || 2 * intervals_length(&off) <= ns)
		return;
	buffer_printf(&finding->evidence, "; the launching threads are off-CPU for %s %% of it",
		      PERCENT(intervals_length(&off), ns));
	finding->recommendation =
		"Find what the launching threads wait for in samples and OS calls: a sleep, a lock, I/O, another process.";
}

void detect_host_bound(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct intervals pauses = { 0 };
	find_silence(diagnosis, true, &pauses);
	int64_t silent = intervals_length(&pauses);
	find_pauses(diagnosis, &pauses);
	struct detect_host_idle idle = { CAUSE_HOST, intervals_length(&pauses),
					 intervals_longest(&pauses), &pauses };
	detect_idle(diagnosis, finding, &idle, HOST_BOUND_PERCENT,
		    "does work that launches nothing");
	if (finding->answer == ANSWER_FIRED && 2 * silent > idle.ns) {
		buffer_printf(&finding->evidence, "; %s %% of it without CPU events",
			      PERCENT(silent, idle.ns));
		finding->recommendation =
			"Record Python stacks to name this work (logging, checkpoints, garbage collection: gc.freeze() after the setup), and move it off the launching thread.";
	}
	if (finding->answer == ANSWER_FIRED)
		say_if_off_cpu(diagnosis, finding, &pauses);
	claim_common(diagnosis, finding, &pauses, &diagnosis->window);
}

/* Without a cause nothing can be said of what is saved. */
void detect_idle_unknown(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct intervals silence = { 0 };
	find_silence(diagnosis, false, &silence);
	int64_t ns = claim_common(diagnosis, NULL, &silence, &diagnosis->window);
	const struct profile *profile = diagnosis->profile;
	bool linked = any_of(i, profile->activities, profile->activity_launch[i] != NO_ROW);
	/* operators were recorded, not what they launch */
	bool apart = !linked && profile_all_spans(profile, SPAN_OPERATOR);
	finding->recommendation =
		profile_how_to_record(profile, RECORDED_CALLS)
			?: apart ? "Inspect the CPU threads beside the gaps on the timeline."
				 : profile_recording(profile)->operators;
	if (window_percent(diagnosis, ns) < UNKNOWN_PERCENT)
		report_ok(finding, "The GPU is idle for %s without a recorded cause.",
			  share_of_time(SHARE, diagnosis, ns));
	else
		report_problem(
			finding, "The GPU is idle for %s%s (%s), %s",
			DURATION(a_step(diagnosis, ns)), per_step(diagnosis),
			share_of_time(SHARE, diagnosis, ns),
			apart ? "and no call in the profile launches its work, so that the thread to look at is not known"
			      : "in which the profile has no CPU event of the thread that launches");
	/* a GPU that is idle for longer has a headline, which says so before all others */
	if (2 * intervals_length(&diagnosis->idle) <= diagnosis->dur)
		finding->unexplained_ns = ns;
}

/* By the log, the recompilation that took longest: the guard that failed, and what avoids that. */
static void name_guard(const struct profile *profile, struct finding *finding)
{
	const struct compile_log *log = profile->compile;
	const struct compile_item *longest = NULL;
	AUTO_BUFFER struct buffer words = { 0 }, how = { 0 };
	for (size_t i = 0; log && i < log->items[OF_COMPILATION].count; i++) {
		const struct compile_item *item = &log->items[OF_COMPILATION].at[i];
		if (item->text[COMPILE_REASON] &&
		    item->number[COMPILE_TOTAL] > (longest ? longest->number[COMPILE_TOTAL] : 0))
			longest = item;
	}
	if (!longest)
		return;
	compile_reason_words(profile_string(profile, longest->text[COMPILE_REASON]), &words, &how);
	buffer_printf(&finding->evidence, "; %s was compiled again for %s: %s%s%s",
		      profile_string(profile, longest->text[COMPILE_FUNCTION]),
		      DURATION(longest->number[COMPILE_TOTAL]), buffer_text(&words),
		      how.length ? "; to avoid it: " : "", buffer_text(&how));
}

void detect_compilation(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct detect_host_idle idle = idle_of_cause(diagnosis, CAUSE_COMPILE);
	claim_cause(diagnosis, finding, CAUSE_COMPILE);
	if (!diagnosis->derived->steps_from_profile || diagnosis->derived->step_count < 2)
		report_unknown(finding, how_to_get_steps(diagnosis),
			       "No steps follow the first one, in which code is compiled.");
	else
		detect_idle(diagnosis, finding, &idle, COMPILE_PERCENT,
			    "compiles code or loads modules");
	if (finding->answer == ANSWER_FIRED)
		name_guard(diagnosis->profile, finding);
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

void detect_synchronisation(const struct diagnosis *diagnosis, struct finding *finding)
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
