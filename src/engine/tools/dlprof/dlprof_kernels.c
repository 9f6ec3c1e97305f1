/*
 * DLProf's kernel reports: by op, by iteration, and tensor core use.
 */
#include "tools/dlprof/dlprof_views.h"

#include "base/buffer.h"
#include "base/hash.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* ---- by op ---- */

/* A kernel sum with its sort keys. */
struct kernel_row {
	const char *first, *second;
	uint32_t op;
	const struct dlprof_kernel_sum *sum;
};

static int compare_kernels(const void *a, const void *b)
{
	const struct kernel_row *x = a, *y = b;
	int order = strcmp(x->first, y->first);
	if (order)
		return order;
	if (x->op != y->op)
		return x->op < y->op ? -1 : 1;
	return strcmp(x->second, y->second);
}

/* By op name or (BY_ID) op id, then by kernel name. */
static struct kernel_row *sort_kernels(const struct dlprof_results *results, bool by_id)
{
	const struct dlprof_aggregation *from = results->aggregation;
	struct kernel_row *rows = mem_alloc((from->kernel_count + 1) * sizeof *rows);
	for (size_t i = 0; i < from->kernel_count; i++) {
		const struct dlprof_kernel_sum *sum = &from->kernel_sums[i];
		const struct dlprof_op *op = &results->dlprof->ops[sum->op];
		rows[i] = (struct kernel_row){
			intern_text(results->strings, by_id ? op->id : op->name),
			intern_text(results->strings, sum->name), sum->op, sum
		};
	}
	if (from->kernel_count)
		qsort(rows, from->kernel_count, sizeof *rows, compare_kernels);
	return rows;
}

static void set_metric(struct table *table, size_t row, const char *const ids[4],
		       const struct dlprof_metric *metric)
{
	table_set(table, row, ids[0], value_int(metric->sum));
	table_set(table, row, ids[1], value_real(metric->avg));
	table_set(table, row, ids[2], value_int(metric->min));
	table_set(table, row, ids[3], value_int(metric->max));
}

/* A call by op and name. */
static struct hash *launches_by_kernel(const struct dlprof *dlprof)
{
	struct hash *launches = hash_new(dlprof->op_count);
	for (size_t i = 0; i < dlprof->call_count; i++) {
		uint64_t key = hash_pair(dlprof->calls[i].op, dlprof->calls[i].name);
		if (dlprof->calls[i].kind == DLPROF_KERNEL && hash_last(launches, key) == NO_ROW)
			hash_add(launches, key, (uint32_t)i);
	}
	return launches;
}

/* All launches of the kernel of this call. */
static struct ref kernel_ref(const struct dlprof_results *results, uint32_t call)
{
	const struct profile *profile = results->table->held->profile;
	struct ref launch = { .kind = REF_NONE };
	if (call != NO_ROW)
		launch = dlprof_call_ref(results, &results->dlprof->calls[call]);
	if (launch.kind == REF_NONE)
		return launch;
	return (struct ref){ REF_KERNEL, profile->activity_name[launch.a], NO_ROW, NO_ROW };
}

void dlprof_fill_kernel(struct dlprof_results *results)
{
	static const char *const gpu[] = { "gpu_total_ns", "gpu_avg_ns", "gpu_min_ns",
					   "gpu_max_ns" };
	static const char *const api[] = { "api_total_ns", "api_avg_ns", "api_min_ns",
					   "api_max_ns" };
	struct kernel_row *rows = sort_kernels(results, false);
	struct hash *launches = launches_by_kernel(results->dlprof);
	for (size_t i = 0; i < results->aggregation->kernel_count; i++) {
		const struct dlprof_kernel_sum *sum = rows[i].sum;
		uint32_t call = hash_last(launches, hash_pair(sum->op, sum->name));
		size_t row = table_add_row(results->table, kernel_ref(results, call));
		table_set(results->table, row, "name", dlprof_text(results, sum->name));
		dlprof_set_op(results, row, &results->dlprof->ops[sum->op]);
		table_set(results->table, row, "tc_used", value_int(sum->uses_tc));
		set_metric(results->table, row, gpu, &sum->gpu);
		set_metric(results->table, row, api, &sum->api);
	}
	hash_free(launches);
	mem_free(rows);
}

/* ---- by iteration ---- */

static int compare_launches(const void *a, const void *b)
{
	const struct dlprof_launch *x = a, *y = b;
	if (x->iteration != y->iteration)
		return x->iteration < y->iteration ? -1 : 1;
	return (x->call > y->call) - (x->call < y->call);
}

