#include "derived/derived.h"

/* What a name says once it was looked at; 0: not yet. */
enum verdict { NEVER = 1, PRODUCT, SILENT };

struct tensor_uses_judge {
	const struct derived *derived;
	struct tensor_rules *rules;
	uint8_t *operators; /* by string id: enum verdict of an operator's name */
	uint8_t *types;     /* by string id: NEVER, or SILENT */
	uint8_t *tracks;    /* by track: NEVER if its device has no tensor cores, or SILENT */
};

static enum verdict verdict_on_operator(struct tensor_uses_judge *judge, uint32_t name)
{
	const struct intern *strings = judge->derived->profile->strings;
	const char *text = intern_text(strings, name);
	size_t length = intern_length(strings, name);
	if (!judge->operators[name])
		judge->operators[name] = tensor_operator(judge->rules, text, length) ? PRODUCT
					 : tensor_never_operator(judge->rules, text, length)
						 ? NEVER
						 : SILENT;
	return judge->operators[name];
}

static enum verdict verdict_on_types(struct tensor_uses_judge *judge, uint32_t types)
{
	if (!judge->types[types])
		judge->types[types] =
			tensor_types_never(intern_text(judge->derived->profile->strings, types))
				? NEVER
				: SILENT;
	return judge->types[types];
}

/* An operator with a product tells only by its types: its other kernels have names of their own. */
static bool operator_never_uses(struct tensor_uses_judge *judge, uint32_t activity)
{
	const struct derived *derived = judge->derived;
	uint32_t owner = derived->activity_operator[derived_layer_source(derived, activity)];
	if (owner == NO_ROW || !(derived->span_flags[owner] & SPAN_IS_OPERATOR))
		return false;
	enum verdict verdict = verdict_on_operator(judge, derived->profile->span_name[owner]);
	if (verdict != PRODUCT)
		return verdict == NEVER;
	const struct op_info *info = links_arguments(derived, owner);
	return info && info->types && verdict_on_types(judge, info->types) == NEVER;
}

static void judge_tracks(struct tensor_uses_judge *judge)
{
	const struct profile *profile = judge->derived->profile;
	for (size_t i = 0; i < profile->track_count; i++) {
		const struct device *device = profile_device(profile, profile->tracks[i].device);
		const char *name = device ? profile_string(profile, device->name) : "";
		int64_t major = device ? device->compute_major : NO_VALUE;
		judge->tracks[i] = tensor_never_device(judge->rules, name, major) ? NEVER : SILENT;
	}
}

static enum tensor_use use_of(struct tensor_uses_judge *judge, size_t track, uint32_t activity)
{
	const struct derived *derived = judge->derived;
	uint8_t use = derived->kernel_tensor[derived->profile->activity_name[activity]];
	if (use != TENSOR_UNKNOWN)
		return (enum tensor_use)use;
	return derived_is_communication(derived, activity) || judge->tracks[track] == NEVER ||
			       operator_never_uses(judge, activity)
		       ? TENSOR_NO
		       : TENSOR_UNKNOWN;
}

static bool judge_all(struct tensor_uses_judge *judge, uint8_t *uses,
		      const struct progress *progress)
{
	const struct profile *profile = judge->derived->profile;
	judge_tracks(judge);
	for (size_t t = 0; t < profile->track_count; t++) {
		const struct track *track = &profile->tracks[t];
		uint32_t end = track->first_activity + track->activities;
		for (uint32_t i = track->first_activity; i < end; i++) {
			if (!progress_row(progress, "finding Tensor Core use", i,
					  profile->activities))
				return false;
			if (profile->activity_kind[i] == ACTIVITY_KERNEL)
				uses[i] = (uint8_t)use_of(judge, t, i);
		}
	}
	return true;
}

bool tensor_uses_find(struct derived *derived, const struct progress *progress)
{
	uint32_t names = intern_count(derived->profile->strings);
	size_t tracks = derived->profile->track_count;
	struct tensor_uses_judge judge = {
		.derived = derived,
		.rules = tensor_rules_new(),
		.operators = mem_zalloc((size_t)names + 1, 1),
		.types = mem_zalloc((size_t)names + 1, 1),
		.tracks = mem_zalloc(tracks + 1, 1),
	};
	derived->activity_tensor = mem_zalloc((size_t)derived->profile->activities + 1, 1);
	bool ok = judge_all(&judge, derived->activity_tensor, progress);
	tensor_rules_free(judge.rules);
	mem_free_all(judge.operators, judge.types, judge.tracks);
	return ok;
}
