/*
 * Every detector: a trace on which it fires, one on which it is silent, one with too little data.
 */
#include "advice_case.h"
#include "database_case.h"

#include "base/buffer.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

static void assert_fires(const struct run *run, const struct detector_case *expected)
{
	struct table *advice = trace_view(run, "advice", NULL, "all");
	size_t row = advice_row(advice, expected->detector);
	struct value evidence = table_cell(advice, row, "evidence");
	struct value cost = table_cell(advice, row, "cost_ns");

	if (!advice_fired(table_cell(advice, row, "severity").text))
		fail_msg("%s does not fire: %s", expected->detector, evidence.text);
	assert_true(table_cell(advice, row, "recommendation").length > 10);
	if (expected->cost_us < 0)
		assert_int_equal(cost.kind, VALUE_MISSING);
	/* what it claims, or more where more is predicted */
	double high = value_number(table_cell(advice, row, "predicted_high_pct"), 0);
	double gain = value_number(table_cell(advice, row, "gain_pct"), 0);
	bool raised = cost.integer > expected->cost_us * 1000 && gain <= high + 0.001;
	if (expected->cost_us > 0 && cost.integer != expected->cost_us * 1000 && !raised)
		fail_msg("%s costs %lld: %s", expected->detector, (long long)cost.integer,
			 evidence.text);
	if (expected->evidence && !strstr(evidence.text, expected->evidence))
		fail_msg("%s: %s", expected->detector, evidence.text);
	table_free(advice);
}

/* What a trace of this profiler never has is no check that passed. */
static bool cannot_apply(const char *severity, const char *evidence)
{
	return !strcmp(severity, "unknown") &&
	       (!strncmp(evidence, "This profiler does not record", 29) ||
		!strcmp(evidence, "The profile is no memory snapshot.") ||
		!strcmp(evidence, "No flight recorder's dump is open."));
}

TEST(detectors_fire)
{
	for (size_t i = 0; i < detector_case_count; i++) {
		struct run *run = trace_run(detector_cases[i].fires);
		assert_fires(run, &detector_cases[i]);
		run_free(run);
	}
}

/* But it says where a busy GPU spends its time. */
TEST(detectors_are_silent_on_healthy_run)
{
	struct run *run = trace_run(HEALTHY);
	struct table *advice = trace_view(run, "advice", NULL, "all");

	assert_true(advice->rows >= detector_case_count);
	size_t without = 0;
	for (size_t row = 0; row < advice->rows; row++)
		if (cannot_apply(table_cell(advice, row, "severity").text,
				 table_cell(advice, row, "evidence").text))
			without++;
		else if (strcmp(table_cell(advice, row, "severity").text, "silent") &&
			 strcmp(table_cell(advice, row, "problem").text, "GPU-bound"))
			fail_msg("%s: %s", table_cell(advice, row, "detector").text,
				 table_cell(advice, row, "evidence").text);
	assert_int_equal(without, 5);
	table_free(advice);
	advice = trace_view(run, "advice", NULL, NULL);
	assert_int_equal(advice->rows, 1);
	table_free(advice);
	run_free(run);
}

TEST(detectors_report_missing_data)
{
	for (size_t i = 0; i < detector_case_count; i++) {
		if (!detector_cases[i].report_unknown)
			continue;
		struct run *run = trace_run(detector_cases[i].report_unknown);
		struct table *advice = trace_view(run, "advice", NULL, "all");
		if (strcmp(advice_answer(advice, detector_cases[i].detector), "unknown"))
			fail_msg("%s does not report missing data", detector_cases[i].detector);
		assert_true(table_cell(advice, advice_row(advice, detector_cases[i].detector),
				       "evidence")
				    .length > 10);
		table_free(advice);
		run_free(run);
	}
}

#define SMALL_GRID(device)                                                                              \
	DOCUMENT(STEP("1", "0", "1000") "," WORK(                                                       \
		"gemm", "0", "800", "1",                                                                \
		",\"blocks per SM\":0.25") "," LAUNCH("15",                                             \
						      "2") "," EVENT("kernel", "gemm", device,          \
								     "8", "100", "600",                 \
								     "{\"device\":" device              \
								     ",\"stream\":8,\"correlation\":2," \
								     "\"blocks per SM\":0.25}"))

