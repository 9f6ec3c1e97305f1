/*
 * Events of the profile that stand for DLProf's ops and calls: DLProf's data has no row numbers of
 * the profile, so they are found by time.
 */
#include "tools/dlprof/dlprof_derive.h"
#include "tools/dlprof/dlprof_views.h"

#include "base/hash.h"

static uint64_t time_key(int64_t start, int64_t stop)
{
	return hash_pair((uint64_t)start, (uint64_t)stop);
}

struct ref dlprof_op_ref(const struct dlprof_results *results, size_t first)
{
	const struct profile *profile = results->table->held->profile;
	if (first >= results->dlprof->instance_count)
		return NO_REF;
	const struct dlprof_instance *instance = &results->dlprof->instances[first];
	int64_t clock = dlprof_clock(profile);
	int64_t start = instance->start - clock, stop = instance->stop - clock;
	uint32_t span =
		hash_where(i, results->spans, time_key(start, stop),
			   profile->span_start[i] == start && profile->span_dur[i] == stop - start);
	return span == NO_ROW ? NO_REF : (struct ref){ REF_CALL, span, 0, 0 };
}

struct ref dlprof_call_ref(const struct dlprof_results *results, const struct dlprof_call *call)
{
	const struct profile *profile = results->table->held->profile;
	int64_t clock = dlprof_clock(profile);
	int64_t start = call->gpu_start - clock, stop = call->gpu_stop - clock;
	uint32_t activity = hash_where(i, results->activities, time_key(start, stop),
				       profile->activity_start[i] == start &&
					       profile->activity_dur[i] == stop - start &&
					       profile_activity_device(profile, i) == call->device);
	return activity == NO_ROW ? NO_REF : (struct ref){ REF_LAUNCH, activity, 0, 0 };
}

bool dlprof_find_events(struct dlprof_results *results)
{
	static const char stage[] = "finding events";
	const struct profile *profile = results->table->held->profile;
	bool ok = true;
	results->spans = hash_new(profile->spans);
	results->activities = hash_new(profile->activities);
	for_rows (ok, i, profile->spans, results->progress, stage) {
		int64_t start = profile->span_start[i];
		if (profile->span_kind[i] == SPAN_OPERATOR ||
		    profile->span_kind[i] == SPAN_ANNOTATION ||
		    profile->span_kind[i] == SPAN_RUNTIME)
			hash_add(results->spans, time_key(start, start + profile->span_dur[i]), i);
	}
	for_rows (ok, i, profile->activities, results->progress, stage) {
		int64_t start = profile->activity_start[i];
		hash_add(results->activities, time_key(start, start + profile->activity_dur[i]), i);
	}
	return ok;
}

FREE_MEMBERS(dlprof_forget_events, struct dlprof_results,
	     OWN_BY(hash_free, spans) OWN_BY(hash_free, activities))
