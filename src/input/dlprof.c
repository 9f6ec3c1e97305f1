/*
 * Tables are read one by one in the order of their ids and joined through maps of ids: the views,
 * indexes and foreign keys that a file brings along are never relied on.  A column that an older
 * version did not have reads as nothing.
 */
#include "input/dlprof.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/hash.h"
#include "input/dlprof_spans.h"
#include "input/sqlite_table.h"
#include "model/builder.h"
#include "model/dlprof.h"

#include <math.h>
#include <string.h>

enum { COLUMNS_MOST = 24 };

struct reader;

/* What of a table is read; column 0 is the id, these follow. */
struct source_table {
	const char *name;
	bool needed;
	void (*take)(struct reader *reader);
	void (*after)(struct reader *reader);	/* the last row; NULL: nothing */
	const char *columns[COLUMNS_MOST];
};

struct triple { int32_t of[3]; };

struct reader {
	struct sqlite_database *database;
	struct profile *profile;
	struct dlprof *dlprof;
	struct builder *builder;

	const struct source_table *table;	/* what is being read… */
	struct sqlite_rows *row;		/* …and its row that is being taken */

	/* from the ids of the file to what they stand for */
	struct hash *strings, *ops, *triples, *metrics, *times, *categories, *kernels;
	struct hash *aggregations;	/* by aggregation and domain */
	struct triple *triple;		size_t triple_count, triple_cap;
	struct dlprof_metric *metric;	size_t metric_count, metric_cap;
	struct dlprof_times *time;	size_t time_count, time_cap;
	struct dlprof_category *category; size_t category_count, category_cap;

	uint32_t *first_instance;	/* by op, [ops + 1]: its part of… */
	uint32_t *instance_of_op;	/* …instances in the order of their ids */
};

/* ---- cells ---- */

/* 0 when there is none. */
static int64_t integer(struct reader *reader, int column)
{
	int64_t value = sqlite_int(reader->row, (size_t)column);
	return value == NO_VALUE ? 0 : value;
}

static double real(struct reader *reader, int column)
{
	double value = sqlite_real(reader->row, (size_t)column);
	return isfinite(value) ? value : 0;
}

/* Far from the ends of the integers, so that differences and sums stay in them. */
static int64_t time_at(struct reader *reader, int column)
{
	int64_t value = integer(reader, column);
	if (value >= 0 && value <= INT64_MAX / 4)
		return value;
	profile_damage(reader->profile, "time out of range", "read as 0", UINT64_MAX);
	return 0;
}

/* END not before START. */
static int64_t end_at(struct reader *reader, int column, int64_t start)
{
	int64_t end = time_at(reader, column);
	if (end >= start)
		return end;
	profile_damage(reader->profile, "end before start", "read as empty", UINT64_MAX);
	return start;
}

static uint32_t text(struct reader *reader, int column)
{
	size_t length;
	const char *text = sqlite_text(reader->row, (size_t)column, &length);
	return text ? intern_add(reader->profile->strings, text, length) : 0;
}

static uint32_t look_up(const struct hash *ids, int64_t id)
{
	size_t cursor;
	return hash_find(ids, (uint64_t)id, &cursor);
}

/* The text that a column's id stands for. */
static uint32_t string(struct reader *reader, int column)
{
	uint32_t found = look_up(reader->strings, integer(reader, column));
	return found == NO_ROW ? 0 : found;
}

static struct dlprof_metric metric(struct reader *reader, int column)
{
	uint32_t found = look_up(reader->metrics, integer(reader, column));
	return found == NO_ROW ? (struct dlprof_metric){ 0 } : reader->metric[found];
}

static struct dlprof_times times(struct reader *reader, int column)
{
	uint32_t found = look_up(reader->times, integer(reader, column));
	return found == NO_ROW ? (struct dlprof_times){ 0 } : reader->time[found];
}

static struct dlprof_category category(struct reader *reader, int column)
{
	uint32_t found = look_up(reader->categories, integer(reader, column));
	return found == NO_ROW ? (struct dlprof_category){ 0 } : reader->category[found];
}

