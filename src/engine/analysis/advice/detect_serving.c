/*
 * Detectors for inference servers: what holds up the steps in which requests get their next tokens.
 */
#include "analysis/advice/judge_kernels.h"
#include "analysis/advice/own_code.h"
#include "analysis/decode_cycle.h"

enum { SERVING_LIMIT_ROWS(_) };

/* The steps of a phase that count. */
struct phase_steps {
	struct intervals times;
	int64_t count, ns;
	int64_t slots, padded; /* of steps whose graphs say them: all, and the empty ones */
};

static bool step_is_of(const struct diagnosis *diagnosis, uint32_t step, enum phase phase)
{
	return step != NO_ROW && diagnosis->derived->steps[step].phase == phase &&
	       selection_counts_step(diagnosis->selection, step);
}

static struct phase_steps steps_of_phase(const struct diagnosis *diagnosis, enum phase phase)
{
	struct phase_steps steps = { .count = 0 };
	for (uint32_t i = 0; i < diagnosis->derived->step_count; i++) {
		const struct step *step = &diagnosis->derived->steps[i];
		if (!step_is_of(diagnosis, i, phase))
			continue;
		intervals_add(&steps.times, step->start, step->end);
		steps.count++;
		steps.ns += step->end - step->start;
		if (step->batch.slots == NO_VALUE || step->batch.slots < step->batch.requests)
			continue;
		steps.slots += step->batch.slots;
		steps.padded += step->batch.slots - step->batch.requests;
	}
	intervals_merge(&steps.times);
	return steps;
}

static void report_no_decode(struct finding *finding)
{
	report_ok(finding, "No decode steps of an inference server.");
}

/* Kernels of decode steps; *REPLAYED of them by graphs. */
static int64_t kernels_in_decode(const struct diagnosis *diagnosis, int64_t *replayed)
{
	const struct profile *profile = diagnosis->profile;
	int64_t kernels = 0;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t launch = profile->activity_launch[i];
		if (launch == NO_ROW || !counts_as_kernel(diagnosis, i) ||
		    !step_is_of(diagnosis, diagnosis->derived->activity_step[i], PHASE_DECODE))
			continue;
		kernels++;
		*replayed += (diagnosis->derived->role[profile->span_name[launch]] &
			      NAME_GRAPH_LAUNCH) != 0;
	}
	return kernels;
}

/* Idle time in the steps while the CPU launches; claimed for FINDING unless NULL. */
static int64_t launching_in(const struct diagnosis *diagnosis, struct finding *finding,
			    const struct phase_steps *steps)
{
	struct intervals launching = { 0 };
	causes_set_in(diagnosis->device, CAUSE_LAUNCH, &steps->times, &launching);
	return claim_common(diagnosis, finding, &launching, &steps->times);
}

void detect_decode_graphs(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct phase_steps decode = steps_of_phase(diagnosis, PHASE_DECODE);
	int64_t replayed = 0, kernels = kernels_in_decode(diagnosis, &replayed);
	bool fires = 2 * replayed < kernels;
	int64_t idle = launching_in(diagnosis, NULL, &decode);
	if (!decode.count || !kernels)
		report_no_decode(finding);
	else if (!fires || percent_of((double)idle, (double)decode.ns) < DECODE_IDLE_PERCENT)
		report_ok(
			finding,
			"Graphs replay %s of %s kernels in decode steps; the GPU is idle for %s %% of them while the CPU launches.",
			COUNT(replayed), COUNT(kernels), PERCENT(idle, decode.ns));
	else {
		report_problem(
			finding,
			"Of %s kernels in a decode step %s are replayed by graphs; the GPU is idle for %s of the %s that a step takes, while the CPU launches",
			COUNT(kernels / decode.count), COUNT(replayed / decode.count),
			DURATION(idle / decode.count), DURATION(decode.ns / decode.count));
		launching_in(diagnosis, finding, &decode);
	}
	intervals_free(&decode.times);
}

/* The idle time of decode steps by its owner in the cycle, and the longest part of each. */
struct decode_gaps {
	int64_t idle_ns, ns[CYCLE_CAUSES];
	struct intervals within;   /* the steps in the window */
	struct intervals sampling; /* of the CPU: without launches of sampling on the GPU */
	uint8_t *words;            /* decode_cycle.h */
	struct {
		int64_t ns;
		uint32_t span;
	} longest[CYCLE_CAUSES];
};

