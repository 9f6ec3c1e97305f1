/* Kernels measured by Nsight Compute, opened beside a timeline. */
#include "trace_case.h"

#include "base/mem.h"
#include "session/join.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LAUNCHED(name, ts, grid)                                                                   \
	EVENT("kernel", name, "0", "7", ts, "10",                                                  \
	      "{\"device\":0,\"stream\":7,\"correlation\":" ts ",\"grid\":[" grid                  \
	      "],\"block\":[128,1,1]}")

static const char timeline[] =
	DOCUMENT(LAUNCHED("void a::f<float, 4>(float*)", "100", "8,1,1") "," LAUNCHED(
		"void a::f<float, 4>(float*)", "200",
		"8,1,1") "," LAUNCHED("void a::f<float, 4>(float*)", "300",
				      "9,1,1") "," LAUNCHED("g", "400", "8,1,1"));

/* A result of kernel NAME with these measured values. */
#define RESULT(id, name, values)                                                                   \
	"\"" id "\",\"1\",\"p\",\"h\",\"" name "\",\"1\",\"7\",\"(128, 1, 1)\","                   \
	"\"(8, 1, 1)\",\"0\",\"8.0\"," values "\n"

static const char report[] =
	"\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\","
	"\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"gpu__time_duration.sum\","
	"\"dram__bytes_read.sum\",\"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum\","
	"\"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum\",\"dram__bytes_write.sum\"\n"
	"\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"nsecond\",\"byte\",\"inst\",\"inst\",\"byte\"\n"
	/* the median of three is the second */
	RESULT("0", "f(float *)", "900,1,1,1,1") RESULT("1", "f(float *)", "500,4000,100,50,96")
		RESULT("2", "f(float *)", "100,2,2,2,2") RESULT("3", "other", "7,2,2,2,2");

static void write_temporary(char *path, const char *text)
{
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static struct run *open_both(void)
{
	char trace[] = "join-trace-XXXXXX", measured[] = "join-report-XXXXXX";
	const char *paths[] = { measured, trace };
	struct error error = { 0 };
	write_temporary(trace, timeline);
	write_temporary(measured, report);
	struct run *run = run_open(paths, 2, NULL, NULL, &error);
	unlink(trace);
	unlink(measured);
	if (!run)
		fail_msg("refused: %s", error.message);
	return run;
}

static void test_launches_have_measured_work(void **state)
{
	struct run *run = open_both();
	struct table *table = trace_view(run, "launches", NULL, NULL);
	(void)state;
	assert_int_equal(run->rank_count, 1);
	assert_int_equal(table->rows, 4);
	for (size_t row = 0; row < 2; row++) {
		assert_int_equal(table_number(table, row, "flops"), 200);
		assert_int_equal(table_number(table, row, "bytes"), 4096);
		assert_non_null(strstr(table_cell(table, row, "peak_note").text, "measured"));
		assert_int_equal(table_number(table, row, "dur_ns"), 10000);
	}
	for (size_t row = 2; row < 4; row++) {
		assert_int_equal(table_cell(table, row, "flops").kind, VALUE_MISSING);
		assert_int_equal(table_cell(table, row, "peak_note").kind, VALUE_MISSING);
	}
	table_free(table);
	run_free(run);
}

static void test_metrics_are_of_the_kernel(void **state)
{
	struct run *run = open_both();
	struct table *table = trace_view(run, "metrics", NULL, NULL);
	(void)state;
	assert_int_equal(table->rows, 5);
	assert_int_equal(table_cell(table, 0, "launch").kind, VALUE_MISSING);
	assert_true(table_cell(table, 0, "value").real == 500);
	table_free(table);
	table = trace_view(run, "info", NULL, NULL);
	size_t facts = 0;
	for (size_t row = 0; row < table->rows; row++) {
		const char *metric = table_cell(table, row, "metric").text;
		const char *value = table_cell(table, row, "value").text;
		facts +=
			!strcmp(metric, "launches of measured kernels") && !strcmp(value, "2 of 4");
		facts += !strcmp(metric, "measured kernels without a launch here") &&
			 !strcmp(value, "1 of 2");
	}
	assert_int_equal(facts, 2);
	table_free(table);
	run_free(run);
}

static void test_reports_alone_are_the_run(void **state)
{
	struct run *run = trace_run(report);
	struct table *table = trace_view(run, "launches", NULL, NULL);
	(void)state;
	assert_int_equal(table->rows, 4);
	assert_int_equal(table_number(table, 1, "bytes"), 4096);
	table_free(table);
	run_free(run);
}

/* Launch calls are missing by nature: nothing to find. */
static void test_a_report_has_no_unlinked_work(void **state)
{
	struct run *run = trace_run(report);
	struct table *table = trace_view(run, "advice", NULL, NULL);
	(void)state;
	for (size_t row = 0; row < table->rows; row++)
		if (!strcmp(table_cell(table, row, "detector").text, "unlinked_work"))
			assert_string_equal(table_cell(table, row, "severity").text, "unknown");
	table_free(table);
	run_free(run);
}

static void test_base_names(void **state)
{
	static const char *const names[][2] = {
		{ "f", "f" },
		{ "void at::native::f<int, (int)4>(long)", "f" },
		{ "at::native::(anonymous namespace)::softmax(float *)", "softmax" },
		{ "void at::native::<unnamed>::softmax<4>(float *)", "softmax" },
		{ "triton_poi_fused_0", "triton_poi_fused_0" },
		{ "", "" },
		{ "<", "" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t length;
		const char *base = join_base_name(names[i][0], &length);
		assert_int_equal(length, strlen(names[i][1]));
		assert_memory_equal(base, names[i][1], length);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_launches_have_measured_work),
		cmocka_unit_test(test_metrics_are_of_the_kernel),
		cmocka_unit_test(test_reports_alone_are_the_run),
		cmocka_unit_test(test_a_report_has_no_unlinked_work),
		cmocka_unit_test(test_base_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
