#include "input/dlprof/dlprof.h"

const char *const dlprof_fact_keys[DLPROF_FACTS] = { DLPROF_FACT_ROWS };

CLEAR_MEMBERS(dlprof_aggregation_clear, struct dlprof_aggregation,
	      OWN(iteration) OWN(op_sums) OWN(kernel_sums) OWN(types) OWN(groups) OWN(launches)
		      OWN(advice))

void dlprof_free(struct dlprof *dlprof)
{
	if (!dlprof)
		return;
	for (size_t i = 0; i < dlprof->aggregation_count; i++)
		dlprof_aggregation_clear(&dlprof->aggregations[i]);
	mem_free_all(dlprof->ops, dlprof->instances, dlprof->calls, dlprof->gpus, dlprof->memories,
		     dlprof->file_calls, dlprof->aggregations, dlprof);
}

static size_t data_size(const struct tool_data *data)
{
	const struct dlprof *dlprof = (const struct dlprof *)data;
	size_t size = sizeof *dlprof + mem_rows(dlprof->ops, dlprof->op_count) +
		      mem_rows(dlprof->instances, dlprof->instance_count) +
		      mem_rows(dlprof->calls, dlprof->call_count) +
		      mem_rows(dlprof->gpus, dlprof->gpu_count) +
		      mem_rows(dlprof->memories, dlprof->memory_count);
	for_each (a, dlprof->aggregations, dlprof->aggregation_count) /* as stored, without sums */
		size += sizeof *a + mem_rows(a->iteration, a->iteration_count) +
			mem_rows(a->advice, a->advice_count);
	return size;
}

static void free_data(struct tool_data *data)
{
	dlprof_free((struct dlprof *)data);
}

void dlprof_attach(struct dlprof *dlprof, struct profile *profile)
{
	dlprof->data = (struct tool_data){ free_data, data_size };
	profile->tool_data = &dlprof->data;
}

struct dlprof *dlprof_of(const struct profile *profile)
{
	struct tool_data *data = profile->tool_data;
	return data && data->free == free_data ? (struct dlprof *)data : NULL;
}
