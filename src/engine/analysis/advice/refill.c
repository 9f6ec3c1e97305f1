#include "analysis/advice/refill.h"

#include "base/compare.h"
#include "derived/activity_order.h"

#include <stdlib.h>

struct refill_wait {
	int64_t end, busy_ns; /* of the call, in which the device works for that long */
	uint32_t track;
};

COMPARE_MEMBERS(compare_waits, struct refill_wait, UP(end))

/* The calls of threads that launch, by their end. */
static struct refill_wait *find_waits(const struct diagnosis *diagnosis, match_span *match,
				      void *context, size_t *count)
{
	const struct profile *profile = diagnosis->profile;
	struct refill_wait *waits = NULL;
	*count = 0;
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++) {
		if (profile->span_kind[i] != SPAN_RUNTIME || !span_counts(diagnosis, i) ||
		    !diagnosis->launching[profile->span_track[i]] || !match(diagnosis, i, context))
			continue;
		int64_t start = profile->span_start[i], end = profile_span_end(profile, i);
		int64_t idle = intervals_length_in(&diagnosis->idle, start, end);
		*mem_push(waits, *count) =
			(struct refill_wait){ end, end - start - idle, profile->span_track[i] };
	}
	if (*count)
		qsort(waits, *count, sizeof *waits, compare_waits);
	return waits;
}

/* Waits and work, in the order of time. */
struct refill_walk {
	const struct diagnosis *diagnosis;
	const struct refill_wait *waits;
	const uint32_t *by_start; /* activities */
	size_t count, next, next_activity;
	int64_t *lead; /* by track */
};

/* The thread that launches the work from TIME on; NO_ROW. */
static uint32_t launching_track(struct refill_walk *walk, int64_t time)
{
	const struct profile *profile = walk->diagnosis->profile;
	for (; walk->next_activity < profile->activities; walk->next_activity++) {
		uint32_t activity = walk->by_start[walk->next_activity];
		uint32_t launch = profile->activity_launch[activity];
		if (profile->activity_start[activity] >= time && launch != NO_ROW &&
		    is_critical(walk->diagnosis, activity))
			return profile->span_track[launch];
	}
	return NO_ROW;
}

/* Of STARVED what the lead of the thread that launches next would have filled. */
static void find_filled(struct refill_walk *walk, const struct intervals *starved,
			struct intervals *out)
{
	for (size_t i = 0; i < starved->count && detect_row(walk->diagnosis, i); i++) {
		int64_t start = starved->item[i].start, end = starved->item[i].end;
		uint32_t track = launching_track(walk, end);
		for (; walk->next < walk->count && walk->waits[walk->next].end <= end;
		     walk->next++) {
			const struct refill_wait *wait = &walk->waits[walk->next];
			if (wait->track == track && !walk->lead[track] && wait->end > start)
				start = wait->end;
			walk->lead[wait->track] += wait->busy_ns;
		}
		if (track == NO_ROW)
			return;
		int64_t ns = end - start < walk->lead[track] ? end - start : walk->lead[track];
		intervals_add(out, start, start + ns);
		walk->lead[track] -= ns;
	}
}

/* Take out of STARVED the breaks between launches. */
static void leave_out_breaks(const struct diagnosis *diagnosis, struct intervals *starved)
{
	const struct gaps *gaps = &diagnosis->device->gaps;
	AUTO_INTERVALS struct intervals breaks = { 0 };
	for (size_t i = 0; i < gaps->count && detect_row(diagnosis, i); i++)
		for (size_t p = 0; p < gaps->items[i].parts; p++) {
			const struct gap_part *part = gap_part(&gaps->items[i], p);
			if (part->cause == CAUSE_LAUNCH &&
			    (part->span == NO_ROW ||
			     diagnosis->causes->span_cause[part->span] != CAUSE_LAUNCH))
				intervals_add(&breaks, gap_part_start(&gaps->items[i], p),
					      gap_part_end(&gaps->items[i], p));
		}
	intervals_merge(&breaks);
	intervals_subtract(starved, &breaks, starved);
}

bool refill_is_one_a_step(const struct diagnosis *diagnosis, size_t calls)
{
	enum { CALLS_OF_A_WAIT = 2 }; /* a copy to the host, and the wait for it */
	return diagnosis->derived->steps_from_profile &&
	       (int64_t)calls <= CALLS_OF_A_WAIT * diagnosis->steps;
}

/*
 * Where the device starves. Recorded Python stacks inflate the breaks between launches, which one
 * wait per step would be blamed for.
 */
static void find_starved(const struct diagnosis *diagnosis, size_t waits, struct intervals *out)
{
	causes_set_in(diagnosis->device, CAUSE_LAUNCH, &diagnosis->window, out);
	if (diagnosis->stacks && refill_is_one_a_step(diagnosis, waits))
		leave_out_breaks(diagnosis, out);
}

size_t refill_after(const struct diagnosis *diagnosis, match_span *match, void *context,
		    struct intervals *out)
{
	AUTO_INTERVALS struct intervals starved = { 0 };
	struct refill_walk walk = { .diagnosis = diagnosis };
	AUTO_FREE struct refill_wait *waits = find_waits(diagnosis, match, context, &walk.count);
	walk.waits = waits;
	if (walk.count)
		walk.by_start = derived_by_start(diagnosis->derived, diagnosis->progress);
	if (walk.by_start) {
		walk.lead = mem_zalloc(diagnosis->profile->track_count + 1, sizeof *walk.lead);
		find_starved(diagnosis, walk.count, &starved);
		find_filled(&walk, &starved, out);
		mem_free(walk.lead);
	}
	return walk.count;
}

static bool has_cause(const struct diagnosis *diagnosis, uint32_t span, void *cause)
{
	return diagnosis->causes->span_cause[span] == *(const enum time_cause *)cause;
}

size_t refill_after_cause(const struct diagnosis *diagnosis, enum time_cause cause,
			  struct intervals *out)
{
	return refill_after(diagnosis, has_cause, &cause, out);
}

struct refill claim_refill(const struct diagnosis *diagnosis, struct finding *finding,
			   enum time_cause cause, const struct intervals *within)
{
	struct intervals filled = { 0 }, in_calls = { 0 };
	refill_after_cause(diagnosis, cause, &filled);
	causes_set_in(diagnosis->device, cause, &diagnosis->window, &in_calls);
	intervals_intersect(&in_calls, within, &in_calls);
	int64_t inside = intervals_length(&in_calls);
	for (size_t i = 0; i < in_calls.count; i++)
		intervals_add(&filled, in_calls.item[i].start, in_calls.item[i].end);
	int64_t all = claim_common(diagnosis, finding, &filled, within);
	intervals_free(&in_calls);
	return (struct refill){ inside, all - inside };
}

void tell_refill(const struct diagnosis *diagnosis, struct finding *finding,
		 const struct refill *refill)
{
	if (refill->after)
		buffer_printf(&finding->evidence,
			      ", and for %s after that, until its queue is filled again",
			      share_of_time(SHARE, diagnosis, refill->after));
}
