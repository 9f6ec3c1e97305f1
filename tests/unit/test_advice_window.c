/* What of a capture is left out before its findings: cold starts, graph captures, heads, teardown.
 */
#include "advice_case.h"

#include "base/buffer.h"

#include <stdio.h>

TEST(cold_start_is_left_out)
{
	struct buffer events = { 0 }, text = { 0 };

	buffer_puts(&events, OPERATOR("aten::empty", "0", "1"));
	add_launches(&events, 60, 20, 15, "\"cat\":\"kernel\",\"name\":\"add\"");
	buffer_puts(&events, "," OPERATOR("aten::conv2d", "1300", "90000") "," LAUNCH(
				     "91000", "199") "," KERNEL("conv", "91100", "500", "199"));
	buffer_printf(&text, "{\"schemaVersion\":1,\"traceEvents\":[%s]}", buffer_text(&events));
	struct run *run = trace_run(buffer_text(&text));
	struct table *advice = trace_view(run, "advice", NULL, "all");
	size_t row = advice_row(advice, "capture_startup");
	if (!advice_fired(table_cell(advice, row, "severity").text))
		fail_msg("%s", table_cell(advice, row, "evidence").text);
	assert_non_null(strstr(table_cell(advice, row, "recommendation").text, "warm-up"));
	assert_int_equal(table_cell(advice, row, "cost_ns").kind, VALUE_MISSING);
	assert_false(advice_fired(advice_answer(advice, "launch_bound")));
	table_free(advice);
	run_free(run);
	buffer_free(&events);
	buffer_free(&text);
}

/* Launches that are captured into a graph do not execute. */
TEST(graph_capture_says_nothing_of_the_program)
{
	struct buffer text = { 0 };

	buffer_puts(&text,
		    "{\"schemaVersion\":1,\"traceEvents\":[" CALL(
			    "cudaStreamBeginCapture", "0",
			    "5") "," LAUNCH("900", "1") "," KERNEL("gemm", "910", "500", "1"));
	for (int i = 0; i < 40; i++)
		buffer_printf(
			&text,
			",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
			"\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":8,\"args\":{\"correlation\":%d}}",
			10 + i * 10, 100 + i);
	buffer_puts(&text, "]}");
	struct run *run = trace_run(buffer_text(&text));
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	assert_string_equal(table_cell(advice, 0, "detector").text, "graph_capture");
	for (size_t row = 0; row < advice->rows; row++)
		assert_int_equal(table_cell(advice, row, "cost_ns").kind, VALUE_MISSING);
	table_free(advice);
	run_free(run);
	buffer_free(&text);
}

/* The first finding of a copy of 9 ms that waits from the first moment, and AFTER it these events.
 */
static void assert_first_after_head(const char *after, const char *first)
{
	char text[2048];
	snprintf(text, sizeof text, DOCUMENT("%s,%s,%s,%s,%s"), LAUNCH("0", "1"),
		 KERNEL("add", "10", "4", "1"),
		 EVENT("cuda_runtime", "cudaMemcpy", "1", "1", "20", "9000", "{\"correlation\":2}"),
		 COPY("Memcpy DtoH (Device -> Pinned)", "9000", "10", "2", "64"), after);
	struct run *run = trace_run(text);
	struct table *advice = trace_view(run, "advice", NULL, "all");
	assert_true(advice_fired(advice_answer(advice, "capture_head")));
	assert_false(advice_fired(advice_answer(advice, "synchronisation")));
	assert_cell(advice, 0, "detector", first);
	table_free(advice);
	run_free(run);
}

