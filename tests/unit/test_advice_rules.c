/*
 * Each detector fires on one trace and is silent on one like it.
 */
#include "advice_case.h"

#include "analysis/advice/detectors.h"

#include <math.h>
#include <stdio.h>
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
	/* what it claims; more where more is predicted, less where another needs what is claimed in
	 * vain */
	double high = value_number(table_cell(advice, row, "predicted_high_pct"), NAN);
	double gain = value_number(table_cell(advice, row, "gain_pct"), 0);
	bool moved =
		cost.integer > expected->cost_us * 1000LL ? gain <= high + 0.001 : 2 * high <= gain;
	if (expected->cost_us > 0 && !moved &&
	    llabs(cost.integer - expected->cost_us * 1000LL) > 10000)
		fail_msg("%s costs %lld ns, not %d us: %s", expected->detector,
			 (long long)cost.integer, expected->cost_us, evidence.text);
	assert_true(table_cell(advice, row, "recommendation").length > 10);
	assert_true(table_cell(advice, row, "problem").length <= 50);
	table_free(advice);
	run_free(run);
}

static void check_silent(const char *detector, const struct rule_trace *trace, const char *part)
{
	struct run *run = rule_case_run(trace);
	struct table *advice = trace_view(run, "advice", NULL, "all");
	const char *evidence = table_cell(advice, advice_row(advice, detector), "evidence").text;
	if (strcmp(advice_answer(advice, detector), "silent") || !strstr(evidence, part))
		fail_msg("%s is %s: %s", detector, advice_answer(advice, detector), evidence);
	table_free(advice);
	run_free(run);
}

TEST(detectors_fire_and_are_silent)
{
	const struct rule_case *each;
	for (size_t i = 0; (each = rule_case_at(i)); i++) {
		check_firing(each);
		check_silent(each->detector, &each->silent, "");
	}
}

TEST(detectors_are_silent_on_near_misses)
{
	for (size_t i = 0; i < near_case_count; i++)
		check_silent(near_cases[i].detector, &near_cases[i].trace, near_cases[i].evidence);
}

/* ---- ranks ---- */

#define BUSY                                                                                       \
	{ 'S', "1", 0, 1000, NULL, 0, 0 },                                                         \
	{                                                                                          \
		'K', "gemm", 0, 990, NULL, 0, 0                                                    \
	}
#define LATE                                                                                       \
	{ 'S', "1", 0, 1000, NULL, 0, 0 }, { 'K', "gemm", 5, 40, NULL, 0, 0 },                     \
		{ 'O', "aten::mm", 60, 540, NULL, 0, 0 },                                          \
	{                                                                                          \
		'K', "gemm", 590, 390, NULL, 0, 0                                                  \
	}

static void assert_says(const struct table *advice, const char *detector, const char *part)
{
	const char *evidence = table_cell(advice, advice_row(advice, detector), "evidence").text;
	if (!strstr(evidence, part))
		fail_msg("%s: %s", detector, evidence);
}

TEST(finding_of_another_rank_leads_to_it)
{
	static const struct rule_trace trace = { .events = { { BUSY }, { LATE } } };
	struct run *run = rule_case_run(&trace);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	size_t row = advice_row(advice, "launch_bound");
	const struct view *next;
	struct scope scope, narrowed;

	assert_says(advice, "launch_bound", "Rank 1 of 2: The GPU is idle");
	assert_int_equal(table_number(advice, row, "rank"), 1);
	scope_init(&scope);
	assert_true(view_drill(run, table_ref(advice, row), &scope, &next, &narrowed));
	assert_int_equal(narrowed.rank, 1);
	scope_clear(&narrowed);
	table_free(advice);
	/* in the scope of a rank there are only its findings */
	scope.rank = 0;
	advice = trace_view(run, "advice", &scope, "all");
	assert_string_equal(advice_answer(advice, "launch_bound"), "silent");
	table_free(advice);
	run_free(run);
}

TEST(finding_of_all_ranks_is_one)
{
	static const struct rule_trace trace = { .events = { { LATE }, { LATE } } };
	struct run *run = rule_case_run(&trace);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	size_t count = 0;

	assert_says(advice, "launch_bound", "Both ranks (");
	for (size_t row = 0; row < advice->rows; row++)
		count += !strcmp(table_cell(advice, row, "detector").text, "launch_bound");
	assert_int_equal(count, 1);
	table_free(advice);
	run_free(run);
}

/* The first screen shows them as the advice does. */
TEST(overview_has_findings_of_all_ranks)
{
	static const struct rule_trace trace = { .events = { { BUSY }, { LATE } } };
	struct run *run = rule_case_run(&trace);
	struct table *overview = trace_view(run, "overview", NULL, NULL);
	bool found = false;

	for (size_t row = 0; row < overview->rows; row++)
		found |= !strcmp(table_cell(overview, row, "metric").text, "Launch-bound") &&
			 !strncmp(table_cell(overview, row, "value").text, "Rank 1 of 2: ", 13);
	assert_true(found);
	table_free(overview);
	run_free(run);
}

