/*
 * DLProf's op reports: by op, by type, by group.
 */
#include "base/compare.h"
#include "base/sort.h"
#include "tools/dlprof/dlprof_views.h"

/* A row and its sort key. */
struct dlprof_ops_entry {
	const char *text;
	size_t length;
	size_t index;
};

COMPARE_ITEMS(compare_entries, struct dlprof_ops_entry,
	      memcmp(x->text, y->text, x->length < y->length ? x->length : y->length)
		      ?: COMPARE(x->length, y->length)
		      ?: COMPARE(x->index, y->index))

static struct dlprof_ops_entry entry(const struct dlprof_results *results, uint32_t text,
				     size_t index)
{
	return (struct dlprof_ops_entry){ INTERNED(results->strings, text), index };
}

size_t *dlprof_first_instances(const struct dlprof *dlprof)
{
	size_t *first = mem_alloc((dlprof->op_count + 1) * sizeof *first);
	for (size_t i = 0; i < dlprof->op_count; i++)
		first[i] = SIZE_MAX;
	for (size_t i = dlprof->instance_count; i-- > 0;)
		first[dlprof->instances[i].op] = i;
	return first;
}

static void add_op(struct dlprof_results *results, const struct dlprof_op_sum *sum, size_t first)
{
	const struct dlprof_op *op = &results->dlprof->ops[sum->op];
	uint32_t shapes = first == SIZE_MAX ? 0 : results->dlprof->instances[first].input_shapes;
	size_t row = table_add_row(results->table, dlprof_op_ref(results, first)), column = 0;
	DLPROF_DETAILED_COLUMNS(DLPROF_SET)
}

void dlprof_fill_detailed(struct dlprof_results *results)
{
	const struct dlprof_aggregation *from = &results->sums;
	AUTO_FREE struct dlprof_ops_entry *entries =
		mem_alloc((from->op_count + 1) * sizeof *entries);
	AUTO_FREE size_t *first = dlprof_first_instances(results->dlprof);
	for (size_t i = 0; i < from->op_count; i++)
		entries[i] = entry(results, results->dlprof->ops[from->op_sums[i].op].id, i);
	sort_items(entries, from->op_count, compare_entries);
	for (size_t i = 0; i < from->op_count; i++) {
		const struct dlprof_op_sum *sum = &from->op_sums[entries[i].index];
		add_op(results, sum, first[sum->op]);
	}
}

void dlprof_fill_op_type(struct dlprof_results *results)
{
	const struct dlprof_aggregation *from = &results->sums;
	AUTO_FREE struct dlprof_ops_entry *entries =
		mem_alloc((from->type_count + 1) * sizeof *entries);
	for (size_t i = 0; i < from->type_count; i++)
		entries[i] = entry(results, from->types[i].type, i);
	sort_items(entries, from->type_count, compare_entries);
	for (size_t i = 0; i < from->type_count; i++) {
		const struct dlprof_type_sum *sum = &from->types[entries[i].index];
		size_t row = table_add_row(results->table, NO_REF);
		size_t column = 0;
		DLPROF_OP_TYPE_COLUMNS(DLPROF_SET)
	}
}

/* ---- groups ---- */

static void dlprof_ops_add_group(struct dlprof_results *results, struct value path,
				 const struct dlprof_group_sum *sum)
{
	size_t row = table_add_row(results->table, NO_REF);
	size_t column = 0;
	DLPROF_GROUP_COLUMNS(DLPROF_SET)
}

/* The total, including ops without a path; DLProf stores only its sums. */
static void add_whole_model(struct dlprof_results *results)
{
	const struct dlprof_aggregation *from = &results->sums;
	struct dlprof_group_sum whole = { 0 };
	for (size_t i = 0; i < from->op_count; i++) {
		whole.calls += from->op_sums[i].calls;
		whole.eligible_ops += from->op_sums[i].eligible;
		whole.tc_ops += from->op_sums[i].uses_tc;
	}
	for (int i = 0; i < DLPROF_TIMES; i++) {
		int64_t sum = from->ops[DLPROF_ALL_OPS].time[i];
		int64_t iterations = from->aggregated > 0 ? from->aggregated : 1;
		whole.times.of[i] =
			(struct moments){ .sum = sum, .min = sum, .max = sum, .count = iterations };
	}
	dlprof_ops_add_group(results, value_text("_CompleteModel_"), &whole);
}

void dlprof_fill_group_op(struct dlprof_results *results)
{
	const struct dlprof_aggregation *from = &results->sums;
	AUTO_FREE struct dlprof_ops_entry *entries =
		mem_alloc((from->group_count + 1) * sizeof *entries);
	for (size_t i = 0; i < from->group_count; i++) {
		entries[i] = entry(results, from->groups[i].path, i);
		entries[i].length = from->groups[i].length;
	}
	sort_items(entries, from->group_count, compare_entries);
	for (size_t i = 0; i < from->group_count; i++)
		dlprof_ops_add_group(results,
				     dlprof_bytes(results, entries[i].text, entries[i].length),
				     &from->groups[entries[i].index]);
	add_whole_model(results);
}
