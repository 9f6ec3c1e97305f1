/* Steps of traces without ProfilerStep: from which source, and which of them are believed. */
#include "trace_case.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "derived/step_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- building traces ---- */

struct trace {
	struct buffer events;
	long now; /* us */
	int correlation;
};

static void add(struct trace *trace, const char *category, const char *name, long start, long dur,
		const char *args)
{
	buffer_printf(&trace->events,
		      "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":1,"
		      "\"ts\":%ld,\"dur\":%ld,\"args\":{%s}}",
		      trace->events.length ? "," : "", category, name, start, dur, args);
}

/* A launch of 5 us, and its kernel. */
static void launch(struct trace *trace, const char *kernel)
{
	char args[64];
	snprintf(args, sizeof args, "\"correlation\":%d", ++trace->correlation);
	add(trace, "cuda_runtime", "cudaLaunchKernel", trace->now, 3, args);
	buffer_printf(&trace->events,
		      ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,"
		      "\"ts\":%ld,\"dur\":2,\"args\":{\"device\":0,\"stream\":7,"
		      "\"correlation\":%d}}",
		      kernel, trace->now + 4, trace->correlation);
	trace->now += 5;
}

/* Kernels k0, k1 … of one iteration. */
static void iterate(struct trace *trace, int kernels)
{
	char name[32];
	for (int i = 0; i < kernels; i++) {
		snprintf(name, sizeof name, "k%d", i);
		launch(trace, name);
	}
}

static void annotate(struct trace *trace, const char *name, int kernels)
{
	long start = trace->now;
	iterate(trace, kernels);
	add(trace, "user_annotation", name, start, trace->now - start, "");
}

/* Frees the events. */
static struct run *open_trace(struct trace *trace, const char *steps_from, struct error *error)
{
	struct load_options options = { .key_node = steps_from };
	char path[] = "step-sources-XXXXXX";
	const char *paths[] = { path };
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	FILE *file = fdopen(fd, "w");
	fprintf(file, DOCUMENT("%s"), buffer_text(&trace->events));
	fclose(file);
	buffer_free(&trace->events);
	*trace = (struct trace){ 0 };
	struct run *run = run_open(paths, 1, &options, NULL, error);
	unlink(path);
	return run;
}

/* Check the number of steps and what they are from; returns the table of steps. */
static struct table *expect_steps(struct run *run, enum step_source source, uint32_t count,
				  const char *from)
{
	struct buffer text = { 0 };
	const struct derived *derived = run->ranks[0].derived;
	assert_int_equal(derived->step_source, source);
	step_source_describe(derived, &text);
	assert_string_equal(buffer_text(&text), from);
	buffer_free(&text);
	assert_int_equal(derived->step_count, count);
	assert_int_equal(derived->steps_from_profile, source != STEPS_NONE);
	return trace_view(run, "steps", NULL, NULL);
}

static struct table *check(struct run **run, struct trace *trace, const char *steps_from,
			   enum step_source source, uint32_t count, const char *from)
{
	struct error error = { 0 };
	*run = open_trace(trace, steps_from, &error);
	if (!*run)
		fail_msg("refused: %s", error.message);
	return expect_steps(*run, source, count, from);
}

static void finish(struct run *run, struct table *steps)
{
	table_free(steps);
	run_free(run);
}

/* COUNT iterations of LAUNCHES launches, ended by MARKS calls of the optimizer, PAUSE apart. */
static void train(struct trace *trace, int count, int launches, int marks, long pause)
{
	for (int i = 0; i < count; i++) {
		iterate(trace, launches);
		for (int mark = 0; mark < marks; mark++)
			annotate(trace, "Optimizer.step#SGD.step", marks == 1 ? 2 : 1);
		trace->now += pause;
	}
}

/* ---- optimizer ---- */

TEST(steps_end_with_the_optimizer)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	train(&trace, 4, 8, 1, 50); /* zero_grad, logging */
	struct table *steps =
		check(&run, &trace, NULL, STEPS_OPTIMIZER, 4, "Optimizer.step#SGD.step");

	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(table_number(steps, i, "step"), i);
		assert_int_equal(table_number(steps, i, "launches"), 10);
		assert_int_equal(table_number(steps, i, "partial"), 0);
	}
	assert_int_equal(table_number(steps, 0, "start_ns"), 0);
	/* from the end of one optimizer to the last kernel of the next, 1 us after its launch */
	assert_int_equal(table_number(steps, 1, "dur_ns"), 100000);
	finish(run, steps);
}

