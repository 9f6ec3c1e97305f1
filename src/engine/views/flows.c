/*
 * Arrows between events that the file itself draws: flows of Perfetto and Chrome traces.
 */
#include "views/views.h"

#include "base/any_of.h"

static const char stage[] = "following the link";

/* The innermost span of a track at TIME, the latest of those that start then; or NO_ROW. */
static uint32_t span_at(const struct profile *profile, uint32_t track, int64_t time)
{
	uint32_t first = profile->tracks[track].first_span;
	uint32_t end = first + profile->tracks[track].spans;
	uint32_t low = search_first(i, first, end, profile->span_start[i] > time);
	uint32_t at = low > first ? low - 1 : NO_ROW;
	while (at != NO_ROW && profile->span_start[at] + profile->span_dur[at] < time)
		at = profile->span_parent[at];
	return at;
}

/* Ids of the arrows that start (FORWARD) or end in the span, not in one within it. */
static size_t ids_of(const struct profile *profile, uint32_t span, bool forward,
		     int64_t ids[ARROWS_MAX], const struct progress *progress)
{
	int64_t from = profile->span_start[span], to = from + profile->span_dur[span];
	size_t count = 0;
	for (size_t i = 0; i < profile->flow_count && count < ARROWS_MAX; i++) {
		const struct flow *flow = &profile->flows[i];
		if (!progress_row(progress, stage, i, profile->flow_count))
			return 0;
		if (flow->kind == FLOW_OTHER && flow->start == forward &&
		    flow->track == profile->span_track[span] && flow->time >= from &&
		    flow->time <= to && span_at(profile, flow->track, flow->time) == span)
			ids[count++] = flow->id;
	}
	return count;
}

size_t arrows_of(const struct profile *profile, uint32_t span, bool forward,
		 uint32_t others[ARROWS_MAX], const struct progress *progress)
{
	int64_t ids[ARROWS_MAX];
	size_t id_count = ids_of(profile, span, forward, ids, progress), count = 0;
	for (size_t i = 0; id_count && i < profile->flow_count && count < ARROWS_MAX; i++) {
		const struct flow *flow = &profile->flows[i];
		if (!progress_row(progress, stage, i, profile->flow_count))
			return 0;
		if (flow->kind != FLOW_OTHER || flow->start == forward ||
		    !any_of(k, id_count, ids[k] == flow->id))
			continue;
		uint32_t other = span_at(profile, flow->track, flow->time);
		if (other != NO_ROW && other != span)
			others[count++] = other;
	}
	return count;
}
