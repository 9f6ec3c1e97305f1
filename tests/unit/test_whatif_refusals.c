/* What if: the reasons not to predict, one by one. */
#include "whatif_case.h"

#include "analysis/whatif/whatif.h"
#include "base/buffer.h"

#include <stdio.h>
#include <string.h>

static void assert_reason(struct run *run, const char *part)
{
	struct whatif *whatif = whatif_make(run->ranks[0].derived, NULL, UINT32_MAX, NULL);
	if (part)
		assert_non_null(whatif->refused);
	else
		assert_null(whatif->refused);
	if (part && !strstr(whatif->refused, part))
		fail_msg("%s instead of %s", whatif->refused, part);
	whatif_free(whatif);
	run_free(run);
}

/* The work of a point grows with the lanes. */
TEST(too_many_lanes_are_refused)
{
	AUTO_BUFFER struct buffer trace = { 0 };
	buffer_puts(&trace, "{\"traceEvents\":[");
	for (int i = 0; i < 1100; i++)
		buffer_printf(&trace,
			      "%s" CALL("cudaLaunchKernel", "%d", "5",
					"%d") "," ON_STREAM("k", "%d", "%d", "9", "%d"),
			      i ? "," : "", i * 10, i + 1, i + 1, i * 10 + 5, i + 1, i + 1);
	buffer_puts(&trace, "]}");
	assert_reason(trace_run(buffer_text(&trace)), "1,024 threads and streams");
}

TEST(what_was_not_recorded_is_refused)
{
	assert_reason(trace_run(DOCUMENT(OPERATOR("aten::mm", "0", "50"))), "no GPU work");
	assert_reason(trace_run(DOCUMENT(KERNEL("a", "0", "10", "77"))), "launches of over 10 %");
}

/* It would be taken for work of the host, which no faster GPU shortens. */
TEST(a_wait_in_a_function_is_refused)
{
	assert_reason(trace_run(DOCUMENT(CALL("cudaLaunchKernel", "0", "5", "1") "," ON_STREAM(
			      "a", "7", "8", "40", "1") "," EVENT("python_function",
								  "api.py(9): block_until_ready",
								  "1", "1", "10", "40", "{}"))),
		      "waits for devices in a Python function");
}

#define AFTER_HEAD(head)                                                                           \
	DOCUMENT(ON_STREAM("a", "7", "0", head,                                                    \
			   "77") "," CALL("cudaLaunchKernel", "10", "5",                           \
					  "1") "," ON_STREAM("b", "7", head ".5", "100", "1"))

/* The host ran ahead: what the stream does first was launched before. Any other work was not. */
TEST(work_from_before_the_recording_is_refused)
{
	assert_reason(trace_run(AFTER_HEAD("40")), NULL);
	assert_reason(trace_run(AFTER_HEAD("50")), "over 30 % of the work was launched before");
	assert_reason(trace_run(DOCUMENT(CALL("cudaLaunchKernel", "0", "5", "1") "," ON_STREAM(
			      "a", "7", "8", "40",
			      "1") "," ON_STREAM("b", "7", "50", "10",
						 "77") "," CALL("cudaLaunchKernel", "20", "5",
								"2") "," ON_STREAM("c", "7", "62",
										   "20", "2"))),
		      "launches of over 10 %");
}

#define UNLINKED(dur, other)                                                                       \
	DOCUMENT(CALL("cudaLaunchKernel", "0", "5", "1") "," ON_STREAM(                            \
		"a", "7", "8", "40",                                                               \
		"1") "," ON_STREAM("b", "7", "50", dur,                                            \
				   "77") "," CALL("cudaLaunchKernel", "20", "5",                   \
						  "2") "," ON_STREAM("c", "7", "62", other, "2"))

/* Both sides of what is said: 9.9 and 10.1 % of the work, 29.6 and 30.1 %. */
TEST(shares_are_refused_from_what_is_said)
{
	assert_reason(trace_run(UNLINKED("10.1", "49.9")), "launches of over 10 % of the work");
	struct run *run = trace_run(UNLINKED("9.9", "50.1"));
	struct whatif *whatif = whatif_make(run->ranks[0].derived, NULL, UINT32_MAX, NULL);
	assert_true(!whatif->refused || !strstr(whatif->refused, "launches of over"));
	whatif_free(whatif);
	run_free(run);
	assert_reason(trace_run(AFTER_HEAD("43")), "over 30 % of the work was launched before");
	assert_reason(trace_run(AFTER_HEAD("42")), NULL);
}

/* Launched at once, b starts 60 us after a for no reason. */
TEST(what_nothing_explains_is_refused)
{
	assert_reason(trace_run(DOCUMENT(CALL("cudaLaunchKernel", "0", "5", "1") "," CALL(
			      "cudaLaunchKernel", "15", "5",
			      "2") "," ON_STREAM("a", "7", "8", "40",
						 "1") "," ON_STREAM("b", "7", "108", "50", "2"))),
		      "a replay misses");
	/* on a stream of its own it does not matter for the end, but for what else is not known */
	assert_reason(
		trace_run(DOCUMENT(CALL("cudaLaunchKernel", "0", "5", "1") "," CALL(
			"cudaLaunchKernel", "15", "5",
			"2") "," CALL("cudaLaunchKernel", "20", "5",
				      "3") "," ON_STREAM("a", "7", "8", "1000",
							 "1") "," ON_STREAM("b", "8", "25", "5",
									    "2") "," ON_STREAM("b",
											       "8",
											       "500",
											       "5",
											       "3"))),
		"starts late");
}