/* One annotation that repeats, and no other name. */
TEST(a_single_repeated_annotation_gives_steps)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	for (int i = 0; i < 6; i++) {
		annotate(&trace, "train", 10);
		trace.now += 20;
	}
	struct table *steps = check(&run, &trace, "train", STEPS_RANGE, 6, "train");
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(table_number(steps, i, "launches"), 10);
	finish(run, steps);
}

/* Nothing but its repetition says that an annotation is an iteration. */
TEST(an_annotation_that_repeats_gives_steps)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	for (int i = 0; i < 6; i++)
		annotate(&trace, "train", 10);
	finish(run, check(&run, &trace, "annotations", STEPS_REPEATS, 6, "train"));
}

/* A step lasts until the next load; the last one until the last call, not the last function. */
TEST(loads_begin_steps)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	for (int i = 0; i < 5; i++) {
		annotate(&trace, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0);
		trace.now += 10;
		iterate(&trace, 20);
	}
	add(&trace, "python_function", "main", 0, trace.now + 7000, "");
	struct table *steps = check(&run, &trace, "loader", STEPS_LOADER, 5,
				    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(table_number(steps, i, "launches"), 20);
		assert_true(table_number(steps, i, "dur_ns") <= 120000);
	}
	finish(run, steps);
}

/* Operators are work where no device worked; else ranges of operators alone are empty. */
TEST(ranges_without_device_work_are_no_steps)
{
	for (int kernels = 0; kernels < 2; kernels++) {
		struct trace trace = { .now = 1000 };
		struct run *run;
		char name[32];
		for (int i = 0; i < 4; i++) {
			snprintf(name, sizeof name, "iteration_%d", i);
			add(&trace, "user_annotation", name, trace.now, 40, "");
			add(&trace, "cpu_op", "aten::mm", trace.now + 5, 20, "");
			trace.now += 50;
			if (kernels)
				iterate(&trace, 1 + 3 * i); /* outside */
		}
		if (kernels)
			finish(run, check(&run, &trace, NULL, STEPS_NONE, 1, ""));
		else
			finish(run, check(&run, &trace, "ranges", STEPS_RANGES, 4, "iteration_N"));
	}
}

/* Two optimizers in a row end one step. */
TEST(optimizers_in_a_row_are_one_mark)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	train(&trace, 3, 30, 2, 0);
	finish(run, check(&run, &trace, NULL, STEPS_OPTIMIZER, 3, "Optimizer.step#SGD.step"));
}

TEST(two_optimizer_steps_are_too_few)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	train(&trace, 2, 8, 1, 0);
	finish(run, check(&run, &trace, NULL, STEPS_NONE, 1, ""));
}

TEST(profiler_steps_come_first)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	char name[32];
	for (int i = 0; i < 4; i++) {
		long start = trace.now;
		iterate(&trace, 8);
		annotate(&trace, "Optimizer.step#SGD.step", 2);
		snprintf(name, sizeof name, "ProfilerStep#%d", 7 + i);
		add(&trace, "user_annotation", name, start, trace.now - start, "");
	}
	struct table *steps = check(&run, &trace, NULL, STEPS_PROFILER, 4, "ProfilerStep");
	assert_int_equal(table_number(steps, 0, "step"), 7);
	finish(run, steps);
}

/* ---- ranges ---- */

TEST(numbered_ranges_are_steps)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	char name[32];
	for (int i = 0; i < 4; i++) {
		long start = trace.now;
		for (int layer = 0; layer < 3; layer++) {
			snprintf(name, sizeof name, "layer_%d", layer);
			annotate(&trace, name, 4);
		}
		snprintf(name, sizeof name, "Iteration %d", 40 + i);
		add(&trace, "user_annotation", name, start, trace.now - start, "");
		trace.now += 100; /* between ranges */
	}
	struct table *steps = check(&run, &trace, NULL, STEPS_RANGES, 4, "Iteration N");
	assert_int_equal(table_number(steps, 0, "step"), 40);
	assert_int_equal(table_number(steps, 3, "step"), 43);
	assert_int_equal(table_number(steps, 3, "dur_ns"), 61000); /* until its last kernel */
	finish(run, steps);
}

