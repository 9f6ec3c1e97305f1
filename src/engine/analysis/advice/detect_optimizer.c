/*
 * Detector of optimizers that update parameter by parameter, in single operators.
 */
#include "analysis/advice/detect.h"
#include "base/any_of.h"

enum {
	OPTIMIZER_PERCENT = 10,
	OPTIMIZER_LAUNCHES = 20,
	MOVED_LESS = 3 /* times: single operators of Adam move 21 tensors, the fused one 7 */
};

/* Does anything inside this call update many parameters at once? */
static bool is_fused(const struct diagnosis *diagnosis, uint32_t span)
{
	const struct profile *profile = diagnosis->profile;
	return any_of(i, profile->span_size[span],
		      name_has(diagnosis, profile->span_name[span + i], MARK_MANY_AT_ONCE));
}

struct optimizer_steps {
	int64_t launches, fused;
	uint8_t *inside; /* by span */
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
	memset(steps->inside + span, 1, profile->span_size[span]);
	return true;
}

/*
 * Claim the work that steps of the optimizer launched and the idle time between it. One kernel
 * takes what moving each tensor once takes: beyond the time of a kernel that moves next to nothing,
 * a third.
 */
static void claim_updates(const struct diagnosis *diagnosis, struct finding *finding,
			  const struct optimizer_steps *steps)
{
	const struct profile *profile = diagnosis->profile;
	int64_t ns = 0, count = 0, shortest = INT64_MAX;
	struct intervals times = { 0 };
	uint32_t last = NO_ROW;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t launch = profile->activity_launch[i];
		int64_t start = profile->activity_start[i], dur = profile->activity_dur[i];
		if (launch == NO_ROW || !is_critical(diagnosis, i) || !steps->inside[launch])
			continue;
		bool next = is_next_work(profile, last, i);
		intervals_add(&times, next ? profile->activity_start[last] : start, start + dur);
		last = i;
		shortest = dur < shortest ? dur : shortest;
		ns += dur;
		count++;
	}
	claim_common(diagnosis, finding, &times, &diagnosis->window);
	if (finding->cost_ns != NO_VALUE)
		finding->cost_ns -= (ns - count * shortest) / MOVED_LESS;
}

void detect_optimizer(const struct diagnosis *diagnosis, struct finding *finding)
{
	uint32_t spans = spans_in_role(diagnosis, NAME_OPTIMIZER);
	struct optimizer_steps steps = { .inside = mem_zalloc((size_t)spans + 1, 1) };
	struct span_sum sum =
		sum_spans(diagnosis, NULL,
			  &(struct span_check){
				  .match = is_optimizer_step, .spans = spans, .context = &steps });
	if (!sum.calls)
		report_unknown(finding, "Record CPU events too; torch.optim marks its steps.",
			       "No Optimizer.step was recorded.");
	else if (steps.fused || steps.launches <= OPTIMIZER_LAUNCHES * sum.calls ||
		 window_percent(diagnosis, sum.covered_ns) < OPTIMIZER_PERCENT)
		report_ok(finding, "Optimizer.step takes %s with %s launches per call.",
			  share_of_time(SHARE, diagnosis, sum.covered_ns),
			  COUNT(steps.launches / sum.calls));
	else {
		report_problem(
			finding,
			"Optimizer.step takes %s with %s launches per call, none of them fused; the GPU is idle for %s of it",
			share_of_time(SHARE, diagnosis, sum.covered_ns),
			COUNT(steps.launches / sum.calls), DURATION(sum.claimed_ns));
		claim_updates(diagnosis, finding, &steps);
	}
	mem_free(steps.inside);
}