/* Small grids fill a GPU together, but not each its own. */
TEST(small_grids_at_the_same_time_are_no_problem)
{
	struct run *together = trace_run(SMALL_GRID("0")), *apart = trace_run(SMALL_GRID("1"));
	assert_answer(together, NULL, "few_blocks", "silent", NULL);
	assert_answer(apart, NULL, "few_blocks", "fires", NULL);
	run_free(together);
	run_free(apart);
}

/* Earlier work runs into the first step: the step starts after it, in a call of the loader. */
TEST(a_call_before_the_first_step_counts)
{
	struct run *run = trace_run(DOCUMENT(
		EVENT("user_annotation", "ProfilerStep#1", "1", "1", "0", "1000", "{}") "," KERNEL(
			"earlier", "10", "190",
			"99") "," EVENT("user_annotation",
					"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
					"1", "1", "100", "400",
					"{}") "," OPERATOR("aten::mm", "500",
							   "50") "," LAUNCH("505",
									    "1") "," KERNEL("gemm",
											    "510",
											    "490",
											    "1")));
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	const char *evidence =
		table_cell(advice, advice_row(advice, "dataloader"), "evidence").text;

	assert_non_null(strstr(evidence, "1 call, all in the training process"));
	table_free(advice);
	run_free(run);
}

/* Skipped rules are merged by missing data; each rule appears in exactly one row. */
TEST(rules_with_same_missing_data_are_merged)
{
	struct run *run = trace_run("{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":"
				    "\"aten::add\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":5}]}");
	struct table *told = trace_view(run, "advice", NULL, NULL);
	struct table *all = trace_view(run, "advice", NULL, "all");
	size_t rules = 0, named = 0;

	for (size_t row = 0; row < all->rows; row++)
		rules += !strcmp(table_cell(all, row, "severity").text, "unknown") &&
			 !cannot_apply(table_cell(all, row, "severity").text,
				       table_cell(all, row, "evidence").text);
	for (size_t row = 0; row < told->rows; row++) {
		if (strcmp(table_cell(told, row, "severity").text, "unknown"))
			continue;
		const char *ids = table_cell(told, row, "detector").text;
		for (named++; (ids = strchr(ids, ',')); ids++)
			named++;
		for (size_t other = 0; other < row; other++)
			assert_false(!strcmp(table_cell(told, row, "evidence").text,
					     table_cell(told, other, "evidence").text) &&
				     !strcmp(table_cell(told, row, "recommendation").text,
					     table_cell(told, other, "recommendation").text));
	}
	assert_true(rules > 10);
	assert_int_equal(named, rules);
	assert_true(told->rows < all->rows / 2);
	table_free(told);
	table_free(all);
	run_free(run);
}

TEST(overview_drills_from_skipped_checks_to_info)
{
	struct run *run = trace_run("{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":"
				    "\"aten::add\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":5}]}");
	struct table *overview = trace_view(run, "overview", NULL, NULL);
	const struct view *next = NULL;
	struct scope scope, narrowed;
	size_t told = 0;

	scope_init(&scope);
	for (size_t row = 0; row < overview->rows; row++) {
		if (strcmp(table_cell(overview, row, "section").text, "trust"))
			continue;
		told++;
		assert_true(view_drill(run, table_ref(overview, row), &scope, &next, &narrowed));
		assert_string_equal(next->name, "info");
		scope_clear(&narrowed);
	}
	assert_true(told > 0);
	table_free(overview);
	run_free(run);
}

/* .item() copies a few bytes; pinned memory would not help. */
TEST(pageable_copies_ignores_tiny_copies)
{
	struct buffer events = { 0 }, text = { 0 };

	buffer_puts(&events, STEP("1", "0", "1000"));
	add_launches(&events, 40, 10, 5,
		     "\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy DtoH (Device -> Pageable)\"");
	buffer_printf(&text, "{\"schemaVersion\":1,\"traceEvents\":[%s]}", buffer_text(&events));
	struct run *run = trace_run(buffer_text(&text));
	struct table *advice = trace_view(run, "advice", NULL, "all");
	assert_string_equal(advice_answer(advice, "pageable_copies"), "silent");
	table_free(advice);
	run_free(run);
	buffer_free(&events);
	buffer_free(&text);
}

/* ---- across ranks ---- */

static void assert_leads_to_rank(const struct run *run, int rank)
{
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	const struct view *next;
	struct scope scope, narrowed;

	scope_init(&scope);
	struct ref ref = table_ref(advice, advice_row(advice, "straggler"));
	assert_true(view_drill(run, ref, &scope, &next, &narrowed));
	assert_int_equal(narrowed.rank, rank);
	scope_clear(&narrowed);
	table_free(advice);
}

