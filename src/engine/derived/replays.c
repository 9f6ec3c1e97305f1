#include "derived/inferences_private.h"

#include "derived/sequences.h"
#include "base/any_of.h"
#include "base/compare.h"
#include "base/hash.h"
#include "base/sort.h"

/* Equal runs of launches that are compared; a graph with more stays as it is. */
enum { MATCHES_MAX = 64 };

static const char stage[] = "matching graphs to their captures";

/* A kernel of a graph launch. */
struct replayed {
	uint32_t call, activity;
	int64_t start;
};

/* Where a launch of any of the records is. */
struct found {
	uint32_t source, record;
};

struct replays_search {
	struct inferring *inferring;
	const struct derived *derived;
	struct sequences *sequences;
	struct found *found;  /* by place in the sequences */
	struct hash *by_node; /* the profile's string of a node → index in nodes */
	GROWING(struct found, nodes, node_count);
	GROWING(struct replayed, kernels, kernel_count);
};

/* ---- launches ---- */

static void add_node(struct replays_search *search, uint32_t source, uint32_t record, uint32_t node)
{
	hash_add(search->by_node, inferring_text(search->inferring, source, node),
		 (uint32_t)search->node_count);
	*mem_push(search->nodes, search->node_count) = (struct found){ source, record };
}

/* Names of kernels that the profile does not have are equal to none. */
static void take_records(struct replays_search *search, uint32_t source)
{
	const struct launch_records *records = search->inferring->records[source];
	for (size_t i = 0; i < records->count; i++) {
		const struct launch_record *record = &records->items[i];
		if (record->node)
			add_node(search, source, (uint32_t)i, record->node);
		if (!i || record->sequence != record[-1].sequence)
			sequences_add(search->sequences, NO_ROW);
		if (!record->kernel)
			continue;
		uint32_t place =
			sequences_add(search->sequences,
				      inferring_text(search->inferring, source, record->kernel));
		mem_grow(search->found, (size_t)place + 1);
		search->found[place] = (struct found){ source, (uint32_t)i };
	}
}

COMPARE_MEMBERS(compare_replayed, struct replayed, UP(call) UP(start) UP(activity))

static bool collect_replayed(struct replays_search *search, const struct progress *progress)
{
	const struct derived *derived = search->derived;
	const struct profile *profile = derived->profile;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		uint32_t call = profile->activity_launch[i];
		if (profile->activity_kind[i] != ACTIVITY_KERNEL || call == NO_ROW ||
		    !(derived->role[profile->span_name[call]] & NAME_GRAPH_LAUNCH))
			continue;
		*mem_push(search->kernels, search->kernel_count) =
			(struct replayed){ call, i, profile->activity_start[i] };
	}
	return ok && sort_runs(search->kernels, search->kernel_count, sizeof *search->kernels,
			       compare_replayed, progress);
}

/* ---- by node ---- */

/* The call that made the node launches what ran, as far as it says. */
static bool launches(const struct replays_search *search, const struct found *found,
		     uint32_t activity)
{
	const struct launch_record *record =
		&search->inferring->records[found->source]->items[found->record];
	return !record->kernel ||
	       inferring_text(search->inferring, found->source, record->kernel) ==
		       search->derived->profile->activity_name[activity];
}

static void match_node(struct replays_search *search, uint32_t activity, uint32_t node)
{
	struct inference inference;
	size_t cursor;
	bool any = false;
	for (uint32_t i = hash_find(search->by_node, node, &cursor); i != NO_ROW;
	     i = hash_next(search->by_node, &cursor)) {
		const struct found *found = &search->nodes[i];
		if (!launches(search, found, activity))
			continue;
		struct inference other =
			inferring_from(search->inferring, found->source, found->record);
		if (any)
			inferring_agree(&inference, &other);
		else
			inference = other;
		any = true;
	}
	if (any)
		inferring_set(search->inferring, activity, &inference);
}

