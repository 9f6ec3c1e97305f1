/* What if: replays of small traces and of generated ones against answers by hand. */
#include "whatif_case.h"

#include "analysis/whatif/whatif.h"
#include "analysis/whatif/whatif_scenario.h"
#include "analysis/whatif/whatif_weights.h"
#include "base/buffer.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The steps' time in a replay, ns, under edits in text; NULL: none. */
static int64_t replayed(const struct whatif_graph *graph, const char *text, enum whatif_mode mode)
{
	struct whatif_weights weights;
	struct whatif_times times;
	struct whatif_edit edit = { .name = NULL };
	struct error error;
	if (text)
		assert_true(whatif_edit_parse(&edit, text, &error));
	assert_true(whatif_weights_of(&weights, graph, &edit, text ? 1 : 0, NULL));
	assert_true(whatif_replay(graph, &weights, mode, true, NULL, &times, NULL));
	whatif_weights_clear(&weights);
	whatif_edit_clear(&edit);
	return times.end - times.start;
}

/* The steps' time as recorded, from the rows themselves. */
static struct whatif_times recorded_times(const struct whatif_graph *graph)
{
	const struct derived *derived = graph->derived;
	const struct profile *profile = graph->profile;
	bool whole = graph->step_first == NO_ROW;
	struct whatif_times times = { .start = graph->count ? whatif_time(graph, 0) : 0 };
	times.end = times.start;
	if (!whole)
		times.start = derived->steps[graph->step_first].host_start;
	for (uint32_t i = 0; i < graph->count; i++) {
		int kind = graph->kind[i] & POINT_KIND;
		uint32_t row = graph->row[i];
		uint32_t step = kind == POINT_WORK ? derived->activity_step[row] : row;
		if ((kind != POINT_WORK && (kind != POINT_STEP_END || whole)) ||
		    (!whole && (step == NO_ROW || step > graph->step_last)))
			continue;
		int64_t end = kind == POINT_WORK ? profile_activity_end(profile, row)
						 : derived->steps[row].host_end;
		times.end = end > times.end ? end : times.end;
		if (!whole && step < graph->step_first && end > times.start)
			times.start = end;
	}
	return times;
}

static void assert_strict_is_recorded(const struct derived *derived)
{
	struct whatif_graph *graph = whatif_graph_make(derived, NULL, UINT32_MAX, NULL);
	struct whatif_times recorded = recorded_times(graph), times;
	assert_true(whatif_replay(graph, NULL, REPLAY_STRICT, false, NULL, &times, NULL));
	assert_int_equal(times.start, recorded.start);
	assert_int_equal(times.end, recorded.end);
	whatif_graph_free(graph);
}

/* Two kernels, the second launched while the first runs; then a wait. */
#define SYNCED                                                                                                  \
	DOCUMENT(CALL("cudaLaunchKernel", "0", "5", "1") "," CALL("cudaLaunchKernel", "15", "5", "2") "," CALL( \
		"cudaDeviceSynchronize", "30", "76",                                                            \
		"3") "," ON_STREAM("a", "7", "8", "40",                                                         \
				   "1") "," ON_STREAM("b", "7", "50", "50",                                     \
						      "2") "," CALL("cudaLaunchKernel", "110",                  \
								    "5",                                        \
								    "4") "," ON_STREAM("c", "7",                \
										       "118",                   \
										       "10", "4"))

TEST(strict_is_the_recording)
{
	struct run *run = trace_run(SYNCED);
	assert_strict_is_recorded(run->ranks[0].derived);
	run_free(run);
	char *trace = trace_generate("--steps 4 --layers 4 --stacks 2", NULL);
	run = trace_run(trace);
	assert_strict_is_recorded(run->ranks[0].derived);
	run_free(run);
	mem_free(trace);
}

static struct whatif_graph *graph_of(const struct run *run)
{
	return whatif_graph_make(run->ranks[0].derived, NULL, UINT32_MAX, NULL);
}