static void add_decode_gap(const struct diagnosis *diagnosis, struct decode_gaps *gaps,
			   const struct gap *gap, struct interval in)
{
	for (size_t p = 0; p < gap->parts; p++) {
		const struct gap_part *part = gap_part(gap, p);
		int64_t start = gap_part_start(gap, p), end = gap_part_end(gap, p);
		start = start > in.start ? start : in.start;
		end = end < in.end ? end : in.end;
		int64_t ns = end - start;
		if (ns <= 0)
			continue;
		unsigned cause = cycle_cause_of(diagnosis->derived, gaps->words, gap, part);
		gaps->idle_ns += ns;
		gaps->ns[cause] += ns;
		if (cause == CYCLE_SAMPLING && part->cause != CAUSE_LAUNCH)
			intervals_add(&gaps->sampling, start, end);
		if (ns > gaps->longest[cause].ns) {
			gaps->longest[cause].ns = ns;
			gaps->longest[cause].span = part->span;
		}
	}
}

/* To be freed with free_decode_gaps. Returns the time of the steps, whose number is STEPS. */
static int64_t measure_decode_gaps(const struct diagnosis *diagnosis, struct decode_gaps *sum,
				   int64_t *steps)
{
	const struct gaps *gaps = &diagnosis->device->gaps;
	struct phase_steps decode = steps_of_phase(diagnosis, PHASE_DECODE);
	AUTO_FREE uint8_t *words = mem_zalloc(diagnosis->derived->names, 1);
	size_t near = 0;
	*sum = (struct decode_gaps){ .words = words };
	*steps = decode.count;
	intervals_intersect(&decode.times, &diagnosis->window, &sum->within);
	intervals_free(&decode.times);
	for (size_t i = 0; i < sum->within.count && detect_heavy_row(diagnosis, i); i++) {
		struct interval in = sum->within.item[i];
		near = gaps_from(gaps, in.start, near);
		for (size_t k = near; k < gaps->count && gaps->items[k].start < in.end; k++)
			add_decode_gap(diagnosis, sum, &gaps->items[k], in);
	}
	intervals_merge(&sum->sampling);
	return intervals_length(&sum->within);
}

STATIC_FREE_MEMBERS(free_decode_gaps, struct decode_gaps,
		    OWN_IN(intervals_free, within) OWN_IN(intervals_free, sampling))

/* What shortens the gap where this owner is the first; of other owners their own finding tells. */
static const char *remedy_of_gap(unsigned cause)
{
	return cause == CYCLE_SCHEDULER
		       ? "Schedule the next step while the GPU works (vLLM: --async-scheduling; SGLang: without --disable-overlap-schedule)."
	       : cause == CYCLE_SAMPLING
		       ? "Sample on the GPU, in a batch and without waiting for it; leave out logits processors in Python."
	       : cause == CYCLE_DETOKENIZATION
		       ? "Turn tokens into text in a process of its own, and for several tokens at once (vLLM: --stream-interval; SGLang: --stream-interval)."
	       : cause == CYCLE_ALL_REDUCE
		       ? "Find the rank that is late; fuse the all-reduce with what follows, or use fewer ranks for tensor parallelism."
	       : cause == CAUSE_LAUNCH
		       ? "Replay decode steps from CUDA graphs, captured for the batch sizes that occur."
		       : "Take what the host does here out of the step, or do it while the GPU works.";
}

/* Where in Python the longest part is. */
static void tell_place(const struct diagnosis *diagnosis, struct finding *finding,
		       const struct decode_gaps *gaps, unsigned cause)
{
	struct code_frame place = own_frame_of(diagnosis->profile, gaps->longest[cause].span);
	if (place.length)
		buffer_printf(&finding->evidence, " at %.*s", (int)place.length, place.text);
}

static void tell_decode_gap(const struct diagnosis *diagnosis, struct finding *finding,
			    const struct decode_gaps *gaps, int64_t steps)
{
	unsigned first = 0, second = 0;
	for (unsigned cause = 1; cause < CYCLE_CAUSES; cause++) {
		bool more = gaps->ns[cause] > gaps->ns[first];
		second = more ? first : gaps->ns[cause] > gaps->ns[second] ? cause : second;
		first = more ? cause : first;
	}
	buffer_printf(&finding->evidence, ": %s %s", cycle_cause_name(first),
		      DURATION(gaps->ns[first] / steps));
	tell_place(diagnosis, finding, gaps, first);
	if (gaps->ns[second] && second != first)
		buffer_printf(&finding->evidence, ", then %s %s", cycle_cause_name(second),
			      DURATION(gaps->ns[second] / steps));
	finding->recommendation = remedy_of_gap(first);
}

