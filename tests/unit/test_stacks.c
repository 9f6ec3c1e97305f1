/* Time by collapsed call stack. */
#include "trace_case.h"

#include "session/load.h"
#include "model/scope.h"
#include "table/view.h"

#include <stdio.h>
#include <stdlib.h>

#define PYTHON(name, ts, dur) EVENT("python_function", name, "1", "1", ts, dur, "{}")
#define STEP(name, ts, dur) EVENT("user_annotation", name, "1", "1", ts, dur, "{}")

static int64_t time_of(const struct table *table, const char *stack)
{
	for (size_t i = 0; i < table->rows; i++) {
		struct value value = table_value(table, i, 0);
		if (value.length == strlen(stack) && memcmp(value.text, stack, value.length) == 0)
			return table_value(table, i, 1).integer;
	}
	for (size_t i = 0; i < table->rows; i++)
		print_message("%s\n", table_value(table, i, 0).text);
	fail_msg("no stack %s", stack);
	return 0;
}

static int64_t sum_of(const struct table *table)
{
	int64_t sum = 0;
	for (size_t i = 0; i < table->rows; i++)
		sum += table_value(table, i, 1).integer;
	return sum;
}

/* Stacks of a trace, for GROUP, in a scope of TIME (NULL: all). */
static struct table *stacks_of(const char *text, const char *group, const char *time,
			       struct run **run)
{
	struct error error = { 0 };
	struct scope scope;
	scope_init(&scope);
	*run = trace_run(text);
	assert_true(!time || scope_set(&scope, "time", time, &error));
	struct table *table = view_build(view_find("stacks"), *run, &scope, group, NULL, &error);
	if (!table)
		fail_msg("%s", error.message);
	scope_clear(&scope);
	return table;
}

#define NESTED                                                                                                 \
	DOCUMENT(PYTHON("main.py(1): run", "0", "100") "," STEP("ProfilerStep#3", "5", "40") "," STEP(         \
		"ProfilerStep#4", "50",                                                                        \
		"40") "," OPERATOR("aten::mm", "10",                                                           \
				   "20") "," LAUNCH("15",                                                      \
						    "9") "," KERNEL("a;b", "200", "60",                        \
								    "9") "," OPERATOR("aten::mm",              \
										      "60",                    \
										      "20") "," KERNEL("lost", \
												       "300",  \
												       "7",    \
												       "55"))

TEST(host_time_adds_up)
{
	struct run *run;
	struct table *table = stacks_of(NESTED, "cpu", NULL, &run);
	assert_int_equal(time_of(table, "main.py(1): run"), 20000);
	assert_int_equal(time_of(table, "main.py(1): run;ProfilerStep*"), 40000);
	assert_int_equal(time_of(table, "main.py(1): run;ProfilerStep*;aten::mm"), 38000);
	assert_int_equal(time_of(table, "main.py(1): run;ProfilerStep*;aten::mm;cudaLaunchKernel"),
			 2000);
	assert_int_equal(sum_of(table), 100000);
	table_free(table);
	run_free(run);
}

TEST(device_activities_are_leaves)
{
	struct run *run;
	struct table *table = stacks_of(NESTED, NULL, NULL, &run);
	assert_int_equal(time_of(table, "main.py(1): run;ProfilerStep*;aten::mm;a:b"), 60000);
	assert_int_equal(time_of(table, "(not launched in this profile);lost"), 7000);
	assert_int_equal(table->rows, 2);
	table_free(table);
	run_free(run);
}

TEST(scope_narrows)
{
	struct run *run;
	struct table *table = stacks_of(NESTED, "cpu", "55us..", &run);
	assert_int_equal(table->rows, 1);
	assert_int_equal(time_of(table, "main.py(1): run;ProfilerStep*;aten::mm"), 20000);
	table_free(table);
	run_free(run);
}

TEST(without_device_work_host_time_is_the_default)
{
	struct run *run;
	struct table *table = stacks_of(DOCUMENT(OPERATOR("a", "0", "9")), NULL, NULL, &run);
	assert_int_equal(time_of(table, "a"), 9000);
	table_free(table);
	run_free(run);
	table = stacks_of(DOCUMENT(OPERATOR("a", "0", "9")), "gpu", NULL, &run);
	assert_int_equal(table->rows, 0);
	assert_non_null(table->note);
	table_free(table);
	run_free(run);
}

#define RECORDED(name, thread, ts, dur, args) EVENT("cpu_op", name, "1", thread, ts, dur, args)

TEST(recorded_stacks_and_backward_operators)
{
	struct run *run;
	struct table *table = stacks_of(
		DOCUMENT(RECORDED(
			"aten::mul", "1", "0", "10",
			"{\"Sequence number\":7,\"Fwd thread id\":0,"
			"\"Call stack\":\"f.py(2): f;main.py(1): run;\"}") "," RECORDED("aten::inner",
											"1", "2",
											"4",
											"{\"Call stack\":\"f.py(2): f;main.py(1): run;\"}") "," RECORDED("MulBackward0",
																			 "2",
																			 "20",
																			 "6",
																			 "{\"Sequence number\":7,\"Fwd thread id\":1}")),
		"cpu", NULL, &run);
	assert_int_equal(time_of(table, "main.py(1): run;f.py(2): f;aten::mul"), 6000);
	assert_int_equal(time_of(table, "main.py(1): run;f.py(2): f;aten::mul;aten::inner"), 4000);
	assert_int_equal(time_of(table, "main.py(1): run;f.py(2): f;MulBackward0"), 6000);
	table_free(table);
	run_free(run);
}

/* Stack depth is limited, without loss of time. */
TEST(stack_depth_is_limited)
{
	enum { DEPTH = 3000 };
	char *text = malloc(DEPTH * 160 + 64);
	size_t length = (size_t)sprintf(text, "{\"traceEvents\":[");
	struct run *run;
	for (int i = 0; i < DEPTH; i++)
		length += (size_t)sprintf(text + length, "%s" OPERATOR("o%d", "%d", "%d"),
					  i ? "," : "", i, i, 2 * (DEPTH - i));
	sprintf(text + length, "]}");
	struct table *table = stacks_of(text, "cpu", NULL, &run);
	assert_int_equal(table->rows, 1024);
	assert_int_equal(sum_of(table), 2 * DEPTH * 1000);
	assert_non_null(table->note);
	free(text);
	table_free(table);
	run_free(run);
}
