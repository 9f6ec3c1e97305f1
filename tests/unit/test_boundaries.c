/* Limits at which a value begins to count: ends of intervals, thresholds, quartiles. */
#include "advice_case.h"

#include "base/buffer.h"
#include "derived/steps.h"
#include "derived/derived.h"

#include <stdlib.h>

/* ---- memory ---- */

static int64_t bytes_of(const struct table *memory, const char *op)
{
	for (size_t row = 0; row < memory->rows; row++)
		if (value_compare(table_cell(memory, row, "name"), value_text(op)) == 0)
			return table_number(memory, row, "self_alloc_bytes");
	return 0;
}

/* An allocation counts for the operator that starts at that time, not for the one that ends. */
TEST(memory_at_the_start_of_an_operator_is_its_own)
{
	struct run *run = trace_run(DOCUMENT(
		OPERATOR("first", "10", "10") "," OPERATOR("second", "20", "10") "," MEMORY(
			"10", "64",
			"64") "," MEMORY("20", "128",
					 "128") "," MEMORY("29", "192",
							   "192") "," MEMORY("30", "256", "256")));
	struct table *memory = trace_view(run, "memory", NULL, NULL);
	assert_int_equal(bytes_of(memory, "first"), 64);
	assert_int_equal(bytes_of(memory, "second"), 128);
	table_free(memory);
	run_free(run);
}

/* ---- utilization ---- */

/* Four steps of 1000 us; in each the GPU works for BUSY us, and for 10 us at its end. */
static struct run *run_with_busy(int busy)
{
	struct buffer events = { 0 };
	for (int i = 0; i < 4; i++) {
		int at = 1000 * i;
		buffer_printf(&events,
			      "%s{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#"
			      "%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1000}",
			      i ? "," : "", i, at);
		for (int k = 0; k < 2; k++)
			buffer_printf(
				&events,
				",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,"
				"\"ts\":%d,\"dur\":20},{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":"
				"\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":2,\"args\":"
				"{\"correlation\":%d}},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\","
				"\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,"
				"\"stream\":7,\"correlation\":%d}}",
				at + 30 * k, at + 30 * k + 1, 10 * i + k + 1,
				k ? at + 990 : at + (i ? 0 : 3), k ? 10 : busy - 10 - (i ? 0 : 3),
				10 * i + k + 1);
	}
	buffer_putc(&events, 0);
	struct buffer text = { 0 };
	buffer_printf(
		&text,
		"{\"schemaVersion\":1,\"deviceProperties\":[" DEVICE("0") "],\"traceEvents\":[%s]}",
		events.data);
	struct run *run = trace_run_bytes(text.data, text.length);
	buffer_free(&events);
	buffer_free(&text);
	return run;
}

/* Below 50 % the GPU is poorly used. */
TEST(utilization_below_half_is_low)
{
	static const struct {
		int busy;
		bool low;
	} cases[] = { { 470, true }, { 495, true }, { 505, false }, { 530, false } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = run_with_busy(cases[i].busy);
		struct table *advice = trace_view(run, "advice", NULL, "all");
		size_t row = advice_row(advice, "low_utilisation");
		bool fired = advice_fired(table_cell(advice, row, "severity").text);
		if (fired != cases[i].low)
			fail_msg("%d of 1000 us: %s", cases[i].busy,
				 table_cell(advice, row, "evidence").text);
		table_free(advice);
		run_free(run);
	}
}

/* ---- steps ---- */

/* Steps of 100, 110 … 170 us in another order: quartiles 120 and 160, median 140. */
TEST(spread_of_steps_is_between_quartiles)
{
	static const int durations[] = { 150, 100, 170, 120, 110, 160, 140, 130 };
	struct buffer text = { 0 };
	int at = 0;
	buffer_puts(&text, "{\"schemaVersion\":1,\"traceEvents\":[");
	for (int i = 0; i < 8; i++) {
		buffer_printf(&text,
			      "%s{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#"
			      "%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}",
			      i ? "," : "", i, at, durations[i]);
		at += durations[i];
	}
	buffer_puts(&text, "]}");
	struct run *run = trace_run_bytes(text.data, text.length);
	struct progress *none = NULL;
	const struct rank *rank = run_acquire(run, 0, none, NULL);
	struct step_spread spread;
	assert_true(steps_spread(rank->derived, &spread));
	assert_int_equal(spread.count, 8);
	assert_int_equal(spread.median, 140000);
	/* one and a half times the distance of 40 us beyond each */
	assert_int_equal(spread.low, 60000);
	assert_int_equal(spread.high, 220000);
	run_release(run, rank);
	run_free(run);
	buffer_free(&text);
}

/* Work launched before the first step counts for none; the step begins when it has ended. */
TEST(leftover_work_is_not_of_the_first_step)
{
	struct run *run = trace_run(DOCUMENT(
		LAUNCH("10", "1") "," KERNEL("leftover", "90", "30", "1") "," STEP("1", "100", "100") "," LAUNCH(
			"110",
			"2") "," KERNEL("own", "130", "40",
					"2") "," STEP("2", "200",
						      "100") "," LAUNCH("210",
									"3") "," KERNEL("own",
											"230", "40",
											"3")));
	struct table *steps = trace_view(run, "steps", NULL, NULL);
	assert_int_equal(steps->rows, 2);
	assert_int_equal(table_number(steps, 0, "launches"), 1);
	assert_int_equal(table_number(steps, 0, "kernel_ns"), 40000);
	assert_int_equal(table_number(steps, 0, "dur_ns"), 80000); /* from 120 to 200 us */
	assert_int_equal(table_number(steps, 1, "dur_ns"), 100000);
	struct table *launches = trace_view(run, "launches", NULL, NULL);
	for (size_t row = 0; row < launches->rows; row++)
		if (value_compare(table_cell(launches, row, "name"), value_text("leftover")) == 0)
			assert_int_equal(table_cell(launches, row, "step").kind, VALUE_MISSING);
	table_free(launches);
	table_free(steps);
	run_free(run);
}
