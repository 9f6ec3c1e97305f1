/*
 * Detectors of device utilization and kernel efficiency.
 */
#include "analysis/advice/detect.h"

#include <math.h>
#include <string.h>

enum {
	LOW_UTIL_PERCENT = 50,
	UNEVEN_PERCENT = 20,
	TENSOR_MAJOR = 7,
	TF32_MAJOR = 8,
	TENSOR_PERCENT = 5,
	BLOCKS_PERCENT = 10,
	OCCUPANCY_LOW = 25,
	OCCUPANCY_PERCENT = 5,
	POINTWISE_PERCENT = 25,
	LAYOUT_PERCENT = 3,
	CONVERSION_PERCENT = 5
};

/* ---- devices ---- */

/* By cause: what happens instead of computation, and the first remedy. */
static const struct {
	const char *is, *remedy;
} instead[TIME_CAUSES] = {
	[CAUSE_COMMUNICATION] = { "exposed communication",
				  "Overlap communication with computation first, then raise the batch size." },
	[CAUSE_COPY] = { "exposed copies",
			 "Overlap copies with computation first, then raise the batch size." },
	[CAUSE_LAUNCH] = { "idle while launching",
			   "Reduce launch overhead first, then raise the batch size." },
	[CAUSE_SYNC] = { "idle in CPU-GPU synchronization",
			 "Remove synchronizations first, then raise the batch size." },
	[CAUSE_DATALOADER] = { "idle in the data loader",
			       "Fix the data loader stalls first, then raise the batch size." },
	[CAUSE_ALLOCATOR] = { "idle in allocator calls",
			      "Reduce allocator calls first, then raise the batch size." },
	[CAUSE_COMPILE] = { "idle in compilation or module loading",
			    "Compile before the capture starts." },
	[CAUSE_DEPENDENCY] = { "idle with work launched, waiting for another stream or device",
			       "Find what the launched work waits for on the timeline." },
	[CAUSE_OVERHEAD] = { "idle due to profiler overhead",
			     "Record fewer events and profile again: the profiler causes these gaps." },
	[CAUSE_HOST] = { "idle in other CPU work",
			 "Move other work off the launching thread first, then raise the batch size." },
	[CAUSE_UNKNOWN] = { "idle for no recorded reason",
			    "Record CPU events too (operators, runtime calls, samples) and inspect the gaps on the timeline." },
};

/* Percent of the window that a device is busy. */
static double util_of(const struct diagnosis *diagnosis, int32_t device)
{
	const struct device_causes *causes = causes_of_device(diagnosis->causes, device);
	int64_t ns[TIME_CAUSES] = { 0 };
	for (int cause = 0; causes && cause < TIME_CAUSES; cause++) {
		struct intervals common = { 0 };
		intervals_intersect(&causes->set[cause], &diagnosis->window, &common);
		ns[cause] = intervals_length(&common);
		intervals_free(&common);
	}
	return percent_of((double)causes_busy(ns), (double)diagnosis->dur);
}

/* The largest losses, and the remedy of the first. */
static void tell_losses(const struct diagnosis *diagnosis, struct finding *finding)
{
	enum { LOSSES_TOLD = 3, LOSS_PERCENT = 2 };
	bool told[TIME_CAUSES] = { false };
	for (int i = 0; i < LOSSES_TOLD; i++) {
		int max = -1;
		for (int cause = CAUSE_COMMUNICATION; cause <= CAUSE_UNKNOWN; cause++)
			if (!told[cause] &&
			    (max < 0 || diagnosis->cause_ns[cause] > diagnosis->cause_ns[max]))
				max = cause;
		told[max] = true;
		if (i && percent_of((double)diagnosis->cause_ns[max], (double)diagnosis->dur) <
				 LOSS_PERCENT)
			return;
		buffer_printf(&finding->evidence, "%s%s %% %s", i ? ", " : "; ",
			      PERCENT(diagnosis->cause_ns[max], diagnosis->dur), instead[max].is);
		if (!i)
			finding->recommendation = instead[max].remedy;
	}
}

