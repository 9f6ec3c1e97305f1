/*
 * parallel: each piece runs once, out-of-memory in one thread, sorting of runs, and facts
 * independent of the number of processors.
 */
#include "trace_case.h"

#include "derived/derived.h"
#include "base/ahead.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- memory ---- */

static bool take(void *context)
{
	void **memory = context;
	*memory = mem_realloc(*memory, 100 << 20, 1);
	return true;
}

/*
 * The limit holds for all that is allocated; what is freed makes room; zero is no limit. First, as
 * no other test has held more before.
 */
TEST(limit_of_memory)
{
	void *first = NULL, *second = NULL;
	struct error error = { 0 };
	size_t used = mem_used();

	mem_set_limit(used + (80 << 20)); /* and the 64 MiB of buffers */
	assert_true(mem_guard(take, &first, &error));
	assert_in_range(mem_used(), used + (100 << 20), used + (101 << 20));
	assert_true(mem_guard(take, &first, &error)); /* a block is not counted twice */
	assert_false(mem_guard(take, &second, &error));
	assert_int_equal(error.code, ERROR_MEMORY);
	assert_non_null(strstr(error.message, "raise --max-memory"));
	assert_null(mem_may_realloc(first, 200 << 20));
	mem_free(first);
	assert_int_equal(mem_used(), used);
	assert_in_range(mem_peak(), used + (100 << 20), used + (101 << 20));
	assert_true(mem_guard(take, &second, &error));
	mem_set_limit(0);
	first = NULL;
	assert_true(mem_guard(take, &first, &error));
	mem_free(first);
	mem_free(second);
}

/* ---- pieces ---- */

enum { PIECES = 1000, ROWS = 300000 };

static atomic_uint visits[ROWS];

static void visit(void *context, size_t i)
{
	assert_null(context);
	atomic_fetch_add(&visits[i], 1);
}

static void visit_range(void *context, size_t from, size_t to)
{
	assert_true(from < to);
	for (size_t i = from; i < to; i++)
		visit(context, i);
}

static void assert_visited(size_t count)
{
	for (size_t i = 0; i < ROWS; i++)
		assert_int_equal(atomic_exchange(&visits[i], 0), i < count);
}

TEST(each_piece_runs_once)
{
	static const size_t counts[] = { 0, 1, 2, 3, 17, PIECES, ROWS - 1, ROWS };
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		parallel_for(counts[i], visit, NULL);
		assert_visited(counts[i]);
		assert_true(parallel_ranges(counts[i], visit_range, NULL, "", NULL));
		assert_visited(counts[i]);
	}
}

/* One piece per thread; the caller's finishes first. */
struct waiting {
	pthread_t caller;
	atomic_uint begun, looks;
};

static bool work_or_wait(void *context, size_t i, const struct progress *progress)
{
	struct waiting *waiting = context;
	atomic_fetch_add(&waiting->begun, 1);
	while (atomic_load(&waiting->begun) < 2)
		sched_yield();
	if (pthread_equal(pthread_self(), waiting->caller))
		return true;
	while (progress_update(progress, "working", 1, 2, 3))
		sched_yield();
	return false;
}

static bool refuse(void *context, const char *stage, uint64_t done, uint64_t total, uint64_t rows)
{
	struct waiting *waiting = context;
	(void)stage, (void)done, (void)total, (void)rows;
	assert_true(pthread_equal(pthread_self(), waiting->caller));
	return atomic_fetch_add(&waiting->looks, 1) < 2;
}

/* A caller that has run out of work still polls for cancellation and passes it on. */
TEST(cancelled_while_waiting)
{
	struct waiting waiting = { .caller = pthread_self() };
	const struct progress progress = { .update = refuse, .context = &waiting };
	struct error error = { 0 };
	if (parallel_threads() < 2)
		skip();
	assert_false(parallel_try(2, work_or_wait, &waiting, "working", &progress, &error));
	assert_int_equal(error.code, ERROR_CANCELLED);
	assert_int_equal(waiting.looks, 3);
}

