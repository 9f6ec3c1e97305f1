/*
 * Detector of convolutions whose algorithms cuDNN chooses by heuristics, not by measuring.
 */
#include "analysis/advice/judge_kernels.h"

#include "base/text_slice.h"

/* Is text INDEX of a list of texts, '["", "[1, 1]", "False"]', this one? */
static bool value_is(const char *list, int index, const char *text)
{
	for (; (list = strchr(list, '"')); index--) {
		const char *end = strchr(++list, '"');
		if (!end)
			return false;
		if (index == 0)
			return text_is(list, (size_t)(end - list), text);
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

enum benchmark_text { TEXT_UNREAD, TEXT_OTHER, TEXT_ON, TEXT_OFF };

static enum benchmark_text detect_convolution_read_text(const char *values, int index)
{
	return value_is(values, index, "True")    ? TEXT_ON
	       : value_is(values, index, "False") ? TEXT_OFF
						  : TEXT_OTHER;
}

/* SAYS caches what is read by string; values repeat. */
static void detect_convolution_add_calls(const struct diagnosis *diagnosis,
					 const struct argument *argument, uint8_t *says,
					 struct benchmark *found)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t name = profile_find(profile, argument->name);
	for (uint32_t i = 0; name != NO_ROW && i < profile->spans && detect_row(diagnosis, i);
	     i++) {
		if (profile->span_name[i] != name || !span_counts(diagnosis, i))
			continue;
		const struct op_info *info = profile_op_info(profile, i);
		if (!info || !info->concrete)
			continue;
		uint8_t *text = &says[info->concrete];
		if (*text == TEXT_UNREAD)
			*text = detect_convolution_read_text(
				profile_string(profile, info->concrete), argument->index);
		found->on += *text == TEXT_ON;
		found->off += *text == TEXT_OFF;
	}
}

/* From what DLProf recorded at the first convolution, and from each call. */
static struct benchmark find_benchmark(const struct diagnosis *diagnosis)
{
	enum setting disabled = recorded_setting(diagnosis->profile, "cudnn_benchmark_disabled");
	struct benchmark found = { disabled == SETTING_OFF, disabled == SETTING_ON };
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
		AUTO_FREE uint8_t *says = mem_zalloc(intern_count(diagnosis->profile->strings), 1);
		detect_convolution_add_calls(diagnosis, &arguments[i], says, &found);
	}
	return found;
}

/* Another algorithm is at most as fast as the hardware permits; unknown: nothing is claimed. */
static JUDGE_KERNEL(judge_convolution)
{
	const struct benchmark *benchmark = context;
	struct judgment at = { !benchmark->on && !benchmark->off,
			       benchmark->off > 0 && !benchmark->on, 0 };
	if (!at.hit)
		return at;
	struct roof roof = kernel_own_roof(diagnosis, activity);
	double dur = (double)diagnosis->profile->activity_dur[activity];
	if (roof.least_ns > 0 && roof.least_ns < dur)
		at.saved = 1 - roof.least_ns / dur;
	return at;
}

void detect_cudnn_benchmark(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct benchmark benchmark = find_benchmark(diagnosis);
	check_kernels(diagnosis, finding,
		      &(struct kernel_check){ judge_convolution, NULL, &benchmark });
	if (finding->answer == ANSWER_FIRED && !finding->cost_ns)
		finding->cost_ns = NO_VALUE;
}
