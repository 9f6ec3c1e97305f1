/*
 * No key takes more work on the UI thread with a long trace than with a short one: searches over
 * rows belong to the worker. Counts basic blocks (the compiler inserts calls to the function
 * below), so the result is the same on any machine.
 */
#include "explorer_case.h"
#include "trace_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- counting ---- */

static _Thread_local uint64_t blocks;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

/* ---- traces ---- */

enum { STEPS = 10, NAMES = 8, SMALL = 10000, MEDIUM = 100000, LARGE = 300000 };

/* By how much a key may cost more on the long trace: numbers have more digits, searches more steps.
 * Work of a block for each third row exceeds it where a key costs as many as most do. */
enum { GROWTH_MAX_PCT = 30 };

/* Two threads and a stream; every fourth operator belongs to the backward pass. */
static void write_launch(FILE *file, int i)
{
	static const char name[NAMES][8] = { "conv", "relu", "norm", "add",
					     "pool", "gemm", "mul",  "copy" };
	int time = 10 * i, sequence = i / 4, backward = i % 4 == 3;
	fprintf(file,
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s%s\",\"pid\":1,\"tid\":%d,\"ts\":%d,"
		"\"dur\":8,\"args\":{\"Sequence number\":%d,\"Fwd thread id\":%d}},\n",
		name[i % NAMES], backward ? "Backward0" : "", 1 + backward, time, sequence,
		backward);
	fprintf(file,
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
		"\"tid\":%d,\"ts\":%d,\"dur\":2,\"args\":{\"correlation\":%d}},\n",
		1 + backward, time + 1, i + 1);
	fprintf(file,
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s_kernel\",\"pid\":0,\"tid\":7,\"ts\":%d,"
		"\"dur\":5,\"args\":{\"device\":0,\"stream\":7,\"correlation\":%d}},\n",
		name[i % NAMES], time + 4, i + 1);
	if (i % 4 == 0)
		fprintf(file,
			"{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\","
			"\"pid\":1,\"tid\":1,\"ts\":%d,\"args\":{\"Device Type\":1,\"Device Id\":0,"
			"\"Addr\":%d,\"Bytes\":%d,\"Total Allocated\":%d}},\n",
			time + 2, 4096 + i / 8, i % 8 ? -512 : 512, i % 8 ? 0 : 512);
}

static void write_trace(const char *path, int launches)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "{\"traceEvents\":[\n");
	for (int i = 0; i < STEPS; i++)
		fprintf(file,
			"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":1,"
			"\"tid\":1,\"ts\":%d,\"dur\":%d},\n",
			i, launches / STEPS * 10 * i, launches / STEPS * 10 - 1);
	for (int i = 0; i < launches; i++)
		write_launch(file, i);
	fprintf(file, "{\"ph\":\"M\",\"name\":\"end\",\"pid\":1}]}\n");
	fclose(file);
}

/* ---- keys ---- */

/* Each is one key, or a command and its argument. */
static const char *const keys[] = {
	/* the calls, all of them */
	":view calls<Enter>",
	"G",
	"<PageUp>",
	"]",
	"[",
	"]",
	"/gemm<Enter>",
	"n",
	"N",
	/* sorted and filtered */
	">",
	"I",
	"G",
	"&relu<Enter>",
	"G",
	"&<C-u><Enter>",
	"}",
	"{",
	".",
	",",
	/* marks, copies, jumps, places */
	"<Space>",
	"<Space>",
	"Y",
	"U",
	"ma",
	"g",
	"'a",
	"<C-o>",
	"v",
	"x",
	"<Esc>",
	"i",
	"S",
	"j",
	"S",
	/* into a row and back */
	"<Enter>",
	"<Backspace>",
	"f",
	"]",
	".",
	"+",
	"<Backspace>",
	/* the launches */
	":view launches<Enter>",
	"G",
	"[",
	"<Backspace>",
	"<C-d>",
	"*",
	"}",
	"W",
	"%",
	"%",
	"%",
	"%",
	/* the other views and pictures */
	"1",
	"2",
	"E",
	"C",
	"3",
	"j",
	"4",
	"P",
	"<Right>",
	"P",
	"5",
	"d",
	"+",
	"<S-Right>",
	"}",
	"e",
	"/gemm<Enter>",
	"n",
	"F",
	"0",
	"6",
	"7",
	"<Enter>",
	"<Backspace>",
	"9",
	"j",
	":view memory-curve<Enter>",
	"P",
	"<Right>",
	"<Left>",
	"+",
	"P",
	":view links<Enter>",
	"G",
	":view memory-events<Enter>",
	"G",
	",",
	"P",
	"P",
	"O",
	"<Backspace>",
	":sql select name, dur_ns from calls<Enter>",
	"G",
	",",
	"<Backspace>",
};

enum { KEYS = sizeof keys / sizeof *keys };

/* The largest count of one iteration of the main loop until the key was handled. */
static uint64_t cost_of(struct explorer *explorer, const char *key)
{
	struct app *app = &explorer->app;
	uint64_t most = 0;
	explorer_type(explorer, key);
	for (bool busy = true; busy;) {
		uint64_t before = blocks;
		app_turn(app);
		if (blocks - before > most)
			most = blocks - before;
		busy = worker_busy(app->tui.worker, NULL);
		if (busy)
			worker_wait(app->tui.worker, 1000);
		busy |= *explorer->keys || app->held_count || app->tui.dirty;
	}
	return most;
}

static void measure(int launches, uint64_t cost[KEYS])
{
	static const char path[] = "test-responsive.tmp";
	const char *const paths[] = { path };
	struct explorer explorer;
	write_trace(path, launches);
	explorer_open(&explorer, paths, 1);
	for (int i = 0; i < KEYS; i++)
		cost[i] = cost_of(&explorer, keys[i]);
	explorer_close(&explorer);
	unlink(path);
}

/* Does a tool run the tests that makes them many times slower? */
static bool is_slow(void)
{
	const char *sanitizers = getenv("SANITIZERS"), *wrapper = getenv("TEST_WRAPPER");
	return (sanitizers && *sanitizers) || (wrapper && *wrapper);
}

TEST(no_key_costs_more_on_a_long_trace)
{
	uint64_t small[KEYS], large[KEYS], small_sum = 0, large_sum = 0;
	int failures = 0;

	measure(SMALL, small);
	measure(is_slow() ? MEDIUM : LARGE, large);
	for (int i = 0; i < KEYS; i++) {
		small_sum += small[i];
		large_sum += large[i];
		if (100 * large[i] > (100 + GROWTH_MAX_PCT) * small[i]) {
			print_error("%d '%s': %" PRIu64 " blocks, %" PRIu64 " on the short trace\n",
				    i, keys[i], large[i], small[i]);
			failures++;
		}
	}
	print_message("%" PRIu64 " blocks for %d keys, %" PRIu64 " on the short trace\n", large_sum,
		      KEYS, small_sum);
	assert_int_equal(failures, 0);
}