static bool do_nothing(void *context, size_t i, const struct progress *progress)
{
	(void)context, (void)i, (void)progress;
	return true;
}

static bool keep_stage(void *context, const char *stage, uint64_t done, uint64_t total,
		       uint64_t rows)
{
	(void)done, (void)total, (void)rows;
	*(const char **)context = stage;
	return true;
}

/* The stage is reported however pieces are distributed over threads. */
TEST(stage_is_reported)
{
	const char *told = NULL;
	const struct progress progress = { .update = keep_stage, .context = &told };
	assert_true(parallel_try(2, do_nothing, NULL, "working", &progress, NULL));
	assert_non_null(told);
	assert_string_equal(told, "working");
}

TEST(cancelled_ranges)
{
	struct waiting waiting = { .caller = pthread_self(), .looks = 2 };
	const struct progress progress = { .update = refuse, .context = &waiting };
	assert_false(parallel_ranges(ROWS, visit_range, NULL, "", &progress));
	for (size_t i = 0; i < ROWS; i++)
		assert_true(atomic_exchange(&visits[i], 0) < 2);
}

static void run_out(void *context, size_t i)
{
	const size_t *bad = context;
	if (i == *bad)
		mem_free(mem_realloc(NULL, SIZE_MAX / 2, 4));
}

static bool work_that_runs_out(void *context)
{
	parallel_for(PIECES, run_out, context);
	return true;
}

TEST(out_of_memory_in_one_thread)
{
	for (size_t bad = 0; bad <= PIECES; bad += 250) {
		struct error error = { 0 };
		assert_int_equal(mem_guard(work_that_runs_out, &bad, &error), bad == PIECES);
		assert_int_equal(error.code, bad == PIECES ? 0 : ERROR_MEMORY);
	}
}

static bool try_running_out(void *context, size_t i, const struct progress *progress)
{
	run_out(context, i);
	return true;
}

static bool try_without_error(void *context)
{
	return parallel_try(PIECES, try_running_out, context, "trying", NULL, NULL);
}

static void run_out_in_range(void *context, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		run_out(context, i);
}

static bool ranges_that_run_out(void *context)
{
	return parallel_ranges(ROWS, run_out_in_range, context, "trying", NULL);
}

/* Neither is "cancelled", with or without an error to fill. */
TEST(out_of_memory_is_not_cancelled)
{
	for (size_t bad = 0; bad < PIECES; bad += 250) {
		struct error tried = { 0 }, guarded = { 0 }, ranges = { 0 };
		assert_false(parallel_try(PIECES, try_running_out, &bad, "trying", NULL, &tried));
		assert_int_equal(tried.code, ERROR_MEMORY);
		assert_false(mem_guard(try_without_error, &bad, &guarded));
		assert_int_equal(guarded.code, ERROR_MEMORY);
		assert_false(mem_guard(ranges_that_run_out, &bad, &ranges));
		assert_int_equal(ranges.code, ERROR_MEMORY);
	}
}

/* ---- sorting ---- */

struct item {
	uint32_t key, place;
};

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	return (x->key > y->key) - (x->key < y->key);
}

/* Ties broken by position: the result of a stable sort. */
static int compare_all(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = compare_items(a, b);
	return order ? order : (x->place > y->place) - (x->place < y->place);
}

static uint32_t rising(uint32_t i)
{
	return i / 3;
}
static uint32_t falling(uint32_t i)
{
	return 5000 - i;
}
static uint32_t equal(uint32_t i)
{
	return i * 0;
}
static uint32_t sawtooth(uint32_t i)
{
	return i % 37;
}
static uint32_t backwards_in_steps(uint32_t i)
{
	return i / 100 * 100 + (99 - i % 100);
}
static uint32_t strewn(uint32_t i)
{
	return (i * 2654435761u) >> 20;
}