static void read_triple(struct reader *reader, int column, int32_t out[3])
{
	uint32_t found = look_up(reader->triples, integer(reader, column));
	for (int i = 0; i < 3; i++)
		out[i] = found == NO_ROW ? -1 : reader->triple[found].of[i];
}

static int32_t small(struct reader *reader, int column)
{
	int64_t value = integer(reader, column);
	return value >= 0 && value <= INT32_MAX ? (int32_t)value : 0;
}

static int64_t id(struct reader *reader)
{
	return integer(reader, 0);
}

/* ---- one function a table; column 0 is the id ---- */

static void take_string(struct reader *reader)
{
	hash_add(reader->strings, (uint64_t)id(reader), text(reader, 1));
}

static void take_system(struct reader *reader)
{
	struct dlprof *dlprof = reader->dlprof;
	for (int i = 0; i < DLPROF_FACTS; i++)
		if (i != DLPROF_GPU_NAMES)
			dlprof->fact[i] = text(reader, i + 1);
	uint32_t mode = text(reader, 3);
	dlprof->fact[DLPROF_GPU_NAMES] = 0;
	dlprof->pytorch = strcmp(profile_string(reader->profile, mode), "pytorch") == 0;
}

static void take_setting(struct reader *reader)
{
	struct intern *strings = reader->profile->strings;
	for (int i = 0; i < COLUMNS_MOST && reader->table->columns[i]; i++) {
		const char *name = reader->table->columns[i];
		const char *value = integer(reader, i + 1) ? "1" : "0";
		builder_metadata(reader->builder, intern_add(strings, name, strlen(name)),
				 intern_add(strings, value, 1));
	}
}

static void take_gpu(struct reader *reader)
{
	struct dlprof *dlprof = reader->dlprof;
	mem_grow(dlprof->gpus, dlprof->gpu_cap, dlprof->gpu_count + 1);
	dlprof->gpus[dlprof->gpu_count++] = (struct dlprof_gpu){
		small(reader, 1), text(reader, 2), integer(reader, 3), integer(reader, 4),
		integer(reader, 5),
	};
}

static void take_op(struct reader *reader)
{
	enum { ELIGIBLE, TOLERATED, UNASSOCIATED };
	struct dlprof *dlprof = reader->dlprof;
	mem_grow(dlprof->ops, dlprof->op_cap, dlprof->op_count + 1);
	hash_add(reader->ops, (uint64_t)id(reader), (uint32_t)dlprof->op_count);
	int64_t status = integer(reader, 5);
	dlprof->ops[dlprof->op_count++] = (struct dlprof_op){
		.domain = (uint32_t)integer(reader, 1),
		.id = string(reader, 2),
		.name = text(reader, 3),
		.type = string(reader, 4),
		.eligible = status == ELIGIBLE,
		.unassociated = status == UNASSOCIATED,
		.data_type = string(reader, 6),
		.input_format = string(reader, 7),
		.output_format = string(reader, 8),
		.parameter_format = string(reader, 9),
		.direction = string(reader, 10),
		.stack = text(reader, 11),
	};
}

static void take_instance(struct reader *reader)
{
	struct dlprof *dlprof = reader->dlprof;
	uint32_t op = look_up(reader->ops, integer(reader, 1));
	if (op == NO_ROW) {
		profile_damage(reader->profile, "instance of an op that is not there", "skipped",
			       UINT64_MAX);
		return;
	}
	mem_grow(dlprof->instances, dlprof->instance_cap, dlprof->instance_count + 1);
	struct dlprof_instance *instance = &dlprof->instances[dlprof->instance_count++];
	instance->op = op;
	instance->start = time_at(reader, 2);
	instance->stop = end_at(reader, 3, instance->start);
	instance->process = integer(reader, 4);
	instance->thread = integer(reader, 5);
	instance->input_shapes = string(reader, 6);
	instance->output_shapes = string(reader, 7);
	instance->parameters = string(reader, 8);
}

