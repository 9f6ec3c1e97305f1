/*
 * Detectors of matrix products and convolutions that do not use tensor cores.
 */
#include "analysis/advice/judge_kernels.h"

enum { TENSOR_MAJOR = 7, TF32_MAJOR = 8 };

/* ---- tensor cores ---- */

struct eligible {
	uint8_t *unused; /* by activity: of an eligible operator that uses no tensor core */
	int64_t half_ns;
};

/*
 * Ignores compiled regions that merely contain an eligible operator: their other kernels are not.
 */
static uint32_t eligible_above(const struct derived *derived, uint32_t span)
{
	while (span != NO_ROW &&
	       (derived->span_flags[span] & (SPAN_ELIGIBLE | SPAN_HOLDS_ELIGIBLE)) != SPAN_ELIGIBLE)
		span = derived->span_owner[span];
	return span;
}

/* An operator uses tensor cores if one of its kernels may; without operators names tell. */
static void find_unused(const struct diagnosis *diagnosis, struct eligible *eligible)
{
	const struct profile *profile = diagnosis->profile;
	const struct derived *derived = diagnosis->derived;
	AUTO_FREE uint8_t *used = mem_zalloc((size_t)profile->spans + 1, 1);
	AUTO_FREE uint32_t *call = mem_alloc(((size_t)profile->activities + 1) * sizeof *call);
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		call[i] = eligible_above(derived, derived->activity_operator[i]);
		if (call[i] != NO_ROW && profile->activity_kind[i] == ACTIVITY_KERNEL)
			used[call[i]] |=
				derived->kernel_tensor[profile->activity_name[i]] != TENSOR_NO;
	}
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		if (!counts_as_kernel(diagnosis, i))
			continue;
		if (call[i] == NO_ROW)
			eligible->unused[i] = derived->activity_operator[i] == NO_ROW &&
					      kernel_named(diagnosis, i).traits & KERNEL_FP32;
		else
			eligible->unused[i] = !used[call[i]];
		if (eligible->unused[i] && call[i] != NO_ROW && call_is_half(diagnosis, call[i]))
			eligible->half_ns += profile->activity_dur[i];
	}
}

static JUDGE_KERNEL(judge_eligible)
{
	const struct eligible *eligible = context;
	struct judgment at = { false, eligible->unused[activity], 0 };
	if (at.hit)
		at.saved = saved_by_precision(diagnosis, activity,
					      (struct precision){ "float", false },
					      (struct precision){ "half", true });
	return at;
}

/* Kernels that only move memory take half of the time with elements of half the size. */
static void claim_halved(const struct diagnosis *diagnosis, struct finding *finding,
			 const struct eligible *eligible)
{
	const struct profile *profile = diagnosis->profile;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		const char *name = profile_string(profile, profile->activity_name[i]);
		if (!counts_as_kernel(diagnosis, i) || eligible->unused[i] ||
		    !(MEMORY_BOUND >> kernel_named(diagnosis, i).family & 1) ||
		    !strstr(name, "float"))
			continue;
		finding->cost_ns += profile->activity_dur[i] / 2;
		claim_activity(diagnosis, finding, i);
	}
}

static void judge_tensor_cores(const struct diagnosis *diagnosis, struct finding *finding,
			       struct eligible *eligible)
{
	eligible->unused = mem_zalloc((size_t)diagnosis->profile->activities + 1, 1);
	find_unused(diagnosis, eligible);
	struct judged all = check_kernels(diagnosis, finding,
					  &(struct kernel_check){ judge_eligible, NULL, eligible });
	bool half = 2 * eligible->half_ns > all.hit_ns;
	if (finding->answer == ANSWER_FIRED && !half && finding->cost_ns != NO_VALUE)
		claim_halved(diagnosis, finding, eligible);
	if (finding->answer == ANSWER_FIRED && half)
		finding->title = "No Tensor Cores (half precision)";
	finding->recommendation =
		finding->answer != ANSWER_FIRED ? NULL
		: half ? "Pad matrix and channel sizes to multiples of 8; the types are half precision already."
		       : "Enable torch.autocast(\"cuda\", dtype=torch.float16) with a GradScaler; the Tensor Cores of this GPU support neither TF32 nor bfloat16.";
	mem_free(eligible->unused);
}

/* True with the compute capability of the GPU, when it is known and MIN or above. */
static bool has_capability(const struct diagnosis *diagnosis, struct finding *finding, int64_t min,
			   const char *lacking, int64_t *major)
{
	*major = compute_major(diagnosis);
	if (*major == NO_VALUE)
		report_unknown(finding, NULL, "The compute capability was not recorded.");
	else if (*major < min)
		report_ok(finding, "%s", lacking);
	return *major != NO_VALUE && *major >= min;
}

/* Newer devices: see tf32_off. */
void detect_tensor_cores(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct eligible eligible = { 0 };
	int64_t major;
	if (!has_capability(diagnosis, finding, TENSOR_MAJOR, "The GPU has no Tensor Cores.",
			    &major))
		return;
	if (major >= TF32_MAJOR) {
		report_ok(finding, "The GPU supports TF32.");
		return;
	}
	judge_tensor_cores(diagnosis, finding, &eligible);
}

/* ---- TF32 ---- */

/* Where TF32 is no faster, as on GeForce, by bfloat16. */
static JUDGE_KERNEL(judge_fp32)
{
	const struct precision now = { "float", false };
	double saved =
		saved_by_precision(diagnosis, activity, now, (struct precision){ "float", true });
	if (!(saved > 0))
		saved = saved_by_precision(diagnosis, activity, now,
					   (struct precision){ "bfloat16", true });
	return (struct judgment){ false, true, saved };
}

void detect_tf32_off(const struct diagnosis *diagnosis, struct finding *finding)
{
	int64_t major;
	if (!has_capability(diagnosis, finding, TF32_MAJOR, "The GPU does not support TF32.",
			    &major))
		return;
	check_kernels(diagnosis, finding, &(struct kernel_check){ judge_fp32 });
	if (finding->answer == ANSWER_FIRED &&
	    device_rates_flops(&diagnosis->rates, "float", true) <=
		    device_rates_flops(&diagnosis->rates, "float", false)) {
		finding->title = "FP32 without Tensor Cores";
		finding->recommendation =
			"Use torch.autocast with torch.bfloat16; on this GPU TF32 is as fast as FP32.";
	}
}
