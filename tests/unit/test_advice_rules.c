/*
 * Each detector fires on one trace and is silent on one like it.
 */
#include "advice_case.h"

#include "analysis/advice/detectors.h"

#include <stdlib.h>

static bool fires_on(struct run *run, const char *detector)
{
	struct table *advice = trace_view(run, "advice", NULL, "all");
	bool fires = advice_fired(advice_answer(advice, detector));
	table_free(advice);
	run_free(run);
	return fires;
}

static void check_firing(const struct rule_case *expected)
{
	struct run *run = rule_case_run(&expected->fires);
	struct table *advice = trace_view(run, "advice", NULL, "all");
	size_t row = advice_row(advice, expected->detector);
	struct value evidence = table_cell(advice, row, "evidence");
	struct value cost = table_cell(advice, row, "cost_ns");
	if (!advice_fired(table_cell(advice, row, "severity").text))
		fail_msg("%s does not fire: %s", expected->detector, evidence.text);
	if (!strstr(evidence.text, expected->evidence))
		fail_msg("%s: %s", expected->detector, evidence.text);
	if (expected->cost_us < 0)
		assert_int_equal(cost.kind, VALUE_MISSING);
	if (expected->cost_us > 0 && llabs(cost.integer - expected->cost_us * 1000LL) > 10000)
		fail_msg("%s costs %lld ns, not %d us: %s", expected->detector,
			 (long long)cost.integer, expected->cost_us, evidence.text);
	assert_true(table_cell(advice, row, "recommendation").length > 10);
	assert_true(table_cell(advice, row, "problem").length <= 50);
	table_free(advice);
	run_free(run);
}

static void check_silent(const struct rule_case *expected)
{
	struct run *run = rule_case_run(&expected->silent);
	struct table *advice = trace_view(run, "advice", NULL, "all");
	if (strcmp(advice_answer(advice, expected->detector), "silent"))
		fail_msg("%s is not silent: %s", expected->detector,
			 table_cell(advice, advice_row(advice, expected->detector), "evidence")
				 .text);
	table_free(advice);
	run_free(run);
}

static void test_detectors_fire_and_are_silent(void **state)
{
	(void)state;
	for (size_t i = 0; i < rule_case_count; i++) {
		check_firing(&rule_cases[i]);
		check_silent(&rule_cases[i]);
	}
}

/* ---- all of them ---- */

static bool has_firing_case(const char *id)
{
	for (size_t i = 0; i < detector_case_count; i++)
		if (!strcmp(detector_cases[i].detector, id))
			return fires_on(trace_run(detector_cases[i].fires), id);
	for (size_t i = 0; i < kernel_case_count; i++)
		if (!strcmp(kernel_cases[i].detector, id) &&
		    !strcmp(kernel_cases[i].answer, "fires"))
			return fires_on(kernel_case_run(&kernel_cases[i]), id);
	for (size_t i = 0; i < rule_case_count; i++)
		if (!strcmp(rule_cases[i].detector, id))
			return fires_on(rule_case_run(&rule_cases[i].fires), id);
	return false;
}

static void test_every_detector_has_a_firing_case(void **state)
{
	(void)state;
	for (const struct detector *detector = detectors; detector->id; detector++)
		if (!has_firing_case(detector->id))
			fail_msg("%s has no trace on which it fires", detector->id);
}

static void test_every_detector_has_a_condition(void **state)
{
	(void)state;
	for (const struct detector *detector = detectors; detector->id; detector++) {
		if (!detector->condition || strlen(detector->problem) > 50)
			fail_msg("%s has no condition, or a long title", detector->id);
		for (const struct detector *other = detectors; other < detector; other++)
			assert_string_not_equal(other->id, detector->id);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_detectors_fire_and_are_silent),
		cmocka_unit_test(test_every_detector_has_a_firing_case),
		cmocka_unit_test(test_every_detector_has_a_condition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
