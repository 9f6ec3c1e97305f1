#include "analysis/memory.h"

#include "base/prefix_sum.h"
#include "derived/derived.h"

uint32_t memory_owner(const struct derived *derived, const struct memory_event *event)
{
	uint32_t at = derived_span_at(derived, event->track, event->time);
	if (at != NO_ROW && !(derived->span_flags[at] & SPAN_IN_TREE))
		at = memory_parent(derived, at);
	return at != NO_ROW && derived->span_flags[at] & SPAN_IS_OPERATOR ? at : NO_ROW;
}

uint32_t memory_parent(const struct derived *derived, uint32_t span)
{
	do
		span = derived->profile->span_parent[span];
	while (span != NO_ROW && !(derived->span_flags[span] & SPAN_IN_TREE));
	return span;
}

static void add_net(struct memory_net *sum, const struct memory_net *own)
{
	sum->host = number_add(sum->host, own->host);
	sum->device = number_add(sum->device, own->device);
}

bool memory_sum(struct memory_sums *sums, const struct derived *derived,
		const struct progress *progress)
{
	static const char stage[] = "summing memory";
	const struct profile *profile = derived->profile;
	size_t events = profile->memory_count;
	*sums = (struct memory_sums){ 0 };
	if (!events)
		return true;
	AUTO_FREE uint32_t *owners = mem_alloc(events * sizeof *owners);
	bool ok = true;
	sums->owners = marks_new(profile->spans);
	for_heavy_rows (ok, i, events, progress, stage, MEMORY_WEIGHT) {
		owners[i] = memory_owner(derived, &profile->memory_events[i]);
		if (owners[i] != NO_ROW)
			marks_set(&sums->owners, owners[i]);
	}
	uint32_t count = marks_count(&sums->owners);
	sums->before = mem_zalloc((size_t)count + 1, sizeof *sums->before);
	for_rows (ok, i, events, progress, stage) {
		const struct memory_event *event = &profile->memory_events[i];
		if (owners[i] == NO_ROW)
			continue;
		struct memory_net *sum = &sums->before[marks_before(&sums->owners, owners[i])];
		if (memory_is_host(event))
			sum->host = number_add(sum->host, event->bytes);
		else
			sum->device = number_add(sum->device, event->bytes);
	}
	exclusive_prefix_sum(sums->before, count, add_net);
	return ok;
}

FREE_MEMBERS(memory_sums_free, struct memory_sums, OWN_IN(marks_free, owners) OWN(before))

struct memory_net memory_between(const struct memory_sums *sums, uint32_t first, uint32_t size)
{
	if (!sums->before)
		return (struct memory_net){ 0, 0 };
	struct memory_net from = sums->before[marks_before(&sums->owners, first)];
	struct memory_net to = sums->before[marks_before(&sums->owners, first + size)];
	return (struct memory_net){ to.host - from.host, to.device - from.device };
}
