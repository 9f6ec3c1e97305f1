#include "derived/links.h"

#include "derived/derived.h"
#include "base/any_of.h"
#include "base/compare.h"
#include "base/binary_search.h"
#include "base/hash.h"
#include "base/sort.h"

/* A forward operator with a sequence number. */
struct links_candidate {
	uint32_t group; /* id space of merged ranks or processes */
	uint32_t span;
	int64_t sequence, start;
};

COMPARE_MEMBERS(compare_candidates, struct links_candidate,
		UP(group) UP(sequence) UP(start) UP(span))

struct links_search {
	struct derived *derived;
	struct links_candidate *candidates;
	size_t count;
	size_t near; /* position of the last search; the next is usually close */
	GROWING(struct link, links, link_count);
	/* Kineto numbers forward threads separately: track of each number */
	struct {
		int64_t number;
		uint32_t track;
	} threads[64];
	size_t thread_count;
};

static uint32_t links_group_of(const struct profile *profile, uint32_t span)
{
	return profile_id_space(profile, profile->span_track[span]);
}

static bool is_backward(const struct profile *profile, uint32_t span)
{
	int64_t thread = profile_sequence(profile, span) < 0
				 ? NO_VALUE
				 : profile_op_info(profile, span)->forward_thread;
	return thread != NO_VALUE && thread != 0;
}

static const char stage[] = "finding links";

static bool collect_candidates(struct links_search *search, const struct progress *progress)
{
	const struct profile *profile = search->derived->profile;
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		if (profile->span_kind[i] != SPAN_OPERATOR)
			continue;
		int64_t sequence = profile_sequence(profile, i);
		if (sequence < 0 || is_backward(profile, i))
			continue;
		*mem_push(search->candidates, search->count) =
			(struct links_candidate){ .group = links_group_of(profile, i),
						  .span = i,
						  .sequence = sequence,
						  .start = profile->span_start[i] };
	}
	/* Sequence numbers count up: tracks are sorted except inside backward calls. */
	return ok && sort_runs(search->candidates, search->count, sizeof *search->candidates,
			       compare_candidates, progress);
}

static uint32_t track_of_thread(const struct links_search *search, int64_t number)
{
	for (size_t i = 0; i < search->thread_count; i++)
		if (search->threads[i].number == number)
			return search->threads[i].track;
	return NO_ROW;
}

static void learn_thread(struct links_search *search, int64_t number, uint32_t track)
{
	if (number < 0 || track_of_thread(search, number) != NO_ROW ||
	    search->thread_count == sizeof search->threads / sizeof *search->threads)
		return;
	search->threads[search->thread_count].number = number;
	search->threads[search->thread_count++].track = track;
}

/* The first candidate not before KEY, by galloping search from NEAR. */
static size_t seek(const struct links_search *search, const struct links_candidate *key,
		   size_t near)
{
	size_t low = 0, high = search->count, step = 1;
	if (near < high && compare_candidates(&search->candidates[near], key) < 0) {
		low = near + 1;
		while (high - low > step &&
		       compare_candidates(&search->candidates[low + step], key) < 0) {
			low += step + 1;
			step *= 2;
		}
		high = high - low > step ? low + step : high;
	} else {
		high = near < high ? near : high;
		while (high > step &&
		       compare_candidates(&search->candidates[high - step], key) >= 0) {
			high -= step;
			step *= 2;
		}
		low = high > step ? high - step + 1 : 0;
	}
	return search_first(i, low, high, compare_candidates(&search->candidates[i], key) >= 0);
}

/* The candidates with this number that start no later than START: [*FIRST, result). */
static size_t candidates_before(struct links_search *search, uint32_t group, int64_t sequence,
				int64_t start, size_t *first)
{
	struct links_candidate key = { group, 0, sequence, INT64_MIN };
	*first = search->near = seek(search, &key, search->near);
	key.start = start;
	key.span = UINT32_MAX;
	return seek(search, &key, search->near);
}

/* The forward operator of a backward one: innermost and latest before it, on the forward thread. */
static uint32_t find_forward(struct links_search *search, uint32_t backward)
{
	const struct profile *profile = search->derived->profile;
	int64_t thread = profile_op_info(profile, backward)->forward_thread;
	size_t first, end = candidates_before(search, links_group_of(profile, backward),
					      profile_sequence(profile, backward),
					      profile->span_start[backward], &first);
	if (first == end)
		return NO_ROW;
	uint32_t track = track_of_thread(search, thread);
	bool one_track = true;
	enum { WEIGHED_MAX = 64 };
	for (size_t i = end; i-- > first && end - i <= WEIGHED_MAX;) {
		uint32_t span = search->candidates[i].span;
		if (profile->span_track[span] == track)
			return span;
		one_track &= profile->span_track[span] ==
			     profile->span_track[search->candidates[end - 1].span];
	}
	uint32_t latest = search->candidates[end - 1].span;
	if (one_track)
		learn_thread(search, thread, profile->span_track[latest]);
	return latest;
}

