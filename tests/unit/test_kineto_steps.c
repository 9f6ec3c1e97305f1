/* Profiles with steps, without them, and with only one side of the machine. */
#include "trace_case.h"

#include "base/buffer.h"

#define STEP(number, ts, dur)                                                                      \
	EVENT("user_annotation", "ProfilerStep#" number, "1", "1", ts, dur, "{}")

static void steps_reach_to_their_last_work(void **state)
{
	(void)state;
	struct run *run =
		trace_run(DOCUMENT(STEP("4", "100", "100") "," LAUNCH("150", "1") "," KERNEL(
			"k", "190", "40",
			"1") "," STEP("5", "205", "95") "," LAUNCH("250",
								   "2") "," KERNEL("k", "260", "40",
										   "2")));
	struct table *steps = trace_view(run, "steps", NULL, NULL);

	assert_int_equal(steps->rows, 2);
	assert_int_equal(table_number(steps, 0, "step"), 4);
	assert_int_equal(table_number(steps, 0, "start_ns"), 0);
	assert_int_equal(table_number(steps, 0, "dur_ns"), 130000);   /* to the kernel's end */
	assert_int_equal(table_number(steps, 1, "start_ns"), 130000); /* not before that */
	assert_int_equal(table_number(steps, 1, "dur_ns"), 70000);
	assert_int_equal(table_number(steps, 0, "kernel_ns"), 40000);
	assert_int_equal(table_number(steps, 0, "launches"), 1);
	table_free(steps);
	run_free(run);
}

static void the_shadow_of_a_step_is_no_step(void **state)
{
	(void)state;
	struct run *run =
		trace_run(DOCUMENT(STEP("1", "100", "100") "," LAUNCH("150", "1") "," KERNEL(
			"k", "160", "10", "1") "," EVENT("gpu_user_annotation", "ProfilerStep#1",
							 "0", "7", "160", "10", "{}")));
	struct table *steps = trace_view(run, "steps", NULL, NULL);

	assert_int_equal(steps->rows, 1);
	assert_int_equal(table_number(steps, 0, "dur_ns"), 100000);
	table_free(steps);
	run_free(run);
}

/* A merged file holds the steps of several processes: one process's are the steps of the profile.
 */
static void steps_of_another_process(void **state)
{
	(void)state;
	struct run *run = trace_run(
		DOCUMENT(STEP("7", "100", "50") "," OPERATOR("a", "110", "5") "," OPERATOR(
			"b", "120", "5") "," STEP("8", "150", "50") "," EVENT("user_annotation",
									      "ProfilerStep#99",
									      "2", "2", "120", "60",
									      "{}")));
	struct table *steps = trace_view(run, "steps", NULL, NULL);

	assert_int_equal(steps->rows, 2);
	assert_int_equal(table_number(steps, 0, "step"), 7);
	assert_int_equal(table_number(steps, 1, "step"), 8);
	table_free(steps);
	run_free(run);
}

static void without_steps_there_is_one(void **state)
{
	(void)state;
	struct run *run =
		trace_run(DOCUMENT(OPERATOR("a", "100", "50") "," OPERATOR("b", "200", "50")));
	struct table *steps = trace_view(run, "steps", NULL, NULL);

	assert_int_equal(steps->rows, 1);
	assert_int_equal(table_number(steps, 0, "dur_ns"), 150000);
	assert_int_equal(table_number(steps, 0, "cpu_exec_ns"), 100000);
	assert_int_equal(table_number(steps, 0, "other_ns"), 50000);
	table_free(steps);
	run_free(run);
}

static void a_last_step_with_little_work_is_partial(void **state)
{
	(void)state;
	struct run *run = trace_run(DOCUMENT(
		STEP("1", "100", "100") "," LAUNCH("110", "1") "," KERNEL("k", "120", "5", "1") "," LAUNCH(
			"130",
			"2") "," KERNEL("k", "140", "5",
					"2") "," STEP("2", "200",
						      "100") "," LAUNCH("210",
									"3") "," KERNEL("k", "220",
											"5", "3")));
	struct table *steps = trace_view(run, "steps", NULL, NULL);

	assert_int_equal(table_number(steps, 0, "partial"), 0);
	assert_int_equal(table_number(steps, 1, "partial"), 1);
	table_free(steps);
	run_free(run);
}