/* Of a large profile, those are judged that have half of the rows, and the first. */
TEST(steps_are_judged_as_far_as_there_is_room)
{
	char *trace = trace_generate("--steps 9 --layers 2 --stacks 0", NULL);
	struct run *run = trace_run(trace);
	const struct derived *derived = run->ranks[0].derived;
	uint32_t before = 0, last = 0;
	for (uint32_t i = 0; i + 1 < derived->step_count; before += derived->steps[i++].launched) {
		if (i == 0)
			continue;
		/* half of it is one more than what the steps before have, or what they have */
		for (uint32_t half = before; half < before + 2; half++) {
			struct whatif_graph *graph =
				whatif_graph_make(derived, NULL, 2 * half, NULL);
			assert_int_equal(graph->step_first, 1);
			assert_int_equal(graph->step_last, i == 1 || half > before ? i : last);
			whatif_graph_free(graph);
		}
		last = i;
	}
	assert_true(last > 4);
	run_free(run);
	mem_free(trace);
}

/* By hand: all starts at 0 and ends with c at 128 us. */
TEST(edits_of_a_small_trace)
{
	struct run *run = trace_run(SYNCED);
	struct whatif_graph *graph = graph_of(run);
	assert_int_equal(replayed(graph, NULL, REPLAY_STRICT), 128000);
	/* a ends at 28 and b, after 2, at 55; the wait returns 6 later, 22 before it ends c */
	assert_int_equal(replayed(graph, "kernels:^[ab]$ x0.5", REPLAY_STRICT), 83000);
	/* without the wait, c is launched early and follows b on the stream, 1.5 after 100 */
	assert_int_equal(replayed(graph, "nosync", REPLAY_STRICT), 111500);
	assert_int_equal(replayed(graph, "kernels x2", REPLAY_STRICT), 228000);
	/* b and its launch are gone: a ends at 48, the wait 6 later, c starts 12 after that */
	assert_int_equal(replayed(graph, "remove:^b$", REPLAY_STRICT), 76000);
	/* a from 8 to 28, b at once to 53 */
	assert_int_equal(replayed(graph, "fuse:^[ab]$ x0.5", REPLAY_STRICT), 81000);
	/* b starts with the latency of 6 after its launch at 15 and ends at 71 */
	assert_int_equal(replayed(graph, "move:^b$", REPLAY_STRICT), 99000);
	/* launches take 5 less: a ends at 43, b at 95, and c starts 7 after the wait */
	assert_int_equal(replayed(graph, "host:cudaLaunchKernel x0", REPLAY_STRICT), 118000);
	whatif_graph_free(graph);
	run_free(run);
}

/* A kernel that started when it was launched waits for the one before it, if that gets longer. */
TEST(a_stream_stays_in_order)
{
	struct run *run = trace_run(DOCUMENT(CALL("cudaLaunchKernel", "0", "5", "1") "," CALL(
		"cudaLaunchKernel", "60", "5",
		"2") "," ON_STREAM("a", "7", "8", "40", "1") "," ON_STREAM("b", "7", "68", "10",
									   "2")));
	struct whatif_graph *graph = graph_of(run);
	assert_int_equal(replayed(graph, NULL, REPLAY_STRICT), 78000);
	assert_int_equal(replayed(graph, "kernels:^a$ x1.2", REPLAY_STRICT), 78000);
	assert_in_range(replayed(graph, "kernels:^a$ x3", REPLAY_STRICT), 138000, 142000);
	assert_in_range(replayed(graph, "host x0", REPLAY_STRICT), 50000, 78000);
	whatif_graph_free(graph);
	run_free(run);
}