static void add_link(struct links_search *search, int64_t sequence, uint32_t forward,
		     uint32_t backward)
{
	*mem_push(search->links, search->link_count) = (struct link){ sequence, forward, backward };
}

/* The engine's wrapper and the function inside have equal numbers; link the function. */
static bool is_wrapper(const struct derived *derived, uint32_t span)
{
	const struct profile *profile = derived->profile;
	if (!(derived->role[profile->span_name[span]] & NAME_BACKWARD_ENGINE))
		return false;
	int64_t sequence = profile_sequence(profile, span);
	for (uint32_t i = span + 1; i < span + profile->span_size[span]; i++)
		if (is_backward(profile, i) && profile_sequence(profile, i) == sequence)
			return true;
	return false;
}

/* Is it inside another linked backward operator of the same number? */
static bool is_nested_backward(const struct derived *derived, uint32_t span, int64_t sequence)
{
	const struct profile *profile = derived->profile;
	uint32_t above = derived->span_owner[span];
	return above != NO_ROW && is_backward(profile, above) &&
	       profile_sequence(profile, above) == sequence &&
	       !(derived->role[profile->span_name[above]] & NAME_BACKWARD_ENGINE);
}

/* Is this the operator for a node of the backward graph, by sequence number? */
static bool is_backward_call(const struct derived *derived, uint32_t span)
{
	const struct profile *profile = derived->profile;
	return profile->span_kind[span] == SPAN_OPERATOR && is_backward(profile, span) &&
	       !is_wrapper(derived, span) &&
	       !is_nested_backward(derived, span, profile_sequence(profile, span));
}

static bool link_by_sequence(struct links_search *search, const struct progress *progress)
{
	struct derived *derived = search->derived;
	const struct profile *profile = derived->profile;
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		if (profile->span_kind[i] != SPAN_OPERATOR)
			continue;
		if (!is_backward(profile, i))
			continue;
		derived->span_flags[i] |= SPAN_BACKWARD;
		if (!is_backward_call(derived, i))
			continue;
		derived->links.backward_calls++;
		uint32_t forward = find_forward(search, i);
		if (forward != NO_ROW)
			add_link(search, profile_sequence(profile, i), forward, i);
	}
	return ok;
}

/* ---- flows ---- */

/* The outermost operator of a track that starts at TIME. */
static uint32_t operator_at(const struct derived *derived, uint32_t track, int64_t time)
{
	const struct profile *profile = derived->profile;
	uint32_t first = profile->tracks[track].first_span;
	uint32_t end = first + profile->tracks[track].spans;
	uint32_t at = search_first(i, first, end, profile->span_start[i] >= time);
	at = row_where(i, at, end,
		       profile->span_start[i] != time || derived->span_flags[i] & SPAN_IS_OPERATOR);
	return at != NO_ROW && profile->span_start[at] == time ? at : NO_ROW;
}

/* Flows are used only without sequence numbers. */
static bool link_by_flow(struct links_search *search, const struct progress *progress)
{
	struct derived *derived = search->derived;
	const struct profile *profile = derived->profile;
	AUTO_HASH struct hash *tails = hash_new(profile->flow_count);
	AUTO_FREE uint8_t *linked = mem_zalloc(profile->spans, 1); /* by span */
	bool ok = true;
	for_rows (ok, i, profile->flow_count, progress, stage)
		if (profile->flows[i].kind == FLOW_FORWARD_BACKWARD && profile->flows[i].start)
			hash_add(tails, (uint64_t)profile->flows[i].id, (uint32_t)i);
	for_rows (ok, i, profile->flow_count, progress, stage) {
		const struct flow *head = &profile->flows[i];
		if (head->kind != FLOW_FORWARD_BACKWARD || head->start)
			continue;
		uint32_t tail = hash_last(tails, (uint64_t)head->id);
		uint32_t backward = operator_at(derived, head->track, head->time);
		if (tail == NO_ROW || backward == NO_ROW)
			continue;
		derived->links.backward_calls++;
		uint32_t forward =
			operator_at(derived, profile->flows[tail].track, profile->flows[tail].time);
		derived->span_flags[backward] |= SPAN_BACKWARD;
		if (forward == NO_ROW || linked[backward])
			continue;
		linked[backward] = 1;
		add_link(search, NO_VALUE, forward, backward);
	}
	return ok;
}

