#include "analysis/breakdown.h"

#include "facts/facts.h"
#include "facts/intervals.h"
#include "facts/selection.h"

static const char stage[] = "summing time";

static const char *const columns[TIME_CLASSES] = {
	[TIME_KERNEL] = "kernel_ns",     [TIME_MEMCPY] = "memcpy_ns",
	[TIME_MEMSET] = "memset_ns",     [TIME_COMMUNICATION] = "communication_ns",
	[TIME_RUNTIME] = "runtime_ns",   [TIME_DATALOADER] = "dataloader_ns",
	[TIME_CPU_EXEC] = "cpu_exec_ns", [TIME_OTHER] = "other_ns",
};

const char *time_class_column(enum time_class time_class)
{
	return columns[time_class];
}

/* The class of a host span, or TIME_OTHER when it explains nothing. */
static enum time_class class_of_span(const struct facts *facts, uint32_t span)
{
	const struct profile *profile = facts->profile;
	uint16_t role = facts->role[profile->span_name[span]];
	switch (profile->span_kind[span]) {
	case SPAN_RUNTIME: return TIME_RUNTIME;
	case SPAN_OPERATOR:
	case SPAN_ANNOTATION:
		if (role & NAME_STEP)
			return TIME_OTHER;
		if (role & NAME_DATALOADER)
			return TIME_DATALOADER;
		if (role & NAME_COMMUNICATION && !profile->activities)
			return TIME_COMMUNICATION;
		return TIME_CPU_EXEC;
	default: return TIME_OTHER;
	}
}

static enum time_class class_of_activity(const struct facts *facts, uint32_t activity)
{
	switch (facts->profile->activity_kind[activity]) {
	case ACTIVITY_KERNEL:
		return facts_is_communication(facts, activity) ? TIME_COMMUNICATION : TIME_KERNEL;
	case ACTIVITY_COLLECTIVE: return TIME_COMMUNICATION;
	case ACTIVITY_MEMCPY: return TIME_MEMCPY;
	case ACTIVITY_MEMSET: return TIME_MEMSET;
	default: return TIME_OTHER;
	}
}

static bool collect(const struct selection *selection, struct intervals sets[TIME_CLASSES],
		    const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	const struct facts *facts = selection->facts;
	for (uint32_t i = 0; i < profile->activities; i++) {
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		enum time_class class = class_of_activity(facts, i);
		int64_t start = profile->activity_start[i];
		if (class == TIME_OTHER || !selection_has_activity(selection, i))
			continue;
		intervals_add(&sets[class], start, start + profile->activity_dur[i]);
	}
	for (uint32_t i = 0; i < profile->spans; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		enum time_class class = class_of_span(facts, i);
		int64_t start = profile->span_start[i];
		if (class != TIME_OTHER && selection_has_span(selection, i))
			intervals_add(&sets[class], start, start + profile->span_dur[i]);
	}
	for (int class = 0; class < TIME_OTHER; class ++) {
		intervals_merge(&sets[class]);
		if (!progress_update(progress, stage, (uint64_t) class, TIME_OTHER, 0))
			return false;
	}
	return true;
}

/* Move the time of SET from LEFT to a class: what each step then has less of the other time. */
static void take_class(const struct facts *facts, struct breakdown *steps, enum time_class class,
		       const struct intervals *set, struct intervals *left)
{
	struct intervals rest = { 0 };
	size_t near = 0;
	intervals_subtract(left, set, &rest);
	for (uint32_t i = 0; i < facts->step_count; i++) {
		int64_t other = intervals_length_near(&rest, facts->steps[i].start,
						      facts->steps[i].end, &near);
		steps[i].ns[class] = steps[i].ns[TIME_OTHER] - other;
		steps[i].ns[TIME_OTHER] = other;
	}
	intervals_free(left);
	*left = rest;
}

struct breakdown *breakdown_of_steps(const struct selection *selection,
				     const struct progress *progress)
{
	const struct facts *facts = selection->facts;
	struct intervals sets[TIME_CLASSES] = { 0 }, left = { 0 };
	struct breakdown *result = mem_zalloc(facts->step_count, sizeof *result);
	bool on = collect(selection, sets, progress);
	for (uint32_t i = 0; i < facts->step_count && on; i++)
		intervals_add(&left, facts->steps[i].start, facts->steps[i].end);
	intervals_merge(&left);
	for (uint32_t i = 0; i < facts->step_count && on; i++)
		result[i].ns[TIME_OTHER] = facts->steps[i].end > facts->steps[i].start
						   ? facts->steps[i].end - facts->steps[i].start
						   : 0;
	for (int class = 0; class < TIME_OTHER && on; class ++) {
		on = progress_update(progress, stage, (uint64_t) class, TIME_CLASSES, 0);
		if (sets[class].count)
			take_class(facts, result, (enum time_class) class, &sets[class], &left);
		intervals_free(&sets[class]);
	}
	for (int class = 0; class < TIME_CLASSES; class ++)
		intervals_free(&sets[class]);
	intervals_free(&left);
	if (on)
		return result;
	mem_free(result);
	return NULL;
}