void detect_low_utilization(const struct diagnosis *diagnosis, struct finding *finding)
{
	double *util = mem_zalloc(diagnosis->device_count + 1, sizeof *util);
	bool low = false, all = need_all_work(diagnosis, finding);
	for (size_t i = 0; all && i < diagnosis->device_count; i++) {
		util[i] = util_of(diagnosis, diagnosis->devices[i].device);
		low |= util[i] < LOW_UTIL_PERCENT;
	}
	if (low)
		fire(diagnosis, finding, NO_VALUE, SEVERITY_MEDIUM, "%s", "GPU busy: ");
	else if (all)
		stay_silent(finding, "%s", "GPU busy: ");
	for (size_t i = 0; all && i < diagnosis->device_count; i++)
		buffer_printf(&finding->evidence, "%sGPU%" PRId32 " %s %%", i ? ", " : "",
			      diagnosis->devices[i].device, PERCENT(util[i], 100));
	mem_free(util);
	if (low)
		tell_losses(diagnosis, finding);
	claim_set(finding, &diagnosis->idle);
}

void detect_unused_devices(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	if (!profile->device_count)
		cannot_tell(finding, NULL, "The GPUs of the machine were not recorded.");
	else if (!need_kernels(diagnosis, finding))
		return;
	else if (profile->world_size != NO_VALUE && profile->world_size > 1)
		stay_silent(finding, "One of %" PRId64 " processes; others may use the other GPUs.",
			    profile->world_size);
	else if (diagnosis->selection->scope->devices.count ||
		 diagnosis->device_count >= profile->device_count)
		stay_silent(finding, "%zu of %zu GPUs run kernels.", diagnosis->device_count,
			    profile->device_count);
	else
		fire(diagnosis, finding, NO_VALUE, SEVERITY_LOW,
		     "%zu of %zu GPUs run kernels in a single-process run", diagnosis->device_count,
		     profile->device_count);
}

void detect_uneven_devices(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct device_metrics *least = diagnosis->devices, *max = diagnosis->devices;
	if (!need_kernels(diagnosis, finding))
		return;
	for (size_t i = 1; i < diagnosis->device_count; i++) {
		const struct device_metrics *at = &diagnosis->devices[i];
		least = at->gpu_util_pct < least->gpu_util_pct ? at : least;
		max = at->gpu_util_pct > max->gpu_util_pct ? at : max;
	}
	double gap = max->gpu_util_pct - least->gpu_util_pct;
	if (gap > UNEVEN_PERCENT)
		fire(diagnosis, finding, NO_VALUE, SEVERITY_LOW,
		     "GPU%" PRId32 " is busy %s %% of the time, GPU%" PRId32 " %s %%", max->device,
		     PERCENT(max->gpu_util_pct, 100), least->device,
		     PERCENT(least->gpu_util_pct, 100));
	else
		stay_silent(finding, "%zu GPUs, with utilization at most %s points apart.",
			    diagnosis->device_count, PERCENT(gap, 100));
}

/* ---- tensor cores ---- */

struct eligible {
	int64_t kernel_ns, eligible_ns, tensor_ns, unused_ns, half_ns;
	int64_t unknown_ns; /* in eligible operators, of kernels of unknown use */
	int64_t *call_ns;   /* by span: kernel time by innermost eligible operator */
	uint8_t *used;      /* by span: may use tensor cores */
};

/*
 * Ignores compiled regions that merely contain an eligible operator: their other kernels are not.
 */
static uint32_t eligible_above(const struct facts *facts, uint32_t span)
{
	while (span != NO_ROW &&
	       (facts->span_flags[span] & (SPAN_ELIGIBLE | SPAN_HOLDS_ELIGIBLE)) != SPAN_ELIGIBLE)
		span = facts->span_owner[span];
	return span;
}

