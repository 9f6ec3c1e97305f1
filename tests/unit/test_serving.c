/*
 * Iterations of inference servers: what their names tell, and runs of known phases.
 *
 * The runs are generated: each iteration has a phase, requests and tokens drawn at random, a name
 * in one of the servers' forms, and kernels; sums over phases are held against the whole.
 */
#include "trace_case.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "derived/derived.h"
#include "derived/serving.h"
#include "sql/query.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { UNKNOWN = -1 };

/* ---- names ---- */

static const struct {
	const char *name;
	enum phase phase;
	int64_t requests, tokens_in, tokens_out, context, slots; /* UNKNOWN: not told */
} names[] = {
	{ "execute_context_2(14721)_generation_0(0)", PHASE_PREFILL, 2, 14721, 0, -1, -1 },
	{ "execute_context_0(0)_generation_32(128)", PHASE_DECODE, 32, 0, 128, -1, -1 },
	{ "execute_context_2(6144)_generation_3(3)", PHASE_MIXED, 5, 6144, 3, -1, -1 },
	{ "execute_context_0(0)_generation_0(0)", PHASE_IDLE, 0, 0, 0, -1, -1 },
	{ "execute_context_1(888_788544)_generation_0(0)", PHASE_PREFILL, 1, 888, 0, -1, -1 },
	{ "execute_6147_context_2(sq6144sk7144sqsq20971520sqsk23019520)"
	  "_generation_3(sq3sk6144sqsq3sqsk6144)",
	  PHASE_MIXED, 5, 6144, 3, 13288, -1 },
	{ "execute_new_1_cached_31", PHASE_MIXED, 32, -1, -1, -1, -1 },
	{ "execute_new_0_cached_31", PHASE_DECODE, 31, -1, -1, -1, -1 },
	{ "execute_diffusion_1_256x256", PHASE_NONE, 1, -1, -1, -1, -1 },
	{ "step[EXTEND bs=2 toks=12 c_sqsq=80 c_sqsk=120 c_sk=20]", PHASE_PREFILL, 2, 12, 0, 20,
	  -1 },
	{ "step[DECODE bs=64]", PHASE_DECODE, 64, 0, 64, -1, -1 },
	{ "step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 g_sk=131072]", PHASE_DECODE, 64, 0,
	  128, 131072, -1 },
	{ "step[TARGET_VERIFY bs=8]", PHASE_DECODE, 8, 0, -1, -1, -1 },
	{ "step[MIXED bs=2]", PHASE_MIXED, 2, -1, -1, -1, -1 },
	{ "step[MIXED bs=5 c=2 g=3 c_sq=6144 c_sk=7144 c_sqsq=1 c_sqsk=2 g_sq=3 g_sk=6144 "
	  "g_sqsq=3 g_sqsk=6144]",
	  PHASE_MIXED, 5, 6144, 3, 13288, -1 },
	{ "step[IDLE bs=0]", PHASE_IDLE, 0, 0, 0, -1, -1 },
	{ "prefill[bs=6 tok=17408 ctx=[4096, 4096, 4096]...+3 sqsq=5 sqsk=5 sk=17408 tbo=1]",
	  PHASE_PREFILL, 6, 17408, 0, 17408, -1 },
	{ "decode[bs=117/128 tok=117 d=117]", PHASE_DECODE, 117, 0, 117, -1, 128 },
	{ "decode[bs=128 tok=384 p=2 d=126 sqsq=1 sqsk=2 sk=258048]", PHASE_MIXED, 128, -1, -1,
	  258048, -1 },
	{ "[Executor] _forward_step 7: 2 ctx reqs, 900 ctx tokens, 0 gen reqs", PHASE_PREFILL, 2,
	  900, 0, -1, -1 },
	{ "[Executor] _forward_step: 0 ctx reqs, 64 gen reqs", PHASE_DECODE, 64, 0, -1, -1, -1 },
};

static int64_t or_unknown(int64_t value)
{
	return value == NO_VALUE ? UNKNOWN : value;
}

