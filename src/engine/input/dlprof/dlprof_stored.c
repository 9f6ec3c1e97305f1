/*
 * Reads DLProf's aggregations: sums of ops, kernels, types and groups, iterations, advice.
 */
#include "input/dlprof/dlprof_private.h"

/* ---- shared rows ---- */

static struct moments metric(struct dlprof_reader *reader, int column)
{
	uint32_t found = id_map_find(&reader->metrics, row_int(reader, column));
	return found == NO_ROW ? (struct moments){ 0 } : reader->metric[found];
}

static struct dlprof_times times(struct dlprof_reader *reader, int column)
{
	uint32_t found = id_map_find(&reader->times, row_int(reader, column));
	return found == NO_ROW ? (struct dlprof_times){ 0 } : reader->time[found];
}

static struct dlprof_category category(struct dlprof_reader *reader, int column)
{
	uint32_t found = id_map_find(&reader->categories, row_int(reader, column));
	return found == NO_ROW ? (struct dlprof_category){ 0 } : reader->category[found];
}

static void parse_metric(struct dlprof_reader *reader)
{
	mem_grow(reader->metric, reader->metric_cap, reader->metric_count + 1);
	reader->metric[reader->metric_count] = (struct moments){ .count = row_int(reader, 1),
								 .sum = row_int(reader, 2),
								 .min = row_int(reader, 3),
								 .max = row_int(reader, 4),
								 .mean = row_real(reader, 5) };
	id_map_add(&reader->metrics, row_id(reader), (uint32_t)reader->metric_count++);
}

static void parse_times(struct dlprof_reader *reader)
{
	mem_grow(reader->time, reader->time_cap, reader->time_count + 1);
	for (int i = 0; i < DLPROF_TIMES; i++)
		reader->time[reader->time_count].of[i] = metric(reader, 1 + i);
	id_map_add(&reader->times, row_id(reader), (uint32_t)reader->time_count++);
}

static void parse_category(struct dlprof_reader *reader)
{
	mem_grow(reader->category, reader->category_cap, reader->category_count + 1);
	struct dlprof_category *row = &reader->category[reader->category_count];
	for (int i = 0; i < DLPROF_TIMES; i++)
		row->time[i] = row_int(reader, 1 + i);
	row->count = row_int(reader, 5);
	id_map_add(&reader->categories, row_id(reader), (uint32_t)reader->category_count++);
}

/* ---- aggregations ---- */

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
	mem_grow(dlprof->aggregations, dlprof->aggregation_cap, dlprof->aggregation_count + 1);
	uint32_t row = (uint32_t)dlprof->aggregation_count++;
	struct dlprof_aggregation *made = &dlprof->aggregations[row];
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
	for (int i = 0; i < 4; i++)
		made->ops[i] = category(reader, 11 + i);
	for (int i = 0; i < DLPROF_SHARES; i++)
		made->share[i] = row_real(reader, 15 + i);
	hash_add(reader->aggregations, hash_pair((uint64_t)made->id, made->domain), row);
}

static struct dlprof_aggregation *aggregation_of(struct dlprof_reader *reader, int64_t id,
						 uint32_t domain)
{
	uint32_t row = hash_first(reader->aggregations, hash_pair((uint64_t)id, domain));
	return row == NO_ROW ? NULL : &reader->dlprof->aggregations[row];
}

/* Aggregation named by columns 1 and 2 (aggregation, domain), or NULL. */
static struct dlprof_aggregation *aggregation(struct dlprof_reader *reader)
{
	return aggregation_of(reader, row_int(reader, 1), (uint32_t)row_int(reader, 2));
}

static void parse_kernel_categories(struct dlprof_reader *reader)
{
	struct dlprof_aggregation *into = aggregation(reader);
	if (!into)
		return;
	into->kernels[DLPROF_ALL_KERNELS] = category(reader, 3);
	into->kernels[DLPROF_TC_KERNELS] = category(reader, 4);
	into->kernels[DLPROF_OTHER_KERNELS] = category(reader, 5);
}

static void parse_memory_category(struct dlprof_reader *reader)
{
	struct dlprof_aggregation *into = aggregation(reader);
	if (into)
		into->kernels[DLPROF_MEMORY] = category(reader, 3);
}

/* Ops have their own domain column. */
static void parse_op_sum(struct dlprof_reader *reader)
{
	uint32_t op = id_map_find(&reader->ops, row_int(reader, 2));
	if (op == NO_ROW)
		return;
	struct dlprof_aggregation *into =
		aggregation_of(reader, row_int(reader, 1), reader->dlprof->ops[op].domain);
	if (!into)
		return;
	mem_grow(into->op_sums, into->op_cap, into->op_count + 1);
	into->op_sums[into->op_count++] =
		(struct dlprof_op_sum){ .op = op,
					.times = times(reader, 3),
					.calls = row_int(reader, 4),
					.eligible = row_int(reader, 5) != 0,
					.uses_tc = row_int(reader, 6) != 0 };
}

