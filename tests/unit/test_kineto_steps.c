/* Steps: marked, missing, and in traces with only CPU or only GPU events. */
#include "step_case.h"

#include "base/buffer.h"
#include "derived/roles.h"

TEST(step_lasts_until_its_last_kernel)
{
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
	assert_int_equal(table_number(steps, 0, "dur_ns"), 130000);   /* until the kernel's end */
	assert_int_equal(table_number(steps, 1, "start_ns"), 130000); /* starts after it */
	assert_int_equal(table_number(steps, 1, "dur_ns"), 70000);
	assert_int_equal(table_number(steps, 0, "kernel_ns"), 40000);
	assert_int_equal(table_number(steps, 0, "launches"), 1);
	table_free(steps);
	run_free(run);
}

TEST(gpu_annotation_is_not_a_step)
{
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

/* A merged file has steps of several processes: those of one process become the profile's. */
TEST(steps_of_other_process_are_ignored)
{
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

TEST(without_markers_there_is_one_step)
{
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

/* The whole is of the GPU work, too, which ends after what launched it. */
TEST(one_step_reaches_to_the_last_gpu_event)
{
	struct run *run = trace_run(DOCUMENT(OPERATOR("aten::mm", "100", "50") "," KERNEL(
		"k", "140", "4000", "1") "," EVENT("cpu_op", "late", "1", "1", "9000", "1", "{}")));
	assert_rows(run, "steps", NULL, NULL, "start_ns,dur_ns", "0,8901000\n");
	run_free(run);
	run = trace_run(
		DOCUMENT(OPERATOR("aten::mm", "100", "50") "," KERNEL("k", "140", "4000", "1")));
	assert_rows(run, "steps", NULL, NULL, "start_ns,dur_ns", "0,4040000\n");
	run_free(run);
}

/* A mark that closes before the GPU works is no step; one with a fifth of the work is. */
TEST(marks_without_work_are_no_steps)
{
	static const struct {
		const char *trace;
		bool marked;
	} cases[] = {
		{ DOCUMENT(STEP("1", "0", "36") "," KERNEL("k", "20", "19",
							   "1") "," KERNEL("k", "1000", "81", "2")),
		  false },
		{ DOCUMENT(STEP("1", "0", "36") "," KERNEL("k", "20", "21",
							   "1") "," KERNEL("k", "1000", "79", "2")),
		  true },
		{ DOCUMENT(STEP("1", "0", "36") "," LAUNCH("20", "1") "," KERNEL("k", "1000", "90",
										 "1")),
		  true },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = trace_run(cases[i].trace);
		const struct derived *derived = run->ranks[0].derived;
		assert_int_equal(derived->steps_from_profile, cases[i].marked);
		assert_int_equal(derived->empty_steps, !cases[i].marked);
		run_free(run);
	}
}

TEST(last_step_with_little_work_is_partial)
{
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

/* Of a recording that has none at all nothing can be said. */
TEST(steps_without_launches_at_the_end_are_partial)
{
#define HOST_STEPS                                                                                 \
	OPERATOR("a", "110", "5")                                                                  \
	"," STEP("2", "150", "50") "," OPERATOR("b", "160", "5") "," STEP("3", "200", "50")
	static const char *const traces[][2] = {
		{ DOCUMENT(STEP("1", "100", "50") "," HOST_STEPS), "0\n0\n0\n" },
		{ DOCUMENT(STEP("1", "100", "50") "," LAUNCH("120", "1") "," KERNEL(
			  "k", "125", "5", "1") "," HOST_STEPS),
		  "0\n1\n1\n" },
	};
	for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
		struct run *run = trace_run(traces[i][0]);
		assert_rows(run, "steps", NULL, NULL, "partial", traces[i][1]);
		run_free(run);
	}
}

TEST(activity_belongs_to_launching_step)
{
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

/* Every view has rows or a note that says why not. */
static void assert_every_view_answers(const char *text)
{
	struct run *run = trace_run(text);

	for (size_t i = 0; view_at(i); i++) {
		struct table *table = trace_view(run, view_at(i)->name, NULL, NULL);
		if (!table->rows && !table->note)
			fail_msg("%s has neither rows nor a note", view_at(i)->name);
		table_free(table);
	}
	run_free(run);
}

/* A range around the first and last operator is longer than they are: no row is longer than the
 * step. */
TEST(a_step_of_the_host_holds_its_annotations)
{
	struct run *run = trace_run(DOCUMENT(
		EVENT("user_annotation", "forward", "1", "1", "100", "100",
		      "{}") "," OPERATOR("a", "110", "20") "," OPERATOR("b", "150", "30")));
	struct table *steps = trace_view(run, "steps", NULL, NULL);
	assert_int_equal(steps->rows, 1);
	assert_int_equal(table_number(steps, 0, "dur_ns"), 100000);
	assert_int_equal(table_number(steps, 0, "cpu_exec_ns"), 100000);
	table_free(steps);
	run_free(run);
}

/* Where nothing but Python functions is recorded, these are what the CPU does. */
TEST(functions_alone_are_work_of_the_cpu)
{
#define FUNCTIONS EVENT("python_function", "f", "1", "1", "100", "80", "{}")
	struct run *run = trace_run(DOCUMENT(FUNCTIONS));
	struct table *steps = trace_view(run, "steps", NULL, NULL);
	assert_int_equal(table_number(steps, 0, "cpu_exec_ns"), 80000);
	assert_int_equal(table_number(steps, 0, "other_ns"), 0);
	table_free(steps);
	run_free(run);
	run = trace_run(
		DOCUMENT(FUNCTIONS "," OPERATOR("a", "110", "20") "," OPERATOR("b", "150", "30")));
	steps = trace_view(run, "steps", NULL, NULL);
	assert_int_equal(table_number(steps, 0, "cpu_exec_ns"), 50000);
	assert_int_equal(table_number(steps, 0, "other_ns"), 20000);
	table_free(steps);
	run_free(run);
}

TEST(cpu_or_gpu_only)
{
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

TEST(every_row_has_detail_and_drill)
{
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

TEST(names_of_steps)
{
	assert_true(roles_may_be_step("ProfilerStep#7", 14));
	assert_true(roles_may_be_step("ProfilerStep#", 13));
	assert_true(roles_may_be_step("DLProf iteration#0", 18));
	assert_false(roles_may_be_step("ProfilerStep#7", 12)); /* not NUL-terminated */
	assert_false(roles_may_be_step("aten::ProfilerStep#7", 20));
	assert_false(roles_may_be_step("", 0));
}