/* Each of COUNT tokens, whose range is PREFIX, its number and SUFFIX, in PARTS ranges. */
static void decode(struct trace *trace, int count, int parts, const char *prefix,
		   const char *suffix)
{
	char name[64];
	for (int i = 0; i < count; i++) {
		long start = trace->now;
		for (int part = 0; part < parts; part++) {
			snprintf(name, sizeof name, "layer_%d_compute", part);
			annotate(trace, name, 3 + i % 2);
		}
		snprintf(name, sizeof name, "%s%d%s", prefix, i, suffix);
		add(trace, "user_annotation", name, start, trace->now - start, "");
	}
}

/* Words may follow the number; the layers are of all steps then. */
TEST(words_may_follow_the_number_of_a_step)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	size_t computes = 0;
	decode(&trace, 4, 2, "token_", "_processing");
	struct table *steps = check(&run, &trace, NULL, STEPS_RANGES, 4, "token_N_processing");
	assert_int_equal(table_number(steps, 3, "step"), 3);
	struct table *layers = trace_view(run, "layers", NULL, NULL);
	for (size_t i = 0; i < layers->rows; i++) {
		const char *name = table_text(layers, i, "name");
		assert_null(strstr(name, "token_"));
		if (strstr(name, "layer_1_compute")) {
			assert_int_equal(table_number(layers, i, "calls"), 4);
			computes++;
		}
	}
	assert_int_equal(computes, 1);
	table_free(layers);
	finish(run, steps);
}

/* Two halves of a step are none: each lacks the work of the other. */
TEST(numbered_halves_are_not_steps)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	char name[32];
	for (int i = 0; i < 4; i++)
		for (int half = 0; half < 2; half++) {
			snprintf(name, sizeof name, "step_%d_%s", i, half ? "backward" : "forward");
			annotate(&trace, name, 3 + i);
		}
	finish(run, check(&run, &trace, NULL, STEPS_NONE, 1, ""));
}

/* Numbered layers of one forward pass are not iterations. */
TEST(numbered_layers_are_not_steps)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	char name[32];
	for (int layer = 0; layer < 12; layer++) {
		snprintf(name, sizeof name, "layer_%d", layer);
		annotate(&trace, name, 4);
	}
	finish(run, check(&run, &trace, NULL, STEPS_NONE, 1, ""));
}

/* ---- servers ---- */

TEST(server_annotations_are_steps)
{
	static const char *const names[] = { "execute_context_1(64)_generation_0(0)",
					     "execute_context_0(0)_generation_8(8)",
					     "execute_context_0(0)_generation_8(8)" };
	struct trace trace = { .now = 1000 };
	struct run *run;
	for (int i = 0; i < 6; i++) {
		annotate(&trace, names[i % 3], 8);
		iterate(&trace, 2); /* sampling, after the annotation */
	}
	struct table *steps = check(&run, &trace, NULL, STEPS_SERVER, 6, "execute_…");
	assert_int_equal(table_number(steps, 0, "launches"), 10);
	assert_string_equal(table_cell(steps, 1, "name").text, names[1]);
	finish(run, steps);
}

TEST(server_steps_of_sglang)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	for (int i = 0; i < 3; i++)
		annotate(&trace, i ? "step[DECODE bs=32]" : "step[EXTEND bs=1 toks=64]", 8);
	finish(run, check(&run, &trace, NULL, STEPS_SERVER, 3, "step[…"));
}

/* ---- period ---- */

static struct table *with_period(struct run **run, int iterations, int kernels,
				 enum step_source source, uint32_t count, const char *from)
{
	struct trace trace = { .now = 1000 };
	for (int i = 0; i < iterations; i++)
		iterate(&trace, kernels);
	return check(run, &trace, NULL, source, count, from);
}

