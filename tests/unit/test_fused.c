/* Traces of several ranks joined into one file: each rank is as in a file of its own. */
#include "trace_case.h"

#include "base/buffer.h"

#include <stdio.h>
#include <unistd.h>

enum { WORLD = 4 };

static void replace(struct buffer *out, const char *text, size_t length, const char *from,
		    const char *to)
{
	for (const char *end = text + length, *at; text < end; text = at + strlen(from)) {
		at = memmem(text, (size_t)(end - text), from, strlen(from));
		buffer_add(out, text, (size_t)((at ? at : end) - text));
		if (!at)
			return;
		buffer_puts(out, to);
	}
}

/* The events of a rank with its own pid, on DEVICE, without the brackets around them. */
static void add_events(struct buffer *out, int rank, int device)
{
	static const char *const from[] = { "\"pid\": 41207,", "\"pid\": 0,", "\"device\": 0," };
	char options[80], to[3][24];
	size_t length;
	snprintf(options, sizeof options, "--world %d --rank %d --steps 2 --stacks 0 --seed %d",
		 WORLD, rank, rank / 2 + 1);
	snprintf(to[0], sizeof to[0], "\"pid\": %d,", 41207 + rank);
	snprintf(to[1], sizeof to[1], "\"pid\": %d,", device);
	snprintf(to[2], sizeof to[2], "\"device\": %d,", device);
	char *whole = trace_generate(options, &length);
	struct buffer text = { 0 };
	const char *first = strstr(whole, "\"traceEvents\": ["), *last = strrchr(whole, ']');
	assert_true(first && last);
	first += strlen("\"traceEvents\": [");
	buffer_add(&text, first, (size_t)(last - first));
	for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
		struct buffer changed = { 0 };
		replace(&changed, text.data, text.length, from[i], to[i]);
		buffer_free(&text);
		text = changed;
	}
	buffer_add(out, text.data, text.length);
	buffer_free(&text);
	mem_free(whole);
}

/* Opens TEXT as a file and frees it. */
static struct run *run_of_file(struct buffer *text)
{
	char path[40];
	const char *paths[] = { path };
	struct error error = { 0 };
	snprintf(path, sizeof path, "fused-%d.json", (int)getpid());
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text->data, 1, text->length, file), text->length);
	assert_int_equal(fclose(file), 0);
	buffer_free(text);
	struct run *run = run_open(paths, 1, NULL, NULL, &error);
	unlink(path);
	if (!run)
		fail_msg("%s", error.message);
	return run;
}

static struct run *open_ranks(int first, int last, bool one_device)
{
	struct buffer text = { 0 };
	buffer_puts(&text, "{\"schemaVersion\":1,\"traceEvents\":[");
	for (int rank = first; rank <= last; rank++) {
		buffer_puts(&text, rank > first ? "," : "");
		add_events(&text, rank, one_device ? 0 : rank);
	}
	buffer_puts(&text, "]}");
	return run_of_file(&text);
}

static struct table *view_of(const struct run *run, const char *view, int rank)
{
	struct scope scope;
	scope_init(&scope);
	scope.rank = rank;
	return trace_view(run, view, &scope, NULL);
}

static void assert_same_column(const struct table *a, const struct table *b, const char *column)
{
	assert_int_equal(a->rows, b->rows);
	for (size_t row = 0; row < a->rows; row++)
		assert_int_equal(table_number(a, row, column), table_number(b, row, column));
}

/* Rank RANK of the joined file is as ALONE. */
static void assert_same_rank(const struct run *joined, int rank, const struct run *alone)
{
	static const struct {
		const char *view, *columns[3];
	} checks[] = {
		{ "operators", { "calls", "cpu_self_ns", "gpu_self_ns" } },
		{ "kernels", { "calls", "total_ns", "max_ns" } },
		{ "launches", { "dur_ns", "launch_delay_ns", "correlation" } },
		{ "steps", { "dur_ns", "compute_ns", "idle_launch_ns" } },
	};
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
		struct table *a = view_of(joined, checks[i].view, rank);
		struct table *b = view_of(alone, checks[i].view, 0);
		assert_true(b->rows > 0);
		for (int column = 0; column < 3; column++)
			assert_same_column(a, b, checks[i].columns[column]);
		table_free(a);
		table_free(b);
	}
}

static void check_ranks(bool one_device)
{
	struct run *run = open_ranks(0, WORLD - 1, one_device);
	assert_int_equal(run->rank_count, WORLD);
	for (int rank = 0; rank < WORLD; rank++) {
		struct run *alone = open_ranks(rank, rank, one_device);
		assert_int_equal(alone->rank_count, 1);
		assert_same_rank(run, rank, alone);
		run_free(alone);
	}
	run_free(run);
}

TEST(ranks_in_one_file_are_separated)
{
	check_ranks(false);
}

/* Ranks of several hosts, or with one visible device each, all use device 0. */
TEST(ranks_that_share_an_ordinal_are_separated)
{
	check_ranks(true);
}

/* A second process that launches nothing is no rank. */
TEST(a_process_without_launches_is_no_rank)
{
	struct run *run =
		trace_run(DOCUMENT(LAUNCH("10", "5") "," KERNEL("k", "20", "5", "5") "," EVENT(
			"cuda_runtime", "cudaGetDevice", "2", "2", "30", "1",
			"{\"correlation\":9}") "," EVENT("cpu_op", "load", "3", "3", "5", "9",
							 "{}")));
	assert_int_equal(run->rank_count, 1);
	assert_int_equal(run->ranks[0].profile->activity_launch[0] != NO_ROW, 1);
	run_free(run);
}