/* Calls name an instance by its place among those of its op. */
static void index_instances(struct reader *reader)
{
	const struct dlprof *dlprof = reader->dlprof;
	uint32_t *first = mem_zalloc(dlprof->op_count + 2, sizeof *first);
	uint32_t *order = mem_alloc((dlprof->instance_count + 1) * sizeof *order);
	for (size_t i = 0; i < dlprof->instance_count; i++)
		first[dlprof->instances[i].op + 2]++;
	for (size_t i = 2; i < dlprof->op_count + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < dlprof->instance_count; i++)
		order[first[dlprof->instances[i].op + 1]++] = (uint32_t)i;
	reader->first_instance = first;
	reader->instance_of_op = order;
}

static uint32_t instance_row(const struct reader *reader, uint32_t op, int64_t place)
{
	if (op == NO_ROW || place < 0 ||
	    place >= (int64_t)reader->first_instance[op + 1] - reader->first_instance[op])
		return NO_ROW;
	return reader->instance_of_op[reader->first_instance[op] + (size_t)place];
}

/* What the tables of calls have in common: op, place of the instance, name, times, place. */
static struct dlprof_call *take_call(struct reader *reader, enum dlprof_call_kind kind)
{
	struct dlprof *dlprof = reader->dlprof;
	mem_grow(dlprof->calls, dlprof->call_cap, dlprof->call_count + 1);
	struct dlprof_call *call = &dlprof->calls[dlprof->call_count++];
	*call = (struct dlprof_call){ .kind = kind, .bytes = NO_VALUE };
	call->op = look_up(reader->ops, integer(reader, 1));
	call->instance = instance_row(reader, call->op, integer(reader, 2));
	call->name = string(reader, 3);
	call->api_start = time_at(reader, 4);
	call->api_stop = end_at(reader, 5, call->api_start);
	call->process = integer(reader, 6);
	call->thread = integer(reader, 7);
	return call;
}

static struct dlprof_call *take_device_call(struct reader *reader, enum dlprof_call_kind kind)
{
	struct dlprof_call *call = take_call(reader, kind);
	call->gpu_start = time_at(reader, 8);
	call->gpu_stop = end_at(reader, 9, call->gpu_start);
	call->device = small(reader, 10);
	return call;
}

static void take_kernel(struct reader *reader)
{
	hash_add(reader->kernels, (uint64_t)id(reader), (uint32_t)reader->dlprof->call_count);
	struct dlprof_call *call = take_device_call(reader, DLPROF_KERNEL);
	call->long_name = string(reader, 11);
	call->uses_tc = integer(reader, 12) != 0;
	read_triple(reader, 13, call->grid);
	read_triple(reader, 14, call->block);
}

static void take_memset(struct reader *reader)
{
	take_device_call(reader, DLPROF_MEMSET)->bytes = integer(reader, 11);
}

static void take_memcpy(struct reader *reader)
{
	struct dlprof_call *call = take_device_call(reader, DLPROF_MEMCPY);
	call->bytes = integer(reader, 11);
	call->copy_kind = integer(reader, 12);
}

static void take_sync(struct reader *reader)
{
	take_call(reader, DLPROF_SYNC);
}

static void take_other_call(struct reader *reader)
{
	take_call(reader, DLPROF_OTHER_CALL);
}

static void take_triple(struct reader *reader)
{
	mem_grow(reader->triple, reader->triple_cap, reader->triple_count + 1);
	for (int i = 0; i < 3; i++)
		reader->triple[reader->triple_count].of[i] = small(reader, 1 + i);
	hash_add(reader->triples, (uint64_t)id(reader), (uint32_t)reader->triple_count++);
}

