/* The metrics report of PyTorch/XLA: times, counters, old names, damage. */
#include "text_profile_case.h"

static const char report[] = "Epoch 1 done\n"
			     "Metric: CompileTime\n"
			     "  TotalSamples: 4\n"
			     "  Accumulator: 01h02m04s589ms590.500us\n"
			     "  ValueRate: 023ms960.897us / second\n"
			     "  Percentiles: 1%=024ms320.066us; 99%=02s746ms660.403us\n"
			     "Metric: InboundData\n"
			     "  TotalSamples: 2\n"
			     "  Accumulator: 8.00B\n"
			     "Metric: InputOutputAliasCount\n"
			     "  TotalSamples: 4\n"
			     "  Accumulator: 1382.00\n"
			     "Metric: ExecuteTime\n"
			     "  TotalSamples: 24\n"
			     "  Counter: 07s501ms263.5us\n"
			     "Counter: aten::nonzero\n"
			     "  Value: 7\n"
			     "Counter: broken\n"
			     "  Value: many\n";

static void test_times_and_counters_are_rows(void **state)
{
	struct run *run = trace_run(report);
	assert_string_equal(run->ranks[0].profile->format, "PyTorch/XLA metrics report (text)");
	assert_rows(run, "operators", NULL, NULL, "name,section,calls,cpu_total_ns",
		    "CompileTime,metrics,4,3724589590500\nExecuteTime,metrics,24,7501263500\n"
		    "aten::nonzero,counters,7,\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 1);
	run_free(run);
}

/* Without times of their own, operators are sorted by the whole. */
static void test_rows_are_sorted_by_total(void **state)
{
	struct run *run = trace_run(report);
	struct table *operators = trace_view(run, "operators", NULL, NULL);
	assert_non_null(strstr(operators->default_sort, "cpu_total_ns:desc"));
	table_free(operators);
	run_free(run);
}

static void test_damaged_reports_are_read_or_refused(void **state)
{
	assert_survives(BYTES(report));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times_and_counters_are_rows),
		cmocka_unit_test(test_rows_are_sorted_by_total),
		cmocka_unit_test(test_damaged_reports_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