void detect_decode_gap(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct decode_gaps gaps;
	int64_t steps, ns = measure_decode_gaps(diagnosis, &gaps, &steps);
	if (!steps || !ns)
		report_no_decode(finding);
	else if (percent_of((double)gaps.idle_ns, (double)ns) < DECODE_IDLE_PERCENT)
		report_ok(finding, "A decode step takes %s; the GPU is idle for %s %% of it.",
			  DURATION(ns / steps), PERCENT(gaps.idle_ns, ns));
	else if (gaps.ns[CAUSE_UNKNOWN] > gaps.idle_ns / 2)
		report_unknown(finding, NULL, "Nothing was recorded in most of the idle time.");
	else {
		report_problem(finding,
			       "The GPU is idle for %s of the %s that a decode step takes (%s %%)",
			       DURATION(gaps.idle_ns / steps), DURATION(ns / steps),
			       PERCENT(gaps.idle_ns, ns));
		tell_decode_gap(diagnosis, finding, &gaps, steps);
	}
	free_decode_gaps(&gaps);
}

void detect_decode_sampling(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct decode_gaps gaps;
	int64_t steps, ns = measure_decode_gaps(diagnosis, &gaps, &steps);
	int64_t sampling = claim_common(diagnosis, finding, &gaps.sampling, &gaps.within);
	if (!steps || !ns)
		report_no_decode(finding);
	else if (percent_of((double)sampling, (double)ns) < SAMPLING_PERCENT)
		report_ok(finding,
			  "The GPU is idle for %s %% of decode steps while the CPU samples.",
			  PERCENT(sampling, ns));
	else {
		report_problem(
			finding,
			"The GPU is idle for %s of the %s that a decode step takes (%s %%), while the CPU samples",
			DURATION(sampling / steps), DURATION(ns / steps), PERCENT(sampling, ns));
		tell_place(diagnosis, finding, &gaps, CYCLE_SAMPLING);
		finding->recommendation = remedy_of_gap(CYCLE_SAMPLING);
	}
	free_decode_gaps(&gaps);
}

/* ---- all-reduces and norms ---- */

/* Of decode steps; followed: by a norm, both short. */
struct all_reduces {
	int64_t count, followed, fused;
	struct intervals norms; /* from the end of the all-reduce to that of the norm */
};

/* The norm next on the stream of a kernel, where a copy of the result may be between; NO_ROW. */
static uint32_t norm_after(const struct diagnosis *diagnosis, uint32_t activity)
{
	const struct profile *profile = diagnosis->profile;
	const struct track *track = &profile->tracks[profile->activity_track[activity]];
	uint32_t at = activity + 1, end = track->first_activity + track->activities;
	at += at < end && profile->activity_kind[at] == ACTIVITY_MEMCPY;
	return at < end && profile->activity_kind[at] == ACTIVITY_KERNEL &&
			       is_critical(diagnosis, at) &&
			       kernel_named(diagnosis, at).family == FAMILY_NORM
		       ? at
		       : NO_ROW;
}

static void add_all_reduce(const struct diagnosis *diagnosis, struct all_reduces *sum,
			   uint32_t activity)
{
	const struct profile *profile = diagnosis->profile;
	const int64_t *start = profile->activity_start, *dur = profile->activity_dur;
	uint32_t norm = norm_after(diagnosis, activity);
	sum->count++;
	if (norm == NO_ROW || dur[activity] > SHORT_NS || dur[norm] > SHORT_NS)
		return;
	sum->followed++;
	if (start[norm] + dur[norm] > start[activity] + dur[activity])
		intervals_add(&sum->norms, start[activity] + dur[activity],
			      start[norm] + dur[norm]);
}

static struct all_reduces all_reduces_in_decode(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	struct all_reduces sum = { 0 };
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		uint16_t traits = kernel_named(diagnosis, i).traits;
		if (!(traits & (KERNEL_ALL_REDUCE | KERNEL_REDUCE_NORM)) ||
		    profile->activity_kind[i] != ACTIVITY_KERNEL || !is_critical(diagnosis, i) ||
		    !step_is_of(diagnosis, diagnosis->derived->activity_step[i], PHASE_DECODE))
			continue;
		if (traits & KERNEL_REDUCE_NORM)
			sum.fused++;
		else if (derived_is_communication(diagnosis->derived, i))
			add_all_reduce(diagnosis, &sum, i);
	}
	intervals_merge(&sum.norms);
	return sum;
}

