/*
 * Names with NUL, slashes, controls and nothing, in every place of a trace: each piece of work ends
 * after a number of steps that is in proportion to the input. Steps are basic blocks, of which the
 * compiler tells (__sanitizer_cov_trace_pc), as in test_cancel; elsewhere a deadline stands for
 * them.
 */
#include "trace_case.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "picture/picture.h"
#include "picture/plot/plot.h"
#include "report/chrome_trace.h"
#include "report/extract.h"
#include "report/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	STEPS_MIN = 20 << 20, /* of work that does not depend on the input */
	STEPS_A_BYTE = 20000, /* hundreds are usual */
	SECONDS_MAX = 120,
};

static uint64_t steps, steps_max;
static const char *doing = "";

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	if (++steps == steps_max) {
		fprintf(stderr, "no end: %s\n", doing);
		abort();
	}
}

static void begin(const char *what, size_t bytes)
{
	doing = what;
	steps = 0;
	steps_max = STEPS_MIN + (uint64_t)bytes * STEPS_A_BYTE;
	alarm(SECONDS_MAX);
}

/* ---- traces ---- */

/* In JSON; each is also repeated in all events of its kind, so that there are duplicates. */
static const char *const names[] = {
	"a\\u0000b",
	"\\u0000",
	"\\u0000\\u0000/x",
	"a/\\u0000/b",
	"",
	"/",
	"//",
	"a//b/",
	"/a/\\u0000.py(3): f",
	"..",
	"\\u001b[2J\\u0007",
	"\\u202eabc\\u2066",
	"\\ud800",
	"\xff\xfe(",
	"%s%n%d",
	"<<<<((((",
	"nn.Module: \\u0000_0",
	"::~::",
	"_ZN\\u0000E",
	"\\n\\r\\t",
	"nccl:\\u0000",
	"=\\u0000",
	"a.py(\\u0000): b",
	"[[[[",
};

/* Places of names; each event is written with the hostile name in one of them. */
static const char *const places[] = { "annotation", "operator", "function", "module",  "runtime",
				      "kernel",     "thread",   "process",  "stack",   "collective",
				      "counter",    "gpu",      "category", "argument" };

enum { NAMES = sizeof names / sizeof *names, PLACES = sizeof places / sizeof *places, STEPS = 4 };

static const char *at_place(size_t place, const char *what, const char *hostile, const char *usual)
{
	return strcmp(places[place], what) == 0 ? hostile : usual;
}

static void add_step(struct buffer *text, size_t place, const char *name, int step)
{
	int at = step * 2000, id = step * 10 + 1;
#define AT(what, usual) at_place(place, what, name, usual)
#define LANE_AT(offset, duration) at + (offset), duration
	buffer_printf(
		text,
		"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d},"
		"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d},",
		AT("annotation", "phase"), LANE_AT(0, 1500), step, LANE_AT(0, 1900));
	buffer_printf(
		text,
		"{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"nn.Module: %s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{\"Python id\":%d}},"
		"{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{\"Python id\":%d}},",
		AT("module", "Linear_0"), LANE_AT(10, 1000), id,
		AT("function", "train.py(12): step"), LANE_AT(20, 900), id + 1);
	buffer_printf(
		text,
		"{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{\"External id\":%d,\"Call stack\":\"%s\",\"%s\":\"%s\"}},",
		AT("category", "cpu_op"), AT("operator", "aten::mm"), LANE_AT(30, 500), id,
		AT("stack", "a.py(1): f;b.py(2): g"), "note", AT("argument", "x"));
	buffer_printf(
		text,
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"record_param_comms\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{\"External id\":%d,\"Collective name\":\"%s\",\"In msg nelems\":1000,\"dtype\":\"Float\",\"Group size\":4}},"
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d,\"External id\":%d}},",
		LANE_AT(600, 50), id + 2, AT("collective", "allreduce"),
		AT("runtime", "cudaLaunchKernel"), LANE_AT(610, 5), id, id);
	buffer_printf(
		text,
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":7,\"correlation\":%d}},"
		"{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":%d},"
		"{\"ph\":\"C\",\"name\":\"%s\",\"pid\":1,\"ts\":%d,\"args\":{\"%s\":%d}},",
		AT("kernel", "ampere_sgemm_128x64_tn"), LANE_AT(700, 800), id, AT("gpu", "phase"),
		LANE_AT(700, 900), AT("counter", "queue"), at, AT("counter", "length"), step);
}

