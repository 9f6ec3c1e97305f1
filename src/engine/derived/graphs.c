#include "derived/graphs.h"

#include "derived/derived.h"
#include "derived/sequences.h"
#include "base/any_of.h"
#include "base/compare.h"
#include "base/sort.h"

/* A kernel in issue order: by call, and within a call by start. */
struct issue {
	int64_t called, start;
	uint32_t call, activity;
};

struct sequence {
	GROWING(struct issue, item, count);
};

struct graphs_search {
	struct derived *derived;
	struct sequence eager, graph;
	struct sequences *names; /* of the eager kernels */
	bool found;
};

COMPARE_MEMBERS(compare_issues, struct issue, UP(called) UP(call) UP(start) UP(activity))

static void add_issue(struct sequence *sequence, const struct profile *profile, uint32_t activity)
{
	uint32_t call = profile->activity_launch[activity];
	*mem_push(sequence->item, sequence->count) =
		(struct issue){ profile->span_start[call], profile->activity_start[activity], call,
				activity };
}

static bool graphs_collect(struct graphs_search *search, const struct progress *progress)
{
	const struct derived *derived = search->derived;
	const struct profile *profile = derived->profile;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, "finding graphs") {
		uint32_t call = profile->activity_launch[i];
		if (profile->activity_kind[i] != ACTIVITY_KERNEL || call == NO_ROW)
			continue;
		if (derived->role[profile->span_name[call]] & NAME_GRAPH_LAUNCH)
			add_issue(&search->graph, profile, i);
		else if (derived->activity_operator[i] != NO_ROW)
			add_issue(&search->eager, profile, i);
	}
	return ok &&
	       sort_runs(search->eager.item, search->eager.count, sizeof(struct issue),
			 compare_issues, progress) &&
	       sort_runs(search->graph.item, search->graph.count, sizeof(struct issue),
			 compare_issues, progress);
}

/* Match the kernels of one graph launch to the latest equal eager sequence. */
static void match_launch(struct graphs_search *search, const struct issue *graph, size_t count,
			 const uint32_t *names)
{
	uint32_t place = sequences_last(search->names, names, count);
	if (place == NO_ROW)
		return;
	const struct issue *eager = &search->eager.item[place - 1]; /* places count from 1 */
	for (size_t i = 0; i < count; i++)
		search->derived->activity_twin[graph[i].activity] = eager[i].activity;
	search->found = true;
}

bool graphs_find_twins(struct derived *derived, const struct progress *progress)
{
	struct graphs_search search = { .derived = derived };
	const uint32_t *name = derived->profile->activity_name;
	if (!any_of(n, derived->names, derived->role[n] & NAME_GRAPH_LAUNCH))
		return true;
	bool ok = graphs_collect(&search, progress);
	if (ok && search.graph.count && search.eager.count) {
		derived->activity_twin = mem_no_rows(derived->profile->activities);
		search.names = sequences_new();
		for (size_t i = 0; i < search.eager.count; i++)
			sequences_add(search.names, name[search.eager.item[i].activity]);
	}
	AUTO_FREE uint32_t *names = mem_alloc((search.graph.count + 1) * sizeof *names);
	for (size_t i = 0, next; derived->activity_twin && ok && i < search.graph.count; i = next) {
		for (next = i; next < search.graph.count &&
			       search.graph.item[next].call == search.graph.item[i].call;
		     next++)
			names[next - i] = name[search.graph.item[next].activity];
		match_launch(&search, search.graph.item + i, next - i, names);
		ok = ok && progress_update(progress, "finding graphs", i, search.graph.count, 0);
	}
	if (!search.found) {
		mem_free(derived->activity_twin);
		derived->activity_twin = NULL;
	}
	sequences_free(search.names);
	mem_free_all(search.eager.item, search.graph.item);
	return ok;
}