TEST(names_of_iterations_tell_their_batch)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct request_batch batch;
		enum phase phase;
		if (!batch_of_name(names[i].name, &batch, &phase))
			fail_msg("not read: %s", names[i].name);
		if (phase != names[i].phase || or_unknown(batch.requests) != names[i].requests ||
		    or_unknown(batch.tokens_in) != names[i].tokens_in ||
		    or_unknown(batch.tokens_out) != names[i].tokens_out ||
		    or_unknown(batch.context) != names[i].context ||
		    or_unknown(batch.slots) != names[i].slots)
			fail_msg("%s: %s, requests %" PRId64 ", tokens %" PRId64 " and %" PRId64
				 ", context %" PRId64,
				 names[i].name, phase_name(phase), batch.requests, batch.tokens_in,
				 batch.tokens_out, batch.context);
	}
}

/* Names like them, cut anywhere, and with numbers too large: refused or read, never more. */
TEST(other_names_are_no_iterations)
{
	static const char *const others[] = { "execute_model",
					      "execute_context_sql",
					      "step[3]",
					      "decode",
					      "prefill_bs_2",
					      "decode[raw]",
					      "[Executor] _forward_step",
					      "aten::mm",
					      "",
					      "execute_new_99999999999999999999_cached_1" };
	struct request_batch batch;
	enum phase phase;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (batch_of_name(others[i], &batch, &phase))
			fail_msg("taken for an iteration: %s", others[i]);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (size_t length = 0; length < strlen(names[i].name); length++) {
			char *cut = mem_strndup(names[i].name, length);
			batch_of_name(cut, &batch, &phase);
			mem_free(cut);
		}
}

/* ---- generated runs ---- */

struct server_iteration {
	enum phase phase;
	int64_t requests, tokens_in, tokens_out; /* tokens UNKNOWN: the form does not tell */
	int64_t kernel_ns;
};

struct server_run {
	struct buffer events;
	unsigned seed;
	long now, gpu; /* us */
	int correlation;
	struct server_iteration iterations[40];
	int count;
	int64_t outside_ns; /* kernels of no iteration */
};

static unsigned draw(struct server_run *run, unsigned below)
{
	run->seed = run->seed * 1664525u + 1013904223u;
	return (run->seed >> 8) % below;
}

static void add_event(struct server_run *run, const char *category, const char *name, int pid,
		      int tid, long start, long dur, int correlation)
{
	buffer_printf(&run->events,
		      "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,"
		      "\"ts\":%ld,\"dur\":%ld,\"args\":{\"correlation\":%d,\"device\":0,"
		      "\"stream\":%d}}",
		      run->events.length ? "," : "", category, name, pid, tid, start, dur,
		      correlation, tid);
}

/* Operators that launch a kernel each; their time in ns. */
static int64_t work(struct server_run *run, int kernels)
{
	int64_t ns = 0;
	for (int i = 0; i < kernels; i++) {
		long dur = 5 + draw(run, 40);
		char kernel[16], op[16];
		snprintf(kernel, sizeof kernel, "k%u", draw(run, 4));
		snprintf(op, sizeof op, "aten::op%u", draw(run, 3));
		add_event(run, "cpu_op", op, 1, 1, run->now, 6, 0);
		add_event(run, "cuda_runtime", "cudaLaunchKernel", 1, 1, run->now + 1, 3,
			  ++run->correlation);
		long start = run->now + 5 > run->gpu ? run->now + 5 : run->gpu;
		add_event(run, "kernel", kernel, 0, 7, start, dur, run->correlation);
		run->gpu = start + dur;
		run->now += 8;
		ns += 1000 * dur;
	}
	return ns;
}