TEST(straggler_names_rank)
{
	static const char *const ranks[] = { "rank-0.advice", "rank-1.advice", "rank-2.advice" };
	struct error error = { 0 };
	char command[128];

	for (int i = 0; i < 3; i++) {
		snprintf(command, sizeof command,
			 "./tracegen --rank %d --world 3 --straggler 1:3 -o %s", i, ranks[i]);
		assert_int_equal(system(command), 0);
	}
	struct run *run = run_open(ranks, 3, NULL, NULL, &error);
	assert_non_null(run);
	assert_fires(run, &(struct detector_case){ "straggler", NULL, NULL, 0, "Rank 1 waits" });
	assert_leads_to_rank(run, 1);
	run_free(run);
	run = run_open(ranks, 1, NULL, NULL, &error);
	assert_non_null(run);
	struct table *advice = trace_view(run, "advice", NULL, "all");
	assert_string_equal(advice_answer(advice, "straggler"), "unknown");
	table_free(advice);
	run_free(run);
	for (int i = 0; i < 3; i++)
		remove(ranks[i]);
}

/* ---- the view ---- */

TEST(findings_drill_down_to_cause)
{
	struct run *run = trace_run(detector_cases[3].fires);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	const struct view *next;
	struct scope scope, narrowed;

	scope_init(&scope);
	struct ref ref = table_ref(advice, advice_row(advice, "synchronisation"));
	assert_true(view_drill(run, ref, &scope, &next, &narrowed));
	assert_string_equal(next->name, "calls");
	struct table *calls = trace_view(run, next->name, &narrowed, NULL);
	assert_int_equal(calls->rows, 1);
	assert_string_equal(table_cell(calls, 0, "name").text, "aten::item");
	table_free(calls);
	scope_clear(&narrowed);
	table_free(advice);
	run_free(run);
}

/* What fired comes first, by falling cost, which is a share of the time examined. */
TEST(findings_are_sorted_by_cost)
{
	struct run *run = trace_run(detector_cases[0].fires);
	struct table *advice = trace_view(run, "advice", NULL, "all");
	int64_t cost = INT64_MAX, scope = 0;
	double gain = 0;
	bool fired = true;

	for (size_t row = 0; row < advice->rows; row++) {
		bool now = advice_fired(table_cell(advice, row, "severity").text);
		assert_true(fired || !now);
		fired = now;
		if (!now || table_cell(advice, row, "cost_ns").kind == VALUE_MISSING)
			continue;
		assert_true(table_number(advice, row, "cost_ns") <= cost);
		cost = table_number(advice, row, "cost_ns");
		scope = table_number(advice, row, "scope_ns");
		gain += table_cell(advice, row, "gain_pct").real;
	}
	assert_int_equal(scope, 1000000);
	assert_true(gain > 80 && gain <= 100);
	table_free(advice);
	run_free(run);
}

/* Enter leads somewhere from each of them. */
static void assert_leads(const struct run *run)
{
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	const struct view *next;
	struct scope scope, narrowed;

	scope_init(&scope);
	for (size_t row = 0; row < advice->rows; row++) {
		if (!advice_fired(table_cell(advice, row, "severity").text))
			continue;
		if (!view_drill(run, table_ref(advice, row), &scope, &next, &narrowed))
			fail_msg("%s leads nowhere", table_cell(advice, row, "detector").text);
		scope_clear(&narrowed);
	}
	table_free(advice);
}

TEST(findings_have_targets)
{
	char *trace = trace_generate("--steps 3 --layers 4 --stacks 2", NULL);
	struct run *run = trace_run(trace);

	assert_leads(run);
	run_free(run);
	mem_free(trace);
	for (size_t i = 0; i < detector_case_count; i++) {
		run = trace_run(detector_cases[i].fires);
		assert_leads(run);
		run_free(run);
	}
}

/* ---- gains ---- */

static double all_gains(const struct run *run)
{
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	double sum = 0;
	for (size_t row = 0; row < advice->rows; row++)
		if (table_cell(advice, row, "gain_pct").kind == VALUE_REAL)
			sum += table_cell(advice, row, "gain_pct").real;
	table_free(advice);
	return sum;
}