static void add_launch(struct dlprof_results *results, const struct dlprof_launch *launch)
{
	struct table *table = results->table;
	const struct dlprof_call *call = &results->dlprof->calls[launch->call];
	static const struct dlprof_instance none;
	const struct dlprof_instance *instance =
		call->instance == NO_ROW ? &none : &results->dlprof->instances[call->instance];
	if (call->op == NO_ROW)
		return;
	const struct dlprof_op *op = &results->dlprof->ops[call->op];
	size_t row = table_add_row(table, dlprof_call_ref(results, call));
	table_set(table, row, "step", value_int(launch->iteration));
	dlprof_set_op(results, row, op);
	table_set(table, row, "op_type", dlprof_text(results, op->type));
	table_set(table, row, "name", dlprof_text(results, call->name));
	table_set(table, row, "device", table_printf(table, "%d", (int)call->device));
	table_set(table, row, "start_ns", value_int(call->gpu_start));
	table_set(table, row, "dur_ns", value_int(call->gpu_stop - call->gpu_start));
	table_set(table, row, "api_start_ns", value_int(call->api_start));
	table_set(table, row, "api_dur_ns", value_int(call->api_stop - call->api_start));
	table_set(table, row, "tc_used", value_int(call->uses_tc));
	table_set(table, row, "grid", cell_triple(table, call->grid));
	table_set(table, row, "block", cell_triple(table, call->block));
	table_set(table, row, "data_type", dlprof_text(results, op->data_type));
	table_set(table, row, "input_shapes",
		  dlprof_shapes(results, op->input_format, instance->input_shapes));
	table_set(table, row, "parameters",
		  dlprof_shapes(results, op->parameter_format, instance->parameters));
	table_set(table, row, "output_shapes",
		  dlprof_shapes(results, op->output_format, instance->output_shapes));
	table_set(table, row, "long_name", dlprof_text(results, call->long_name));
}

enum { LAUNCH_WEIGHT = 32 }; /* weight of a row with all its texts */

void dlprof_fill_iteration(struct dlprof_results *results)
{
	size_t count = results->aggregation->launch_count;
	struct dlprof_launch *launches = mem_alloc((count + 1) * sizeof *launches);
	if (count)
		memcpy(launches, results->aggregation->launches, count * sizeof *launches);
	results->cancelled =
		!sort_runs(launches, count, sizeof *launches, compare_launches, results->progress);
	for (size_t i = 0; !results->cancelled && i < count; i++) {
		add_launch(results, &launches[i]);
		results->cancelled = !progress_heavy_row(results->progress, "listing launches", i,
							 count, LAUNCH_WEIGHT);
	}
	mem_free(launches);
}

/* ---- tensor cores ---- */

/* Kernels of an op with (1) and without (0) tensor cores. */
struct tensor_use_sum {
	int64_t ns[2], kernels[2];
	struct buffer names[2];
};

static void add_eligible(struct dlprof_results *results, const struct dlprof_op_sum *sum,
			 struct tensor_use_sum *use, size_t first)
{
	struct table *table = results->table;
	const struct dlprof_op *op = &results->dlprof->ops[sum->op];
	int64_t all = use->ns[0] + use->ns[1];
	size_t row = table_add_row(table, dlprof_op_ref(results, first));
	dlprof_set_op(results, row, op);
	table_set(table, row, "op_type", dlprof_text(results, op->type));
	table_set(table, row, "tc_used", value_int(sum->uses_tc));
	table_set(table, row, "gpu_total_ns", value_int(all));
	table_set(table, row, "tc_ns", value_int(use->ns[1]));
	table_set(table, row, "non_tc_ns", value_int(use->ns[0]));
	table_set(table, row, "tc_pct",
		  value_real(all ? 100.0 * (double)use->ns[1] / (double)all : 0));
	table_set(table, row, "kernels", value_int(use->kernels[0] + use->kernels[1]));
	table_set(table, row, "tc_kernels", value_int(use->kernels[1]));
	table_set(table, row, "tc_kernel_names",
		  table_copy_text(table, buffer_text(&use->names[1]), use->names[1].length));
	table_set(table, row, "non_tc_kernels", value_int(use->kernels[0]));
	table_set(table, row, "non_tc_kernel_names",
		  table_copy_text(table, buffer_text(&use->names[0]), use->names[0].length));
}

/* ROWS are all kernels, grouped by op; FIRST is the first one of OP. */
static struct tensor_use_sum sum_uses(const struct kernel_row *rows, size_t count, size_t first,
				      uint32_t op)
{
	struct tensor_use_sum use = { 0 };
	for (size_t i = first; i < count && rows[i].op == op; i++) {
		int tensor = rows[i].sum->uses_tc;
		use.ns[tensor] += rows[i].sum->gpu.sum;
		buffer_puts(&use.names[tensor], use.kernels[tensor]++ ? ", " : "");
		buffer_puts(&use.names[tensor], rows[i].second);
	}
	return use;
}

