#include "derived/intervals.h"

#include "base/any_of.h"
#include "base/binary_search.h"

void intervals_reserve(struct intervals *set, size_t count)
{
	if (set->capacity - set->count >= count)
		return;
	set->capacity = set->count + count;
	set->item = mem_realloc(set->item, set->capacity, sizeof *set->item);
}

/* The end of the ascending run that starts at FIRST. */
static size_t run_end(const struct intervals *set, size_t first)
{
	size_t end = first + (first < set->count);
	while (end < set->count && set->item[end].start >= set->item[end - 1].start)
		end++;
	return end;
}

/* Merge pairs of runs into TO; returns the number of runs found. */
static size_t merge_runs(const struct intervals *from, struct interval *to)
{
	size_t runs = 0;
	for (size_t first = 0, end; first < from->count; first = end, runs++) {
		size_t a = first, middle = run_end(from, first), b = middle;
		end = run_end(from, middle);
		while (a < middle && b < end)
			*to++ = from->item[b].start < from->item[a].start ? from->item[b++]
									  : from->item[a++];
		while (a < middle)
			*to++ = from->item[a++];
		while (b < end)
			*to++ = from->item[b++];
	}
	return runs;
}

/* Natural merge sort by start: each track is sorted, so there are few runs. */
static void sort_by_start(struct intervals *set)
{
	if (run_end(set, 0) == set->count)
		return;
	set->item = mem_realloc(set->item, set->count, sizeof *set->item);
	set->capacity = set->count; /* the buffers swap */
	AUTO_FREE struct interval *other = mem_alloc(set->count * sizeof *other);
	size_t runs;
	do {
		runs = merge_runs(set, other);
		struct interval *swap = set->item;
		set->item = other;
		other = swap;
	} while (runs > 1);
}

static bool is_merged(const struct intervals *set)
{
	for (size_t i = 1; i < set->count; i++)
		if (set->item[i].start <= set->item[i - 1].end)
			return false;
	return true;
}

void intervals_merge(struct intervals *set)
{
	if (is_merged(set))
		return;
	sort_by_start(set);
	size_t out = 0;
	for (size_t i = 1; i < set->count; i++) {
		if (set->item[i].start > set->item[out].end)
			set->item[++out] = set->item[i];
		else if (set->item[i].end > set->item[out].end)
			set->item[out].end = set->item[i].end;
	}
	set->count = out + 1;
}

CLEAR_MEMBERS(intervals_free, struct intervals, OWN(item))

/* ---- operations ---- */

/* Intervals of SET that start or end between the first and the last of AROUND. */
static size_t count_near(const struct intervals *set, const struct intervals *around)
{
	if (!set->count || !around->count)
		return 0;
	int64_t from = around->item[0].start, to = around->item[around->count - 1].end;
	size_t first = search_between(ASCENDING(set->item, end, set->count), from, 0, set->count);
	return search_between(ASCENDING(set->item, start, set->count), to, first, set->count) -
	       first;
}

/* Give back most of the room that was not needed. */
static void give_back(struct intervals *set)
{
	if (set->capacity - set->count <= set->count)
		return;
	set->capacity = set->count + 1;
	set->item = mem_realloc(set->item, set->capacity, sizeof *set->item);
}

static void intervals_replace(struct intervals *out, struct intervals made)
{
	give_back(&made);
	intervals_free(out);
	*out = made;
}

void intervals_intersect(const struct intervals *a, const struct intervals *b,
			 struct intervals *out)
{
	struct intervals made = { 0 };
	intervals_reserve(&made, count_near(a, b) + count_near(b, a));
	for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
		int64_t start =
			a->item[i].start > b->item[j].start ? a->item[i].start : b->item[j].start;
		int64_t end = a->item[i].end < b->item[j].end ? a->item[i].end : b->item[j].end;
		intervals_add(&made, start, end);
		if (a->item[i].end < b->item[j].end)
			i++;
		else
			j++;
	}
	intervals_replace(out, made);
}