/* A copy kernel below aten::to is pointwise, too: its time counts once. */
TEST(gains_do_not_overlap)
{
	struct run *run = trace_run(
		DOCUMENT(STEP("1", "0", "1000") "," OPERATOR("aten::to", "0", "80") "," LAUNCH(
			"20", "1") "," KERNEL("at::native::unrolled_elementwise_kernel<copy>", "30",
					      "900", "1")));
	struct table *advice = trace_view(run, "advice", NULL, NULL);

	assert_true(advice_fired(advice_answer(advice, "conversions")));
	assert_true(all_gains(run) <= 100);
	table_free(advice);
	run_free(run);
	for (size_t i = 0; i < detector_case_count; i++) {
		run = trace_run(detector_cases[i].fires);
		assert_true(all_gains(run) <= 100);
		run_free(run);
	}
}

/* A pageable copy that is exposed has two findings; one of them has its 200 us. */
TEST(a_copy_is_gained_once)
{
	struct run *run = trace_run(
		DOCUMENT(STEP("1", "0", "1000") "," WORK("gemm", "0", "400", "1", "") "," LAUNCH(
			"300", "2") "," COPY("Memcpy HtoD (Pageable -> Device)", "500", "200", "2",
					     "1048576")));
	struct table *advice = trace_view(run, "advice", NULL, "all");
	size_t pageable = advice_row(advice, "pageable_copies");
	size_t exposed = advice_row(advice, "exposed_copies");

	assert_true(advice_fired(table_cell(advice, pageable, "severity").text));
	assert_true(advice_fired(table_cell(advice, exposed, "severity").text));
	assert_int_equal(table_number(advice, pageable, "cost_ns") +
				 table_number(advice, exposed, "cost_ns"),
			 200000);
	table_free(advice);
	run_free(run);
}

/* With a pinned copy beside it, the exposed copies cost more: the pageable one is part of them. */
TEST(the_costlier_finding_has_the_copy)
{
	struct run *run = trace_run(
		DOCUMENT(STEP("1", "0", "1000") "," WORK("gemm", "0", "400", "1", "") "," LAUNCH(
			"300",
			"2") "," COPY("Memcpy HtoD (Pageable -> Device)", "500", "200", "2",
				      "1048576") "," LAUNCH("310",
							    "3") "," COPY("Memcpy HtoD (Pinned -> Device)",
									  "700", "200", "3",
									  "1048576")));
	struct table *advice = trace_view(run, "advice", NULL, "all");
	size_t pageable = advice_row(advice, "pageable_copies");
	size_t exposed = advice_row(advice, "exposed_copies");

	assert_int_equal(table_number(advice, exposed, "cost_ns"), 400000);
	assert_true(advice_fired(table_cell(advice, pageable, "severity").text));
	assert_int_equal(table_cell(advice, pageable, "cost_ns").kind, VALUE_MISSING);
	assert_non_null(
		strstr(table_cell(advice, pageable, "evidence").text, "part of findings above"));
	table_free(advice);
	run_free(run);
}

/* ---- what the capture cannot carry ---- */

#define WAIT(tid, start, id)                                                                       \
	EVENT("cuda_runtime", "cudaStreamSynchronize", "1", tid, start, "100",                     \
	      "{\"correlation\":" id "}")
/* From 400 us on the GPU waits for the launch at 700 us; calls on thread TID waited 300 us before.
 */
#define REFILL(tid) REFILLED(tid, "")
/* Likewise, with MORE events. */
#define REFILLED(tid, more)                                                                                  \
	DOCUMENT(STEP("1", "0", "1000") "," LAUNCH("10", "1") "," KERNEL("gemm", "20", "380", "1") "," WAIT( \
		tid, "100",                                                                                  \
		"97") "," WAIT(tid, "200",                                                                   \
			       "98") "," WAIT(tid, "300",                                                    \
					      "99") "," OPERATOR("aten::mm", "420",                          \
								 "290") "," LAUNCH("700",                    \
										   "2") "," KERNEL("gemm",   \
												   "720",    \
												   "280",    \
												   "2")      \
			 more)

static int64_t cost_of_synchronization(const char *trace)
{
	struct run *run = trace_run(trace);
	struct table *advice = trace_view(run, "advice", NULL, "all");
	struct value cost = table_cell(advice, advice_row(advice, "synchronisation"), "cost_ns");
	table_free(advice);
	run_free(run);
	return cost.kind == VALUE_MISSING ? 0 : cost.integer;
}