TEST(six_iterations_are_a_period)
{
	struct run *run;
	struct table *steps = with_period(&run, 6, 12, STEPS_PERIOD, 6, "a period of 12 kernels");
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(table_number(steps, i, "launches"), 12);
	assert_int_equal(table_number(steps, 2, "dur_ns"), 60000);
	finish(run, steps);
}

TEST(five_iterations_are_no_period)
{
	struct run *run;
	finish(run, with_period(&run, 5, 12, STEPS_NONE, 1, ""));
}

/* What another process launches on the same device, between its own kernels, is not of its period.
 */
TEST(a_period_is_of_one_process)
{
	struct trace trace = { .now = 1000 };
	struct error error = { 0 };
	for (int i = 0; i < 8; i++) {
		iterate(&trace, 12);
		for (int other = 0; other < i; other++) {
			buffer_printf(
				&trace.events,
				",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":"
				"\"cudaLaunchKernel\",\"pid\":2,\"tid\":2,\"ts\":%ld,\"dur\":1,"
				"\"args\":{\"correlation\":%d}},{\"ph\":\"X\",\"cat\":\"kernel\","
				"\"name\":\"other%d\",\"pid\":0,\"tid\":8,\"ts\":%ld,\"dur\":1,"
				"\"args\":{\"device\":0,\"stream\":8,\"correlation\":%d}}",
				trace.now - 40 + other, 1000 + 10 * i + other, other,
				trace.now - 30 + other, 1000 + 10 * i + other);
		}
	}
	struct run *run = open_trace(&trace, NULL, &error);
	assert_non_null(run);
	assert_rows(run, "steps", NULL, NULL, "step,launches",
		    "0,12\n1,13\n2,14\n3,15\n4,16\n5,17\n6,18\n7,19\n");
	run_free(run);
}

/* A loop of a few kernels is not an iteration, nor are two rounds of it. */
TEST(short_loop_is_no_period)
{
	struct run *run;
	finish(run, with_period(&run, 60, 6, STEPS_NONE, 1, ""));
}

/* A copy from the host, before the next launch. */
static void copy_in(struct trace *trace)
{
	char args[64];
	snprintf(args, sizeof args, "\"correlation\":%d", ++trace->correlation);
	add(trace, "cuda_runtime", "cudaMemcpyAsync", trace->now, 3, args);
	buffer_printf(
		&trace->events,
		",{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pinned -> Device)\","
		"\"pid\":0,\"tid\":7,\"ts\":%ld,\"dur\":1,\"args\":{\"device\":0,\"stream\":7,"
		"\"correlation\":%d}}",
		trace->now + 4, trace->correlation);
	trace->now += 5;
}

/* Repeats between other kernels are layers, unless each reads input of its own. */
TEST(repeats_that_read_input_are_iterations)
{
	for (int copies = 0; copies < 2; copies++) {
		struct trace trace = { .now = 1000 };
		struct run *run;
		launch(&trace, "embedding");
		for (int i = 0; i < 9; i++) {
			if (copies)
				copy_in(&trace);
			iterate(&trace, 20);
		}
		launch(&trace, "classifier");
		launch(&trace, "softmax");
		if (copies)
			finish(run, check(&run, &trace, NULL, STEPS_PERIOD, 9,
					  "a period of 20 kernels"));
		else
			finish(run, check(&run, &trace, NULL, STEPS_NONE, 1, ""));
	}
}

/* That each reads input is seen wherever the first of them begins. */
TEST(iterations_read_input_after_other_kernels)
{
	for (int every = 1; every < 3; every++) {
		struct trace trace = { .now = 1000 };
		struct run *run;
		for (int i = 0; i < 40; i++)
			launch(&trace, i % 3 ? "tune_a" : "tune_b");
		for (int i = 0; i < 9; i++) {
			if (i % every == 0)
				copy_in(&trace);
			iterate(&trace, 20);
		}
		launch(&trace, "classifier");
		launch(&trace, "softmax");
		if (every == 1)
			finish(run, check(&run, &trace, NULL, STEPS_PERIOD, 9,
					  "a period of 20 kernels"));
		else
			finish(run, check(&run, &trace, NULL, STEPS_NONE, 1, ""));
	}
}