static void take_metric(struct reader *reader)
{
	mem_grow(reader->metric, reader->metric_cap, reader->metric_count + 1);
	reader->metric[reader->metric_count] = (struct dlprof_metric){
		.count = integer(reader, 1), .sum = integer(reader, 2), .min = integer(reader, 3),
		.max = integer(reader, 4), .avg = real(reader, 5),
	};
	hash_add(reader->metrics, (uint64_t)id(reader), (uint32_t)reader->metric_count++);
}

static void take_times(struct reader *reader)
{
	mem_grow(reader->time, reader->time_cap, reader->time_count + 1);
	for (int i = 0; i < DLPROF_TIMES; i++)
		reader->time[reader->time_count].of[i] = metric(reader, 1 + i);
	hash_add(reader->times, (uint64_t)id(reader), (uint32_t)reader->time_count++);
}

static void take_category(struct reader *reader)
{
	mem_grow(reader->category, reader->category_cap, reader->category_count + 1);
	struct dlprof_category *row = &reader->category[reader->category_count];
	for (int i = 0; i < DLPROF_TIMES; i++)
		row->time[i] = integer(reader, 1 + i);
	row->count = integer(reader, 5);
	hash_add(reader->categories, (uint64_t)id(reader), (uint32_t)reader->category_count++);
}

/* ---- aggregations ---- */

static void take_summary(struct reader *reader)
{
	struct dlprof *dlprof = reader->dlprof;
	mem_grow(dlprof->aggregations, dlprof->aggregation_cap, dlprof->aggregation_count + 1);
	uint32_t row = (uint32_t)dlprof->aggregation_count++;
	struct dlprof_aggregation *made = &dlprof->aggregations[row];
	*made = (struct dlprof_aggregation){
		.id = integer(reader, 1), .domain = (uint32_t)integer(reader, 2),
		.wall = integer(reader, 3), .iterations = integer(reader, 4),
		.aggregated = integer(reader, 5), .first = integer(reader, 6),
		.last = integer(reader, 7), .average_iteration = real(reader, 8),
		.deviation = real(reader, 9), .key = string(reader, 10),
	};
	for (int i = 0; i < 4; i++)
		made->ops[i] = category(reader, 11 + i);
	for (int i = 0; i < DLPROF_SHARES; i++)
		made->share[i] = real(reader, 15 + i);
	hash_add(reader->aggregations, hash_pair((uint64_t)made->id, made->domain), row);
}

/* The aggregation that columns 1 and 2 (aggregation, domain) name, or NULL. */
static struct dlprof_aggregation *aggregation(struct reader *reader)
{
	uint32_t row = look_up(reader->aggregations,
			       (int64_t)hash_pair((uint64_t)integer(reader, 1),
						  (uint32_t)integer(reader, 2)));
	return row == NO_ROW ? NULL : &reader->dlprof->aggregations[row];
}

static void take_kernel_categories(struct reader *reader)
{
	struct dlprof_aggregation *into = aggregation(reader);
	if (!into)
		return;
	into->kernels[DLPROF_ALL_KERNELS] = category(reader, 3);
	into->kernels[DLPROF_TC_KERNELS] = category(reader, 4);
	into->kernels[DLPROF_OTHER_KERNELS] = category(reader, 5);
}

static void take_memory_category(struct reader *reader)
{
	struct dlprof_aggregation *into = aggregation(reader);
	if (into)
		into->kernels[DLPROF_MEMORY] = category(reader, 3);
}

/* Ops know their domain themselves. */
static void take_op_sum(struct reader *reader)
{
	uint32_t op = look_up(reader->ops, integer(reader, 2));
	if (op == NO_ROW)
		return;
	uint32_t row = look_up(reader->aggregations,
			       (int64_t)hash_pair((uint64_t)integer(reader, 1),
						  reader->dlprof->ops[op].domain));
	if (row == NO_ROW)
		return;
	struct dlprof_aggregation *into = &reader->dlprof->aggregations[row];
	mem_grow(into->op_sums, into->op_cap, into->op_count + 1);
	into->op_sums[into->op_count++] = (struct dlprof_op_sum){
		.op = op, .times = times(reader, 3), .calls = integer(reader, 4),
		.eligible = integer(reader, 5) != 0, .uses_tc = integer(reader, 6) != 0,
	};
}

