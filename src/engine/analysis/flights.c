#include "analysis/flights.h"

#include "analysis/rank_summary.h"
#include "base/compare.h"
#include "base/hash.h"

#include <stdlib.h>

/* A collective of a group, which is a string of the shared names. */
struct flights_key {
	int64_t group, sequence;
};

/* As far as any rank knows. */
struct flights_known {
	struct flights_key key;
	uint32_t rank, entry;
};

struct flights_comparison {
	const struct run *run;
	struct intern *names; /* of groups, of all ranks */
	struct keyed keys;
	struct flights_known *known; /* by key, then sorted */
};

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

static struct flights_key flights_key_of(struct flights_comparison *comparison, size_t rank,
					 const struct flight_entry *entry)
{
	const char *text = flight_text(comparison->run, rank, entry->group);
	return (struct flights_key){ intern_add(comparison->names, text, strlen(text)),
				     entry->sequence };
}

static void learn(struct flights_comparison *comparison, uint32_t rank)
{
	const struct flight *flight = &comparison->run->ranks[rank].summary->flight;
	for (size_t i = 0; i < flight->count; i++) {
		const struct flight_entry *entry = &flight->entries[i];
		struct flights_key key = flights_key_of(comparison, rank, entry);
		uint32_t before = comparison->keys.count;
		if (!is_collective(entry))
			continue;
		struct flights_known *known =
			keyed_item(&comparison->keys, comparison->known, &key);
		if (comparison->keys.count > before)
			*known = (struct flights_known){ key, rank, (uint32_t)i };
	}
}

COMPARE_MEMBERS(compare_known, struct flights_known, UP(key.group) UP(key.sequence))

/* Add what RANK lacks of the groups it is in. */
static bool find_of_rank(struct flight_gaps *gaps, struct flights_comparison *comparison,
			 uint32_t rank, const struct progress *progress)
{
	const struct flight *flight = &comparison->run->ranks[rank].summary->flight;
	AUTO_HASH struct hash *first_of = hash_new(16);
	AUTO_KEYED struct keyed has = { 0 };
	bool ok = true;
	for (size_t i = 0; i < flight->count; i++) {
		const struct flight_entry *entry = &flight->entries[i];
		if (!is_collective(entry))
			continue;
		struct flights_key key = flights_key_of(comparison, rank, entry);
		uint32_t first = hash_last(first_of, (uint64_t)key.group);
		keyed_add(&has, &key, sizeof key);
		if (first == NO_ROW || key.sequence < flight->entries[first].sequence)
			hash_add(first_of, (uint64_t)key.group, (uint32_t)i);
	}
	for_rows (ok, i, comparison->keys.count, progress, "comparing ranks") {
		const struct flights_known *known = &comparison->known[i];
		uint32_t first = hash_last(first_of, (uint64_t)known->key.group);
		if (first == NO_ROW || known->key.sequence < flight->entries[first].sequence ||
		    keyed_find(&has, &known->key, sizeof known->key) != NO_ROW)
			continue;
		*mem_push(gaps->items, gaps->count) =
			(struct flight_gap){ rank, known->rank, known->entry };
	}
	return ok;
}

bool flight_gaps_find(struct flight_gaps *gaps, const struct run *run,
		      const struct progress *progress)
{
	struct flights_comparison comparison = { .run = run, .names = intern_new() };
	bool ok = true;
	*gaps = (struct flight_gaps){ 0 };
	for (uint32_t i = 0; i < run->rank_count; i++)
		learn(&comparison, i);
	if (comparison.known)
		qsort(comparison.known, comparison.keys.count, sizeof *comparison.known,
		      compare_known);
	for (uint32_t i = 0; i < run->rank_count && ok && comparison.known; i++)
		ok = find_of_rank(gaps, &comparison, i, progress);
	intern_free(comparison.names);
	keyed_clear(&comparison.keys);
	mem_free(comparison.known);
	return ok;
}
