/*
 * Reads DLProf's aggregations: shares of time, iterations, advice. Sums of ops,
 * kernels, types and groups are not read: they are those of the correlated profile.
 */
#include "input/dlprof/dlprof_private.h"

static void parse_domain(struct dlprof_reader *reader)
{
	id_map_add(&reader->domains, row_id(reader), row_string(reader, 1));
}

static uint32_t domain_name(struct dlprof_reader *reader, int column)
{
	uint32_t name = id_map_find(&reader->domains, row_int(reader, column));
	return name == NO_ROW ? 0 : name;
}

static void parse_summary(struct dlprof_reader *reader)
{
	struct dlprof *dlprof = reader->dlprof;
	struct dlprof_aggregation *made = mem_push(dlprof->aggregations, dlprof->aggregation_count);
	*made = (struct dlprof_aggregation){ .id = row_int(reader, 1),
					     .domain = (uint32_t)row_int(reader, 2),
					     .wall = row_int(reader, 3),
					     .iterations = row_int(reader, 4),
					     .aggregated = row_int(reader, 5),
					     .first = row_int(reader, 6),
					     .last = row_int(reader, 7),
					     .average_iteration = row_real(reader, 8),
					     .deviation = row_real(reader, 9),
					     .key = row_string(reader, 10),
					     .domain_name = domain_name(reader, 2) };
	for (int i = 0; i < DLPROF_SHARES; i++)
		made->share[i] = row_real(reader, 11 + i);
}

/* Iterates over the aggregations with the id in column 1. */
static struct dlprof_aggregation *next_domain(struct dlprof_reader *reader, size_t *cursor)
{
	struct dlprof *dlprof = reader->dlprof;
	int64_t wanted = row_int(reader, 1);
	while (*cursor < dlprof->aggregation_count)
		if (dlprof->aggregations[(*cursor)++].id == wanted)
			return &dlprof->aggregations[*cursor - 1];
	return NULL;
}

static void parse_iteration(struct dlprof_reader *reader)
{
	int64_t start = row_time(reader, 3);
	struct dlprof_iteration row = { row_int(reader, 2), start, row_end(reader, 4, start) };
	struct dlprof_aggregation *into;
	for (size_t cursor = 0; (into = next_domain(reader, &cursor));)
		*mem_push(into->iteration, into->iteration_count) = row;
}

static void parse_advice(struct dlprof_reader *reader)
{
	struct dlprof_advice row = { row_text(reader, 2), row_text(reader, 3),
				     row_text(reader, 4) };
	struct dlprof_aggregation *into;
	for (size_t cursor = 0; (into = next_domain(reader, &cursor));)
		*mem_push(into->advice, into->advice_count) = row;
}

const struct dlprof_table dlprof_stored_tables[] = { AGGREGATED_TABLES_ROWS{ .name = NULL } };