/* Of a busy GPU and a long REST: is it said first that this is left out? */
static bool says_first_what_is_left_out(const char *rest, const char *title)
{
	AUTO_BUFFER struct buffer text = { 0 };
	buffer_printf(&text, "{\"schemaVersion\":1,\"traceEvents\":[%s", rest);
	add_launches(&text, 60, 20, 19, "\"cat\":\"kernel\",\"name\":\"gemm\"");
	buffer_puts(&text, "]}");
	struct run *run = trace_run(buffer_text(&text));
	struct table *advice = trace_view(run, "advice", NULL, "all");
	size_t row = advice_row(advice, "capture_startup");
	bool first = row < advice_row(advice, "kernel_hotspot");
	assert_true(advice_fired(advice_answer(advice, "kernel_hotspot")));
	assert_cell(advice, row, "problem", title);
	table_free(advice);
	run_free(run);
	return first;
}

TEST(teardown_comes_after_what_the_gpu_does)
{
	assert_true(says_first_what_is_left_out(
		EVENT("user_annotation", "imports", "1", "1", "-90000", "90000", "{}"),
		"Start-up fills most of the capture"));
	assert_false(says_first_what_is_left_out(
		EVENT("user_annotation", "unload", "1", "1", "5000", "90000", "{}"),
		"Teardown fills most of the capture"));
}

/* It waits for work from before the capture. */
TEST(capture_head_is_left_out)
{
	assert_first_after_head(LAUNCH("9030", "3") "," KERNEL("gemm", "9040", "900", "3"),
				"capture_head");
	assert_first_after_head(
		LAUNCH("9030", "3") "," KERNEL("gemm", "9040", "900", "3") "," LAUNCH(
			"40000", "4") "," KERNEL("gemm", "40010", "9000", "4"),
		"low_utilisation");
}

/*
 * Nothing queued before it waits: of a host that was recorded for longer before its first work than
 * a blocking call lasts, or of a copy whose queue has another clock, so that it seems to begin
 * after the call that made it.
 */
TEST(a_recorded_start_is_no_head)
{
	static const char *const starts[] = {
		CALL("cudaMalloc", "0", "300") "," EVENT(
			"cuda_runtime", "cudaLaunchKernel", "1", "1", "19990", "5",
			"{\"correlation\":1}") "," KERNEL("add", "20000", "4",
							  "1") "," EVENT("cuda_runtime",
									 "cudaMemcpy", "1", "1",
									 "20010", "9000",
									 "{\"correlation\":2}") "," COPY("Memcpy DtoH (Device -> Pinned)",
													 "29000",
													 "10",
													 "2",
													 "64"),
		EVENT("cuda_runtime", "cudaMemcpy", "1", "1", "0", "2000", "{\"correlation\":1}") "," LAUNCH(
			"2010", "2") "," KERNEL("gemm", "2020", "90000",
						"2") "," COPY("Memcpy HtoD (Pageable -> Device)",
							      "9000", "100", "1", "64"),
	};
	for (size_t i = 0; i < 2; i++) {
		char text[2048];
		snprintf(text, sizeof text, DOCUMENT("%s"), starts[i]);
		struct run *run = trace_run(text);
		struct table *advice = trace_view(run, "advice", NULL, "all");
		assert_false(advice_fired(advice_answer(advice, "capture_head")));
		assert_true(advice_fired(
			advice_answer(advice, i ? "kernel_hotspot" : "synchronisation")));
		table_free(advice);
		run_free(run);
	}
}

/* That of copies alone is examined from the first to the last of them, too. */
TEST(a_single_copy_is_little_of_the_capture)
{
	struct run *run = trace_run(DOCUMENT(OPERATOR("aten::add", "0", "1000000") "," EVENT(
		"cuda_runtime", "cudaMemcpyAsync", "1", "1", "900000", "5",
		"{\"correlation\":1}") "," COPY("Memcpy HtoD (Pinned -> Device)", "900010", "2",
						"1", "4")));
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	assert_true(advice->rows > 0);
	assert_string_equal(table_cell(advice, 0, "detector").text, "capture_startup");
	assert_string_equal(table_cell(advice, 0, "problem").text,
			    "Start-up fills most of the capture");
	table_free(advice);
	run_free(run);
}
