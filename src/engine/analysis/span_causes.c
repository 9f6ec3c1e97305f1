#include "analysis/span_causes.h"

#include "base/mem.h"
#include "derived/selection.h"

static const char stage[] = "finding causes";

/* What is known of a call beyond its name. */
enum call_mark { MARK_WAITS = 1, MARK_ONE_OFF };

/* Mark the calls that blocked until their copy was done. */
static bool mark_waiting_copies(const struct profile *profile, uint8_t *marks,
				const struct progress *progress)
{
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t launch = profile->activity_launch[i];
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		if (launch != NO_ROW && profile->activity_kind[i] == ACTIVITY_MEMCPY &&
		    profile_activity_end(profile, i) <= profile_span_end(profile, launch))
			marks[launch] = MARK_WAITS;
	}
	return true;
}

/* ---- first calls ---- */

/* A first call this many times as long as the median of its kind, and no shorter than this. */
enum { ONE_OFF_FACTOR = 100, ONE_OFF_MIN_NS = 1000000, ONE_OFF_CALLS = 3 };

/* The first call of each runtime function, by name; NO_ROW. */
static bool find_first_calls(const struct profile *profile, uint32_t *first,
			     const struct progress *progress)
{
	for (uint32_t i = 0; i < profile->spans; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		if (profile->span_kind[i] != SPAN_RUNTIME)
			continue;
		uint32_t name = profile->span_name[i];
		if (first[name] == NO_ROW ||
		    profile->span_start[i] < profile->span_start[first[name]])
			first[name] = i;
	}
	return true;
}

/*
 * A first call that initializes something if the median of its kind is short, and how the calls of
 * its kind compare with that limit: those next to it give the median.
 */
struct first_call {
	uint32_t span;
	uint64_t calls, short_calls;
	int64_t longest_short, shortest_long;
};

/* Keep those first calls, whose index replaces the span in FIRST; returns how many. */
static size_t keep_long_calls(const struct derived *derived, uint32_t *first, size_t names,
			      const uint8_t *marks, struct first_call **kept)
{
	const struct profile *profile = derived->profile;
	size_t count = 0, capacity = 0;
	for (size_t name = 0; name < names; name++) {
		uint32_t span = first[name];
		first[name] = NO_ROW;
		if (span == NO_ROW || profile->span_dur[span] < ONE_OFF_MIN_NS ||
		    derived->role[name] & NAME_BLOCKING || marks[span])
			continue;
		mem_grow(*kept, capacity, count + 1);
		(*kept)[count] = (struct first_call){ .span = span,
						      .longest_short = INT64_MIN,
						      .shortest_long = INT64_MAX };
		first[name] = (uint32_t)count++;
	}
	return count;
}

/* Is the first call more than ONE_OFF_FACTOR times as long? */
static bool exceeds(const struct profile *profile, const struct first_call *first, double dur)
{
	return (double)profile->span_dur[first->span] > ONE_OFF_FACTOR * dur;
}

static bool compare_calls(const struct profile *profile, const uint32_t *first,
			  struct first_call *kept, const struct progress *progress)
{
	for (uint32_t i = 0; i < profile->spans; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		uint32_t at = first[profile->span_name[i]];
		if (profile->span_kind[i] != SPAN_RUNTIME || at == NO_ROW)
			continue;
		int64_t dur = profile->span_dur[i];
		struct first_call *of = &kept[at];
		of->calls++;
		if (exceeds(profile, of, (double)dur)) {
			of->short_calls++;
			of->longest_short = dur > of->longest_short ? dur : of->longest_short;
		} else if (dur < of->shortest_long) {
			of->shortest_long = dur;
		}
	}
	return true;
}

static bool is_unlike_others(const struct profile *profile, const struct first_call *first)
{
	uint64_t half = first->calls / 2;
	if (first->calls < ONE_OFF_CALLS || first->short_calls < half)
		return false;
	if (first->calls % 2 || first->short_calls > half)
		return first->short_calls > half;
	double median = ((double)first->longest_short + (double)first->shortest_long) / 2;
	return exceeds(profile, first, median);
}