/* The name of the iteration in the form of a server, 0 to 4. */
static void name_iteration(struct server_iteration *at, unsigned form, int index, char out[160])
{
	bool prompts = at->phase == PHASE_PREFILL || at->phase == PHASE_MIXED;
	bool next = at->phase == PHASE_DECODE || at->phase == PHASE_MIXED;
	int64_t first = at->phase == PHASE_MIXED ? 1 : prompts ? at->requests : 0;
	int64_t rest = next ? at->requests - (prompts ? 1 : 0) : 0;
	static const char *const modes[] = { "", "EXTEND", "DECODE", "MIXED", "IDLE" };
	if (form == 0)
		snprintf(out, 160,
			 "execute_context_%" PRId64 "(%" PRId64 ")_generation_%" PRId64 "(%" PRId64
			 ")",
			 first, at->tokens_in, rest, at->tokens_out);
	else if (form == 1)
		snprintf(out, 160,
			 "step[%s bs=%" PRId64 " toks=%" PRId64 " c=%" PRId64 " g=%" PRId64
			 " c_sq=%" PRId64 " g_sq=%" PRId64 "]",
			 modes[at->phase], at->requests, at->tokens_in, first, rest, at->tokens_in,
			 at->tokens_out);
	else if (form == 2)
		snprintf(out, 160, "execute_new_%" PRId64 "_cached_%" PRId64, first, rest);
	else
		snprintf(out, 160,
			 "[Executor] _forward_step %d: %" PRId64 " ctx reqs, %" PRId64
			 " ctx tokens, %" PRId64 " gen reqs, %" PRId64 " gen tokens",
			 index, first, at->tokens_in, rest, at->tokens_out);
	if (form == 2)
		at->tokens_in = at->tokens_out = UNKNOWN;
}

/* An iteration; without work if idle. */
static void iterate(struct server_run *run, unsigned form)
{
	struct server_iteration *at = &run->iterations[run->count];
	char name[160];
	at->phase = (enum phase)(PHASE_PREFILL + draw(run, PHASE_IDLE));
	at->requests = at->phase == PHASE_IDLE ? 0 : 2 + draw(run, 60);
	at->tokens_in =
		at->phase == PHASE_PREFILL || at->phase == PHASE_MIXED ? 100 + draw(run, 4000) : 0;
	at->tokens_out = at->phase == PHASE_DECODE  ? at->requests
			 : at->phase == PHASE_MIXED ? at->requests - 1
						    : 0;
	name_iteration(at, form, run->count++, name);
	long start = run->now;
	at->kernel_ns = work(run, at->phase == PHASE_IDLE ? 0 : 3 + (int)draw(run, 10));
	run->now += 20;
	add_event(run, "user_annotation", name, 1, 1, start, run->now - start, 0);
	run->now += 1 + draw(run, 30); /* the scheduler */
}

static struct run *generate(struct server_run *server, unsigned seed)
{
	*server = (struct server_run){ .seed = seed, .now = 1000 };
	unsigned form = seed % 4;
	int count = 3 + (int)draw(server, 37);
	server->outside_ns = work(server, 2);
	server->now = server->gpu + 1000;
	for (int i = 0; i < count; i++)
		iterate(server, form);
	AUTO_BUFFER struct buffer document = { 0 };
	buffer_printf(&document, DOCUMENT("%s"), buffer_text(&server->events));
	buffer_free(&server->events);
	return trace_run(buffer_text(&document));
}

static int64_t sum_of(const struct table *table, const char *column, const char *where,
		      const char *is)
{
	int64_t sum = 0;
	for (size_t i = 0; i < table->rows; i++)
		if (!where || strcmp(table_text(table, i, where), is) == 0)
			sum += table_number(table, i, column);
	return sum;
}

static void check_steps(const struct run *run, const struct server_run *server, unsigned seed)
{
	struct table *steps = trace_view(run, "steps", NULL, NULL);
	assert_int_equal(steps->rows, server->count);
	for (int i = 0; i < server->count; i++) {
		const struct server_iteration *at = &server->iterations[i];
		struct value in = table_cell(steps, (size_t)i, "tokens_in");
		struct value out = table_cell(steps, (size_t)i, "tokens_out");
		if (strcmp(table_text(steps, (size_t)i, "phase"), phase_name(at->phase)) != 0 ||
		    table_number(steps, (size_t)i, "requests") != at->requests ||
		    (in.kind == VALUE_MISSING ? UNKNOWN : in.integer) != at->tokens_in ||
		    (out.kind == VALUE_MISSING ? UNKNOWN : out.integer) != at->tokens_out)
			fail_msg("seed %u, iteration %d: %s, not %s", seed, i,
				 table_text(steps, (size_t)i, "phase"), phase_name(at->phase));
	}
	table_free(steps);
}