TEST(a_call_costs_the_refill_for_as_long_as_it_waited)
{
	/* raised to what is predicted without the waits */
	assert_in_range(cost_of_synchronization(REFILL("1")), 290000, 350000);
	/* the thread that launches did not wait */
	assert_int_equal(cost_of_synchronization(REFILL("2")), 0);
}

/* The bound of a finding holds the range that is predicted, of a host with Python stacks, too. */
static void assert_bound_holds_range(const char *trace)
{
	struct run *run = trace_run(trace);
	struct table *advice = trace_view(run, "advice", NULL, "all");
	size_t row = advice_row(advice, "synchronisation");
	double predicted = table_cell(advice, row, "predicted_pct").real;
	double high = table_cell(advice, row, "predicted_high_pct").real;
	assert_true(predicted > 0);
	assert_true(predicted < high);
	assert_true(table_cell(advice, row, "gain_pct").real >= high - 0.001);
	table_free(advice);
	run_free(run);
}

TEST(a_bound_is_not_below_the_prediction)
{
	assert_bound_holds_range(REFILL("1"));
	assert_bound_holds_range(REFILLED("1", "," PYTHON("train.py(7): step", "1", "990")));
}

/* Calls of the GPU's interface alone are no program whose code could be hot. */
TEST(calls_of_the_interface_are_no_hot_spot)
{
	struct run *run = trace_run(DOCUMENT(CALL("hipGetDeviceCount", "0", "900")));
	struct table *advice = trace_view(run, "advice", NULL, "all");
	assert_string_equal(advice_answer(advice, "hot_spot"), "unknown");
	table_free(advice);
	run_free(run);
}

/* Nothing was launched and no GPU is listed, but the profiler says why. */
TEST(an_error_of_the_profiler_explains_missing_gpu_events)
{
	static const struct {
		const char *severity, *text;
		bool fires;
	} said[] = {
		{ "3", "ActivityFlushAll: CUPTI_ERROR_INVALID_DEVICE", true },
		{ "2", "CUDA driver version (13.3) is not supported by this build.", true },
		{ "2", "No CUDA events collected. Does the process use CUDA?", false },
		{ "2", "OpenGL is not supported.", false },
		{ "3", "No NVTX events collected.", false },
	};
	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		char sql[1024];
		snprintf(sql, sizeof sql,
			 NSYS_STRINGS NSYS_RANGES
			 "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES"
			 "(5,500000,59,'load'," NSYS_THREAD(
				 7, 8) ");"
				       "CREATE TABLE DIAGNOSTIC_EVENT (severity INT, text TEXT);"
				       "INSERT INTO DIAGNOSTIC_EVENT VALUES (%s,'%s');",
			 said[i].severity, said[i].text);
		struct run *run = database_run(sql);
		struct table *advice = trace_view(run, "advice", NULL, "all");
		size_t row = advice_row(advice, "no_device_work");
		assert_int_equal(advice_fired(advice_answer(advice, "no_device_work")),
				 said[i].fires);
		if (said[i].fires)
			assert_non_null(
				strstr(table_cell(advice, row, "evidence").text, said[i].text));
		table_free(advice);
		run_free(run);
	}
}

#define REGION(name, ts, dur) EVENT("user_annotation", name, "1", "1", ts, dur, "{}")

/*
 * Between two regions the host takes 600 us, of which the GPU is idle for 311: without the break it
 * would be so nowhere, though the host only then lost what it had launched ahead.
 */
TEST(breaks_are_predicted_by_what_the_host_does)
{
	struct run *run = trace_run(DOCUMENT(
		REGION("ProfilerStep#1", "0", "1020") "," REGION("Torch-Compiled Region: 0/0", "0", "100") "," LAUNCH("10", "1") "," KERNEL(
			"a", "15", "380",
			"1") "," LAUNCH("110",
					"2") "," KERNEL("b", "397", "8",
							"2") "," REGION("Torch-Compiled Region: 1/0",
									"700",
									"100") "," LAUNCH("710",
											  "3") "," KERNEL("c",
													  "716",
													  "300",
													  "3")));
	struct table *advice = trace_view(run, "advice", NULL, "all");
	size_t row = row_with(advice, "detector", "graph_breaks");
	double window = (double)table_number(advice, row, "cost_ns") /
			value_number(table_cell(advice, row, "gain_pct"), 0);
	double predicted = window * value_number(table_cell(advice, row, "predicted_pct"), 0);
	assert_true(predicted > 305000 && predicted < 315000);
	table_free(advice);
	run_free(run);
}