/* Attention once in each repeat: layers, also after other kernels. */
TEST(repeats_with_one_attention_are_layers)
{
	static const char *const names[] = { "flash_fwd", "gemm" };
	for (int other = 0; other < 2; other++) {
		struct trace trace = { .now = 1000 };
		struct run *run;
		for (int i = 0; i < 40; i++)
			launch(&trace, i % 3 ? "tune_a" : "tune_b");
		for (int i = 0; i < 9; i++) {
			iterate(&trace, 20);
			launch(&trace, names[other]);
		}
		if (other)
			finish(run, check(&run, &trace, NULL, STEPS_PERIOD, 9,
					  "a period of 21 kernels"));
		else
			finish(run, check(&run, &trace, NULL, STEPS_NONE, 1, ""));
	}
}

TEST(irregular_sequence_has_no_period)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	uint32_t random = 1;
	char name[32];
	for (int i = 0; i < 400; i++) {
		random = random * 1664525 + 1013904223;
		snprintf(name, sizeof name, "k%u", random >> 28);
		launch(&trace, name);
	}
	finish(run, check(&run, &trace, NULL, STEPS_NONE, 1, ""));
}

/* A part of the kernels may have other names each time: one of 20, not three of 51. */
TEST(nineteen_of_twenty_names_repeat)
{
	static const struct {
		int kernels, others;
		enum step_source source;
		uint32_t count;
		const char *from;
	} cases[] = {
		{ 20, 1, STEPS_PERIOD, 8, "a period of 20 kernels" },
		{ 51, 3, STEPS_NONE, 1, "" },
		{ 60, 3, STEPS_PERIOD, 8, "a period of 60 kernels" },
	};
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct trace trace = { .now = 1000 };
		struct run *run;
		for (int i = 0; i < 8; i++)
			for (int k = 0; k < cases[c].kernels; k++) {
				int every = cases[c].kernels / cases[c].others;
				char name[32];
				snprintf(name, sizeof name, "k%d_%d", k,
					 k % every == every / 2 ? i : -1);
				launch(&trace, name);
			}
		finish(run,
		       check(&run, &trace, NULL, cases[c].source, cases[c].count, cases[c].from));
	}
}

/* The first iteration tunes kernels: it is not whole; the next ones are. */
TEST(period_starts_after_other_kernels)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	for (int i = 0; i < 40; i++)
		launch(&trace, i % 3 ? "tune_a" : "tune_b");
	for (int i = 0; i < 9; i++)
		iterate(&trace, 20);
	struct table *steps = check(&run, &trace, NULL, STEPS_PERIOD, 9, "a period of 20 kernels");
	assert_int_equal(table_number(steps, 0, "start_ns"), 201000); /* after the last of them */
	finish(run, steps);
}

/* Iterations begin where the host pauses, even if the capture begins elsewhere. */
TEST(period_starts_after_the_pause)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	char name[32];
	for (int i = 5; i < 9 * 12; i++) {
		snprintf(name, sizeof name, "k%d", i % 12);
		trace.now += i % 12 == 0 ? 40 : 0;
		launch(&trace, name);
	}
	struct table *steps = check(&run, &trace, NULL, STEPS_PERIOD, 8, "a period of 12 kernels");
	assert_int_equal(table_number(steps, 0, "start_ns"), (7 * 5 + 40) * 1000);
	finish(run, steps);
}

/* One forward pass: embedding, equal layers, output. */
TEST(layers_of_one_pass_are_no_period)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	launch(&trace, "embedding");
	for (int i = 0; i < 24; i++)
		iterate(&trace, 14);
	launch(&trace, "logits");
	finish(run, check(&run, &trace, NULL, STEPS_NONE, 1, ""));
}

/* Layers repeat within iterations: the iterations are the steps. */
TEST(period_is_of_iterations_not_of_layers)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	for (int i = 0; i < 7; i++) {
		launch(&trace, "embedding");
		for (int layer = 0; layer < 8; layer++)
			iterate(&trace, 12);
		launch(&trace, "logits");
		launch(&trace, "loss");
	}
	finish(run, check(&run, &trace, NULL, STEPS_PERIOD, 7, "a period of 99 kernels"));
}

