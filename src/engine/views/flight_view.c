/*
 * The entries of the flight recorders of all ranks, from their summaries.
 */
#include "analysis/collectives.h"
#include "views/views.h"

/* The time of the first entry of any rank, from which times are counted. */
static int64_t origin_of(const struct run *run)
{
	int64_t origin = INT64_MAX;
	for (size_t r = 0; r < run->rank_count; r++) {
		const struct flight *flight = &run->ranks[r].summary->flight;
		for (size_t i = 0; i < flight->count; i++)
			if (flight->entries[i].created != NO_VALUE &&
			    flight->entries[i].created < origin)
				origin = flight->entries[i].created;
	}
	return origin;
}

static struct value time_cell(int64_t time, int64_t origin)
{
	int64_t from;
	return time == NO_VALUE || __builtin_sub_overflow(time, origin, &from) ? value_missing()
									       : value_int(from);
}

static void flight_view_add_entry(struct table *table, const struct rank *rank,
				  const struct flight_entry *entry, int64_t origin)
{
	const struct intern *strings = rank->summary->strings;
	size_t row = table_add_row(table, ref_of_rank(rank->number));
	FLIGHT_CELLS(table_set);
}

bool build_flight(struct table *table, const struct view_query *query)
{
	const struct run *run = query->run;
	int64_t origin = origin_of(run);
	for (size_t r = 0; r < run->rank_count; r++) {
		const struct flight *flight = &run->ranks[r].summary->flight;
		if (!scope_list_has(&query->scope->ranks, run->ranks[r].number))
			continue;
		for (size_t i = 0; i < flight->count; i++) {
			if (!progress_heavy_row(query->progress, "listing entries", i,
						flight->count, 32))
				return false;
			flight_view_add_entry(table, &run->ranks[r], &flight->entries[i], origin);
		}
	}
	return table_note_none(table, "No flight recorder's dump is open.");
}
