/*
 * DLProf's kernel reports: by op, by iteration, and tensor core use.
 */
#include "tools/dlprof/dlprof_views.h"

#include "base/compare.h"
#include "base/hash.h"
#include "base/sort.h"

/* ---- by op ---- */

/* A kernel sum with its sort keys. */
struct kernel_row {
	const char *first, *second;
	uint32_t op;
	const struct dlprof_kernel_sum *sum;
};

COMPARE_MEMBERS(compare_kernels, struct kernel_row, UP_TEXT(first) UP(op) UP_TEXT(second))

/* By op name or (BY_ID) op id, then by kernel name. */
static struct kernel_row *sort_kernels(const struct dlprof_results *results, bool by_id)
{
	const struct dlprof_aggregation *from = &results->sums;
	struct kernel_row *rows = mem_alloc((from->kernel_count + 1) * sizeof *rows);
	for (size_t i = 0; i < from->kernel_count; i++) {
		const struct dlprof_kernel_sum *sum = &from->kernel_sums[i];
		const struct dlprof_op *op = &results->dlprof->ops[sum->op];
		rows[i] = (struct kernel_row){
			intern_text(results->strings, by_id ? op->id : op->name),
			intern_text(results->strings, sum->name), sum->op, sum
		};
	}
	sort_items(rows, from->kernel_count, compare_kernels);
	return rows;
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
	AUTO_FREE struct kernel_row *rows = sort_kernels(results, false);
	AUTO_HASH struct hash *launches = launches_by_kernel(results->dlprof);
	for (size_t i = 0; i < results->sums.kernel_count; i++) {
		const struct dlprof_kernel_sum *sum = rows[i].sum;
		const struct dlprof_op *op = &results->dlprof->ops[sum->op];
		uint32_t call = hash_last(launches, hash_pair(sum->op, sum->name));
		size_t row = table_add_row(results->table, kernel_ref(results, call)), column = 0;
		DLPROF_KERNEL_COLUMNS(DLPROF_SET)
	}
}

/* ---- by iteration ---- */

/* A launch with its sort keys; texts are interned. */
struct launch_row {
	const struct dlprof_launch *launch;
	const char *op, *kernel;
	int64_t start;
};

#define COMPARE_NAMES(x, y) ((x) == (y) ? 0 : strcmp((x), (y)))

COMPARE_ITEMS(compare_launches, struct launch_row,
	      COMPARE(x->launch->iteration, y->launch->iteration)
		      ?: COMPARE_NAMES(x->op, y->op)
		      ?: COMPARE_NAMES(x->kernel, y->kernel)
		      ?: COMPARE(x->start, y->start)
		      ?: COMPARE(x->launch->call, y->launch->call))

static void add_launch(struct dlprof_results *results, const struct dlprof_launch *launch)
{
	const struct dlprof_call *call = &results->dlprof->calls[launch->call];
	static const struct dlprof_instance none;
	const struct dlprof_instance *instance =
		call->instance == NO_ROW ? &none : &results->dlprof->instances[call->instance];
	if (call->op == NO_ROW)
		return;
	const struct dlprof_op *op = &results->dlprof->ops[call->op];
	size_t row = table_add_row(results->table, dlprof_call_ref(results, call)), column = 0;
	DLPROF_ITERATION_COLUMNS(DLPROF_SET)
}

enum { LAUNCH_WEIGHT = 32 }; /* weight of a row with all its texts */

void dlprof_fill_iteration(struct dlprof_results *results)
{
	const struct dlprof *dlprof = results->dlprof;
	size_t count = results->sums.launch_count;
	AUTO_FREE struct launch_row *rows = mem_alloc((count + 1) * sizeof *rows);
	for (size_t i = 0; i < count; i++) {
		const struct dlprof_launch *launch = &results->sums.launches[i];
		const struct dlprof_call *call = &dlprof->calls[launch->call];
		uint32_t op = call->op == NO_ROW ? 0 : dlprof->ops[call->op].name;
		rows[i] = (struct launch_row){ launch, intern_text(results->strings, op),
					       intern_text(results->strings, call->name),
					       call->api_start };
	}
	results->cancelled =
		!sort_runs(rows, count, sizeof *rows, compare_launches, results->progress);
	for (size_t i = 0; !results->cancelled && i < count; i++) {
		add_launch(results, rows[i].launch);
		results->cancelled = !progress_heavy_row(results->progress, "listing launches", i,
							 count, LAUNCH_WEIGHT);
	}
}

/* ---- tensor cores ---- */

/* Kernels of an op with (1) and without (0) tensor cores. */
struct tensor_use_sum {
	int64_t ns[2], kernels[2];
	struct buffer names[2];
};

static struct value use_names(struct dlprof_results *results, struct tensor_use_sum *use,
			      int tensor)
{
	return table_copy_text(results->table, BUFFERED(&use->names[tensor]));
}

static void add_eligible(struct dlprof_results *results, const struct dlprof_op_sum *sum,
			 struct tensor_use_sum *use, size_t first)
{
	const struct dlprof_op *op = &results->dlprof->ops[sum->op];
	int64_t all = use->ns[0] + use->ns[1];
	size_t row = table_add_row(results->table, dlprof_op_ref(results, first)), column = 0;
	DLPROF_TENSOR_CORE_COLUMNS(DLPROF_SET)
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

static bool precedes(const struct kernel_row *kernel, const char *id, uint32_t op)
{
	int order = strcmp(kernel->first, id);
	return order < 0 || (order == 0 && kernel->op < op);
}

void dlprof_fill_tensor_core(struct dlprof_results *results)
{
	const struct dlprof_aggregation *from = &results->sums;
	AUTO_FREE struct kernel_row *kernels = sort_kernels(results, true);
	size_t *executed = dlprof_first_instances(results->dlprof), count = 0, at = 0;
	AUTO_FREE struct kernel_row *ops = mem_alloc((from->op_count + 1) * sizeof *ops);
	for (uint32_t i = 0; i < from->op_count; i++) {
		const struct dlprof_op *op = &results->dlprof->ops[from->op_sums[i].op];
		if (from->op_sums[i].eligible)
			ops[count++] =
				(struct kernel_row){ intern_text(results->strings, op->id), "", i };
	}
	sort_items(ops, count, compare_kernels);
	for (size_t i = 0; i < count; i++) {
		const struct dlprof_op_sum *sum = &from->op_sums[ops[i].op];
		while (at < from->kernel_count && precedes(&kernels[at], ops[i].first, sum->op))
			at++;
		struct tensor_use_sum use = sum_uses(kernels, from->kernel_count, at, sum->op);
		add_eligible(results, sum, &use, executed[sum->op]);
		buffer_free(&use.names[0]);
		buffer_free(&use.names[1]);
	}
	mem_free(executed);
}
