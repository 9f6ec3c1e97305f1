/*
 * Detectors of matrix products and convolutions that use the device badly.
 */
#include "analysis/advice/judge_kernels.h"

#include <math.h>

enum { GEMM_LIMIT_ROWS(_) };

/* The part of the time above what the roofline permits; the whole if it is unknown. */
static double above_roof(const struct diagnosis *diagnosis, uint32_t activity)
{
	double dur = (double)diagnosis->profile->activity_dur[activity];
	struct roof roof = kernel_own_roof(diagnosis, activity);
	return roof.least_ns >= 0 && dur > 0 ? fmax(0, 1 - roof.least_ns / dur) : 1;
}

/* Length of [[2,3],[3,4],[],[]] without the scalars at the end: [[2,3],[3,4] */
static size_t tensors_length(const char *shapes)
{
	size_t length = strlen(shapes);
	while (length > 4 && (strncmp(shapes + length - 4, ",[]]", 4) == 0 ||
			      strncmp(shapes + length - 3, ",[]", 3) == 0))
		length -= shapes[length - 2] == ']' ? 4 : 3;
	return length;
}

/* Add the shapes of the call with most to save: "; most in [[96,3137,64],…]". */
static void add_shapes(const struct diagnosis *diagnosis, struct finding *finding, uint32_t worst)
{
	const struct profile *profile = diagnosis->profile;
	enum { SHAPES_MAX = 40 }; /* longer ones hide the rest */
	uint32_t span = worst == NO_ROW ? NO_ROW : kernel_operator(diagnosis, worst);
	const struct op_info *info = span == NO_ROW ? NULL : profile_op_info(profile, span);
	if (finding->answer != ANSWER_FIRED || !info || !info->shapes)
		return;
	const char *shapes = profile_string(profile, info->shapes);
	if (tensors_length(shapes) <= SHAPES_MAX &&
	    strspn(shapes, "[]0123456789, ") == strlen(shapes))
		buffer_printf(&finding->evidence, "; most in a call of shapes %.*s%s",
			      (int)tensors_length(shapes), shapes,
			      tensors_length(shapes) < strlen(shapes) ? "]" : "");
}

/* ---- alignment ---- */

static JUDGE_KERNEL(judge_unaligned)
{
	return (struct judgment){ false, true, above_roof(diagnosis, activity) };
}

void detect_unaligned_gemm(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct judged all =
		check_kernels(diagnosis, finding, &(struct kernel_check){ judge_unaligned });
	add_shapes(diagnosis, finding, all.worst);
}

/* ---- generation ---- */

/* The newest generation of kernels that is old on a device of this compute capability; 0: none. */
static uint8_t old_on(int64_t major)
{
	/* consumer GPUs (8.6, 8.9, 12.0) run Ampere's kernels by design */
	static const struct {
		int64_t major;
		uint8_t generation;
	} old[] = { { 8, 75 }, { 9, 80 }, { 10, 80 }, { 12, 75 } };
	for (size_t i = 0; i < sizeof old / sizeof *old; i++)
		if (major == old[i].major)
			return old[i].generation;
	return 0;
}

static bool is_old(const struct diagnosis *diagnosis, uint32_t name, const void *context)
{
	const uint8_t *old = context;
	struct kernel_name of = diagnosis->kernel_names[name];
	return of.generation && of.generation <= *old &&
	       !(of.traits & (KERNEL_UNALIGNED | KERNEL_FP32));
}

static JUDGE_KERNEL(judge_generation)
{
	bool hit = diagnosis->profile->activity_dur[activity] >= OLD_NS;
	/* instructions of Ampere reach 63 % of Hopper's peak (arXiv 2402.13499) */
	static const double saved = 1 - 0.63;
	return (struct judgment){ false, hit, hit ? saved : 0 };
}

void detect_kernel_old_generation(const struct diagnosis *diagnosis, struct finding *finding)
{
	int64_t major = compute_major(diagnosis);
	uint8_t old = old_on(major);
	if (!old) {
		if (major == NO_VALUE)
			report_unknown(finding, NULL, "The compute capability was not recorded.");
		else
			report_ok(finding, "No kernels are known to be old on this GPU.");
		return;
	}
	check_kernels(diagnosis, finding, &(struct kernel_check){ judge_generation, is_old, &old });
}

/* ---- efficiency ---- */

/* A fused kernel of attention reaches about half of the roofline (FlashAttention-2, table 1). */
static JUDGE_KERNEL(judge_efficiency)
{
	double dur = kernel_own_ns(diagnosis, activity);
	struct judgment at = { false, false, 0 };
	struct roof roof = kernel_own_roof(diagnosis, activity);
	bool attention = kernel_named(diagnosis, activity).family == FAMILY_ATTENTION;
	double least = roof.least_ns * (attention ? 2 : 1);
	at.unknown = !(roof.work.flops > 0 && roof.peak_flops > 0 && roof.peak_bytes > 0);
	at.hit = !at.unknown && dur >= EFFICIENCY_NS && 100 * least < EFFICIENCY_LOW * dur;
	at.saved = at.hit ? (dur - least) / (double)diagnosis->profile->activity_dur[activity] : 0;
	return at;
}

/* "; 41.0 TFLOP/s, 13.1 % of what its shapes permit" of the kernel with most to save */
static void add_rate(const struct diagnosis *diagnosis, struct finding *finding, uint32_t worst)
{
	if (finding->answer != ANSWER_FIRED || worst == NO_ROW)
		return;
	double dur = (double)diagnosis->profile->activity_dur[worst];
	struct roof roof = kernel_own_roof(diagnosis, worst);
	buffer_printf(&finding->evidence, "; the worst reaches %.1f TFLOP/s, %s %% of its roofline",
		      roof.work.flops / dur / 1e3, PERCENT(roof.least_ns, dur));
	add_shapes(diagnosis, finding, worst);
}

void detect_low_efficiency(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct judged all =
		check_kernels(diagnosis, finding, &(struct kernel_check){ judge_efficiency });
	add_rate(diagnosis, finding, all.worst);
}

/* ---- waves ---- */

static JUDGE_KERNEL(judge_waves)
{
	const struct profile *profile = diagnosis->profile;
	const struct launch_config *config = profile_config(profile, activity);
	const struct device *device = judged_device(diagnosis);
	struct judgment at = { !config || !device || device->sm_count <= 0, false, 0 };
	/* a persistent kernel has as many blocks as fit, and divides the work itself */
	if (at.unknown || kernel_named(diagnosis, activity).traits & KERNEL_SPLIT)
		return (struct judgment){ at.unknown, false, 0 };
	double blocks = 1;
	for (int i = 0; i < 3; i++)
		blocks *= config->grid[i] > 0 ? config->grid[i] : NAN;
	double waves = blocks / ((double)device->sm_count * kernel_resident_blocks(device, config));
	at.unknown = !isfinite(waves);
	double loss = 1 - waves / ceil(waves);
	at.hit = !at.unknown && waves > 1 && waves < WAVES_MAX && 100 * loss >= WAVE_LOSS;
	at.saved = at.hit ? loss : 0;
	return at;
}

void detect_wave_quantization(const struct diagnosis *diagnosis, struct finding *finding)
{
	check_kernels(diagnosis, finding, &(struct kernel_check){ judge_waves });
}
