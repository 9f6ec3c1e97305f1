/*
 * Detector of convolutions whose algorithms cuDNN chooses by heuristics, not by measuring.
 */
#include "analysis/advice/judge_kernels.h"
#include "analysis/shared.h"

#include <string.h>

enum { CONVOLUTION_PERCENT = 10 };

/* Is text INDEX of a list of texts, '["", "[1, 1]", "False"]', this one? */
static bool text_is(const char *list, int index, const char *text)
{
	size_t length = strlen(text);
	for (; (list = strchr(list, '"')); index--) {
		const char *end = strchr(++list, '"');
		if (!end)
			return false;
		if (index == 0)
			return (size_t)(end - list) == length && !strncmp(list, text, length);
		list = end + 1;
	}
	return false;
}

/* The argument `benchmark` of these operators, whose values were recorded with their shapes. */
static const struct argument {
	const char *name;
	int index;
} arguments[] = { { "aten::_convolution", 9 }, { "aten::cudnn_convolution", 6 } };

struct benchmark {
	int64_t on, off; /* calls */
};

/* From what DLProf recorded at the first convolution, and from each call. */
static struct benchmark find_benchmark(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	enum setting disabled = recorded_setting(profile, "cudnn_benchmark_disabled");
	struct benchmark found = { disabled == SETTING_OFF, disabled == SETTING_ON };
	uint32_t name[2];
	for (int k = 0; k < 2; k++)
		name[k] =
			intern_find(profile->strings, arguments[k].name, strlen(arguments[k].name));
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++) {
		int k = profile->span_name[i] == name[0] ? 0 : 1;
		if (profile->span_name[i] != name[k] || !span_counts(diagnosis, i))
			continue;
		const struct op_info *info = profile_op_info(profile, i);
		const char *values =
			info && info->concrete ? profile_string(profile, info->concrete) : "";
		found.on += text_is(values, arguments[k].index, "True");
		found.off += text_is(values, arguments[k].index, "False");
	}
	return found;
}

struct convolutions {
	struct benchmark benchmark;
	const struct work_counts *work;
};

static bool is_convolution(const struct diagnosis *diagnosis, uint32_t name, const void *context)
{
	(void)context;
	return diagnosis->kernel_names[name].family == FAMILY_CONV;
}

/* Another algorithm is at most as fast as the hardware permits; unknown: nothing is claimed. */
static struct judgment judge_convolution(const struct diagnosis *diagnosis, uint32_t activity,
					 const void *context)
{
	const struct convolutions *of = context;
	const struct profile *profile = diagnosis->profile;
	struct judgment at = { false, false, 0 };
	at.untold = !of->benchmark.on && !of->benchmark.off;
	at.hit = of->benchmark.off > 0 && !of->benchmark.on;
	if (!at.hit)
		return at;
	bool tensor =
		diagnosis->facts->kernel_tensor[profile->activity_name[activity]] == TENSOR_YES;
	struct roof roof = kernel_roof(diagnosis, of->work, activity, NULL, tensor);
	double dur = (double)profile->activity_dur[activity];
	if (roof.least_ns > 0 && roof.least_ns < dur)
		at.saved = 1 - roof.least_ns / dur;
	return at;
}

void detect_cudnn_benchmark(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct convolutions of = { find_benchmark(diagnosis),
				   shared_work(diagnosis->facts, diagnosis->progress) };
	if (!of.work)
		return; /* cancelled */
	check_kernels(diagnosis, finding,
		      &(struct kernel_check){ .judge = judge_convolution,
					      .may_hit = is_convolution,
					      .context = &of,
					      .percent = CONVOLUTION_PERCENT,
					      .what = "Convolutions with benchmark=False",
					      .needs = "arguments of aten::_convolution",
					      .lacks = RECORDED_SHAPES });
	if (finding->answer == ANSWER_FIRED && !finding->cost_ns)
		finding->cost_ns = NO_VALUE;
}