/* ---- platforms ---- */

static const struct {
	const char *call, *detector, *action;
} platforms[] = {
	{ "cudaMemcpyAsync", "pageable_copies", "cudaMallocHost" },
	{ "cuMemcpyHtoDAsync", "pageable_copies", "cudaMallocHost" },
	{ "hipMemcpyAsync", "pageable_copies", "hipHostMalloc" },
	{ "urEnqueueUSMMemcpy", "kernel_hotspot", "with the profiler of the device's maker." },
	{ "cudaMemcpyAsync", "kernel_hotspot", "with ncu --kernel-name step --launch-count 3." },
	{ "hipMemcpyAsync", "kernel_hotspot", "with rocprof-compute." },
};

TEST(actions_name_functions_of_the_platform)
{
	for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++) {
		char call[256];
		snprintf(call, sizeof call,
			 "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"%s\",\"pid\":1,"
			 "\"tid\":1,\"ts\":0,\"dur\":5,\"args\":{\"correlation\":500}}",
			 platforms[i].call);
		struct rule_trace trace = {
			.events = { { { 'X', call, 0, 0, NULL, 0, 0 },
				      { 'X',
					"{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":"
					"\"Memcpy HtoD (Pageable -> Device)\",\"pid\":0,"
					"\"tid\":7,\"ts\":10,\"dur\":500,\"args\":{\"device\":0,"
					"\"stream\":7,\"correlation\":500,\"bytes\":1048576}}",
					0, 0, NULL, 0, 0 },
				      { 'K', "step", 600, 50, NULL, 20, 60 } } }
		};
		struct run *run = rule_case_run(&trace);
		struct table *advice = trace_view(run, "advice", NULL, NULL);
		const char *action = table_cell(advice, advice_row(advice, platforms[i].detector),
						"recommendation")
					     .text;
		if (!strstr(action, platforms[i].action))
			fail_msg("%s: %s", platforms[i].call, action);
		table_free(advice);
		run_free(run);
	}
}

/* ---- actions by what was recorded ---- */

#define HALF_GEMM                                                                                  \
	{                                                                                          \
		'K', "ampere_bf16_s16816gemm", 0, 100, NULL, 40, 200                               \
	}
#define GATHER                                                                                     \
	{                                                                                          \
		'K', "ncclDevKernel_AllGather", 100, 95, NULL, 40, 200                             \
	}

static const struct {
	const char *detector, *has, *lacks; /* of the action */
	struct rule_trace trace;
} actions[] = {
	{ "kernel_hotspot",
	  "Use FP8",
	  "bfloat16",
	  { .events = { { { 'O', "aten::mm", 0, 10, NULL, 0, 0 }, HALF_GEMM } } } },
	{ "kernel_hotspot",
	  "(bfloat16, FP8)",
	  "Use FP8",
	  { .events = { { { 'O', "aten::mm", 0, 10, NULL, 0, 0 },
			  { 'K', "gemm", 0, 100, NULL, 40, 200 } } } } },
	{ "communication",
	  "Shard over fewer GPUs",
	  "FSDP",
	  { .events = { { { 'O', "aten::mm", 0, 10, NULL, 0, 0 }, HALF_GEMM, GATHER } } } },
	{ "communication",
	  "ZeRO",
	  "FSDP",
	  { .events = { { { 'O', "MmBackward0", 0, 10, NULL, 0, 0 }, HALF_GEMM, GATHER } } } },
	{ "communication",
	  "Let FSDP prefetch",
	  "ZeRO",
	  { .events = { { { 'O', "MmBackward0", 0, 10, NULL, 0, 0 },
			  { 'A', "FSDP::pre_forward", 12, 10, NULL, 0, 0 },
			  HALF_GEMM,
			  GATHER } } } },
	{ "communication", "on another stream", "FSDP", { .events = { { HALF_GEMM, GATHER } } } },
};

TEST(actions_fit_what_was_recorded)
{
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
		struct run *run = rule_case_run(&actions[i].trace);
		struct table *advice = trace_view(run, "advice", NULL, NULL);
		size_t row = advice_row(advice, actions[i].detector);
		const char *action = table_cell(advice, row, "recommendation").text;
		if (!strstr(action, actions[i].has) || strstr(action, actions[i].lacks))
			fail_msg("%zu: %s", i, action);
		table_free(advice);
		run_free(run);
	}
}

/* What TF32 saves follows from the peaks of the GPU; the share is known without. */
TEST(a_gain_needs_a_peak)
{
	struct rule_trace trace = {
		.events = { { { 'O', "aten::mm", 0, 10, NULL, 0, 0 },
			      { 'K', "ampere_sgemm_128x64_nn", 0, 100, NULL, 40, 200 } } },
	};
	for (int known = 0; known < 2; known++) {
		trace.devices = known ? A100 : DEVICE("0");
		struct run *run = rule_case_run(&trace);
		struct table *advice = trace_view(run, "advice", NULL, NULL);
		size_t row = advice_row(advice, "tf32_off");
		assert_says(advice, "tf32_off", "100.0 % of kernel time");
		assert_int_equal(table_cell(advice, row, "cost_ns").kind == VALUE_MISSING, !known);
		table_free(advice);
		run_free(run);
	}
}