static void add_trace(struct buffer *text, size_t place, const char *name)
{
	buffer_printf(
		text,
		"{\"schemaVersion\":1,\"traceEvents\":["
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"%s\"}},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"%s\"}},",
		AT("process", "python"), AT("thread", "main"));
	for (int step = 0; step < STEPS; step++)
		add_step(text, place, name, step);
	text->length--;
	buffer_puts(text, "]}");
}

/* ---- the work ---- */

/* In every format; under sanitizers in the first, and in one of three others each time. */
static void write_table(const struct table *table, size_t bytes)
{
	static size_t time;
	time++;
	for (size_t i = 0; format_at(i); i++) {
		if (SLOW && i && (i + time) % 3)
			continue;
		struct output output;
		struct extract extract = { 0 };
		struct extract_options options = { .limit = SIZE_MAX };
		const struct style style = { .width = 100, .unicode = true };
		begin(format_at(i)->name, bytes);
		assert_true(output_open(&output, "/dev/null", STDOUT_FILENO, false, NULL));
		assert_true(extract_make(&extract, table, &options, NULL, NULL));
		assert_true(format_at(i)->write(&output, &extract, &style, NULL, NULL));
		assert_true(output_commit(&output, NULL));
		extract_clear(&extract);
	}
}

static void build(const struct view *view, const char *group, const struct run *run,
		  const struct scope *scope, size_t bytes)
{
	struct error error = { 0 };
	begin(view->name, bytes);
	struct table *table = view_build(view, run, scope, group, NULL, &error);
	if (!table)
		fail_msg("%s by %s: %s", view->name, group ? group : "default", error.message);
	write_table(table, bytes);
	table_free(table);
}

static void do_everything(const struct run *run, size_t bytes)
{
	struct scope scope;
	struct error error = { 0 };
	scope_init(&scope);
	for (size_t i = 0; view_at(i); i++) {
		const struct view *view = view_at(i);
		build(view, NULL, run, &scope, bytes);
		for (int g = 0; g < VIEW_GROUPS_MAX && view->groups[g]; g++)
			build(view, view->groups[g], run, &scope, bytes);
	}
	for (size_t i = 0; picture_at(i); i++) {
		struct buffer out = { 0 };
		struct picture_query query = {
			.run = run, .scope = &scope, .width = 100, .error = &error
		};
		begin(picture_at(i)->name, bytes);
		assert_true(picture_at(i)->print(&query, &out));
		buffer_free(&out);
	}
	for (size_t i = 0; plot_at(i); i++) {
		begin(plot_at(i)->name, bytes);
		plot_free(
			plot_build(plot_at(i), &plot_at(i)->groups[0], run, &scope, NULL, &error));
	}
	begin("export", bytes);
	assert_true(chrome_trace_write(run, &scope, "/dev/null", false, NULL, &error));
	scope_clear(&scope);
}

TEST(work_on_hostile_names_ends)
{
	size_t opened = 0;
	for (size_t place = 0; place < PLACES; place++) {
		/* all names in a few places would take long: each place has some, all are had */
		for (size_t i = place % 3; i < NAMES; i += 3) {
			if (!test_sampled(place + i / 3, 3))
				continue;
			struct buffer text = { 0 };
			add_trace(&text, place, names[i]);
			begin("reading", text.length);
			struct run *run = trace_run_bytes(text.data, text.length);
			do_everything(run, text.length);
			/* compared with itself, and so with equal and with odd names */
			run_compare(run, trace_run_bytes(text.data, text.length));
			struct scope scope;
			scope_init(&scope);
			const struct view *diff = view_find("diff");
			for (int g = 0; g < VIEW_GROUPS_MAX && diff->groups[g]; g++)
				build(diff, diff->groups[g], run, &scope, text.length);
			scope_clear(&scope);
			run_free(run);
			buffer_free(&text);
			opened++;
		}
	}
	assert_true(opened >= PLACES * NAMES / (SLOW ? 12 : 3));
	steps_max = 0;
	alarm(0);
}