void detect_decode_all_reduce(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct phase_steps decode = steps_of_phase(diagnosis, PHASE_DECODE);
	struct all_reduces found = all_reduces_in_decode(diagnosis);
	int64_t ns = claim_common(diagnosis, finding, &found.norms, &decode.times);
	intervals_free(&decode.times);
	if (!decode.count)
		report_no_decode(finding);
	else if (found.fused || found.followed < REDUCES_A_STEP * decode.count ||
		 2 * found.followed < found.count ||
		 percent_of((double)ns, (double)decode.ns) < REDUCE_PERCENT)
		report_ok(
			finding,
			"Of %s all-reduces in decode steps %s are short, with a short norm next on the stream; %s other kernels do both.",
			COUNT(found.count), COUNT(found.followed), COUNT(found.fused));
	else
		report_problem(
			finding,
			"Of %s all-reduces in a decode step %s are short, with a short norm next on the stream: from the end of these to that of the norms %s of the %s that a step takes",
			COUNT(found.count / decode.count), COUNT(found.followed / decode.count),
			DURATION(ns / decode.count), DURATION(decode.ns / decode.count));
}

void detect_mixed_steps(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct phase_steps decode = steps_of_phase(diagnosis, PHASE_DECODE);
	struct phase_steps mixed = steps_of_phase(diagnosis, PHASE_MIXED);
	double usual = decode.count ? (double)decode.ns / (double)decode.count : 0;
	double slow = mixed.count ? (double)mixed.ns / (double)mixed.count : 0;
	if (!decode.count)
		report_no_decode(finding);
	else if (slow < MIXED_FACTOR * usual ||
		 percent_of((double)mixed.ns, (double)diagnosis->dur) < MIXED_PERCENT)
		report_ok(finding, "%s of %s steps with decode hold prompts, too.",
			  COUNT(mixed.count), COUNT(mixed.count + decode.count));
	else
		report_problem(
			finding,
			"In %s steps requests in decode wait for prefill: their next token takes %s, in a decode step %s",
			COUNT(mixed.count), DURATION((int64_t)slow), DURATION((int64_t)usual));
	intervals_free(&decode.times);
	intervals_free(&mixed.times);
}

void detect_batch_padding(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct phase_steps decode = steps_of_phase(diagnosis, PHASE_DECODE);
	intervals_free(&decode.times);
	if (!decode.slots)
		report_ok(finding, "No graph of a decode step says how many slots it has.");
	else if (percent_of((double)decode.padded, (double)decode.slots) < PADDING_PERCENT)
		report_ok(finding, "%s %% of the slots in replayed graphs are empty.",
			  PERCENT(decode.padded, decode.slots));
	else
		report_problem(
			finding,
			"%s %% of the slots in replayed graphs are empty: %s requests in %s slots",
			PERCENT(decode.padded, decode.slots), COUNT(decode.slots - decode.padded),
			COUNT(decode.slots));
}

/* Was the cache full? A reset of it returns all requests, too. */
static bool is_preemption(const struct diagnosis *diagnosis, uint32_t span)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t caller = profile->span_parent[span];
	return name_has(diagnosis, profile->span_name[span], MARK_PREEMPTION) &&
	       span_counts(diagnosis, span) &&
	       (caller == NO_ROW ||
		!strstr(profile_string(profile, profile->span_name[caller]), "reset_prefix_cache"));
}

void detect_kv_cache_full(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t spans = spans_marked(diagnosis, MARK_PREEMPTION);
	const char *how = profile_how_to_record(profile, RECORDED_STACKS);
	int64_t calls = 0;
	for (uint32_t i = 0; i < spans && detect_row(diagnosis, i); i++)
		calls += is_preemption(diagnosis, i);
	if (!diagnosis->serving)
		report_ok(finding, "No steps of an inference server.");
	else if (calls)
		report_problem(
			finding,
			"The scheduler took requests out of the batch %s time%s in %s step%s, as the KV cache had no room for the next tokens; theirs are computed again",
			COUNT(calls), PLURAL(calls), COUNT(diagnosis->steps),
			PLURAL(diagnosis->steps));
	else if (how)
		report_unknown(finding, how, "No Python functions were recorded.");
	else
		report_ok(finding, "The scheduler took no requests out of the batch.");
}