static void work_belongs_to_the_step_that_launched_it(void **state)
{
	(void)state;
	struct run *run =
		trace_run(DOCUMENT(STEP("1", "100", "50") "," LAUNCH("140", "1") "," KERNEL(
			"late", "180", "5",
			"1") "," STEP("2", "150",
				      "50") "," LAUNCH("160", "2") "," KERNEL("own", "190", "5",
									      "2")));
	struct scope scope;
	struct error error = { 0 };
	scope_init(&scope);
	assert_true(scope_set(&scope, "steps", "1", &error));
	struct table *launches = trace_view(run, "launches", &scope, NULL);

	assert_int_equal(launches->rows, 1);
	assert_string_equal(table_cell(launches, 0, "name").text, "late");
	assert_int_equal(table_number(launches, 0, "step"), 1);
	table_free(launches);
	scope_clear(&scope);
	run_free(run);
}

/* Every view answers, with rows or with a note that says why there are none. */
static void assert_every_view_answers(const char *text)
{
	struct run *run = trace_run(text);

	for (size_t i = 0; view_at(i); i++) {
		struct table *table = trace_view(run, view_at(i)->name, NULL, NULL);
		if (!table->rows && !table->note)
			fail_msg("%s says nothing", view_at(i)->name);
		table_free(table);
	}
	run_free(run);
}

static void one_side_only(void **state)
{
	(void)state;
	assert_every_view_answers(DOCUMENT(KERNEL("k", "1", "2", "1")));
	assert_every_view_answers(DOCUMENT(OPERATOR("a", "1", "2")));
	assert_every_view_answers(DOCUMENT(LAUNCH("1", "2")));
	assert_every_view_answers(DOCUMENT(STEP("1", "1", "2")));
	assert_every_view_answers(DOCUMENT(EVENT("python_function", "nn.Module: Linear_0", "1", "1",
						 "1", "2", "{\"Python id\":1}")));
	assert_every_view_answers(DOCUMENT(EVENT("mystery", "x", "1", "1", "1", "0", "{}")));
	assert_every_view_answers(DOCUMENT(""));
	assert_every_view_answers("[{\"ph\":\"C\",\"name\":\"c\",\"pid\":1,\"ts\":4,"
				  "\"args\":{\"\":2.5}}]");
}

static void every_row_can_be_asked_about(void **state)
{
	(void)state;
	struct run *run = trace_run(DOCUMENT(STEP("1", "100", "90") "," OPERATOR(
		"aten::mm", "110", "50") "," LAUNCH("120", "1") "," KERNEL("k", "130", "5", "1")));
	struct scope scope;
	scope_init(&scope);

	for (size_t i = 0; view_at(i); i++) {
		struct table *table = trace_view(run, view_at(i)->name, NULL, NULL);
		for (size_t row = 0; row < table->rows; row++) {
			struct buffer detail = { 0 };
			const struct view *next;
			struct scope narrowed;
			view_detail(run, &scope, table_ref(table, row), &detail);
			buffer_free(&detail);
			if (!view_drill(run, table_ref(table, row), &scope, &next, &narrowed))
				continue;
			struct table *inside = trace_view(run, next->name, &narrowed, NULL);
			table_free(inside);
			scope_clear(&narrowed);
		}
		table_free(table);
	}
	scope_clear(&scope);
	run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_reach_to_their_last_work),
		cmocka_unit_test(the_shadow_of_a_step_is_no_step),
		cmocka_unit_test(steps_of_another_process),
		cmocka_unit_test(without_steps_there_is_one),
		cmocka_unit_test(a_last_step_with_little_work_is_partial),
		cmocka_unit_test(work_belongs_to_the_step_that_launched_it),
		cmocka_unit_test(one_side_only),
		cmocka_unit_test(every_row_can_be_asked_about)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