/* COLUMN over all rows of VIEW, over those of each phase, and in the scope of each phase. */
static void check_sums(const struct run *run, const char *view, const char *column,
		       const int64_t *expected, unsigned seed)
{
	struct table *whole = trace_view(run, view, NULL, NULL);
	struct table *parts = trace_view(run, view, NULL, "phase");
	int64_t all = 0, scopes = 0;
	for (unsigned phase = 0; phase < PHASES; phase++) {
		int64_t sum = sum_of(parts, column, "phase", phase_name((enum phase)phase));
		struct scope scope;
		scope_init(&scope);
		scope.phases = 1u << phase;
		struct table *own = trace_view(run, view, &scope, NULL);
		if (expected && sum != expected[phase])
			fail_msg("seed %u, %s, %s: %" PRId64 ", not %" PRId64, seed, view,
				 phase_name((enum phase)phase), sum, expected[phase]);
		if (sum != sum_of(own, column, NULL, NULL))
			fail_msg("seed %u, %s, %s: scope and grouping differ", seed, view,
				 phase_name((enum phase)phase));
		scopes += sum;
		table_free(own);
	}
	all = sum_of(whole, column, NULL, NULL);
	if (all != scopes)
		fail_msg("seed %u, %s: phases sum to %" PRId64 ", not %" PRId64, seed, view, scopes,
			 all);
	table_free(whole);
	table_free(parts);
}

TEST(phases_of_generated_runs_are_exact_and_sum_to_the_whole)
{
	for (unsigned seed = 1; seed <= 200; seed++) {
		if (!test_sampled(seed, 4))
			continue;
		struct server_run server;
		struct run *run = generate(&server, seed);
		int64_t kernel_ns[PHASES] = { server.outside_ns };
		for (int i = 0; i < server.count; i++)
			kernel_ns[server.iterations[i].phase] += server.iterations[i].kernel_ns;
		check_steps(run, &server, seed);
		check_sums(run, "kernels", "total_ns", kernel_ns, seed);
		check_sums(run, "operators", "gpu_self_ns", kernel_ns, seed);
		check_sums(run, "layers", "gpu_self_ns", NULL, seed);
		check_sums(run, "gaps", "dur_ns", NULL, seed);
		check_sums(run, "steps", "dur_ns", NULL, seed);
		run_free(run);
	}
}

/* ---- the host gap of decode steps ---- */

/* What the host does in an iteration after the GPU's end. */
static const struct {
	const char *cause, *category, *name;
} gap_work[] = {
	{ "sampling", "python_function", "vllm/v1/sample/sampler.py(68): forward" },
	{ "detokenization", "python_function", "vllm/v1/engine/detokenizer.py(120): update" },
	{ "all-reduce wait", "user_annotation", "gloo:all_reduce" },
	{ "scheduler", "python_function", "vllm/v1/core/sched/scheduler.py(300): schedule" },
	{ "CPU work", "python_function", "server/metrics.py(12): report" },
	{ "launch", NULL, NULL },
};

enum { GAP_WORK = sizeof gap_work / sizeof *gap_work };

/* What the annotation of an iteration covers. */
enum annotated { ANNOTATED_ALL, ANNOTATED_MODEL, ANNOTATED_LAUNCHES, ANNOTATED_FORMS };

/*
 * A decode step with the work of all causes, mostly of the planted one; its GPU end to the next.
 * Whatever the annotation covers, the step lasts until the next one.
 */