static bool match_nodes(struct replays_search *search, const struct progress *progress)
{
	const struct profile *profile = search->derived->profile;
	uint32_t key = profile_find(profile, ACTIVITY_NODE);
	if (key == NO_ROW || !search->node_count)
		return true;
	bool ok = true;
	for_rows (ok, i, profile->activity_attribute_count, progress, stage) {
		const struct attribute *attribute = &profile->activity_attributes[i];
		if (attribute->key == key)
			match_node(search, attribute->row, attribute->text);
	}
	return ok;
}

/* ---- by name ---- */

static void infer(struct replays_search *search, uint32_t activity, size_t at,
		  const uint32_t *matches, size_t count)
{
	const struct found *found = &search->found[matches[0] + at];
	struct inference inference =
		inferring_from(search->inferring, found->source, found->record);
	for (size_t i = 1; i < count; i++) {
		found = &search->found[matches[i] + at];
		struct inference other =
			inferring_from(search->inferring, found->source, found->record);
		inferring_agree(&inference, &other);
	}
	inferring_set(search->inferring, activity, &inference);
}

/* A graph launch. */
struct replay {
	size_t first, count;
};

/* One with the same kernels was replayed before, from FIRST on: take what was inferred then. */
static void copy_replay(const struct replays_search *search, size_t first, const struct replay *to)
{
	uint32_t *of = search->inferring->inferences->activity;
	for (size_t i = 0; i < to->count; i++)
		of[search->kernels[to->first + i].activity] =
			of[search->kernels[first + i].activity];
}

static bool has_nodes(const struct replays_search *search, const struct replay *replay)
{
	const uint32_t *of = search->inferring->inferences->activity;
	return any_of(i, replay->count, of[search->kernels[replay->first + i].activity] != NO_ROW);
}

static void match_replay(struct replays_search *search, const struct replay *replay,
			 const uint32_t *names)
{
	uint32_t matches[MATCHES_MAX];
	size_t count =
		sequences_find(search->sequences, names, replay->count, matches, MATCHES_MAX);
	for (size_t i = 0; count && count < MATCHES_MAX && i < replay->count; i++)
		infer(search, search->kernels[replay->first + i].activity, i, matches, count);
}

/* Graphs are launched again and again: each is matched once, unless it is by its nodes. */
static bool match_names(struct replays_search *search, const struct progress *progress)
{
	const uint32_t *name = search->derived->profile->activity_name;
	AUTO_KEYED struct keyed seen = { 0 };
	AUTO_FREE uint32_t *first =
		mem_alloc((search->kernel_count + 1) * sizeof *first); /* of those seen */
	AUTO_FREE uint32_t *names = mem_alloc((search->kernel_count + 1) * sizeof *names);
	bool ok = true;
	for (size_t i = 0, next; i < search->kernel_count && ok; i = next) {
		for (next = i; next < search->kernel_count &&
			       search->kernels[next].call == search->kernels[i].call;
		     next++)
			names[next - i] = name[search->kernels[next].activity];
		struct replay replay = { i, next - i };
		if (has_nodes(search, &replay))
			continue;
		uint32_t known = seen.count,
			 at = keyed_add(&seen, names, replay.count * sizeof *names);
		ok = progress_row(progress, stage, i, search->kernel_count);
		if (at < known) {
			copy_replay(search, first[at], &replay);
			continue;
		}
		first[at] = (uint32_t)i;
		match_replay(search, &replay, names);
	}
	return ok;
}

bool replays_infer(struct inferring *inferring, const struct progress *progress)
{
	struct replays_search search = { .inferring = inferring,
					 .derived = inferring->derived,
					 .sequences = sequences_new(),
					 .by_node = hash_new(64) };
	for (uint32_t i = 0; i < inferring->count; i++)
		if (inferring->records[i]->rank == NO_VALUE)
			take_records(&search, i);
	bool ok = match_nodes(&search, progress) && collect_replayed(&search, progress) &&
		  match_names(&search, progress);
	sequences_free(search.sequences);
	hash_free(search.by_node);
	mem_free_all(search.found, search.nodes, search.kernels);
	return ok;
}
