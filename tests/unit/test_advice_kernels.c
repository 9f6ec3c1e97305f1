/*
 * Detectors of kernels: kernels on which each fires, and kernels of the same kind on which it is
 * silent.
 */
#include "advice_case.h"

#include "base/buffer.h"

#include <stdio.h>
#include <stdlib.h>

static void check_case(const struct kernel_case *expected)
{
	struct run *run = kernel_case_run(expected);
	struct table *advice = trace_view(run, "advice", NULL, "all");
	size_t row = advice_row(advice, expected->detector);
	const char *answer = advice_answer(advice, expected->detector);
	const char *evidence = table_cell(advice, row, "evidence").text;
	struct value cost = table_cell(advice, row, "cost_ns");
	if (strcmp(advice_fired(answer) ? "fires" : answer, expected->answer))
		fail_msg("%s is not %s but %s: %s", expected->detector, expected->answer, answer,
			 evidence);
	if (expected->cost_us && llabs(cost.integer - expected->cost_us * 1000LL) > 1000)
		fail_msg("%s costs %lld ns, not %d us: %s", expected->detector,
			 (long long)cost.integer, expected->cost_us, evidence);
	if (expected->evidence && !strstr(evidence, expected->evidence))
		fail_msg("%s: %s", expected->detector, evidence);
	if (advice_fired(answer))
		assert_true(table_cell(advice, row, "recommendation").length > 10);
	table_free(advice);
	run_free(run);
}

TEST(kernel_detectors_fire_and_are_silent)
{
	for (size_t i = 0; i < kernel_case_count; i++)
		check_case(&kernel_cases[i]);
}