static void decode(struct server_run *run, unsigned planted, enum annotated annotated)
{
	long start = run->now, slow = planted == GAP_WORK - 1 ? 150 + draw(run, 150) : 5;
	for (unsigned i = 0, kernels = 4 + draw(run, 8); i < kernels; i++) {
		add_event(run, "cpu_op", "aten::mm", 1, 1, run->now, slow + 3, 0);
		add_event(run, "cuda_runtime", "cudaLaunchKernel", 1, 1, run->now + slow - 2, 4,
			  ++run->correlation);
		long at = run->now + slow + 3 > run->gpu ? run->now + slow + 3 : run->gpu;
		add_event(run, "kernel", "gemm", 0, 7, at, 30, run->correlation);
		run->gpu = at + 30;
		run->now += slow + 4;
	}
	long end = run->now - 1;
	add_event(run, "cuda_runtime", "cudaStreamSynchronize", 1, 1, run->now,
		  run->gpu + 1 - run->now, 0);
	run->now = run->gpu + 2;
	end = annotated == ANNOTATED_MODEL ? run->now - 1 : end;
	for (unsigned i = 0; gap_work[i].name; i++) {
		long dur = i == planted ? 600 + draw(run, 900) : 20 + draw(run, 60);
		add_event(run, gap_work[i].category, gap_work[i].name, 1, 1, run->now, dur, 0);
		run->now += dur + 1;
	}
	end = annotated == ANNOTATED_ALL ? run->now : end;
	add_event(run, "user_annotation", "step[DECODE bs=8]", 1, 1, start, end - start, 0);
	run->now += 2;
}

/* Does the step of each iteration but the last end where the next begins? */
static bool steps_touch(const struct run *run, unsigned count)
{
	struct table *steps = trace_view(run, "steps", NULL, NULL);
	bool touch = steps->rows == count;
	for (size_t i = 1; i + 1 < steps->rows && touch; i++)
		touch = table_number(steps, i, "start_ns") + table_number(steps, i, "dur_ns") ==
			table_number(steps, i + 1, "start_ns");
	table_free(steps);
	return touch;
}

/* Is the cause first in the rows of decode by idle time, and does the finding name it? */
static bool is_first(const struct run *run, const char *cause)
{
	struct table *gaps = trace_view(run, "gaps", NULL, "phase");
	struct table *advice = trace_view(run, "advice", NULL, "all");
	char named[64];
	bool first = gaps->rows && strcmp(table_text(gaps, 0, "cause"), cause) == 0, told = false;
	snprintf(named, sizeof named, "%%): %s ", cause);
	for (size_t row = 0; row < advice->rows; row++)
		told |= strcmp(table_text(advice, row, "detector"), "decode_gap") == 0 &&
			strstr(table_cell(advice, row, "evidence").text, named);
	table_free(gaps);
	table_free(advice);
	return first && told;
}

TEST(the_planted_cause_of_the_host_gap_comes_first)
{
	unsigned right = 0, seeds = 0;
	for (unsigned seed = 1; seed <= 200; seed++) {
		if (!test_sampled(seed, 4))
			continue;
		seeds++;
		struct server_run server = { .seed = seed * 7919, .now = 1000 };
		unsigned planted = seed % GAP_WORK, count = 5 + draw(&server, 15);
		enum annotated annotated = (enum annotated)(seed / GAP_WORK % ANNOTATED_FORMS);
		for (unsigned i = 0; i < count; i++)
			decode(&server, planted, annotated);
		AUTO_BUFFER struct buffer document = { 0 };
		buffer_printf(&document, DOCUMENT("%s"), buffer_text(&server.events));
		buffer_free(&server.events);
		struct run *run = trace_run(buffer_text(&document));
		bool first = is_first(run, gap_work[planted].cause);
		if (!first)
			print_message("seed %u: not %s\n", seed, gap_work[planted].cause);
		if (!steps_touch(run, count))
			fail_msg("seed %u: steps that do not last until the next", seed);
		right += first;
		run_free(run);
	}
	assert_in_range(right, 95 * seeds / 100, seeds);
}

/*
 * A server may mark an iteration twice: what its scheduler calls within the inner mark is no work
 * of the scheduler, and launched work that waits for other work is no work of the host.
 */
