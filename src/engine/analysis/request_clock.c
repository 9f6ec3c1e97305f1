#include "analysis/request_clock.h"

#include "base/binary_search.h"
#include "derived/derived.h"
#include "model/requests.h"

#include <stdlib.h>

enum { STEPS_LEAST = 8, STEPS_MOST = 256, MISSED_PERCENT = 20 };

struct clock_matching {
	const struct derived *derived;
	struct ascending tokens;
	size_t count;
	uint32_t steps[STEPS_MOST]; /* those of decode */
};

/*
 * How badly OFFSET explains when tokens arrive: by those that are too many or missing, and by how
 * long they come after their steps. Their times vary: the last quarter of a step is after it.
 */
static double match_offset(const struct clock_matching *matching, int64_t offset,
			   struct request_clock *clock)
{
	int64_t least = INT64_MAX, missed = 0;
	double late = 0;
	size_t near = 0;
	*clock = (struct request_clock){ .steps = matching->count };
	for (size_t i = 0; i < matching->count; i++) {
		const struct step *step = &matching->derived->steps[matching->steps[i]];
		bool last = matching->steps[i] + 1 == matching->derived->step_count;
		int64_t next = last ? 2 * step->end - step->start : step[1].end;
		int64_t margin = (next - step->end) / 4;
		near = search_near(matching->tokens, step->end - margin - offset, near);
		size_t after = search_near(matching->tokens, next - margin - offset, near);
		clock->due += (size_t)step->batch.requests;
		missed += llabs((int64_t)(after - near) - step->batch.requests);
		if (after == near)
			continue;
		int64_t ns = ascending_at(matching->tokens, near) + offset - step->end;
		least = ns < least ? ns : least;
		late += (double)llabs(ns) / (double)(4 * margin + 1);
	}
	clock->tokens = clock->due - (size_t)missed;
	clock->offset = offset - least;
	if (missed * 100 > (int64_t)clock->due * MISSED_PERCENT)
		clock->unknown = "the arrivals of tokens fit the steps at no time";
	return (double)missed / (double)clock->due + late / (double)matching->count;
}

/* Let each token that comes after a pause be the first one of the first step. */
static bool match_tokens(const struct clock_matching *matching, struct request_clock *best,
			 const struct progress *progress)
{
	const struct step *step = &matching->derived->steps[matching->steps[0]];
	double least = 1e9, second = 1e9;
	int64_t before = NO_VALUE;
	for (size_t i = 0; i < matching->tokens.count; i++) {
		struct request_clock clock;
		int64_t token = ascending_at(matching->tokens, i);
		if (!progress_heavy_row(progress, "matching tokens", i, matching->tokens.count,
					STEPS_MOST))
			return false;
		bool pause = before == NO_VALUE || token - before > (step->end - step->start) / 4;
		before = token;
		if (token == NO_VALUE || !pause)
			continue;
		double bad = match_offset(matching, step->end - token, &clock);
		second = bad < least ? least : bad < second ? bad : second;
		*best = bad < least ? clock : *best;
		least = bad < least ? bad : least;
	}
	if (least == 1e9)
		best->unknown = "the file does not say when they began";
	else if (second < 2 * least)
		best->unknown = "the arrivals of tokens fit the steps at several times";
	return true;
}

bool request_clock_find(struct request_clock *clock, const struct derived *derived,
			const struct progress *progress)
{
	const struct requests *requests = derived->profile->requests;
	const int64_t year_2000 = INT64_C(946684800000000000);
	int64_t zero = sum_known(derived->profile->epoch_ns, derived->profile->base_ns);
	struct clock_matching matching = {
		derived, ASCENDING_ARRAY(requests->tokens, requests->token_count), 0, { 0 }
	};
	bool unix_time = requests->unix_time && zero > year_2000;
	*clock = (struct request_clock){ .offset = unix_time ? -zero : NO_VALUE };
	if (requests->unix_time) {
		clock->unknown = unix_time ? NULL : "the trace has no time of day";
		return true;
	}
	for (uint32_t i = 0; i < derived->step_count && matching.count < STEPS_MOST; i++)
		if (derived->steps[i].phase == PHASE_DECODE && derived->steps[i].batch.requests > 0)
			matching.steps[matching.count++] = i;
	if (matching.count >= STEPS_LEAST)
		return match_tokens(&matching, clock, progress);
	clock->unknown = "the trace has too few decode steps to match tokens with";
	return true;
}