/* By hand, and as the same rows by name. */
TEST(edits_of_a_part)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {
		{ "kernels stream:7 x2", 228000 },
		{ "kernels stream:8 x2", 128000 },
		{ "kernels device:0 thread:1 x2", 228000 },
		{ "kernels thread:2 x2", 128000 },
		{ "kernels time:..40us x0.5", 108000 }, /* a ends at 28, b at 80, c 28 later */
		{ "time:40us.. kernels:^[ab]$ x0.5", 103000 },
		{ "kernels family:other x2", 228000 },
		{ "kernels family:GEMM|softmax x2", 128000 },
		{ "kernels under:nothing x2", 128000 },
		{ "kernels rank:3 x2", 128000 },
		{ "host time:..5us x0", 123000 }, /* the launch of a */
		{ "host thread:2 x0", 128000 },
		{ "nosync time:..20us", 128000 },
		{ "nosync time:20us..", 111500 },
	};
	struct run *run = trace_run(SYNCED);
	struct whatif_graph *graph = graph_of(run);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (replayed(graph, cases[i].text, REPLAY_STRICT) != cases[i].ns)
			fail_msg("%s: %" PRId64, cases[i].text,
				 replayed(graph, cases[i].text, REPLAY_STRICT));
	whatif_graph_free(graph);
	run_free(run);
}

/* A long call is no launch, but host time. */
TEST(long_calls_are_no_launches)
{
	struct run *run = trace_run(DOCUMENT(CALL("cudaMalloc", "0", "500", "1") "," CALL(
		"cudaLaunchKernel", "510", "5", "2") "," ON_STREAM("a", "7", "520", "40", "2")));
	struct whatif_graph *graph = graph_of(run);
	int64_t all = replayed(graph, NULL, REPLAY_STRICT);
	assert_int_equal(all, 560000);
	assert_int_equal(replayed(graph, "launches x0", REPLAY_STRICT), 545000);
	assert_int_equal(replayed(graph, "graphs", REPLAY_STRICT), 545000);
	assert_int_equal(replayed(graph, "host x0", REPLAY_STRICT), 45000);
	whatif_graph_free(graph);
	run_free(run);
}

#define COPIED(ts, start, dur, correlation, end)                                                   \
	CALL("cudaMemcpyAsync", ts, dur, correlation)                                              \
	"," CALL("cudaStreamSynchronize", end, "5", "1" correlation) "," EVENT(                    \
		"gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", "0", "7", start, "2",            \
		"{\"device\":0,\"stream\":7,\"bytes\":4,"                                          \
		"\"correlation\":" correlation "}")

/* The copy of a value waits, and the call after it; of the last value nothing is known but this. */
TEST(the_last_value_is_waited_for)
{
	struct run *run = trace_run(DOCUMENT(
		CALL("cudaLaunchKernel", "0", "5", "1") "," ON_STREAM("a", "7", "8", "100", "1") "," COPIED(
			"10", "110", "105",
			"2",
			"116") "," CALL("cudaLaunchKernel", "125", "5",
					"3") "," ON_STREAM("b", "7", "133", "100",
							   "3") "," COPIED("140", "235", "100", "4",
									   "241") "," ON_STREAM("c",
												"7",
												"246",
												"1",
												"77")));
	struct whatif_graph *graph = graph_of(run);
	assert_int_equal(replayed(graph, NULL, REPLAY_STRICT), 247000);
	/* b is launched early, and follows a, 1.5 after 108, without the copy */
	assert_int_equal(replayed(graph, "nosync", REPLAY_STRICT), 223500);
	whatif_graph_free(graph);
	run_free(run);
}

/*
 * Another thread launched x, and cudaStreamWaitEvent is called before y is launched on a stream of
 * its own: y waits for x, whatever the times.
 */
#define WAITED                                                                                                 \
	DOCUMENT(                                                                                              \
		EVENT("cuda_runtime", "cudaLaunchKernel", "1", "2", "0", "5", "{\"correlation\":1}") "," CALL( \
			"cudaStreamWaitEvent", "20", "2",                                                      \
			"2") "," CALL("cudaLaunchKernel", "25", "5",                                           \
				      "3") "," ON_STREAM("x", "8", "8", "100",                                 \
							 "1") "," ON_STREAM("y", "7", "110", "10",             \
									    "3"))