/* Layers that are equal but for one kernel of the last: they repeat almost, iterations exactly. */
TEST(almost_equal_layers_are_no_iterations)
{
	enum { ITERATIONS = 7, LAYERS = 8, KERNELS = 24 };
	struct trace trace = { .now = 1000 };
	struct run *run;
	for (int i = 0; i < ITERATIONS * LAYERS; i++) {
		iterate(&trace, KERNELS - 1);
		launch(&trace, i % LAYERS == LAYERS - 1 ? "last" : "flash_fwd");
	}
	finish(run, check(&run, &trace, NULL, STEPS_PERIOD, ITERATIONS, "a period of 192 kernels"));
}

/* Five iterations of equal layers are too few: neither these nor their layers are steps. */
TEST(layers_of_few_iterations_are_no_period)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	for (int i = 0; i < 5; i++) {
		launch(&trace, "embedding");
		for (int layer = 0; layer < 12; layer++)
			iterate(&trace, 12);
		launch(&trace, "logits");
	}
	finish(run, check(&run, &trace, NULL, STEPS_NONE, 1, ""));
}

/* ---- what all sources share ---- */

TEST(slow_first_step_is_warm_up)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	for (int i = 0; i < 4; i++) {
		launch(&trace, "first");
		trace.now += i ? 0 : 500;
		iterate(&trace, 8);
		annotate(&trace, "Optimizer.step#SGD.step", 2);
	}
	struct table *steps =
		check(&run, &trace, NULL, STEPS_OPTIMIZER, 4, "Optimizer.step#SGD.step");
	assert_true(run->ranks[0].derived->steps[0].slow_start);
	assert_false(run->ranks[0].derived->steps[1].slow_start);
	finish(run, steps);
}

/* ---- the user's choice ---- */

static struct trace training(void)
{
	struct trace trace = { .now = 1000 };
	for (int i = 0; i < 6; i++) {
		annotate(&trace, "forward", 6);
		annotate(&trace, "backward", 6);
		annotate(&trace, "Optimizer.step#SGD.step", 2);
	}
	return trace;
}

TEST(source_and_range_can_be_chosen)
{
	struct trace trace = training();
	struct run *run;
	finish(run, check(&run, &trace, NULL, STEPS_OPTIMIZER, 6, "Optimizer.step#SGD.step"));
	trace = training();
	finish(run, check(&run, &trace, "period", STEPS_PERIOD, 6, "a period of 14 kernels"));
	trace = training();
	struct table *steps = check(&run, &trace, "backward", STEPS_RANGE, 6, "backward");
	assert_int_equal(table_number(steps, 0, "launches"), 6);
	finish(run, steps);
}

TEST(chosen_range_includes_other_numbers)
{
	struct trace trace = { .now = 1000 };
	struct run *run;
	annotate(&trace, "batch 3", 4);
	annotate(&trace, "batch 4", 4);
	struct table *steps = check(&run, &trace, "batch 4", STEPS_RANGE, 2, "batch N");
	assert_int_equal(table_number(steps, 1, "step"), 4);
	finish(run, steps);
}

TEST(unknown_choice_is_an_error)
{
	struct trace trace = training();
	struct error error = { 0 };
	assert_null(open_trace(&trace, "loader", &error));
	assert_int_equal(error.code, ERROR_USAGE);
	assert_string_equal(error.message, "no steps from 'loader' in this profile");
}

/* Steps are a scope in all views. */
TEST(found_steps_are_a_scope)
{
	struct trace trace = training();
	struct error error = { 0 };
	struct run *run = open_trace(&trace, NULL, &error);
	struct scope scope;
	scope_init(&scope);
	assert_true(scope_set(&scope, "steps", "2..3", &error));
	struct table *launches = trace_view(run, "launches", &scope, NULL);
	struct table *ranks = trace_view(run, "ranks", NULL, NULL);
	assert_int_equal(launches->rows, 28);
	assert_int_equal(table_number(ranks, 0, "step_ns"), 70166); /* six in 421 us */
	table_free(ranks);
	finish(run, launches);
	scope_clear(&scope);
}