/* u has no launch, and nothing comes before it: b follows, and ends last. */
TEST(what_begins_in_the_middle_is_refused)
{
	assert_reason(trace_run(DOCUMENT(CALL("cudaLaunchKernel", "0", "5", "1") "," ON_STREAM(
			      "a", "7", "8", "100",
			      "1") "," ON_STREAM("u", "8", "300", "10",
						 "77") "," CALL("cudaLaunchKernel", "290", "5",
								"2") "," ON_STREAM("b", "8", "311",
										   "400", "2"))),
		      "begins without a known cause");
}

/* d starts before it is launched. */
TEST(contradictions_are_refused)
{
	assert_reason(trace_run(DOCUMENT(CALL("cudaLaunchKernel", "0", "5", "1") "," ON_STREAM(
			      "a", "7", "8", "40", "1") "," CALL("cudaLaunchKernel", "70", "5",
								 "2") "," ON_STREAM("d", "7", "60",
										    "50", "2"))),
		      "contradict");
}

/* Predicted as it is, a recording is not once it is said to be cut. */
TEST(damaged_recordings_are_refused)
{
	AUTO_FREE char *trace = trace_generate("--steps 4 --layers 4 --stacks 2", NULL);
	assert_reason(trace_run(trace), NULL);
	struct run *run = trace_run(trace);
	run->ranks[0].profile->truncated = true;
	assert_reason(run, "truncated or damaged");
}

/* With the usual latency b ends early, but a then takes nearly as long as both did. */
#define LATE_OF_TWO(start, dur)                                                                    \
	DOCUMENT(CALL("cudaLaunchKernel", "0", "5", "1") "," CALL(                                 \
		"cudaLaunchKernel", "20", "5",                                                     \
		"2") "," ON_STREAM("a", "7", "6", "940", "1") "," ON_STREAM("b", "8", start, dur,  \
									    "2"))

TEST(waits_that_decide_are_refused)
{
	assert_reason(trace_run(LATE_OF_TWO("44", "916")), NULL); /* by 18 us of 960 */
	assert_reason(trace_run(LATE_OF_TWO("60", "900")), "waits without a known cause");
}

/* Four steps with a kernel that is waited for; that of the short one starts late. */
static struct run *run_of_steps(int late)
{
	AUTO_BUFFER struct buffer trace = { 0 };
	buffer_puts(&trace, "{\"traceEvents\":[");
	for (int i = 0, start = 0; i < 4; i++) {
		int dur = i == 2 ? 100 : 1000, from = start + 11 + (i == 2 ? late : 0);
		buffer_printf(&trace,
			      "%s" EVENT("user_annotation", "ProfilerStep#%d", "1", "1", "%d", "%d",
					 "{}") "," CALL("cudaLaunchKernel", "%d", "5", "%d") ",",
			      i ? "," : "", i, start, dur, start + 5, i + 1);
		buffer_printf(&trace,
			      ON_STREAM("k", "7", "%d", "%d",
					"%d") "," CALL("cudaDeviceSynchronize", "%d", "%d", "%d"),
			      from, start + dur - 25 - from, i + 1, start + 12, dur - 32, i + 11);
		start += dur;
	}
	buffer_puts(&trace, "]}");
	return trace_run(buffer_text(&trace));
}

TEST(a_step_that_is_not_explained_is_refused)
{
	assert_reason(run_of_steps(1), NULL);
	assert_reason(run_of_steps(8), "of a step by over 2 %");
}

/* Calls of which each is EVERY after the one before, by their correlations. */
static struct run *run_of_every(int every)
{
	AUTO_BUFFER struct buffer trace = { 0 };
	buffer_puts(&trace, "{\"traceEvents\":[");
	for (int i = 0; i < 200; i++)
		buffer_printf(&trace,
			      "%s" CALL("cudaLaunchKernel", "%d", "5",
					"%d") "," ON_STREAM("k", "7", "%d", "3", "%d"),
			      i ? "," : "", i * 10, i * every + 1, i * 10 + 6, i * every + 1);
	buffer_puts(&trace, "]}");
	return trace_run(buffer_text(&trace));
}

/* Calls that are not recorded, as those for errors, are several for one that is. */
TEST(sampled_recordings_are_refused)
{
	assert_reason(run_of_every(15), NULL);
	assert_reason(run_of_every(200), "sampled");
}

#define LOADED(dur, launch, start)                                                                 \
	DOCUMENT(CALL("cudaLaunchKernel", "0", "5", "1") "," ON_STREAM(                            \
		"a", "7", "6", "40",                                                               \
		"1") "," CALL("cuModuleLoadData", "50", dur,                                       \
			      "2") "," CALL("cudaLaunchKernel", launch, "5",                       \
					    "3") "," ON_STREAM("b", "7", start, "25", "3"))

/* But for the edit that takes it away. */
TEST(loading_of_code_is_refused)
{
	struct whatif_edit edit = { .what = WHATIF_COMPILE };
	assert_reason(trace_run(LOADED("10", "65", "71")), NULL);
	assert_reason(trace_run(LOADED("30", "85", "91")), "compiled or loaded");
	struct run *run = trace_run(LOADED("30", "85", "91"));
	struct whatif *whatif = whatif_make(run->ranks[0].derived, NULL, UINT32_MAX, NULL);
	assert_null(whatif_refusal(whatif, &edit, 1));
	edit.what = WHATIF_KERNELS;
	assert_non_null(whatif_refusal(whatif, &edit, 1));
	whatif_free(whatif);
	run_free(run);
}