TEST(work_within_an_iteration_is_not_of_the_function_around_it)
{
	for (int planted = 0; planted < 2; planted++) {
		struct server_run server = { .now = 1000 };
		for (int i = 0; i < 6; i++) {
			long start = server.now;
			server.now += planted ? 2000 : 5; /* the scheduler's own */
			long inner = server.now;
			for (int kernel = 0; kernel < 4; kernel++) {
				add_event(&server, "cpu_op", "aten::mm", 1, 1, server.now + 1, 200,
					  0);
				add_event(&server, "cuda_runtime", "cudaLaunchKernel", 1, 1,
					  server.now + 190, 5, ++server.correlation);
				add_event(&server, "kernel", "gemm", 0, 7, server.now + 198, 10,
					  server.correlation);
				server.now += 210;
			}
			add_event(&server, "user_annotation", "step[DECODE bs=8]", 1, 1, inner,
				  server.now - inner, 0);
			add_event(&server, "python_function", "managers/scheduler.py(9): run_batch",
				  1, 1, start + 2, server.now + 1 - start, 0);
			server.now += 4;
			add_event(&server, "user_annotation",
				  "execute_context_0(0)_generation_8(8)", 1, 1, start,
				  server.now - start, 0);
			server.now += 1;
		}
		AUTO_BUFFER struct buffer document = { 0 };
		buffer_printf(&document, DOCUMENT("%s"), buffer_text(&server.events));
		buffer_free(&server.events);
		struct run *run = trace_run(buffer_text(&document));
		struct table *gaps = trace_view(run, "gaps", NULL, "phase");
		assert_string_equal(table_text(gaps, 0, "cause"), planted ? "scheduler" : "launch");
		table_free(gaps);
		run_free(run);
	}
}

/* ---- phases without names ---- */

enum { HIDDEN = 64, VOCABULARY = 1000 };

static void add_shaped(struct server_run *run, const char *shapes)
{
	buffer_printf(&run->events,
		      ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,"
		      "\"tid\":1,\"ts\":%ld,\"dur\":6,\"args\":{\"Input Dims\":%s}}",
		      run->now, shapes);
}

static void add_kernel(struct server_run *run, const char *category, const char *name, int graph)
{
	long start = run->now + 5 > run->gpu ? run->now + 5 : run->gpu;
	add_event(run, category, name, 0, 7, start, 10, graph ? graph : run->correlation);
	run->gpu = start + 10;
}

/* A kernel launched by itself, for a product of ROWS x HIDDEN with HIDDEN x COLUMNS unless 0. */
static void launch(struct server_run *run, const char *kernel, int64_t rows, int columns)
{
	char shapes[96];
	snprintf(shapes, sizeof shapes, "[[%" PRId64 ",%d],[%d,%d]]", rows, HIDDEN, HIDDEN,
		 columns);
	if (columns)
		add_shaped(run, shapes);
	add_event(run, "cuda_runtime", "cudaLaunchKernel", 1, 1, run->now + 1, 3,
		  ++run->correlation);
	add_kernel(run, "kernel", kernel, 0);
	run->now += 8;
}

static void copy_to_host(struct server_run *run, int64_t bytes)
{
	add_event(run, "cuda_runtime", "cudaMemcpyAsync", 1, 1, run->now, 3, ++run->correlation);
	long start = run->now + 5 > run->gpu ? run->now + 5 : run->gpu;
	buffer_printf(
		&run->events,
		",{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy DtoH (Device -> "
		"Pageable)\",\"pid\":0,\"tid\":7,\"ts\":%ld,\"dur\":2,\"args\":{\"bytes\":%" PRId64
		",\"correlation\":%d,\"device\":0,\"stream\":7}}",
		start, bytes, run->correlation);
	run->gpu = start + 2;
	run->now = run->gpu + 3;
}

/* The layers of a model for TOKENS, of which NEXT are of requests in decode. */
static void run_layers(struct server_run *run, int64_t tokens, int64_t next)
{
	for (int layer = 0; layer < 3; layer++) {
		launch(run, "ampere_fp16_s16816gemm_fp16_128x64", tokens, 3 * HIDDEN);
		launch(run, "reshape_and_cache_flash_kernel", 0, 0);
		if (tokens > next)
			launch(run, "flash_fwd_kernel", 0, 0);
		if (next)
			launch(run, "flash_fwd_splitkv_kernel", 0, 0);
		launch(run, "ampere_fp16_s16816gemm_fp16_128x64", tokens, HIDDEN);
	}
}