/* ---- tables ---- */

COMPARE_MEMBERS(compare_forward, struct link, UP(forward) UP(backward))

COMPARE_MEMBERS(compare_backward, struct link, UP(backward))

/* Everything inside a backward operator is backward. */
static bool spread_backward(struct derived *derived, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		uint32_t parent = profile->span_parent[i];
		if (parent != NO_ROW && derived->span_flags[parent] & SPAN_BACKWARD)
			derived->span_flags[i] |= SPAN_BACKWARD;
		else if (derived->role[profile->span_name[i]] & NAME_BACKWARD &&
			 profile->span_kind[i] == SPAN_OPERATOR)
			derived->span_flags[i] |= SPAN_BACKWARD;
	}
	return ok;
}

bool links_find(struct derived *derived, const struct progress *progress)
{
	struct links_search search = { .derived = derived };
	bool ok = collect_candidates(&search, progress) && link_by_sequence(&search, progress) &&
		  (search.link_count || link_by_flow(&search, progress)) &&
		  spread_backward(derived, progress);
	size_t bytes = (search.link_count + 1) * sizeof *search.links;
	derived->links.count = (uint32_t)search.link_count;
	derived->links.by_forward = mem_alloc(bytes);
	derived->links.by_backward = mem_alloc(bytes);
	if (search.link_count && ok) {
		memcpy(derived->links.by_forward, search.links, bytes - sizeof *search.links);
		memcpy(derived->links.by_backward, search.links, bytes - sizeof *search.links);
		ok = sort_runs(derived->links.by_forward, search.link_count, sizeof *search.links,
			       compare_forward, progress) &&
		     sort_runs(derived->links.by_backward, search.link_count, sizeof *search.links,
			       compare_backward, progress);
	}
	mem_free_all(search.links, search.candidates);
	return ok;
}

FREE_MEMBERS(links_free, struct link_table, OWN(by_forward) OWN(by_backward))

bool links_count(const struct derived *derived, const uint8_t *spans, struct link_counts *counts,
		 const struct progress *progress)
{
	const struct link_table *links = &derived->links;
	bool by_flow = links->count && links->by_forward[0].sequence == NO_VALUE;
	*counts = (struct link_counts){ links->backward_calls, links->count };
	if (!spans)
		return true;
	counts->backward = counts->linked = 0;
	for (uint32_t i = 0; i < links->count; i++)
		counts->linked += spans[links->by_forward[i].backward];
	bool ok = true;
	for_rows (ok, i, by_flow ? 0 : derived->profile->spans, progress, stage)
		counts->backward += spans[i] && is_backward_call(derived, i);
	counts->backward = by_flow ? counts->linked : counts->backward;
	return ok;
}

const struct link *links_of(const struct derived *derived, uint32_t span, bool forward,
			    uint32_t *count)
{
	const struct link *links = forward ? derived->links.by_forward : derived->links.by_backward;
	uint32_t first = search_first(i, 0, derived->links.count,
				      (forward ? links[i].forward : links[i].backward) >= span);
	uint32_t end = first, limit = span + derived->profile->span_size[span];
	while (end < derived->links.count &&
	       (forward ? links[end].forward : links[end].backward) < limit)
		end++;
	*count = end - first;
	return links + first;
}

/* The forward end of a link whose backward end is exactly this span. */
static uint32_t own_forward(const struct derived *derived, uint32_t span)
{
	uint32_t count;
	const struct link *links = links_of(derived, span, false, &count);
	return count && links->backward == span ? links->forward : NO_ROW;
}

uint32_t links_forward(const struct derived *derived, uint32_t span)
{
	span = row_upwards(at, span, derived->span_owner, own_forward(derived, at) != NO_ROW);
	return span == NO_ROW ? NO_ROW : own_forward(derived, span);
}

/* The span's arguments, else those of the nearest enclosing operator. */
static const struct op_info *arguments_around(const struct derived *derived, uint32_t span)
{
	for (; span != NO_ROW; span = derived->span_owner[span]) {
		const struct op_info *info = profile_op_info(derived->profile, span);
		if (info && info->shapes)
			return info;
	}
	return NULL;
}

const struct op_info *links_arguments(const struct derived *derived, uint32_t span)
{
	const struct op_info *info = arguments_around(derived, span);
	uint32_t forward = info ? NO_ROW : links_forward(derived, span);
	return forward == NO_ROW ? info : arguments_around(derived, forward);
}
