#include "analysis/memory.h"

#include "facts/facts.h"

uint32_t memory_span(const struct facts *facts, const struct memory_event *event)
{
	const struct profile *profile = facts->profile;
	const struct track *track = &profile->tracks[event->track];
	uint32_t low = track->first_span, high = low + track->spans;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (profile->span_start[middle] <= event->time)
			low = middle + 1;
		else
			high = middle;
	}
	uint32_t at = low == track->first_span ? NO_ROW : low - 1;
	while (at != NO_ROW && profile->span_start[at] + profile->span_dur[at] <= event->time)
		at = profile->span_parent[at];
	return at;
}

uint32_t memory_owner(const struct facts *facts, const struct memory_event *event)
{
	uint32_t at = memory_span(facts, event);
	if (at != NO_ROW && !(facts->span_flags[at] & SPAN_IN_TREE))
		at = memory_parent(facts, at);
	return at != NO_ROW && facts->span_flags[at] & SPAN_IS_OPERATOR ? at : NO_ROW;
}

uint32_t memory_parent(const struct facts *facts, uint32_t span)
{
	do
		span = facts->profile->span_parent[span];
	while (span != NO_ROW && !(facts->span_flags[span] & SPAN_IN_TREE));
	return span;
}

bool memory_sum(struct memory_sums *sums, const struct facts *facts,
		const struct progress *progress)
{
	static const char stage[] = "summing memory";
	const struct profile *profile = facts->profile;
	*sums = (struct memory_sums){ NULL, NULL };
	if (!profile->memory_count)
		return true;
	sums->host_prefix = mem_zalloc((size_t)profile->spans + 1, sizeof(int64_t));
	sums->device_prefix = mem_zalloc((size_t)profile->spans + 1, sizeof(int64_t));
	for (size_t i = 0; i < profile->memory_count; i++) {
		if (!progress_heavy_row(progress, stage, i, profile->memory_count, MEMORY_WEIGHT))
			return false;
		const struct memory_event *event = &profile->memory_events[i];
		uint32_t owner = memory_owner(facts, event);
		int64_t *sum = memory_is_host(event) ? sums->host_prefix : sums->device_prefix;
		if (owner != NO_ROW)
			sum[owner + 1] =
				(int64_t)((uint64_t)sum[owner + 1] + (uint64_t)event->bytes);
	}
	for (uint32_t i = 0; i < profile->spans; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		sums->host_prefix[i + 1] = (int64_t)((uint64_t)sums->host_prefix[i + 1] +
						     (uint64_t)sums->host_prefix[i]);
		sums->device_prefix[i + 1] = (int64_t)((uint64_t)sums->device_prefix[i + 1] +
						       (uint64_t)sums->device_prefix[i]);
	}
	return true;
}

void memory_sums_free(struct memory_sums *sums)
{
	mem_free(sums->host_prefix);
	mem_free(sums->device_prefix);
}
