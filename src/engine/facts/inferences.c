#include "facts/inferences.h"

#include "facts/facts.h"
#include "facts/sequences.h"
#include "base/hash.h"
#include "base/sort.h"

#include <string.h>

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

struct search {
	struct facts *facts;
	struct intern *strings;
	struct launch_records *const *records;
	size_t count;
	struct sequences *sequences;
	struct found *found; /* by place in the sequences */
	size_t found_cap;
	struct replayed *kernels;
	size_t kernel_count, kernel_cap;
	uint32_t **place; /* by source and place: among the inferences' + 1; 0: none yet */
	struct inferences *inferences;
	struct hash *by_place; /* (parent, name) → place */
};

/* ---- texts and places ---- */

static uint32_t take_text(const struct search *search, uint32_t source, uint32_t id)
{
	const struct intern *from = search->records[source]->strings;
	return id ? intern_add(search->strings, intern_text(from, id), intern_length(from, id)) : 0;
}

static bool same_place(const struct launch_place *a, const struct launch_place *b)
{
	return a->parent == b->parent && a->name == b->name && a->kind == b->kind &&
	       a->pass == b->pass;
}

/* Equal places of several records are one. */
static uint32_t add_place(struct search *search, const struct launch_place *place)
{
	struct inferences *inferences = search->inferences;
	uint64_t key = hash_pair(hash_pair(place->parent, place->name), place->kind);
	size_t cursor;
	for (uint32_t at = hash_find(search->by_place, key, &cursor); at != NO_ROW;
	     at = hash_next(search->by_place, &cursor))
		if (same_place(&inferences->places[at], place))
			return at;
	mem_grow(inferences->places, inferences->place_cap, inferences->place_count + 1);
	hash_add(search->by_place, key, (uint32_t)inferences->place_count);
	inferences->places[inferences->place_count] = *place;
	return (uint32_t)inferences->place_count++;
}

/* Parents come before their children. */
static void take_places(struct search *search, uint32_t source)
{
	const struct launch_records *records = search->records[source];
	uint32_t *own = search->place[source] = mem_alloc((records->place_count + 1) * sizeof *own);
	for (size_t i = 0; i < records->place_count; i++) {
		struct launch_place place = records->places[i];
		place.name = take_text(search, source, place.name);
		place.parent = place.parent == NO_ROW ? NO_ROW : own[place.parent];
		own[i] = add_place(search, &place);
	}
}

/* ---- launches ---- */

/* Names of kernels that the profile does not have are equal to none. */
static void take_records(struct search *search, uint32_t source)
{
	const struct launch_records *records = search->records[source];
	for (size_t i = 0; i < records->count; i++) {
		const struct launch_record *record = &records->items[i];
		if (!i || record->capture != record[-1].capture)
			sequences_begin(search->sequences);
		uint32_t place =
			sequences_add(search->sequences, take_text(search, source, record->kernel));
		mem_grow(search->found, search->found_cap, (size_t)place + 1);
		search->found[place] = (struct found){ source, (uint32_t)i };
	}
}

static int compare_replayed(const void *a, const void *b)
{
	const struct replayed *x = a, *y = b;
	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->activity > y->activity) - (x->activity < y->activity);
}

static bool collect_replayed(struct search *search, const struct progress *progress)
{
	const struct facts *facts = search->facts;
	const struct profile *profile = facts->profile;
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t call = profile->activity_launch[i];
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		if (profile->activity_kind[i] != ACTIVITY_KERNEL || call == NO_ROW ||
		    !(facts->role[profile->span_name[call]] & NAME_GRAPH_LAUNCH))
			continue;
		mem_grow(search->kernels, search->kernel_cap, search->kernel_count + 1);
		search->kernels[search->kernel_count++] =
			(struct replayed){ call, i, profile->activity_start[i] };
	}
	return sort_runs(search->kernels, search->kernel_count, sizeof *search->kernels,
			 compare_replayed, progress);
}

/* ---- matching ---- */

static struct inference inference_from(const struct search *search, uint32_t place)
{
	const struct found *found = &search->found[place];
	const struct launch_record *record = &search->records[found->source]->items[found->record];
	return (struct inference){
		.operator_name = take_text(search, found->source, record->operator_name),
		.shapes = take_text(search, found->source, record->shapes),
		.types = take_text(search, found->source, record->types),
		.place = record->place == NO_ROW ? NO_ROW
						 : search->place[found->source][record->place],
		.backward = record->backward,
	};
}

/* Keep what both say. */
static void agree(struct inference *inference, const struct inference *other)
{
	bool same_operator = inference->operator_name == other->operator_name;
	if (!same_operator)
		inference->operator_name = 0;
	if (!same_operator || inference->shapes != other->shapes)
		inference->shapes = 0;
	if (!same_operator || inference->types != other->types)
		inference->types = 0;
	if (inference->place != other->place || inference->backward != other->backward)
		inference->place = NO_ROW;
}

