#include "analysis/flights.h"

#include "analysis/rank_summary.h"
#include "base/hash.h"
#include "model/flight.h"

#include <stdlib.h>
#include <string.h>

/* A collective of a group, as far as any rank knows. */
struct flights_known {
	uint32_t group; /* in the shared names */
	int64_t sequence;
	uint32_t rank, entry;
};

struct flights_comparison {
	const struct run *run;
	struct intern *names; /* of groups, of all ranks */
	struct flights_known *known;
	size_t count, capacity;
	struct hash *by_key; /* of known */
};

static uint64_t flights_key_of(uint32_t group, int64_t sequence)
{
	return hash_pair(group, (uint64_t)sequence);
}

const char *flight_text(const struct run *run, size_t rank, uint32_t text)
{
	return text ? intern_text(run->ranks[rank].summary->strings, text) : "";
}

const struct flight_entry *flight_gap_entry(const struct run *run, const struct flight_gap *gap)
{
	return &run->ranks[gap->other].summary->flight.entries[gap->entry];
}

static bool is_collective(const struct flight_entry *entry)
{
	return !entry->pair && entry->sequence != NO_VALUE;
}

static uint32_t flights_group_of(struct flights_comparison *comparison, size_t rank,
				 const struct flight_entry *entry)
{
	const char *text = flight_text(comparison->run, rank, entry->group);
	return intern_add(comparison->names, text, strlen(text));
}

static void learn(struct flights_comparison *comparison, uint32_t rank)
{
	const struct flight *flight = &comparison->run->ranks[rank].summary->flight;
	for (size_t i = 0; i < flight->count; i++) {
		const struct flight_entry *entry = &flight->entries[i];
		uint32_t group = flights_group_of(comparison, rank, entry);
		uint64_t key = flights_key_of(group, entry->sequence);
		if (!is_collective(entry) || hash_last(comparison->by_key, key) != NO_ROW)
			continue;
		mem_grow(comparison->known, comparison->capacity, comparison->count + 1);
		hash_add(comparison->by_key, key, (uint32_t)comparison->count);
		comparison->known[comparison->count++] =
			(struct flights_known){ group, entry->sequence, rank, (uint32_t)i };
	}
}

static int compare_known(const void *a, const void *b)
{
	const struct flights_known *x = a, *y = b;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

/* Add what RANK lacks of the groups it is in. */
static bool find_of_rank(struct flight_gaps *gaps, struct flights_comparison *comparison,
			 uint32_t rank, const struct progress *progress)
{
	const struct flight *flight = &comparison->run->ranks[rank].summary->flight;
	struct hash *has = hash_new(flight->count), *first_of = hash_new(16);
	bool ok = true;
	for (size_t i = 0; i < flight->count; i++) {
		const struct flight_entry *entry = &flight->entries[i];
		if (!is_collective(entry))
			continue;
		uint32_t group = flights_group_of(comparison, rank, entry);
		uint32_t first = hash_last(first_of, group);
		hash_add(has, flights_key_of(group, entry->sequence), (uint32_t)i);
		if (first == NO_ROW || entry->sequence < flight->entries[first].sequence)
			hash_add(first_of, group, (uint32_t)i);
	}
	for (size_t i = 0; i < comparison->count && ok; i++) {
		const struct flights_known *known = &comparison->known[i];
		uint32_t first = hash_last(first_of, known->group);
		ok = progress_row(progress, "comparing ranks", i, comparison->count);
		if (first == NO_ROW || known->sequence < flight->entries[first].sequence ||
		    hash_last(has, flights_key_of(known->group, known->sequence)) != NO_ROW)
			continue;
		mem_grow(gaps->items, gaps->capacity, gaps->count + 1);
		gaps->items[gaps->count++] = (struct flight_gap){ rank, known->rank, known->entry };
	}
	hash_free(has);
	hash_free(first_of);
	return ok;
}

bool flight_gaps_find(struct flight_gaps *gaps, const struct run *run,
		      const struct progress *progress)
{
	struct flights_comparison comparison = { .run = run,
						 .names = intern_new(),
						 .by_key = hash_new(1024) };
	bool ok = true;
	*gaps = (struct flight_gaps){ 0 };
	for (uint32_t i = 0; i < run->rank_count; i++)
		learn(&comparison, i);
	if (comparison.count)
		qsort(comparison.known, comparison.count, sizeof *comparison.known, compare_known);
	for (uint32_t i = 0; i < run->rank_count && ok && comparison.count; i++)
		ok = find_of_rank(gaps, &comparison, i, progress);
	intern_free(comparison.names);
	hash_free(comparison.by_key);
	mem_free(comparison.known);
	return ok;
}