static void take_kernel_sum(struct reader *reader)
{
	struct dlprof_aggregation *into = aggregation(reader);
	uint32_t op = look_up(reader->ops, integer(reader, 3));
	if (!into || op == NO_ROW)
		return;
	mem_grow(into->kernel_sums, into->kernel_cap, into->kernel_count + 1);
	into->kernel_sums[into->kernel_count++] = (struct dlprof_kernel_sum){
		.op = op, .name = string(reader, 4), .api = metric(reader, 5),
		.gpu = metric(reader, 6), .uses_tc = integer(reader, 7) != 0,
	};
}

static void take_type_sum(struct reader *reader)
{
	struct dlprof_aggregation *into = aggregation(reader);
	if (!into)
		return;
	mem_grow(into->types, into->type_cap, into->type_count + 1);
	into->types[into->type_count++] = (struct dlprof_type_sum){
		.type = string(reader, 3), .times = times(reader, 4), .ops = integer(reader, 5),
		.calls = integer(reader, 6),
	};
}

static void take_group_sum(struct reader *reader)
{
	enum { GROUP = 1 };	/* the other type is an op, which op_nodes has too */
	struct dlprof_aggregation *into = aggregation(reader);
	if (!into || integer(reader, 3) != GROUP)
		return;
	uint32_t path = string(reader, 4);
	mem_grow(into->groups, into->group_cap, into->group_count + 1);
	into->groups[into->group_count++] = (struct dlprof_group_sum){
		.path = path, .length = (uint32_t)intern_length(reader->profile->strings, path),
		.calls = integer(reader, 5), .eligible_ops = integer(reader, 6),
		.tc_ops = integer(reader, 7), .times = times(reader, 8),
	};
}

static void take_launch(struct reader *reader)
{
	struct dlprof_aggregation *into = aggregation(reader);
	uint32_t call = look_up(reader->kernels, integer(reader, 3));
	if (!into || call == NO_ROW)
		return;
	mem_grow(into->launches, into->launch_cap, into->launch_count + 1);
	into->launches[into->launch_count++] =
		(struct dlprof_launch){ integer(reader, 4), call };
}

/* For tables without a domain: the next aggregation with the id in column 1, whatever its domain. */
static struct dlprof_aggregation *next_domain(struct reader *reader, size_t *cursor)
{
	struct dlprof *dlprof = reader->dlprof;
	int64_t wanted = integer(reader, 1);
	while (*cursor < dlprof->aggregation_count)
		if (dlprof->aggregations[(*cursor)++].id == wanted)
			return &dlprof->aggregations[*cursor - 1];
	return NULL;
}

static void take_iteration(struct reader *reader)
{
	int64_t start = time_at(reader, 3);
	struct dlprof_iteration row = { integer(reader, 2), start, end_at(reader, 4, start) };
	struct dlprof_aggregation *into;
	for (size_t cursor = 0; (into = next_domain(reader, &cursor));) {
		mem_grow(into->iteration, into->iteration_cap, into->iteration_count + 1);
		into->iteration[into->iteration_count++] = row;
	}
}

static void take_advice(struct reader *reader)
{
	struct dlprof_advice row = { text(reader, 2), text(reader, 3), text(reader, 4) };
	struct dlprof_aggregation *into;
	for (size_t cursor = 0; (into = next_domain(reader, &cursor));) {
		mem_grow(into->advice, into->advice_cap, into->advice_count + 1);
		into->advice[into->advice_count++] = row;
	}
}

/* ---- the tables, in an order in which everything is known before it is pointed to ---- */

#define CALL "read_only_ops_id", "op_instance", "name_id", "api_start", "api_stop", \
	"process_id", "thread_id"
#define DEVICE_CALL CALL, "gpu_start", "gpu_stop", "device_id"