static void infer(struct search *search, uint32_t activity, size_t at, const uint32_t *matches,
		  size_t count)
{
	struct inferences *inferences = search->inferences;
	struct inference inference = inference_from(search, matches[0] + (uint32_t)at);
	for (size_t i = 1; i < count; i++) {
		struct inference other = inference_from(search, matches[i] + (uint32_t)at);
		agree(&inference, &other);
	}
	if (!inference.operator_name && inference.place == NO_ROW)
		return;
	mem_grow(inferences->items, inferences->capacity, inferences->count + 1);
	inferences->items[inferences->count] = inference;
	inferences->activity[activity] = (uint32_t)inferences->count++;
}

/* A graph launch replayed before: what was inferred then. */
struct replay {
	size_t first, count;
};

static bool same_kernels(const struct search *search, const struct replay *a,
			 const struct replay *b)
{
	const uint32_t *name = search->facts->profile->activity_name;
	bool same = a->count == b->count;
	for (size_t i = 0; i < a->count && same; i++)
		same = name[search->kernels[a->first + i].activity] ==
		       name[search->kernels[b->first + i].activity];
	return same;
}

static void copy_replay(const struct search *search, const struct replay *from,
			const struct replay *to)
{
	uint32_t *of = search->inferences->activity;
	for (size_t i = 0; i < from->count; i++)
		of[search->kernels[to->first + i].activity] =
			of[search->kernels[from->first + i].activity];
}

static void match_replay(struct search *search, const struct replay *replay, uint32_t *names)
{
	uint32_t matches[MATCHES_MAX];
	const uint32_t *name = search->facts->profile->activity_name;
	for (size_t i = 0; i < replay->count; i++)
		names[i] = name[search->kernels[replay->first + i].activity];
	size_t count =
		sequences_find(search->sequences, names, replay->count, matches, MATCHES_MAX);
	for (size_t i = 0; count && count < MATCHES_MAX && i < replay->count; i++)
		infer(search, search->kernels[replay->first + i].activity, i, matches, count);
}

static uint64_t hash_kernels(const struct search *search, const struct replay *replay)
{
	uint64_t key = replay->count;
	for (size_t i = 0; i < replay->count; i++) {
		uint32_t activity = search->kernels[replay->first + i].activity;
		key = hash_pair(key, search->facts->profile->activity_name[activity]);
	}
	return key;
}

/* Graphs are launched again and again: each is matched once. */
static bool match_all(struct search *search, const struct progress *progress)
{
	struct hash *seen = hash_new(64);
	uint32_t *names = mem_alloc((search->kernel_count + 1) * sizeof *names);
	bool on = true;
	for (size_t i = 0, next; i < search->kernel_count && on; i = next) {
		for (next = i; next < search->kernel_count &&
			       search->kernels[next].call == search->kernels[i].call;)
			next++;
		struct replay replay = { i, next - i };
		uint64_t key = hash_kernels(search, &replay);
		uint32_t before = hash_last(seen, key);
		struct replay earlier = { before, replay.count };
		on = progress_row(progress, stage, i, search->kernel_count);
		if (before != NO_ROW && same_kernels(search, &earlier, &replay)) {
			copy_replay(search, &earlier, &replay);
			continue;
		}
		hash_add(seen, key, (uint32_t)i);
		match_replay(search, &replay, names);
	}
	hash_free(seen);
	mem_free(names);
	return on;
}

static bool run_search(struct search *search, const struct progress *progress)
{
	uint32_t activities = search->facts->profile->activities;
	if (!collect_replayed(search, progress) || !search->kernel_count)
		return search->kernel_count == 0;
	search->inferences->activity =
		mem_alloc(((size_t)activities + 1) * sizeof *search->inferences->activity);
	memset(search->inferences->activity, 0xff,
	       ((size_t)activities + 1) * sizeof *search->inferences->activity);
	for (uint32_t i = 0; i < search->count; i++) {
		take_places(search, i);
		take_records(search, i);
	}
	return match_all(search, progress);
}

bool inferences_find(struct facts *facts, struct intern *strings,
		     struct launch_records *const *records, size_t count,
		     const struct progress *progress)
{
	struct search search = { .facts = facts,
				 .strings = strings,
				 .records = records,
				 .count = count,
				 .sequences = sequences_new(),
				 .place = mem_zalloc(count + 1, sizeof(uint32_t *)),
				 .inferences = mem_zalloc(1, sizeof(struct inferences)),
				 .by_place = hash_new(256) };
	bool done = run_search(&search, progress);
	if (done && search.inferences->count)
		facts->inferred = search.inferences;
	else
		inferences_free(search.inferences);
	for (size_t i = 0; i < count; i++)
		mem_free(search.place[i]);
	mem_free(search.place);
	mem_free(search.kernels);
	mem_free(search.found);
	sequences_free(search.sequences);
	hash_free(search.by_place);
	return done;
}

void inferences_free(struct inferences *inferences)
{
	if (!inferences)
		return;
	mem_free(inferences->items);
	mem_free(inferences->places);
	mem_free(inferences->activity);
	mem_free(inferences);
}