static void parse_kernel_sum(struct dlprof_reader *reader)
{
	struct dlprof_aggregation *into = aggregation(reader);
	uint32_t op = id_map_find(&reader->ops, row_int(reader, 3));
	if (!into || op == NO_ROW)
		return;
	mem_grow(into->kernel_sums, into->kernel_cap, into->kernel_count + 1);
	into->kernel_sums[into->kernel_count++] =
		(struct dlprof_kernel_sum){ .op = op,
					    .name = row_string(reader, 4),
					    .api = metric(reader, 5),
					    .gpu = metric(reader, 6),
					    .uses_tc = row_int(reader, 7) != 0 };
}

static void parse_type_sum(struct dlprof_reader *reader)
{
	struct dlprof_aggregation *into = aggregation(reader);
	if (!into)
		return;
	mem_grow(into->types, into->type_cap, into->type_count + 1);
	into->types[into->type_count++] = (struct dlprof_type_sum){
		.type = row_string(reader, 3),
		.times = times(reader, 4),
		.ops = row_int(reader, 5),
		.calls = row_int(reader, 6),
	};
}

static void parse_group_sum(struct dlprof_reader *reader)
{
	enum { GROUP = 1 }; /* the other type is an op, also in op_nodes */
	struct dlprof_aggregation *into = aggregation(reader);
	if (!into || row_int(reader, 3) != GROUP)
		return;
	uint32_t path = row_string(reader, 4);
	mem_grow(into->groups, into->group_cap, into->group_count + 1);
	into->groups[into->group_count++] = (struct dlprof_group_sum){
		.path = path,
		.length = (uint32_t)intern_length(reader->profile->strings, path),
		.calls = row_int(reader, 5),
		.eligible_ops = row_int(reader, 6),
		.tc_ops = row_int(reader, 7),
		.times = times(reader, 8)
	};
}

static void parse_launch(struct dlprof_reader *reader)
{
	struct dlprof_aggregation *into = aggregation(reader);
	uint32_t call = id_map_find(&reader->kernels, row_int(reader, 3));
	if (!into || call == NO_ROW)
		return;
	mem_grow(into->launches, into->launch_cap, into->launch_count + 1);
	into->launches[into->launch_count++] = (struct dlprof_launch){ row_int(reader, 4), call };
}

/* For tables without domain: iterates over the aggregations with the id in column 1. */
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
	for (size_t cursor = 0; (into = next_domain(reader, &cursor));) {
		mem_grow(into->iteration, into->iteration_cap, into->iteration_count + 1);
		into->iteration[into->iteration_count++] = row;
	}
}

static void parse_advice(struct dlprof_reader *reader)
{
	struct dlprof_advice row = { row_text(reader, 2), row_text(reader, 3),
				     row_text(reader, 4) };
	struct dlprof_aggregation *into;
	for (size_t cursor = 0; (into = next_domain(reader, &cursor));) {
		mem_grow(into->advice, into->advice_cap, into->advice_count + 1);
		into->advice[into->advice_count++] = row;
	}
}

const struct dlprof_table dlprof_stored_tables[] = {
	{ "metric", parse_metric, "count sum min max avg" },
	{ "node_time_metrics", parse_times,
	  "cpu_time_metric_id gpu_time_metric_id cpu_overhead_time_metric_id "
	  "gpu_idle_time_metric_id" },
	{ "category_summary", parse_category, "cpu_time gpu_time cpu_overhead gpu_idle count" },
	{ "read_only_domains", parse_domain, "domain_name_id" },
	{ "model_summary", parse_summary,
	  "aggr_id domain_id wall_time iter_total iter_aggregated iter_start "
	  "iter_stop avg_iteration_time iteration_time_std_dev key_node_id "
	  "nodes_total_id nodes_using_tc_id nodes_tc_eligible_id nodes_other_id "
	  "tc_utilization gpu_utilization tc_duration_pct non_tc_duration_pct "
	  "memory_duration_pct dataloader_duration_pct io_duration_pct "
	  "cpu_duration_pct other_duration_pct" },
	{ "kernel_summary_metrics", parse_kernel_categories,
	  "aggr_id domain_id kernels_total_id kernels_using_tc_id "
	  "kernels_non_tc_id" },
	{ "memory_summary_metrics", parse_memory_category, "aggr_id domain_id memory_time_id" },
	{ "op_nodes", parse_op_sum,
	  "aggr_id read_only_ops_id node_time_metrics_id num_calls tc_eligible "
	  "using_tc" },
	{ "kernel_summaries", parse_kernel_sum,
	  "aggr_id domain_id read_only_ops_id kernel_name_id api_time_metric_id "
	  "gpu_time_metric_id uses_tc" },
	{ "op_type_metrics", parse_type_sum,
	  "aggr_id domain_id op_node_type_id op_type_metrics_id num_nodes "
	  "num_calls" },
	{ "group_ops", parse_group_sum,
	  "aggr_id domain_id row_type group_op_full_name_id num_op_instances "
	  "num_supported_leaf_ops num_tc_leaf_ops group_op_time_metrics_id" },
	{ "kernel_iteration_node", parse_launch,
	  "aggr_id domain_id read_only_kernel_id iter_value" },
	{ "iteration_list", parse_iteration, "aggr_id iter_value start_time stop_time" },
	{ "expert_systems_feedback", parse_advice, "aggr_id exp_sys_id problem recommendation" },
	{ .name = NULL },
};