void intervals_unite(const struct intervals *a, const struct intervals *b, struct intervals *out)
{
	struct intervals made = { 0 };
	intervals_reserve(&made, a->count + b->count);
	for (size_t i = 0, j = 0; i < a->count || j < b->count;) {
		bool first =
			j == b->count || (i < a->count && a->item[i].start <= b->item[j].start);
		const struct interval *next = first ? &a->item[i++] : &b->item[j++];
		intervals_add(&made, next->start, next->end);
	}
	intervals_replace(out, made);
}

void intervals_subtract(const struct intervals *a, const struct intervals *b, struct intervals *out)
{
	struct intervals made = { 0 };
	size_t j = 0;
	intervals_reserve(&made, a->count + count_near(b, a));
	for (size_t i = 0; i < a->count; i++) {
		int64_t start = a->item[i].start, end = a->item[i].end;
		while (j < b->count && b->item[j].end <= start)
			j++;
		for (size_t k = j; k < b->count && b->item[k].start < end; k++) {
			intervals_add(&made, start, b->item[k].start);
			raise_to(start, b->item[k].end);
		}
		intervals_add(&made, start, end);
	}
	intervals_replace(out, made);
}

void intervals_move(struct intervals *left, const struct intervals *set, struct intervals *out)
{
	struct intervals rest = { 0 };
	size_t near = count_near(set, left);
	if (!near)
		return;
	intervals_reserve(&rest, left->count + near);
	intervals_reserve(out, count_near(left, set) + near);
	for (size_t i = 0, first = 0; i < left->count; i++) {
		int64_t start = left->item[i].start, end = left->item[i].end;
		while (first < set->count && set->item[first].end <= start)
			first++;
		for (size_t k = first; k < set->count && set->item[k].start < end; k++) {
			const struct interval *at = &set->item[k];
			int64_t from = at->start > start ? at->start : start;
			int64_t to = at->end < end ? at->end : end;
			intervals_add(&rest, start, from);
			intervals_add(out, from, to);
			start = to;
		}
		intervals_add(&rest, start, end);
	}
	intervals_merge(out);
	give_back(out);
	give_back(&rest);
	intervals_free(left);
	*left = rest;
}

void intervals_cut(struct intervals *set, int64_t start, int64_t end, struct intervals *outside)
{
	size_t kept = 0;
	outside->count = 0;
	for (size_t i = 0; i < set->count; i++) {
		struct interval all = set->item[i];
		int64_t from = all.start > start ? all.start : start;
		int64_t to = all.end < end ? all.end : end;
		if (from >= to) {
			intervals_add(outside, all.start, all.end);
			continue;
		}
		intervals_add(outside, all.start, from);
		set->item[kept++] = (struct interval){ from, to };
		intervals_add(outside, to, all.end);
	}
	set->count = kept;
}

int64_t intervals_length(const struct intervals *set)
{
	return sum_of(i, set->count, set->item[i].end - set->item[i].start);
}

struct interval intervals_longest(const struct intervals *set)
{
	struct interval longest = { 0 };
	for (size_t i = 0; i < set->count; i++)
		if (set->item[i].end - set->item[i].start > longest.end - longest.start)
			longest = set->item[i];
	return longest;
}

int64_t intervals_gaps(const struct intervals *set)
{
	return set->count
		       ? set->item[set->count - 1].end - set->item[0].start - intervals_length(set)
		       : 0;
}

int64_t intervals_length_near(const struct intervals *set, int64_t start, int64_t end, size_t *near)
{
	int64_t length = 0;
	*near = search_near(ASCENDING(set->item, end, set->count), start + 1, *near);
	for (size_t i = *near; i < set->count && set->item[i].start < end; i++) {
		int64_t from = set->item[i].start > start ? set->item[i].start : start;
		int64_t to = set->item[i].end < end ? set->item[i].end : end;
		length += to - from;
	}
	return length;
}

int64_t intervals_length_in(const struct intervals *set, int64_t start, int64_t end)
{
	size_t near = set->count / 2;
	return intervals_length_near(set, start, end, &near);
}