TEST(sort)
{
	uint32_t (*const keys[])(uint32_t) = { rising, falling, equal, sawtooth, backwards_in_steps,
					       strewn };
	static const size_t counts[] = { 0, 1, 2, 3, 64, 1001, 4096 };
	struct item sorted[4096], expected[4096];
	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
		for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
			for (uint32_t i = 0; i < counts[c]; i++)
				sorted[i] = expected[i] = (struct item){ keys[k](i), i };
			assert_true(
				sort_runs(sorted, counts[c], sizeof *sorted, compare_items, NULL));
			qsort(expected, counts[c], sizeof *expected, compare_all);
			assert_memory_equal(sorted, expected, counts[c] * sizeof *sorted);
		}
	}
}

/* ---- facts ---- */

#define same(member, count) assert_memory_equal(a->member, b->member, (count) * sizeof *a->member)

static void assert_same_facts(const struct derived *a, const struct derived *b)
{
	size_t spans = a->profile->spans, activities = a->profile->activities;
	assert_int_equal(intern_count(a->profile->strings), intern_count(b->profile->strings));
	assert_int_equal(a->names, b->names);
	same(role, a->names);
	same(kernel_tensor, a->names);
	same(span_flags, spans);
	same(span_owner, spans);
	same(gpu_prefix, activities + 1);
	same(gpu_count_prefix, spans + 1);
	same(activity_operator, activities);
	same(activity_step, activities);
	assert_int_equal(a->step_count, b->step_count);
	for (uint32_t i = 0; i < a->step_count; i++) {
		assert_int_equal(a->steps[i].start, b->steps[i].start);
		assert_int_equal(a->steps[i].end, b->steps[i].end);
		assert_int_equal(a->steps[i].launched, b->steps[i].launched);
	}
	assert_int_equal(a->links.count, b->links.count);
	same(links.by_forward, a->links.count);
	same(links.by_backward, a->links.count);
	assert_int_equal(a->layers.count, b->layers.count);
	same(layers.nodes, a->layers.count);
	same(layers.span_node, spans);
	same(layers.activity_node, activities);
}

