/*
 * Detector of attention that is computed in single operators: product, softmax, product.
 */
#include "analysis/advice/judge_kernels.h"

#include <math.h>

enum { ATTENTION_LIMIT_ROWS(_) };

struct attention {
	uint8_t *part;     /* by activity: of attention that is not fused */
	uint32_t patterns; /* softmax kernels between two products */
	uint32_t math;     /* calls of scaled_dot_product_attention without a fused kernel */
	int64_t softmax_ns, fused_ns;
};

/* By operator; without one, by the third dimension of the grid. AMD's grids do not tell. */
static bool is_batched_product(const struct diagnosis *diagnosis, uint32_t activity)
{
	const struct profile *profile = diagnosis->profile;
	const struct launch_config *config = profile_config(profile, activity);
	uint32_t span = kernel_operator(diagnosis, activity);
	if (kernel_named(diagnosis, activity).family != FAMILY_GEMM)
		return false;
	if (span == NO_ROW)
		return config && config->grid[2] > 1 &&
		       !(kernel_named(diagnosis, activity).traits & KERNEL_SPLIT);
	return strstr(profile_string(profile, profile->span_name[span]), "bmm");
}

/*
 * The nearest batched product from ACTIVITY in direction STEP, and the one next to it that a
 * backward pass has; NO_ROW if it is out of reach.
 */
static uint32_t product_beside(const struct diagnosis *diagnosis, const struct track *track,
			       uint32_t activity, int step, int reach)
{
	int64_t first = track->first_activity, end = first + track->activities;
	int64_t at = (int64_t)activity + step;
	for (int kernels = 0; at >= first && at < end && kernels < reach; at += step) {
		if (diagnosis->profile->activity_kind[at] != ACTIVITY_KERNEL)
			continue;
		kernels++;
		if (!activity_counts(diagnosis, (uint32_t)at) ||
		    kernel_named(diagnosis, (uint32_t)at).family == FAMILY_SOFTMAX)
			return NO_ROW;
		if (!is_batched_product(diagnosis, (uint32_t)at))
			continue;
		int64_t next = at + step;
		bool two = next >= first && next < end &&
			   is_batched_product(diagnosis, (uint32_t)next);
		return (uint32_t)(two ? next : at);
	}
	return NO_ROW;
}

static void find_patterns(const struct diagnosis *diagnosis, struct attention *attention,
			  const struct track *track)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t end = track->first_activity + track->activities;
	for (uint32_t i = track->first_activity; i < end && detect_row(diagnosis, i); i++) {
		if (!counts_as_kernel(diagnosis, i))
			continue;
		enum kernel_family family = (enum kernel_family)kernel_named(diagnosis, i).family;
		int64_t dur = profile->activity_dur[i];
		attention->fused_ns += family == FAMILY_ATTENTION ? dur : 0;
		const char *name = profile_string(profile, profile->activity_name[i]);
		/* the exponential of one in single operators, which its sum follows */
		bool single = strstr(name, "exp_kernel") && i + 1 < end &&
			      counts_as_kernel(diagnosis, i + 1) &&
			      kernel_named(diagnosis, i + 1).family == FAMILY_REDUCE;
		if (family != FAMILY_SOFTMAX && !single)
			continue;
		int reach = single ? 2 * ATTENTION_REACH : ATTENTION_REACH;
		uint32_t before = product_beside(diagnosis, track, i, -1, reach);
		uint32_t after = product_beside(diagnosis, track, i, 1, reach);
		if (before == NO_ROW || after == NO_ROW)
			continue;
		attention->patterns++;
		attention->softmax_ns += dur;
		for (uint32_t k = before; single && k < after; k++)
			if (k != i && kernel_named(diagnosis, k).family != FAMILY_GEMM)
				attention->softmax_ns += profile->activity_dur[k];
		memset(attention->part + before, 1, after - before + 1);
	}
}

/* Activities inside calls of the operator that computes attention in single operators. */
static void find_math(const struct diagnosis *diagnosis, struct attention *attention)
{
	const struct profile *profile = diagnosis->profile;
	const struct derived *derived = diagnosis->derived;
	uint32_t spans = spans_marked(diagnosis, MARK_PLAIN_ATTENTION);
	if (!spans)
		return;
	AUTO_FREE uint8_t *inside = mem_zalloc((size_t)spans, 1);
	for (uint32_t i = 0; i < spans && detect_row(diagnosis, i); i++) {
		uint32_t parent = profile->span_parent[i];
		bool math = name_has(diagnosis, profile->span_name[i], MARK_PLAIN_ATTENTION);
		inside[i] = math || (parent != NO_ROW && inside[parent]);
		attention->math +=
			math && span_counts(diagnosis, i) && derived_gpu_total(derived, i) > 0;
	}
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t launch = profile->activity_launch[i];
		attention->part[i] |= launch != NO_ROW && inside[launch];
	}
}

/*
 * A fused kernel still computes the products, on tensor cores if they are, but half of them under a
 * causal mask, and reaches at most three quarters of the peak (FlashAttention-3, figure 5).
 */
static JUDGE_KERNEL(judge_part)
{
	const struct attention *attention = context;
	struct judgment at = { false, attention->part[activity], 1 };
	if (!at.hit || kernel_named(diagnosis, activity).family != FAMILY_GEMM)
		return at;
	struct roof roof = kernel_own_roof(diagnosis, activity);
	double least = 0.5 / 0.75 * 1e9 * roof.work.flops / roof.peak_flops;
	int64_t dur = diagnosis->profile->activity_dur[activity];
	if (least > 0 && dur > 0)
		at.saved = fmax(0, 1 - least / (double)dur);
	return at;
}

static void judge_attention(const struct diagnosis *diagnosis, struct finding *finding,
			    const struct attention *attention)
{
	struct judged all =
		judge_kernels(diagnosis, finding,
			      &(struct kernel_check){ .judge = judge_part, .context = attention });
	double softmax = percent_of((double)attention->softmax_ns, (double)diagnosis->kernel_ns);
	double all_share = percent_of((double)all.hit_ns, (double)diagnosis->kernel_ns);
	if (attention->math)
		report_problem(finding,
			       "%s attention calls use no fused kernel and take %s of GPU time",
			       COUNT(attention->math), DURATION(all.hit_ns));
	else if ((softmax > SOFTMAX_PERCENT ||
		  (all_share > ATTENTION_PERCENT && 10 * attention->softmax_ns > all.hit_ns)) &&
		 attention->softmax_ns > attention->fused_ns)
		report_problem(
			finding,
			"%s softmax%s between batched products: attention in single kernels takes %s (%s), softmax alone %s %%",
			COUNT(attention->patterns), attention->patterns == 1 ? "" : "es",
			DURATION(all.hit_ns), share_of_kernels(SHARE, diagnosis, all.hit_ns),
			PERCENT(softmax, 100));
	else
		report_ok(finding, "No attention call lacks a fused kernel.");
	if (attention->math)
		finding->recommendation =
			"Meet the requirements of fused scaled_dot_product_attention: half precision, a supported head size, a causal flag instead of a mask; torch.nn.attention.sdpa_kernel(SDPBackend.FLASH_ATTENTION) tells what is missing.";
}

void detect_plain_attention(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	struct attention attention = { .part = mem_zalloc((size_t)profile->activities + 1, 1) };
	for (uint32_t t = 0; t < profile->track_count; t++)
		if (profile->tracks[t].device >= 0)
			find_patterns(diagnosis, &attention, &profile->tracks[t]);
	find_math(diagnosis, &attention);
	judge_attention(diagnosis, finding, &attention);
	mem_free(attention.part);
}
