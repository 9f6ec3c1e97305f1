#include "analysis/breakdown.h"

#include "analysis/facts.h"
#include "analysis/intervals.h"
#include "analysis/selection.h"

static const char *const columns[TIME_CLASSES] = {
	[TIME_KERNEL] = "kernel_ns",
	[TIME_MEMCPY] = "memcpy_ns",
	[TIME_MEMSET] = "memset_ns",
	[TIME_COMMUNICATION] = "communication_ns",
	[TIME_RUNTIME] = "runtime_ns",
	[TIME_DATALOADER] = "dataloader_ns",
	[TIME_CPU_EXEC] = "cpu_exec_ns",
	[TIME_OTHER] = "other_ns",
};

const char *time_class_column(enum time_class time_class)
{
	return columns[time_class];
}

/* The class of a host span, or TIME_OTHER for those that explain nothing. */
static enum time_class class_of_span(const struct facts *facts, uint32_t span)
{
	const struct profile *profile = facts->profile;
	uint16_t role = facts->role[profile->span_name[span]];
	switch (profile->span_kind[span]) {
	case SPAN_RUNTIME:
		return TIME_RUNTIME;
	case SPAN_OPERATOR:
	case SPAN_ANNOTATION:
		if (role & NAME_STEP)
			return TIME_OTHER;
		if (role & NAME_DATALOADER)
			return TIME_DATALOADER;
		if (role & NAME_COMMUNICATION && !profile->activities)
			return TIME_COMMUNICATION;
		return TIME_CPU_EXEC;
	default:
		return TIME_OTHER;
	}
}

static enum time_class class_of_activity(const struct facts *facts, uint32_t activity)
{
	switch (facts->profile->activity_kind[activity]) {
	case ACTIVITY_KERNEL:
		return facts_is_communication(facts, activity) ? TIME_COMMUNICATION : TIME_KERNEL;
	case ACTIVITY_MEMCPY:
		return TIME_MEMCPY;
	case ACTIVITY_MEMSET:
		return TIME_MEMSET;
	default:
		return TIME_OTHER;
	}
}

static void collect(const struct facts *facts, const struct selection *selection,
		    struct intervals sets[TIME_CLASSES], struct intervals *kernels)
{
	const struct profile *profile = facts->profile;
	for (uint32_t i = 0; i < profile->activities; i++) {
		enum time_class class = class_of_activity(facts, i);
		int64_t start = profile->activity_start[i];
		if (class == TIME_OTHER || !selection_has_activity(selection, i))
			continue;
		intervals_add(&sets[class], start, start + profile->activity_dur[i]);
		if (profile->activity_kind[i] == ACTIVITY_KERNEL)
			intervals_add(kernels, start, start + profile->activity_dur[i]);
	}
	for (uint32_t i = 0; i < profile->spans; i++) {
		enum time_class class = class_of_span(facts, i);
		int64_t start = profile->span_start[i];
		if (class != TIME_OTHER && selection_has_span(selection, i))
			intervals_add(&sets[class], start, start + profile->span_dur[i]);
	}
	for (int class = 0; class < TIME_OTHER; class++)
		intervals_merge(&sets[class]);
	intervals_merge(kernels);
}

struct breakdown *breakdown_of_steps(const struct facts *facts,
				     const struct selection *selection)
{
	struct intervals sets[TIME_CLASSES] = { 0 }, kernels = { 0 };
	struct intervals left = { 0 }, cost = { 0 }, rest = { 0 };
	struct breakdown *result = mem_zalloc(facts->step_count, sizeof *result);
	collect(facts, selection, sets, &kernels);
	for (uint32_t i = 0; i < facts->step_count; i++)
		intervals_add(&left, facts->steps[i].start, facts->steps[i].end);
	intervals_merge(&left);
	for (int class = 0; class < TIME_CLASSES; class++) {
		const struct intervals *own = &left;
		if (class != TIME_OTHER) {
			intervals_intersect(&left, &sets[class], &cost);
			own = &cost;
		}
		for (uint32_t i = 0; i < facts->step_count; i++)
			result[i].ns[class] = intervals_length_in(own, facts->steps[i].start,
								  facts->steps[i].end);
		intervals_subtract(&left, &sets[class], &rest);
		struct intervals swap = left;
		left = rest;
		rest = swap;
	}
	for (uint32_t i = 0; i < facts->step_count; i++)
		result[i].gpu_busy_ns = intervals_length_in(&kernels, facts->steps[i].start,
							    facts->steps[i].end);
	for (int class = 0; class < TIME_CLASSES; class++)
		intervals_free(&sets[class]);
	intervals_free(&kernels);
	intervals_free(&left);
	intervals_free(&cost);
	intervals_free(&rest);
	return result;
}