/* On one processor until back_to is called. */
static cpu_set_t only_one(void)
{
	cpu_set_t all, one;
	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	CPU_ZERO(&one);
	for (int cpu = 0; !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(parallel_threads(), 1);
	return all;
}

static void back_to(const cpu_set_t *all)
{
	assert_int_equal(sched_setaffinity(0, sizeof *all, all), 0);
}

TEST(facts_do_not_depend_on_threads)
{
	size_t length;
	char *text = trace_generate("--steps 6 --layers 8", &length);
	struct run *run = trace_run_bytes(text, length);
	cpu_set_t all = only_one();
	struct run *alone = trace_run_bytes(text, length);
	back_to(&all);
	assert_same_facts(run->ranks[0].derived, alone->ranks[0].derived);
	run_free(alone);
	run_free(run);
	mem_free(text);
}

/* ---- several files ---- */

enum { RANKS = 7 };

TEST(files_read_beside_each_other)
{
	char folder[64], path[RANKS + 1][96];
	const char *named[] = { folder, path[RANKS] };
	struct error error = { 0 }, alone_error = { 0 };
	snprintf(folder, sizeof folder, "parallel-%d", (int)getpid());
	assert_int_equal(mkdir(folder, 0700), 0);
	for (int i = 0; i <= RANKS; i++) {
		char options[64];
		size_t length;
		snprintf(options, sizeof options, "--world %d --rank %d --steps 1 --stacks 2",
			 RANKS, i % RANKS);
		/* one is no profile; the last is named itself and is none either */
		bool is_none = i == 3 || i == RANKS;
		char *text = is_none ? mem_strdup("{\"a\":1}") : trace_generate(options, &length);
		snprintf(path[i], sizeof path[i], i == RANKS ? "%s.json" : "%s/rank%d.json", folder,
			 i);
		FILE *file = fopen(path[i], "w");
		assert_non_null(file);
		fwrite(text, 1, is_none ? strlen(text) : length, file);
		fclose(file);
		mem_free(text);
	}
	struct run *run = run_open(named, 1, NULL, NULL, &error);
	assert_null(run_open(named, 2, NULL, NULL, &error));
	cpu_set_t all = only_one();
	struct run *alone = run_open(named, 1, NULL, NULL, &alone_error);
	assert_null(run_open(named, 2, NULL, NULL, &alone_error));
	back_to(&all);

	assert_string_equal(error.message, alone_error.message);
	assert_int_equal(run->rank_count, RANKS - 1);
	assert_int_equal(alone->rank_count, RANKS - 1);
	assert_int_equal(run->left_out, alone->left_out);
	for (size_t i = 0; i < RANKS - 1; i++) {
		assert_int_equal(run->ranks[i].number, alone->ranks[i].number);
		assert_string_equal(run->ranks[i].path, alone->ranks[i].path);
		assert_same_facts(run->ranks[i].derived, alone->ranks[i].derived);
	}
	run_free(alone);
	run_free(run);
	for (int i = 0; i <= RANKS; i++)
		unlink(path[i]);
	rmdir(folder);
}

/* A thread that is alone starts no other, until it is so no longer. */
TEST(one_thread_alone)
{
	unsigned threads = parallel_threads();
	parallel_alone(true);
	assert_int_equal(parallel_threads(), 1);
	parallel_alone(false);
	assert_int_equal(parallel_threads(), threads);
}

/* ---- little work ---- */

static bool is_here(void *context, size_t i, const struct progress *progress)
{
	atomic_fetch_add(&visits[i], 1);
	return pthread_equal(*(const pthread_t *)context, pthread_self());
}

/* Ten thousand ranks of a few rows each would otherwise start eighteen threads each. */
TEST(few_rows_start_no_thread)
{
	pthread_t here = pthread_self();
	assert_true(parallel_try_rows(100, PIECES, is_here, &here, "", NULL, NULL));
	assert_visited(PIECES);
}

/* ---- reading ahead ---- */

enum { BATCHES_READ = 1000 };

struct counted {
	size_t made, batch[AHEAD_BATCHES], bad;
};

static bool make_batch(void *context, size_t place)
{
	struct counted *counted = context;
	if (counted->made == counted->bad)
		mem_free(mem_realloc(NULL, SIZE_MAX / 2, 4));
	counted->batch[place] = counted->made++;
	return counted->made < BATCHES_READ;
}

/* Each batch is there, in order and unchanged, until the next one is taken; and then no more. */
TEST(batches_read_ahead_come_in_order)
{
	struct counted counted = { .bad = SIZE_MAX };
	struct ahead ahead;
	ahead_begin(&ahead, make_batch, &counted);
	for (size_t i = 0; i < BATCHES_READ; i++) {
		size_t place = ahead_next(&ahead);
		assert_true(place < AHEAD_BATCHES);
		if (i % 100 == 0)
			sched_yield();
		assert_int_equal(counted.batch[place], i);
	}
	assert_int_equal(ahead_next(&ahead), AHEAD_END);
	assert_int_equal(ahead_next(&ahead), AHEAD_END);
	ahead_end(&ahead);
}

TEST(reading_ahead_ends_before_all_is_taken)
{
	struct counted counted = { .bad = SIZE_MAX };
	struct ahead ahead;
	ahead_begin(&ahead, make_batch, &counted);
	for (size_t i = 0; i < 20; i++)
		assert_int_equal(counted.batch[ahead_next(&ahead)], i);
	ahead_end(&ahead);
	assert_true(counted.made < 20 + AHEAD_BATCHES);
}

static bool take_ahead(void *context)
{
	while (ahead_next(context) != AHEAD_END)
		;
	return true;
}

TEST(reading_ahead_runs_out_of_memory)
{
	struct counted counted = { .bad = BATCHES_READ / 2 };
	struct error error = { 0 };
	struct ahead ahead;
	ahead_begin(&ahead, make_batch, &counted);
	assert_false(mem_guard(take_ahead, &ahead, &error));
	assert_int_equal(error.code, ERROR_MEMORY);
	assert_int_equal(counted.made, BATCHES_READ / 2);
	ahead_end(&ahead);
}