TEST(work_waits_for_an_event_of_another_thread)
{
	struct run *run = trace_run(WAITED);
	struct whatif_graph *graph = graph_of(run);
	assert_int_equal(graph->wait_count, 1);
	/* x ends at 58, y starts 2 later */
	assert_int_equal(replayed(graph, "kernels:x x0.5", REPLAY_STRICT), 70000);
	assert_int_equal(replayed(graph, "kernels:x x0.5", REPLAY_WITHOUT_GUESSES), 70000);
	whatif_graph_free(graph);
	run_free(run);
}

#define ALL_REDUCE(ts, dur, correlation)                                                           \
	CALL("cudaLaunchKernel", ts, "5", correlation)                                             \
	"," ON_STREAM("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "7", ts "8", dur, correlation)

/* Of one size: the shortest takes 10 us, another waits for 30 before. */
TEST(messages_transfer_and_wait)
{
	struct run *run = trace_run(DOCUMENT(ALL_REDUCE("0", "10", "1") "," ALL_REDUCE(
		"10", "40", "2") "," CALL("cudaLaunchKernel", "112", "5",
					  "3") "," ON_STREAM("a", "7", "150", "10", "3")));
	struct whatif_graph *graph = graph_of(run);
	assert_int_equal(replayed(graph, NULL, REPLAY_STRICT), 160000);
	/* a starts 2 after the second, both take 5 or 10 less, or that 30 */
	assert_int_equal(replayed(graph, "comm x0.5", REPLAY_STRICT), 150000);
	assert_int_equal(replayed(graph, "latency x0", REPLAY_STRICT), 140000);
	assert_int_equal(replayed(graph, "straggler", REPLAY_STRICT), 130000);
	whatif_graph_free(graph);
	run_free(run);
}

#define ALL_REDUCE_OF(elements, ts, dur, correlation)                                                  \
	CALL("cudaLaunchKernel", ts, "5", correlation)                                                 \
	"," EVENT(                                                                                     \
		"kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "0", "7", ts "8", dur,            \
		"{\"device\":0,\"stream\":7,\"correlation\":" correlation                              \
		",\"Collective name\":\"allreduce\",\"dtype\":\"Float\",\"Process Group Name\":\"0\"," \
		"\"In msg nelems\":" elements ",\"Out msg nelems\":" elements                          \
		",\"Group size\":2}")

/* 10 and 30 us for 1 and 3 parts of a size: no latency; 20 and 30 for 1 and 2: 10 of each. */
TEST(latency_is_what_no_size_takes)
{
	static const struct {
		const char *trace;
		int64_t less;
	} cases[] = {
		{ DOCUMENT(ALL_REDUCE_OF("1000000", "0", "10",
					 "1") "," ALL_REDUCE_OF("3000000", "10", "30", "2")),
		  0 },
		{ DOCUMENT(ALL_REDUCE_OF("1000000", "0", "20",
					 "1") "," ALL_REDUCE_OF("2000000", "10", "30", "2")),
		  20000 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = trace_run(cases[i].trace);
		struct whatif_graph *graph = graph_of(run);
		int64_t less = replayed(graph, NULL, REPLAY_STRICT) -
			       replayed(graph, "latency x0", REPLAY_STRICT);
		assert_in_range(less + 2, cases[i].less, cases[i].less + 4);
		whatif_graph_free(graph);
		run_free(run);
	}
}

/* 200 us between two launches, in which operators begin every 50, or none does; or a batch comes.
 */
TEST(many_operators_are_no_pause)
{
	static const char *const between[] = {
		OPERATOR("a", "50", "40") "," OPERATOR("b", "100", "40") "," OPERATOR("c", "150",
										      "40"),
		OPERATOR("a", "50", "140"),
		OPERATOR("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "50",
			 "100") "," OPERATOR("a", "160", "20"),
	};
	static const char *const edits[] = { "launches x0", "pauses x0" };
	static const int64_t wanted[][2] = { { 38500, 237000 },
					     { 227000, 43500 },
					     { 127000, 237000 } };
	for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
		char *trace = mem_printf(
			DOCUMENT(CALL("cudaLaunchKernel", "0", "5", "1") "," ON_STREAM(
				"a", "7", "8", "10",
				"1") ",%s," CALL("cudaLaunchKernel", "205", "5",
						 "2") "," ON_STREAM("b", "7", "213", "24", "2")),
			between[i]);
		struct run *run = trace_run(trace);
		struct whatif_graph *graph = graph_of(run);
		for (size_t e = 0; e < 2; e++)
			assert_int_equal(replayed(graph, edits[e], REPLAY_STRICT), wanted[i][e]);
		whatif_graph_free(graph);
		run_free(run);
		mem_free(trace);
	}
}

/* Of a whole run. */
static struct whatif_prediction predicted(const char *trace, const char *text)
{
	struct run *run = trace_run(trace);
	struct whatif *whatif = whatif_make(run->ranks[0].derived, NULL, UINT32_MAX, NULL);
	struct whatif_prediction prediction;
	struct whatif_edit edit;
	struct error error;
	assert_true(whatif_edit_parse(&edit, text, &error));
	assert_true(whatif_predict(whatif, &edit, 1, &prediction, NULL));
	whatif_edit_clear(&edit);
	whatif_free(whatif);
	run_free(run);
	return prediction;
}

#define ON_THREAD_2(ts, correlation)                                                               \
	EVENT("cuda_runtime", "cudaLaunchKernel", "1", "2", ts, "5",                               \
	      "{\"correlation\":" correlation "}")

/* Without its pause a thread launches before the step of another begins; the work stays. */
TEST(a_step_takes_as_long_as_its_work)
{
	struct whatif_prediction prediction = predicted(
		DOCUMENT(ON_THREAD_2("0", "1") "," ON_STREAM("a", "7", "8", "10", "1") "," EVENT(
			"user_annotation", "ProfilerStep#1", "1", "1", "500", "500",
			"{}") "," ON_THREAD_2("600", "2") "," ON_STREAM("b", "7", "608", "100",
									"2")),
		"pauses x0");
	assert_int_equal(prediction.recorded, 500000);
	assert_in_range(prediction.predicted, 99999, 100000);
	/* 80 % and 12.5 % more are 92.5 %, but half of the rest may stay */
	assert_in_range(prediction.low, 49999, 50000);
}

TEST(at_most_is_the_highest_gain)
{
	AUTO_BUFFER struct buffer text = { 0 };
	struct whatif_prediction prediction = {
		.recorded = 100000, .predicted = 80000, .low = 70000, .high = 90000, .at_most = true
	};
	whatif_describe(&prediction, &text);
	assert_string_equal(buffer_text(&text),
			    "step 100.00 us -> 80.00 us (-20.0 %, -30.0 % at most to -10.0 %)");
}

/* Of products the ones in single precision, and no other kernels. */
TEST(types_of_products_are_edited)
{
	struct run *run = trace_run(DOCUMENT(CALL("cudaLaunchKernel", "0", "5", "1") "," ON_STREAM(
		"ampere_sgemm_128x64_tn", "7", "8", "40",
		"1") "," CALL("cudaLaunchKernel", "10", "5",
			      "2") "," ON_STREAM("ampere_fp16_s16816gemm_fp16_128x64", "7", "50",
						 "40", "2") "," CALL("cudaLaunchKernel", "20", "5",
								     "3") "," ON_STREAM("softmax",
											"7", "92",
											"40",
											"3")));
	struct whatif_graph *graph = graph_of(run);
	assert_int_equal(replayed(graph, NULL, REPLAY_STRICT), 132000);
	assert_int_equal(replayed(graph, "dtype", REPLAY_STRICT), 112000);
	whatif_graph_free(graph);
	run_free(run);
}

/* Less work is never slower, and saves no more than it is. */
TEST(less_work_is_never_slower)
{
	char *trace = trace_generate("--steps 4 --layers 4", NULL);
	struct run *run = trace_run(trace);
	struct whatif_graph *graph = graph_of(run);
	int64_t before = replayed(graph, NULL, REPLAY_STRICT);
	for (int mode = 0; mode < REPLAY_MODES; mode++) {
		int64_t last = -1;
		for (int i = 0; i <= 12; i++) {
			char text[32];
			snprintf(text, sizeof text, "kernels x%g", i / 8.0);
			int64_t time = replayed(graph, text, (enum whatif_mode)mode);
			assert_true(time >= last);
			last = time;
		}
	}
	assert_true(before - replayed(graph, "kernels x0", REPLAY_STRICT) <= graph->work_ns);
	assert_true(replayed(graph, "nosync", REPLAY_STRICT) <= before);
	assert_true(replayed(graph, "host x0", REPLAY_STRICT) <= before);
	whatif_graph_free(graph);
	run_free(run);
	mem_free(trace);
}

/* A batch of worker processes is ready when it was, however long it is waited for. */
TEST(batches_are_ready_when_they_were)
{
	const char *name = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
	char *trace = mem_printf(
		DOCUMENT(CALL("cudaLaunchKernel", "0", "5", "1") "," ON_STREAM(
			"a", "7", "10", "100",
			"1") "," CALL("cudaDeviceSynchronize", "6", "110",
				      "2") "," EVENT("user_annotation", "%s", "1", "1", "120",
						     "400",
						     "{}") "," CALL("cudaLaunchKernel", "530", "5",
								    "3") "," ON_STREAM("b", "7",
										       "540", "100",
										       "3")),
		name);
	struct run *run = trace_run(trace);
	struct whatif_graph *graph = graph_of(run);
	assert_int_equal(graph->batch_count, 1);
	assert_int_equal(replayed(graph, NULL, REPLAY_STRICT), 640000);
	/* a ends at 60 and the wait at 66, but the batch at 520; b is launched at 530 */
	assert_int_equal(replayed(graph, "kernels x0.5", REPLAY_STRICT), 590000);
	assert_int_equal(replayed(graph, "pauses x0", REPLAY_STRICT), 630000);
	/* unless it takes as long from its request on */
	assert_int_equal(replayed(graph, "kernels x0.5", REPLAY_BATCH_LATENCY), 540000);
	/* without waiting 14 pass until the launch at 130 */
	assert_in_range(replayed(graph, "loader", REPLAY_STRICT), 239990, 240010);
	whatif_graph_free(graph);
	run_free(run);
	mem_free(trace);
}

/* Without a change every row stays; under an edit the moved rows are what the replay predicts. */
TEST(a_scenario_is_what_is_replayed)
{
	char *trace = trace_generate("--steps 4 --layers 4 --stacks 2", NULL);
	for (int edited = 0; edited < 2; edited++) {
		struct run *run = trace_run(trace);
		struct rank *rank = &run->ranks[0];
		struct profile *profile = rank->profile;
		struct error error;
		struct derived_options options = { .step_name = NULL };
		struct whatif_graph *graph =
			whatif_graph_make(rank->derived, NULL, UINT32_MAX, NULL);
		const char *text = edited ? "kernels x0.5" : "kernels x1";
		int64_t predicted = replayed(graph, text, REPLAY_STRICT);
		size_t bytes = profile->spans * sizeof(int64_t);
		int64_t *starts = mem_alloc(bytes), *durs = mem_alloc(bytes);
		whatif_graph_free(graph);
		memcpy(starts, profile->span_start, bytes);
		memcpy(durs, profile->span_dur, bytes);
		assert_true(whatif_scenario(profile, rank->derived, text, NULL, &error));
		assert_non_null(profile_metadata(profile, WHATIF_SCENARIO));
		assert_int_equal(edited, memcmp(starts, profile->span_start, bytes) != 0);
		assert_int_equal(edited, memcmp(durs, profile->span_dur, bytes) != 0);
		mem_free_all(starts, durs);
		derived_free(rank->derived);
		rank->derived = derived_build(profile, &options, NULL, &error);
		graph = whatif_graph_make(rank->derived, NULL, UINT32_MAX, NULL);
		struct whatif_times times = recorded_times(graph);
		assert_int_equal(times.end - times.start, predicted);
		whatif_graph_free(graph);
		run_free(run);
	}
	mem_free(trace);
}

/* A factor stands after the kind or after its colon, where else a pattern of names stands. */
TEST(factors_and_names_of_edits)
{
	static const char *const alike[][2] = {
		{ "kernels:x0.5", "kernels x0.5" }, { "kernels:x", "kernels:x x0.5" },
		{ "kernels:x2 x2", "kernels x2" },  { "kernels:x.5", "kernels x0.5" },
		{ "kernels:x1.y", "kernels x1" },   { "host:x2", "host x2" },
	};
	struct run *run = trace_run(WAITED);
	struct whatif_graph *graph = graph_of(run);
	int64_t unchanged = replayed(graph, NULL, REPLAY_STRICT);
	for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
		assert_int_equal(replayed(graph, alike[i][0], REPLAY_STRICT),
				 replayed(graph, alike[i][1], REPLAY_STRICT));
	assert_int_not_equal(replayed(graph, "kernels:x0.5", REPLAY_STRICT), unchanged);
	assert_int_not_equal(replayed(graph, "kernels:x", REPLAY_STRICT),
			     replayed(graph, "kernels x0.5", REPLAY_STRICT));
	assert_int_equal(replayed(graph, "kernels:x1.y", REPLAY_STRICT), unchanged);
	whatif_graph_free(graph);
	run_free(run);
}

TEST(edits_are_checked)
{
	static const char *const wrong[] = {
		"",
		"foo",
		"kernels x11",
		"comm xa",
		"kernels:[",
		"kernels foo:1",
		"kernels family:foo",
		"kernels family:[",
		"kernels steps:a",
		"kernels filter:a",
		"host stream:7",
		"nosync family:GEMM",
		"straggler rank:1",
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct whatif_edit edit;
		struct error error = { 0 };
		assert_false(whatif_edit_parse(&edit, wrong[i], &error));
		assert_true(error.message[0]);
		whatif_edit_clear(&edit);
	}
}

/* Launches that block, and take 7 to 23 us until their kernel of 5 us begins; 5 us apart. */
static struct run *run_of_blocking(void)
{
	AUTO_BUFFER struct buffer trace = { 0 };
	buffer_puts(&trace, "{\"traceEvents\":[");
	for (int i = 0, at = 0; i < 100; i++) {
		int delay = 7 + i % 5 * 4;
		buffer_printf(&trace,
			      "%s" CALL("cudaLaunchKernel", "%d", "%d",
					"%d") "," ON_STREAM("k", "7", "%d", "5", "%d"),
			      i ? "," : "", at, delay + 9, i + 1, at + delay, i + 1);
		at += delay + 14;
	}
	buffer_puts(&trace, "]}");
	return trace_run(buffer_text(&trace));
}

/* Until its kernel begins a launch works, and would without waiting. */
TEST(launches_that_block_take_their_own_time)
{
	struct run *run = run_of_blocking();
	struct whatif_graph *graph = graph_of(run);
	struct whatif *whatif = whatif_make(run->ranks[0].derived, NULL, UINT32_MAX, NULL);
	assert_null(whatif->refused);
	/* the delays, 20 times of 75 us, and those 5; calls end 1.5 before their kernels */
	assert_int_equal(replayed(graph, NULL, REPLAY_STRICT), 1500000 + 99 * 14000 + 5000);
	assert_int_equal(replayed(graph, "unblock", REPLAY_STRICT), 1500000 + 99 * 3500 + 5000);
	whatif_free(whatif);
	whatif_graph_free(graph);
	run_free(run);
}
