#include "cli/summary_task.h"

#include "cli/session.h"

void summary_task_init(struct summary_task *task, const struct options *options,
		       const struct load_options *load)
{
	task->load = *load;
	task->load.index.directory = NULL; /* an index would be used once */
	task->load.one_rank = false;
	task->made = batch_made(&task->load);
	task->job = (struct summary_job){
		.directory = options->output ? options->output : ".",
		.load = &task->load,
		.rank = options->load.one_rank ? options->scope.rank : NO_VALUE,
		.made = task->made,
		.force = options->force,
	};
}

FREE_MEMBERS(summary_task_clear, struct summary_task, OWN(made))

int summary_status(uint64_t done, size_t count)
{
	return done == count ? STATUS_DONE : done ? STATUS_DAMAGED : STATUS_INPUT;
}