/* The same in decode, replayed from a graph, which holds the product by the vocabulary if WHOLE. */
static void replay_layers(struct server_run *run, bool whole)
{
	int graph = ++run->correlation;
	add_event(run, "cuda_runtime", "cudaGraphLaunch", 1, 1, run->now + 1, 4, graph);
	for (int layer = 0; layer < 3; layer++) {
		add_kernel(run, "kernel", "ampere_fp16_s16816gemm_fp16_128x64", graph);
		add_kernel(run, "kernel", "reshape_and_cache_flash_kernel", graph);
		add_kernel(run, "kernel", "flash_fwd_splitkv_kernel", graph);
	}
	if (whole)
		add_kernel(run, "kernel", "ampere_fp16_s16816gemm_fp16_256x128", graph);
	run->now += 8;
}

/* A step of a server that only the profiler marks. REPLAYED: decode steps are; WHOLE: all of it. */
static void serve_unnamed(struct server_run *run, enum phase phase, bool replayed, bool whole)
{
	struct server_iteration *at = &run->iterations[run->count];
	long start = run->now;
	char name[32];
	int64_t next = 1 + draw(run, 60), prompts = 1 + draw(run, 4), tokens = 0;
	next = phase == PHASE_DECODE || phase == PHASE_MIXED ? next : 0;
	prompts = phase == PHASE_PREFILL || phase == PHASE_MIXED ? prompts : 0;
	tokens = next + (prompts ? prompts * (2 + draw(run, 500)) : 0);
	*at = (struct server_iteration){ phase, next + prompts, UNKNOWN, UNKNOWN, 0 };
	replayed &= phase == PHASE_DECODE;
	if (phase != PHASE_IDLE) {
		if (replayed)
			replay_layers(run, whole);
		else
			run_layers(run, tokens, next);
		if (!replayed || !whole)
			launch(run, "ampere_fp16_s16816gemm_fp16_256x128", at->requests,
			       VOCABULARY);
		copy_to_host(run, 8 * at->requests);
	}
	at->requests = replayed && whole ? UNKNOWN : at->requests;
	run->now += 5;
	snprintf(name, sizeof name, "ProfilerStep#%d", run->count++);
	add_event(run, "user_annotation", name, 1, 1, start, run->now - start, 0);
}

TEST(phases_without_names_follow_from_the_work)
{
	for (unsigned seed = 1; seed <= 200; seed++) {
		if (!test_sampled(seed, 4))
			continue;
		struct server_run server = { .seed = seed * 104729, .now = 1000 };
		unsigned mode = seed % 3, count = 4 + draw(&server, 20);
		serve_unnamed(&server, PHASE_DECODE, mode > 0, mode > 1);
		for (unsigned i = 0; i < count; i++)
			serve_unnamed(&server,
				      (enum phase)(PHASE_PREFILL + draw(&server, PHASE_IDLE)),
				      mode > 0, mode > 1);
		AUTO_BUFFER struct buffer document = { 0 };
		buffer_printf(&document, DOCUMENT("%s"),
			      buffer_text(&server.events) + (server.events.data[0] == ','));
		buffer_free(&server.events);
		struct run *run = trace_run(buffer_text(&document));
		struct table *steps = trace_view(run, "steps", NULL, NULL);
		assert_int_equal(steps->rows, server.count);
		for (int i = 0; i < server.count; i++) {
			const struct server_iteration *at = &server.iterations[i];
			struct value requests = table_cell(steps, (size_t)i, "requests");
			if (strcmp(table_text(steps, (size_t)i, "phase"), phase_name(at->phase)) !=
				    0 ||
			    (requests.kind == VALUE_MISSING ? UNKNOWN : requests.integer) !=
				    at->requests)
				fail_msg("seed %u, step %d: %s, not %s of %" PRId64, seed, i,
					 table_text(steps, (size_t)i, "phase"),
					 phase_name(at->phase), at->requests);
		}
		table_free(steps);
		run_free(run);
	}
}