/* SAYS caches the result per string id (0: not yet); types repeat. */
static bool is_half(const struct profile *profile, uint32_t span, uint8_t *says)
{
	enum { OTHER = 1, HALF = 2 };
	const struct op_info *info = profile_op_info(profile, span);
	if (!info || !info->types)
		return false;
	const char *types = profile_string(profile, info->types);
	if (!says[info->types])
		says[info->types] =
			strcasestr(types, "half") || strcasestr(types, "bfloat16") ? HALF : OTHER;
	return says[info->types] == HALF;
}

static void measure_eligible(const struct diagnosis *diagnosis, struct eligible *eligible,
			     struct blame *blame)
{
	const struct profile *profile = diagnosis->profile;
	const struct facts *facts = diagnosis->facts;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		if (profile->activity_kind[i] != ACTIVITY_KERNEL ||
		    facts_is_communication(facts, i) || !is_critical(diagnosis, i))
			continue;
		int64_t dur = profile->activity_dur[i];
		uint8_t use = facts->activity_tensor[i];
		uint32_t call = eligible_above(facts, facts->activity_operator[i]);
		eligible->kernel_ns += dur;
		eligible->tensor_ns += use == TENSOR_YES ? dur : 0;
		if (call == NO_ROW)
			continue;
		eligible->call_ns[call] += dur;
		eligible->used[call] |= use != TENSOR_NO;
		eligible->eligible_ns += dur;
		eligible->unknown_ns += use == TENSOR_UNKNOWN ? dur : 0;
	}
	uint8_t *says = mem_zalloc(intern_count(profile->strings), 1);
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++) {
		if (!eligible->call_ns[i] || eligible->used[i])
			continue;
		eligible->unused_ns += eligible->call_ns[i];
		eligible->half_ns += is_half(profile, i, says) ? eligible->call_ns[i] : 0;
		blame_span(blame, i, eligible->call_ns[i]);
	}
	mem_free(says);
}

static void claim_unused(const struct diagnosis *diagnosis, struct finding *finding,
			 const struct eligible *eligible)
{
	const struct profile *profile = diagnosis->profile;
	const struct facts *facts = diagnosis->facts;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t call = eligible_above(facts, facts->activity_operator[i]);
		if (profile->activity_kind[i] == ACTIVITY_KERNEL && call != NO_ROW &&
		    !eligible->used[call])
			claim_activity(diagnosis, finding, i);
	}
}

/* Advice for a device of this compute capability (NO_VALUE: unknown). */
static const char *how_to_use_tensor_cores(int64_t compute_major)
{
	if (compute_major == NO_VALUE)
		return "Enable torch.autocast, or TF32 with torch.set_float32_matmul_precision(\"high\").";
	if (compute_major < TF32_MAJOR)
		return "Enable torch.autocast(\"cuda\", dtype=torch.float16) with a GradScaler; the Tensor Cores of this GPU support neither TF32 nor bfloat16.";
	return "Enable torch.autocast with torch.bfloat16, or TF32 with torch.set_float32_matmul_precision(\"high\") and torch.backends.cudnn.allow_tf32 = True.";
}

static void judge_tensor_cores(const struct diagnosis *diagnosis, struct finding *finding,
			       const struct eligible *eligible, int64_t compute_major)
{
	double share = percent_of((double)eligible->unused_ns, (double)eligible->kernel_ns);
	double unknown = percent_of((double)eligible->unknown_ns, (double)eligible->kernel_ns);
	bool none_used = !eligible->tensor_ns && !eligible->unknown_ns && eligible->unused_ns;
	if (!none_used && share < TENSOR_PERCENT && share + unknown >= TENSOR_PERCENT &&
	    !eligible->tensor_ns) {
		cannot_tell(finding, NULL,
			    "The names of the kernels do not say whether they use Tensor Cores.");
		return;
	}
	if (!none_used && share < TENSOR_PERCENT) {
		stay_silent(
			finding,
			"Eligible operators without Tensor Cores take %s %% of kernel time, Tensor Core kernels %s %%.",
			PERCENT(share, 100), PERCENT(eligible->tensor_ns, eligible->kernel_ns));
		return;
	}
	fire(diagnosis, finding, eligible->unused_ns, SEVERITY_LOW,
	     "Operators eligible for Tensor Cores take %s %% of kernel time, those that do not use them %s %%, Tensor Core kernels %s %%",
	     PERCENT(eligible->eligible_ns, eligible->kernel_ns), PERCENT(share, 100),
	     PERCENT(eligible->tensor_ns, eligible->kernel_ns));
	claim_unused(diagnosis, finding, eligible);
	finding->recommendation = how_to_use_tensor_cores(compute_major);
	if (2 * eligible->half_ns > eligible->unused_ns)
		finding->recommendation =
			"Pad matrix and channel sizes to multiples of 8; the types are half precision already.";
}