static const struct source_table tables[] = {
	{ "dictionary", true, take_string, NULL, { "string" } },
	{ "read_only_system_config", true, take_system, NULL,
	  { "profile_name", "num_gpus", "mode_string", "cpu_model", "driver_version", "framework",
	    "cuda_version", "cudnn_version", "nsys_version", "dlprof_version", "dlprof_build" } },
	{ "read_only_model_config", false, take_setting, NULL,
	  { "pin_memory", "cudnn_benchmark_disabled", "detect_anomaly",
	    "gradcheck", "gradgradcheck", "autograd_profile", "autograd_set_detect_anomaly",
	    "emit_nvtx", "amp_enabled" } },
	{ "read_only_gpu_infos", false, take_gpu, NULL,
	  { "device_id", "gpu_name", "compute_capability_major", "compute_capability_minor",
	    "sm_count" } },
	{ "read_only_ops", true, take_op, NULL,
	  { "domain_id", "op_id_id", "op_name", "op_type_id", "tc_support_status", "data_type_id",
	    "data_format_id", "output_format_id", "parameters_format_id", "direction_id",
	    "stack_trace" } },
	{ "read_only_op_instances", true, take_instance, index_instances,
	  { "read_only_ops_id", "cpu_start", "cpu_stop", "process_id", "thread_id",
	    "input_shapes_id", "output_shapes_id", "parameters_id" } },
	{ "read_only_grid_block", false, take_triple, NULL, { "x", "y", "z" } },
	{ "read_only_kernels", true, take_kernel, NULL,
	  { DEVICE_CALL, "long_name_id", "uses_tc", "grid_id", "block_id" } },
	{ "read_only_memsets", false, take_memset, NULL, { DEVICE_CALL, "num_bytes" } },
	{ "read_only_memcpys", false, take_memcpy, NULL,
	  { DEVICE_CALL, "num_bytes", "copy_kind" } },
	{ "read_only_cuda_syncs", false, take_sync, NULL, { CALL } },
	{ "read_only_cuda_calls", false, take_other_call, NULL, { CALL } },
	{ "metric", false, take_metric, NULL, { "count", "sum", "min", "max", "avg" } },
	{ "node_time_metrics", false, take_times, NULL,
	  { "cpu_time_metric_id", "gpu_time_metric_id", "cpu_overhead_time_metric_id",
	    "gpu_idle_time_metric_id" } },
	{ "category_summary", false, take_category, NULL,
	  { "cpu_time", "gpu_time", "cpu_overhead", "gpu_idle", "count" } },
	{ "model_summary", false, take_summary, NULL,
	  { "aggr_id", "domain_id", "wall_time", "iter_total", "iter_aggregated", "iter_start",
	    "iter_stop", "avg_iteration_time", "iteration_time_std_dev", "key_node_id",
	    "nodes_total_id", "nodes_using_tc_id", "nodes_tc_eligible_id", "nodes_other_id",
	    "tc_utilization", "gpu_utilization", "tc_duration_pct", "non_tc_duration_pct",
	    "memory_duration_pct", "dataloader_duration_pct", "io_duration_pct",
	    "cpu_duration_pct", "other_duration_pct" } },
	{ "kernel_summary_metrics", false, take_kernel_categories, NULL,
	  { "aggr_id", "domain_id", "kernels_total_id", "kernels_using_tc_id",
	    "kernels_non_tc_id" } },
	{ "memory_summary_metrics", false, take_memory_category, NULL,
	  { "aggr_id", "domain_id", "memory_time_id" } },
	{ "op_nodes", false, take_op_sum, NULL,
	  { "aggr_id", "read_only_ops_id", "node_time_metrics_id", "num_calls", "tc_eligible",
	    "using_tc" } },
	{ "kernel_summaries", false, take_kernel_sum, NULL,
	  { "aggr_id", "domain_id", "read_only_ops_id", "kernel_name_id", "api_time_metric_id",
	    "gpu_time_metric_id", "uses_tc" } },
	{ "op_type_metrics", false, take_type_sum, NULL,
	  { "aggr_id", "domain_id", "op_node_type_id", "op_type_metrics_id", "num_nodes",
	    "num_calls" } },
	{ "group_ops", false, take_group_sum, NULL,
	  { "aggr_id", "domain_id", "row_type", "group_op_full_name_id", "num_op_instances",
	    "num_supported_leaf_ops", "num_tc_leaf_ops", "group_op_time_metrics_id" } },
	{ "kernel_iteration_node", false, take_launch, NULL,
	  { "aggr_id", "domain_id", "read_only_kernel_id", "iter_value" } },
	{ "iteration_list", false, take_iteration, NULL,
	  { "aggr_id", "iter_value", "start_time", "stop_time" } },
	{ "expert_systems_feedback", false, take_advice, NULL,
	  { "aggr_id", "exp_sys_id", "problem", "recommendation" } },
};