/* What lacks a witness: evaluation of all tokens, a small classifier, training, and lies. */
TEST(work_of_no_server_has_no_phases)
{
	static const struct {
		int64_t rows;
		int columns;
		const char *besides;
	} models[] = { { 512, VOCABULARY, "aten::add" },
		       { 8, 10, "aten::add" },
		       { 8, VOCABULARY, "autograd::engine::evaluate_function: MmBackward0" },
		       { INT64_MAX / 2, VOCABULARY, "aten::add" } };
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		struct server_run server = { .seed = 1, .now = 1000 };
		for (int step = 0; step < 4; step++) {
			long start = server.now;
			char name[32];
			add_event(&server, "cpu_op", models[i].besides, 1, 1, server.now++, 1, 0);
			run_layers(&server, 512, 0);
			launch(&server, "ampere_fp16_s16816gemm_fp16_256x128", models[i].rows,
			       models[i].columns);
			copy_to_host(&server, 4);
			snprintf(name, sizeof name, "ProfilerStep#%d", step);
			add_event(&server, "user_annotation", name, 1, 1, start, server.now - start,
				  0);
		}
		AUTO_BUFFER struct buffer document = { 0 };
		buffer_printf(&document, DOCUMENT("%s"), buffer_text(&server.events));
		buffer_free(&server.events);
		struct run *run = trace_run(buffer_text(&document));
		assert_rows(run, "steps", NULL, NULL, "phase", "\n\n\n\n");
		run_free(run);
	}
}

/* ---- steps ---- */

/* The profiler's marks around several iterations are no steps of the server. */
TEST(iterations_go_before_marks_that_hold_several)
{
	struct run *run = trace_run(DOCUMENT(
		EVENT("user_annotation", "ProfilerStep#0", "1", "1", "0", "1000", "{}") "," EVENT(
			"user_annotation", "step[EXTEND bs=1 toks=9]", "1", "1", "10", "100",
			"{}") "," EVENT("user_annotation", "step[DECODE bs=1]", "1", "1", "120",
					"100",
					"{}") "," LAUNCH("20",
							 "1") "," KERNEL("k", "30", "5",
									 "1") "," LAUNCH("130",
											 "2") "," KERNEL("k",
													 "140",
													 "5",
													 "2")));
	assert_rows(run, "steps", NULL, NULL, "phase,requests,tokens_in,tokens_out",
		    "prefill,1,9,0\ndecode,1,0,1\n");
	run_free(run);
	run = trace_run(DOCUMENT(
		EVENT("user_annotation", "ProfilerStep#0", "1", "1", "0", "1000", "{}") "," EVENT(
			"user_annotation", "step[DECODE bs=4]", "1", "1", "120", "100",
			"{}") "," EVENT("user_annotation",
					"execute_context_0(sq0sk0sqsq0sqsk0)_generation_4"
					"(sq4sk90sqsq4sqsk90)",
					"1", "1", "130", "50",
					"{}") "," LAUNCH("130", "2") "," KERNEL("k", "140", "5",
										"2")));
	assert_rows(run, "steps", NULL, NULL, "name,phase,requests,tokens_out,context_tokens",
		    "ProfilerStep#0,decode,4,4,90\n");
	run_free(run);
}

/* A function around all iterations, whatever its name, is not why the GPU waits in one of them. */
TEST(a_loop_around_iterations_is_no_cause)
{
	static const char *const loops[] = { "vllm/v1/core/sched/scheduler.py(1): run",
					     "vllm/v1/engine/core.py(9): run" };
	for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
		struct server_run server = { .seed = 5, .now = 1000 };
		for (int step = 0; step < 8; step++) {
			decode(&server, GAP_WORK, ANNOTATED_MODEL);
			server.now += 900;
		}
		add_event(&server, "python_function", loops[i], 1, 1, 990, server.now, 0);
		AUTO_BUFFER struct buffer document = { 0 };
		buffer_printf(&document, DOCUMENT("%s"), buffer_text(&server.events));
		buffer_free(&server.events);
		struct run *run = trace_run(buffer_text(&document));
		struct table *advice = trace_view(run, "advice", NULL, "all");
		size_t row = row_with(advice, "detector", "decode_gap");
		assert_non_null(
			strstr(table_text(advice, row, "evidence"), "(81.3 %): CPU work 1.00 ms"));
		table_free(advice);
		run_free(run);
	}
}
