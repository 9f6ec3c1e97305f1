#include "derived/graphs.h"

#include "derived/derived.h"
#include "base/hash.h"
#include "base/sort.h"

/* Shorter sequences match by chance; at most LENGTHS_MAX lengths are searched. */
enum { SEQUENCE_MIN = 4, LENGTHS_MAX = 64 };

/* A kernel in issue order: by call, and within a call by start. */
struct issue {
	int64_t called, start;
	uint32_t call, activity;
};

struct sequence {
	struct issue *item;
	size_t count, capacity;
};

/* Positions of eager sequences of one length, by the hash of their names. */
struct graphs_windows {
	size_t length;
	struct hash *starts;
};

struct graphs_search {
	struct derived *derived;
	struct sequence eager, graph;
	struct graphs_windows windows[LENGTHS_MAX];
	size_t window_count;
	bool found;
};

static int compare_issues(const void *a, const void *b)
{
	const struct issue *x = a, *y = b;
	if (x->called != y->called)
		return x->called < y->called ? -1 : 1;
	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->activity > y->activity) - (x->activity < y->activity);
}

static void add_issue(struct sequence *sequence, const struct profile *profile, uint32_t activity)
{
	uint32_t call = profile->activity_launch[activity];
	mem_grow(sequence->item, sequence->capacity, sequence->count + 1);
	sequence->item[sequence->count++] =
		(struct issue){ profile->span_start[call], profile->activity_start[activity], call,
				activity };
}

static bool has_graphs(const struct derived *derived)
{
	for (uint32_t name = 0; name < derived->names; name++)
		if (derived->role[name] & NAME_GRAPH_LAUNCH)
			return true;
	return false;
}

static bool graphs_collect(struct graphs_search *search, const struct progress *progress)
{
	const struct derived *derived = search->derived;
	const struct profile *profile = derived->profile;
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t call = profile->activity_launch[i];
		if (!progress_row(progress, "finding graphs", i, profile->activities))
			return false;
		if (profile->activity_kind[i] != ACTIVITY_KERNEL || call == NO_ROW)
			continue;
		if (derived->role[profile->span_name[call]] & NAME_GRAPH_LAUNCH)
			add_issue(&search->graph, profile, i);
		else if (derived->activity_operator[i] != NO_ROW)
			add_issue(&search->eager, profile, i);
	}
	return sort_runs(search->eager.item, search->eager.count, sizeof(struct issue),
			 compare_issues, progress) &&
	       sort_runs(search->graph.item, search->graph.count, sizeof(struct issue),
			 compare_issues, progress);
}

static uint32_t name_at(const struct graphs_search *search, const struct issue *issue)
{
	return search->derived->profile->activity_name[issue->activity];
}

/* Rolling polynomial hash over the names. */
#define BASE UINT64_C(0x9fb21c651e98df25)

static uint64_t hash_names(const struct graphs_search *search, const struct issue *issues,
			   size_t count)
{
	uint64_t hash = 0;
	for (size_t i = 0; i < count; i++)
		hash = hash * BASE + name_at(search, &issues[i]) + 1;
	return hash;
}

static const struct graphs_windows *windows_of(struct graphs_search *search, size_t length)
{
	const struct sequence *eager = &search->eager;
	for (size_t i = 0; i < search->window_count; i++)
		if (search->windows[i].length == length)
			return &search->windows[i];
	if (search->window_count == LENGTHS_MAX || length > eager->count)
		return NULL;
	struct graphs_windows *windows = &search->windows[search->window_count++];
	*windows = (struct graphs_windows){ length, hash_new(eager->count - length + 1) };
	uint64_t hash = hash_names(search, eager->item, length), first = 1;
	for (size_t i = 1; i < length; i++)
		first *= BASE;
	for (size_t i = 0;; i++) {
		hash_add(windows->starts, hash, (uint32_t)i);
		if (i + length == eager->count)
			return windows;
		hash -= first * (name_at(search, &eager->item[i]) + 1);
		hash = hash * BASE + name_at(search, &eager->item[i + length]) + 1;
	}
}

static bool same_names(const struct graphs_search *search, const struct issue *a,
		       const struct issue *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (name_at(search, &a[i]) != name_at(search, &b[i]))
			return false;
	return true;
}

/* Match the kernels of one graph launch to the latest equal eager sequence. */
static void match_launch(struct graphs_search *search, const struct issue *graph, size_t count)
{
	const struct graphs_windows *windows =
		count < SEQUENCE_MIN ? NULL : windows_of(search, count);
	if (!windows)
		return;
	uint32_t begin = hash_last(windows->starts, hash_names(search, graph, count));
	if (begin == NO_ROW || !same_names(search, graph, &search->eager.item[begin], count))
		return;
	for (size_t i = 0; i < count; i++)
		search->derived->activity_twin[graph[i].activity] =
			search->eager.item[begin + i].activity;
	search->found = true;
}

bool graphs_find_twins(struct derived *derived, const struct progress *progress)
{
	struct graphs_search search = { .derived = derived };
	if (!has_graphs(derived))
		return true;
	bool ok = graphs_collect(&search, progress);
	if (ok && search.graph.count && search.eager.count) {
		uint32_t activities = derived->profile->activities;
		derived->activity_twin = mem_alloc(activities * sizeof *derived->activity_twin);
		for (uint32_t i = 0; i < activities; i++)
			derived->activity_twin[i] = NO_ROW;
	}
	for (size_t i = 0, next; derived->activity_twin && ok && i < search.graph.count; i = next) {
		for (next = i; next < search.graph.count &&
			       search.graph.item[next].call == search.graph.item[i].call;)
			next++;
		match_launch(&search, search.graph.item + i, next - i);
		ok = ok && progress_update(progress, "finding graphs", i, search.graph.count, 0);
	}
	if (!search.found) {
		mem_free(derived->activity_twin);
		derived->activity_twin = NULL;
	}
	for (size_t i = 0; i < search.window_count; i++)
		hash_free(search.windows[i].starts);
	mem_free(search.eager.item);
	mem_free(search.graph.item);
	return ok;
}