enum { TABLES = sizeof tables / sizeof *tables };

static bool read_table(struct reader *reader, const struct source_table *table,
		       struct error *error)
{
	if (table->needed && !sqlite_database_has(reader->database, table->name))
		return error_set(error, ERROR_INPUT, "is a DLProf database without the table %s",
				 table->name);
	struct sqlite_column columns[COLUMNS_MOST + 1] = { { "id", COLUMN_INT, true } };
	size_t count = 1;
	while (count <= COLUMNS_MOST && table->columns[count - 1]) {
		columns[count].name = table->columns[count - 1];
		count++;
	}
	reader->table = table;
	reader->row = sqlite_rows_open(reader->database, table->name, columns, count);
	while (sqlite_rows_next(reader->row)) {
		table->take(reader);
		reader->profile->events++;
	}
	sqlite_rows_close(reader->row);
	if (table->after)
		table->after(reader);
	return sqlite_database_ok(reader->database);
}

/* The names of all devices as the summary lists them. */
static void list_gpus(struct reader *reader)
{
	const struct dlprof *dlprof = reader->dlprof;
	struct buffer names = { 0 };
	for (size_t i = 0; i < dlprof->gpu_count; i++)
		buffer_printf(&names, "%s%s", i ? ", " : "",
			      profile_string(reader->profile, dlprof->gpus[i].name));
	reader->dlprof->fact[DLPROF_GPU_NAMES] =
		intern_add(reader->profile->strings, buffer_text(&names), names.length);
	buffer_free(&names);
}

static void free_reader(struct reader *reader)
{
	struct hash *const maps[] = { reader->strings, reader->ops, reader->triples,
				      reader->metrics, reader->times, reader->categories,
				      reader->kernels, reader->aggregations };
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		hash_free(maps[i]);
	mem_free(reader->triple);
	mem_free(reader->metric);
	mem_free(reader->time);
	mem_free(reader->category);
	mem_free(reader->first_instance);
	mem_free(reader->instance_of_op);
}

bool dlprof_recognise(const struct sqlite_database *database)
{
	return sqlite_database_has(database, "read_only_system_config");
}

bool dlprof_read(struct sqlite_database *database, struct builder *builder, struct error *error)
{
	struct reader reader = {
		.database = database, .profile = database->profile, .builder = builder,
		.dlprof = mem_zalloc(1, sizeof *reader.dlprof),
		.strings = hash_new(256), .ops = hash_new(64), .triples = hash_new(64),
		.metrics = hash_new(256), .times = hash_new(64), .categories = hash_new(16),
		.kernels = hash_new(256), .aggregations = hash_new(8),
	};
	database->profile->dlprof = reader.dlprof;
	for (size_t i = 0; i < TABLES; i++)
		sqlite_database_expect(database, tables[i].name);
	bool done = true;
	for (size_t i = 0; i < TABLES && done; i++)
		done = read_table(&reader, &tables[i], error);
	if (done) {
		list_gpus(&reader);
		dlprof_add_spans(reader.profile, builder);
	}
	free_reader(&reader);
	return done;
}
