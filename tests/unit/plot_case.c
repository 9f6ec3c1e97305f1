#include "plot_case.h"

#include "base/mem.h"

static const char *const traces[TRACES] = { "--seed 1", "--seed 2 --steps 9 --slow layer2:9",
					    "--seed 3 --no-modules --stacks 20",
					    "--seed 4 --no-shapes", "--seed 5 --rank 0 --world 2" };
struct run *runs[TRACES];

int plot_case_open(void **state)
{
	for (int i = 0; i < TRACES; i++) {
		char *text = trace_generate(traces[i], NULL);
		runs[i] = trace_run(text);
		mem_free(text);
	}
	return 0;
}

int plot_case_close(void **state)
{
	for (int i = 0; i < TRACES; i++)
		run_free(runs[i]);
	return 0;
}

struct plot *plot_of(const struct run *run, const char *name, const char *group,
		     const struct scope *scope)
{
	const struct plot_kind *kind = plot_find(name);
	struct error error = { 0 };
	struct scope whole;
	assert_non_null(kind);
	scope_init(&whole);
	const struct plot_group *of = group ? plot_group_find(kind, group) : &kind->groups[0];
	assert_non_null(of);
	struct plot *plot = plot_build(kind, of, run, scope ? scope : &whole, NULL, &error);
	if (!plot)
		fail_msg("%s: %s", name, error.message);
	return plot;
}