/* Of GeForce TF32 has the rate of FP32, bfloat16 twice that: the 100 us of the product become 50.
 */
TEST(where_tf32_is_no_faster_bfloat16_is)
{
	static const struct rule_trace trace = {
		.devices = "{\"id\":0,\"name\":\"NVIDIA GeForce RTX 3060\","
			   "\"computeMajor\":8,\"computeMinor\":6}",
		.events = { { { 'O', "aten::mm", 0, 10, NULL, 0, 0 },
			      { 'K', "ampere_sgemm_128x64_nn", 0, 100, NULL, 40, 200 } } },
	};
	struct run *run = rule_case_run(&trace);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	size_t row = advice_row(advice, "tf32_off");
	int64_t cost = table_number(advice, row, "cost_ns");
	if (cost < 2000000 || cost > 2010000)
		fail_msg("%lld ns", (long long)cost);
	assert_string_equal(table_cell(advice, row, "problem").text, "FP32 without Tensor Cores");
	assert_string_equal(table_cell(advice, row, "recommendation").text,
			    "Use torch.autocast with torch.bfloat16; on this GPU TF32 is as fast "
			    "as FP32.");
	table_free(advice);
	run_free(run);
}

/* The hottest operator is the slow algorithm: the time of other operators is none of its gain. */
TEST(a_gain_is_not_filled_from_the_rest)
{
	static const struct rule_trace trace = {
		.events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			      { 'O', "aten::_slow_conv2d_forward", 0, 700, NULL, 0, 0 },
			      { 'O', "aten::mm", 700, 300, NULL, 0, 0 } } },
	};
	struct run *run = rule_case_run(&trace);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	struct value cost = table_cell(advice, advice_row(advice, "hot_spot"), "cost_ns");
	if (cost.kind != VALUE_MISSING)
		fail_msg("%lld ns", (long long)cost.integer);
	assert_says(advice, "hot_spot", "aten::_slow_conv2d_forward");
	assert_int_equal(table_number(advice, advice_row(advice, "slow_cpu_code"), "cost_ns"),
			 700000);
	table_free(advice);
	run_free(run);
}

/* ---- all of them ---- */

/* Of files of another kind: see test_flight, test_compile_log and test_snapshot. */
static bool is_elsewhere(const char *id)
{
	return !strcmp(id, "collective-missing") || !strcmp(id, "compile_cache") ||
	       !strcmp(id, "memory_contents");
}

static const struct rule_case *rule_case_of(const char *id)
{
	const struct rule_case *each;
	for (size_t i = 0; (each = rule_case_at(i)); i++)
		if (!strcmp(each->detector, id))
			break;
	return each;
}

static bool has_firing_case(const char *id)
{
	if (is_elsewhere(id))
		return true;
	for (size_t i = 0; i < detector_case_count; i++)
		if (!strcmp(detector_cases[i].detector, id))
			return fires_on(trace_run(detector_cases[i].fires), id);
	for (size_t i = 0; i < kernel_case_count; i++)
		if (!strcmp(kernel_cases[i].detector, id) &&
		    !strcmp(kernel_cases[i].answer, "fires"))
			return fires_on(kernel_case_run(&kernel_cases[i]), id);
	const struct rule_case *rule = rule_case_of(id);
	return rule && fires_on(rule_case_run(&rule->fires), id);
}

TEST(every_detector_has_a_firing_case)
{
	for (const struct detector *detector = detectors(); detector->id; detector++)
		if (!has_firing_case(detector->id))
			fail_msg("%s has no trace on which it fires", detector->id);
}

/* Of test_advice_limits. */
static const char *const limits[] = { "unused_devices", "unused_memory", "backend" };

static bool has_near_miss(const char *id)
{
	for (size_t i = 0; i < near_case_count; i++)
		if (!strcmp(near_cases[i].detector, id))
			return true;
	for (size_t i = 0; i < kernel_case_count; i++)
		if (!strcmp(kernel_cases[i].detector, id) &&
		    !strcmp(kernel_cases[i].answer, "silent"))
			return true;
	if (rule_case_of(id) || is_elsewhere(id))
		return true;
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (!strcmp(limits[i], id))
			return true;
	return false;
}

TEST(every_detector_has_a_near_miss)
{
	for (const struct detector *detector = detectors(); detector->id; detector++)
		if (!has_near_miss(detector->id))
			fail_msg("%s has no trace on which it is just silent", detector->id);
}

TEST(every_detector_has_a_condition)
{
	for (const struct detector *detector = detectors(); detector->id; detector++) {
		if (!detector->condition || strlen(detector->problem) > 50)
			fail_msg("%s has no condition, or a long title", detector->id);
		for (const struct detector *other = detectors(); other < detector; other++)
			assert_string_not_equal(other->id, detector->id);
	}
}
