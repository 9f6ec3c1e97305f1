/*
 * The view of PyTorch's key_averages(), for its preset.
 */
#include "tools/torch/key_averages.h"
#include "base/error.h"
#include "base/number.h"

enum { STACK_DEPTH = 5 }; /* as in PyTorch's examples */

/* The depth in "stack=N". */
static bool parse_depth(const char *group, uint32_t *depth, struct error *error)
{
	int64_t number = STACK_DEPTH;
	const char *equals = group ? strchr(group, '=') : NULL;
	if (equals && (!number_parse_int(equals + 1, strlen(equals + 1), &number) || number < 0 ||
		       number > KEY_STACK_MAX))
		return error_usage(error, "stack depth must be 0 to %d, not \"%s\"", KEY_STACK_MAX,
				   equals + 1);
	*depth = group && strstr(group, "stack") ? (uint32_t)number : 0;
	return true;
}

static struct value average(int64_t total, int64_t calls)
{
	return value_real((double)total / (double)calls);
}

static void key_averages_view_add_row(struct table *table, const struct key_average *from,
				      bool memory)
{
	size_t row = table_add_row(table, from->ref);
	KEY_AVERAGE_CELLS(table_set);
	if (!memory)
		return;
	table_set(table, row, "cpu_mem_bytes", value_int(from->cpu_memory));
	table_set(table, row, "cpu_self_mem_bytes", value_int(from->cpu_self_memory));
	table_set(table, row, "gpu_mem_bytes", value_int(from->gpu_memory));
	table_set(table, row, "gpu_self_mem_bytes", value_int(from->gpu_self_memory));
}

bool build_key_averages(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	AUTO(key_averages_clear) struct key_averages averages = { 0 };
	uint32_t depth = 0;
	if (!parse_depth(query->group, &depth, query->error))
		return false;
	bool done = key_averages_make(&averages, selection,
				      query->group && strstr(query->group, "shape"), depth,
				      query->progress);
	for (size_t i = 0; done && i < averages.count; i++)
		key_averages_view_add_row(table, &averages.rows[i], averages.has_memory);
	if (!averages.count)
		table_note(table, "No operators, annotations or GPU work in this scope.");
	return done || error_cancelled(query->error);
}