/* By op: index of its first kernel in ROWS, or COUNT. */
static size_t *first_kernels(const struct dlprof_results *results, const struct kernel_row *rows)
{
	size_t count = results->aggregation->kernel_count;
	size_t *first = mem_alloc((results->dlprof->op_count + 1) * sizeof *first);
	for (size_t i = 0; i < results->dlprof->op_count; i++)
		first[i] = count;
	for (size_t i = count; i-- > 0;)
		first[rows[i].op] = i;
	return first;
}

static int compare_ids(const void *a, const void *b)
{
	const struct kernel_row *x = a, *y = b;
	int order = strcmp(x->first, y->first);
	return order ? order : (x->op > y->op) - (x->op < y->op);
}

void dlprof_fill_tensor_core(struct dlprof_results *results)
{
	const struct dlprof_aggregation *from = results->aggregation;
	struct kernel_row *kernels = sort_kernels(results, true);
	size_t *first = first_kernels(results, kernels), count = 0;
	size_t *executed = dlprof_first_instances(results->dlprof);
	struct kernel_row *ops = mem_alloc((from->op_count + 1) * sizeof *ops);
	for (uint32_t i = 0; i < from->op_count; i++) {
		const struct dlprof_op *op = &results->dlprof->ops[from->op_sums[i].op];
		if (from->op_sums[i].eligible)
			ops[count++] =
				(struct kernel_row){ .first = intern_text(results->strings, op->id),
						     .op = i };
	}
	if (count)
		qsort(ops, count, sizeof *ops, compare_ids);
	for (size_t i = 0; i < count; i++) {
		const struct dlprof_op_sum *sum = &from->op_sums[ops[i].op];
		struct tensor_use_sum use =
			sum_uses(kernels, from->kernel_count, first[sum->op], sum->op);
		add_eligible(results, sum, &use, executed[sum->op]);
		buffer_free(&use.names[0]);
		buffer_free(&use.names[1]);
	}
	mem_free(kernels);
	mem_free(first);
	mem_free(executed);
	mem_free(ops);
}

const struct view view_dlprof_kernel = {
	.name = "dlprof-kernel",
	.title = "DLProf Kernels",
	.row = "a kernel in an op",
	.summary = "Kernels of DLProf ops.",
	.columns = "name,op_id,op_name,direction,tc_used,gpu_total_ns,gpu_avg_ns,gpu_min_ns,"
		   "gpu_max_ns,api_total_ns,api_avg_ns,api_min_ns,api_max_ns",
	.default_columns = "name,op_id,tc_used,gpu_total_ns,gpu_avg_ns,gpu_min_ns,gpu_max_ns,"
			   "api_total_ns,op_name",
	.default_sort = "",
	.groups = { "stored", "key=", "aggregation=" },
	.no_selection = true,
	.build = dlprof_build,
};

const struct view view_dlprof_iteration = {
	.name = "dlprof-iteration",
	.title = "DLProf Iterations",
	.row = "a launch of a kernel",
	.summary = "Kernels launched by each iteration.",
	.columns = "step,op_id,op_name,direction,op_type,name,device,start_ns,dur_ns,api_start_ns,"
		   "api_dur_ns,tc_used,grid,block,data_type,input_shapes,parameters,"
		   "output_shapes,long_name",
	.default_columns = "step,op_id,name,device,start_ns,dur_ns,tc_used,grid,block,op_name",
	.default_sort = "",
	.groups = { "stored", "key=", "aggregation=" },
	.no_selection = true,
	.build = dlprof_build,
};

const struct view view_dlprof_tensor_core = {
	.name = "dlprof-tensor_core",
	.title = "DLProf Tensor Cores",
	.row = "an op eligible for Tensor Cores",
	.summary = "Tensor Core use of the ops that DLProf rates eligible.",
	.columns = "op_id,op_name,direction,op_type,tc_used,gpu_total_ns,tc_ns,non_tc_ns,tc_pct,"
		   "kernels,tc_kernels,tc_kernel_names,non_tc_kernels,non_tc_kernel_names",
	.default_columns = "op_id,op_type,tc_used,gpu_total_ns,tc_ns,non_tc_ns,tc_pct,kernels,"
			   "tc_kernels,op_name",
	.default_sort = "",
	.groups = { "stored", "key=", "aggregation=" },
	.no_selection = true,
	.build = dlprof_build,
};