void detect_tensor_cores(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	struct blame blame = { .diagnosis = diagnosis };
	struct eligible eligible = { 0 };
	if (!need_kernels(diagnosis, finding))
		return;
	const struct device *device = profile_device(profile, diagnosis->devices[0].device);
	bool known = device && device->compute_major != NO_VALUE;
	eligible.call_ns = mem_zalloc((size_t)profile->spans + 1, sizeof *eligible.call_ns);
	eligible.used = mem_zalloc((size_t)profile->spans + 1, 1);
	measure_eligible(diagnosis, &eligible, &blame);
	if (!known && !eligible.tensor_ns)
		cannot_tell(finding, NULL, "The compute capability was not recorded.");
	else if (known && device->compute_major < TENSOR_MAJOR)
		stay_silent(finding, "The GPU has no Tensor Cores.");
	else
		judge_tensor_cores(diagnosis, finding, &eligible,
				   known ? device->compute_major : NO_VALUE);
	blame_settle(&blame, finding, SUBJECT_OPERATOR);
	mem_free(eligible.call_ns);
	mem_free(eligible.used);
}

/* ---- kernels by a property ---- */

/* The share of a kernel's time that is lost; negative when unknown. */
typedef double lost_share(const struct diagnosis *diagnosis, uint32_t activity);

struct lost {
	int64_t kernel_ns, told_ns, hit_ns;
	double cost;
};

static struct lost measure_lost(const struct diagnosis *diagnosis, struct finding *finding,
				lost_share *share_of, struct blame *blame)
{
	const struct profile *profile = diagnosis->profile;
	struct lost lost = { 0 };
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		if (profile->activity_kind[i] != ACTIVITY_KERNEL ||
		    facts_is_communication(diagnosis->facts, i) || !is_critical(diagnosis, i))
			continue;
		int64_t dur = profile->activity_dur[i];
		double share = share_of(diagnosis, i);
		lost.kernel_ns += dur;
		lost.told_ns += share >= 0 ? dur : 0;
		if (share <= 0)
			continue;
		lost.hit_ns += dur;
		lost.cost += share * (double)dur;
		blame_activity(blame, i, dur);
		claim_activity(diagnosis, finding, i);
	}
	return lost;
}

/* Fire when these kernels take over LIMIT percent of kernel time; WHAT names them. */
static void detect_lost(const struct diagnosis *diagnosis, struct finding *finding,
			lost_share *share_of, double limit, const char *what)
{
	struct blame blame = { .diagnosis = diagnosis };
	if (!need_kernels(diagnosis, finding))
		return;
	struct lost lost = measure_lost(diagnosis, finding, share_of, &blame);
	double share = percent_of((double)lost.hit_ns, (double)lost.kernel_ns);
	if (!lost.told_ns && lost.kernel_ns)
		cannot_tell(finding, NULL, "No kernel has the launch data that this check needs.");
	else if (share <= limit)
		stay_silent(finding, "%s take %s %% of kernel time.", what, PERCENT(share, 100));
	else
		fire(diagnosis, finding, (int64_t)lost.cost, SEVERITY_LOW,
		     "%s take %s (%s %% of kernel time)", what, DURATION(lost.hit_ns),
		     PERCENT(share, 100));
	blame_settle(&blame, finding, SUBJECT_KERNEL);
	if (finding->answer != ANSWER_FIRED)
		intervals_free(&finding->claim);
}

