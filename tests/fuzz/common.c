#include "fuzz.h"

#include "session/load.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"
#include "model/scope.h"
#include "table/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- files ---- */

static char path[64];

static void remove_file(void)
{
	unlink(path);
}

static void write_file(const char *name, const void *data, size_t size)
{
	FILE *file = fopen(name, "wb");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
		abort();
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
	if (!*path) {
		snprintf(path, sizeof path, "%s/strata-fuzz-%ld",
			 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".", (long)getpid());
		atexit(remove_file);
	}
	write_file(path, data, size);
	return path;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
	static char *text;

	free(text);
	text = malloc(size + 1);
	if (!text)
		abort();
	for (size_t i = 0; i < size; i++)
		text[i] = data[i] ? (char)data[i] : ' ';
	text[size] = 0;
	return text;
}

/* ---- viewing ---- */

enum { ROWS = 40, DETAILS = 2 };

static void look_at_table(const struct run *run, const struct scope *scope, struct table *table)
{
	struct buffer text = { 0 };
	size_t count;

	for (size_t row = 0; row < table->rows && row < ROWS; row++) {
		for (size_t column = 0; column < table->columns; column++)
			table_format(&text, table, row, column, row % 2);
		if (row >= DETAILS)
			continue;
		struct ref ref = table_ref(table, row);
		const struct view *next;
		struct scope narrower;
		view_detail(run, scope, ref, &text);
		if (view_drill(run, ref, scope, &next, &narrower)) {
			view_breadcrumb(run, &narrower, &text);
			table_free(view_build(next, run, &narrower, NULL, NULL, NULL));
			scope_clear(&narrower);
		}
	}
	if (table->columns) {
		struct sort_key key = { (int)(table->rows % table->columns), true };
		mem_free(table_sort(table, &key, 1, NULL, &count, NULL, NULL));
	}
	buffer_free(&text);
}

static void look_at_view(const struct run *run, const struct view *view)
{
	struct scope scope;

	scope_init(&scope);
	for (int group = -1; group < VIEW_GROUPS_MAX; group++) {
		struct error error = { 0 };
		if (group >= 0 && !view->groups[group])
			break;
		struct table *table = view_build(
			view, run, &scope, group < 0 ? NULL : view->groups[group], NULL, &error);
		if (table)
			look_at_table(run, &scope, table);
		table_free(table);
	}
	scope_clear(&scope);
}

/* One grouping of the differences between the constant run and RUN, which stays as it was. */
static void look_at_difference(const struct run *run, size_t which)
{
	const struct view *diff = view_find("diff");
	const char *path_of_run = run->ranks[0].path, *base = fuzz_trace();
	struct run *new = run_open(&path_of_run, 1, NULL, NULL, NULL);
	size_t groups = 0;

	while (groups < VIEW_GROUPS_MAX && diff->groups[groups])
		groups++;
	if (new) {
		struct scope scope;
		scope_init(&scope);
		run_compare(new, run_open(&base, 1, NULL, NULL, NULL));
		table_free(view_build(diff, new, &scope, diff->groups[which % groups], NULL, NULL));
		scope_clear(&scope);
	}
	run_free(new);
}

/*
 * Advice, and two views and a grouping of the differences chosen by the run's contents: building
 * all of them would take too long per input.
 */
void fuzz_look_at(const struct run *run)
{
	enum { VIEWS = 2 };
	struct rank *rank = run_acquire(run, run->ranks[0].number, NULL, NULL);
	size_t views = 0, at = 0;

	while (view_at(views))
		views++;
	if (rank)
		at = (size_t)rank->profile->spans * 7 + rank->profile->activities * 3 +
		     intern_count(rank->profile->strings);
	for (size_t i = 0; i < VIEWS; i++)
		look_at_view(run, view_at((at + i * 5) % views));
	look_at_view(run, view_find("advice"));
	look_at_difference(run, at);
	run_release(run, rank);
}

void fuzz_look(const char *file)
{
	struct run *run = run_open(&file, 1, NULL, NULL, NULL);

	if (run)
		fuzz_look_at(run);
	run_free(run);
}

/* ---- a run ---- */

static const char trace[] =
	"{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"H100\",\"numSms\":132}],"
	"\"traceEvents\":[\n"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#3\",\"pid\":1,\"tid\":1,"
	"\"ts\":0,\"dur\":900},\n"
	"{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"nn.Module: Net_0\",\"pid\":1,\"tid\":1,"
	"\"ts\":10,\"dur\":500},\n"
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":20,"
	"\"dur\":100,\"args\":{\"External id\":5,\"Input Dims\":[[8,8],[8,8]],"
	"\"Input type\":[\"float\",\"float\"],\"Sequence number\":1}},\n"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
	"\"ts\":30,\"dur\":10,\"args\":{\"correlation\":7,\"External id\":5}},\n"
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"sgemm_128\",\"pid\":0,\"tid\":7,\"ts\":60,"
	"\"dur\":200,\"args\":{\"device\":0,\"stream\":7,\"correlation\":7,\"grid\":[2,1,1],"
	"\"block\":[128,1,1]}},\n"
	"{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD\",\"pid\":0,\"tid\":7,"
	"\"ts\":300,\"dur\":20,\"args\":{\"device\":0,\"stream\":7,\"bytes\":4096}},\n"
	"{\"ph\":\"i\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":40,"
	"\"args\":{\"Addr\":9,\"Bytes\":512,\"Device Type\":1,\"Device Id\":0,"
	"\"Total Allocated\":512}}\n]}\n";

static char trace_path[64];

static void remove_trace(void)
{
	unlink(trace_path);
}

const char *fuzz_trace(void)
{
	if (!*trace_path) {
		snprintf(trace_path, sizeof trace_path, "%s.json",
			 fuzz_file((const uint8_t *)"", 0));
		write_file(trace_path, trace, sizeof trace - 1);
		atexit(remove_trace);
	}
	return trace_path;
}

static struct run *small;

static void free_small(void)
{
	run_free(small);
}

const struct run *fuzz_run(void)
{
	const char *file = fuzz_trace();

	if (!small) {
		small = run_open(&file, 1, NULL, NULL, NULL);
		if (!small)
			abort();
		atexit(free_small);
	}
	return small;
}
