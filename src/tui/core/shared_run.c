#include "tui/core/shared_run.h"

#include "session/load.h"
#include "base/mem.h"

struct shared_run *shared_run_new(struct run *run)
{
	struct shared_run *shared = mem_zalloc(1, sizeof *shared);
	shared->run = run;
	shared->references = 1;
	return shared;
}

struct shared_run *shared_run_hold(struct shared_run *shared)
{
	shared->references++;
	return shared;
}

void shared_run_drop(struct shared_run *shared)
{
	if (!shared || --shared->references > 0)
		return;
	run_free(shared->run);
	mem_free(shared);
}