/*
 * Mark the calls that initialize something: context creation, lazy loading of a library,
 * the search for an algorithm.
 */
static bool mark_one_offs(const struct derived *derived, uint8_t *marks,
			  const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	size_t names = intern_count(profile->strings), count = 0;
	uint32_t *first = mem_no_rows(names + 1);
	struct first_call *kept = NULL;
	bool ok = find_first_calls(profile, first, progress);
	if (ok)
		count = keep_long_calls(derived, first, names, marks, &kept);
	if (count)
		ok = compare_calls(profile, first, kept, progress);
	for (size_t i = 0; i < count && ok; i++)
		if (is_unlike_others(profile, &kept[i]))
			marks[kept[i].span] = MARK_ONE_OFF;
	mem_free(first);
	mem_free(kept);
	return ok;
}

/* ---- one span ---- */

static enum time_cause cause_of_call(uint16_t role, uint8_t mark)
{
	if (mark == MARK_ONE_OFF)
		return CAUSE_COMPILE;
	if (role & NAME_BLOCKING || mark == MARK_WAITS)
		return CAUSE_SYNC;
	if (role & NAME_ALLOCATOR)
		return CAUSE_ALLOCATOR;
	return role & NAME_COMPILE ? CAUSE_COMPILE : CAUSE_LAUNCH;
}

/* The cause a span implies by itself; CAUSE_UNKNOWN: use the enclosing span's. */
static enum time_cause own_cause(const struct derived *derived, uint32_t span, uint8_t mark)
{
	const struct profile *profile = derived->profile;
	uint32_t name = profile->span_name[span];
	uint16_t role = derived->role[name];
	switch (profile->span_kind[span]) {
	case SPAN_RUNTIME: return cause_of_call(role, mark);
	case SPAN_OVERHEAD: return role & NAME_COMPILE ? CAUSE_COMPILE : CAUSE_OVERHEAD;
	case SPAN_OPERATOR:
	case SPAN_ANNOTATION:
		if (role & NAME_STEP)
			return CAUSE_UNKNOWN;
		if (role & NAME_DATALOADER)
			return CAUSE_DATALOADER;
		break;
	case SPAN_GPU_ANNOTATION:
	case SPAN_INSTANT: return CAUSE_UNKNOWN;
	default: break;
	}
	if (role & NAME_COMPILE)
		return CAUSE_COMPILE;
	const uint32_t *count = derived->gpu_count_prefix;
	if (profile->span_kind[span] == SPAN_OPERATOR &&
	    count[span + profile->span_size[span]] > count[span])
		return CAUSE_LAUNCH;
	return CAUSE_HOST;
}

/* These causes override those of spans inside them. */
static bool rules_inside(enum time_cause cause)
{
	return cause == CAUSE_OVERHEAD || cause == CAUSE_DATALOADER || cause == CAUSE_COMPILE;
}

uint8_t *causes_of_spans(const struct selection *selection, const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	uint8_t *cause = mem_alloc((size_t)profile->spans + 1);
	uint8_t *marks = mem_zalloc((size_t)profile->spans + 1, 1);
	bool ok = mark_waiting_copies(profile, marks, progress) &&
		  mark_one_offs(selection->derived, marks, progress);
	for (uint32_t i = 0; i < profile->spans && ok; i++) {
		uint32_t parent = profile->span_parent[i];
		enum time_cause above =
			parent == NO_ROW ? CAUSE_UNKNOWN : (enum time_cause)cause[parent];
		enum time_cause own = !selection_has_span(selection, i)
					      ? CAUSE_UNKNOWN
					      : own_cause(selection->derived, i, marks[i]);
		if (own == CAUSE_UNKNOWN || (own == CAUSE_HOST && above != CAUSE_UNKNOWN) ||
		    (rules_inside(above) && own != CAUSE_OVERHEAD))
			own = above;
		cause[i] = (uint8_t)own;
		ok = progress_row(progress, stage, i, profile->spans);
	}
	mem_free(marks);
	if (ok)
		return cause;
	mem_free(cause);
	return NULL;
}