static double missing_blocks(const struct diagnosis *diagnosis, uint32_t activity)
{
	double blocks = device_blocks_per_sm(diagnosis->profile, activity);
	if (!isfinite(blocks) || blocks < 0)
		return -1;
	return blocks < 1 ? 1 - blocks : 0;
}

void detect_few_blocks(const struct diagnosis *diagnosis, struct finding *finding)
{
	detect_lost(diagnosis, finding, missing_blocks, BLOCKS_PERCENT,
		    "Kernels with less than one block per multiprocessor");
}

static double missing_occupancy(const struct diagnosis *diagnosis, uint32_t activity)
{
	const struct launch_config *config = profile_config(diagnosis->profile, activity);
	uint8_t use = diagnosis->facts->activity_tensor[activity];
	if (!config || !(config->occupancy_pct >= 0))
		return -1;
	if (use == TENSOR_YES || config->occupancy_pct >= OCCUPANCY_LOW)
		return 0;
	if (use == TENSOR_UNKNOWN)
		return -1;
	return 1 - (double)config->occupancy_pct / OCCUPANCY_LOW;
}

void detect_low_occupancy(const struct diagnosis *diagnosis, struct finding *finding)
{
	detect_lost(diagnosis, finding, missing_occupancy, OCCUPANCY_PERCENT,
		    "Kernels below 25 % occupancy, without Tensor Core kernels,");
}

static double is_pointwise(const struct diagnosis *diagnosis, uint32_t activity)
{
	return name_has(diagnosis, diagnosis->profile->activity_name[activity], MARK_POINTWISE);
}

void detect_pointwise(const struct diagnosis *diagnosis, struct finding *finding)
{
	detect_lost(diagnosis, finding, is_pointwise, POINTWISE_PERCENT,
		    "Pointwise kernels of single operators");
}

static double is_layout(const struct diagnosis *diagnosis, uint32_t activity)
{
	return name_has(diagnosis, diagnosis->profile->activity_name[activity], MARK_LAYOUT);
}

void detect_layouts(const struct diagnosis *diagnosis, struct finding *finding)
{
	detect_lost(diagnosis, finding, is_layout, LAYOUT_PERCENT,
		    "Kernels that convert between NCHW and NHWC");
}

/* Host copies are not kernels: the rest converts on the device. */
static double is_conversion(const struct diagnosis *diagnosis, uint32_t activity)
{
	const struct facts *facts = diagnosis->facts;
	uint32_t span = facts->activity_operator[activity];
	while (span != NO_ROW &&
	       !name_has(diagnosis, diagnosis->profile->span_name[span], MARK_CONVERSION))
		span = facts->span_owner[span];
	return span != NO_ROW;
}

void detect_conversions(const struct diagnosis *diagnosis, struct finding *finding)
{
	detect_lost(diagnosis, finding, is_conversion, CONVERSION_PERCENT,
		    "Kernels that cast or convert tensors (aten::to)");
}

void detect_plain_attention(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	struct blame blame = { .diagnosis = diagnosis };
	int64_t calls = 0, gpu = 0;
	if (!need_kernels(diagnosis, finding))
		return;
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++) {
		if (!name_has(diagnosis, profile->span_name[i], MARK_PLAIN_ATTENTION) ||
		    !span_counts(diagnosis, i))
			continue;
		int64_t ns = selection_gpu_total(diagnosis->selection, i);
		calls++;
		gpu += ns;
		blame_span(&blame, i, ns);
	}
	if (calls)
		fire(diagnosis, finding, gpu, SEVERITY_LOW,
		     "%" PRId64 " attention calls use no fused kernel and take %s of GPU time",
		     calls, DURATION(gpu));
	else
		stay_silent(finding, "No attention call lacks a fused kernel.");
	blame_settle(&blame, finding, SUBJECT_OPERATOR);
}
