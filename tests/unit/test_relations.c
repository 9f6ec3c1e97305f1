/*
 * Relations between the views of a random trace and those of a changed copy: what does not matter
 * changes nothing else.
 */
#include "trace_case.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "random_trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* STRATA_SEED=N checks that trace only. Sanitizers change no figure. */
enum { SEEDS = SLOW ? 6 : 20 };

static uint64_t seed;

#define FAIL(...)                                                                                  \
	do {                                                                                       \
		print_error("STRATA_SEED=%" PRIu64 ": ", seed);                                    \
		fail_msg(__VA_ARGS__);                                                             \
	} while (0)

/* ---- changed copies ---- */

/* An event is a line. */
struct event {
	const char *text;
	size_t length;
};

static bool is_of_host(struct event event)
{
	static const char host[] = "\"pid\":100,";
	return memmem(event.text, event.length, host, sizeof host - 1) != NULL;
}

/* Append the event with each integer after KEY multiplied and increased; fractions stay. */
static void put_changed(struct buffer *out, struct event event, const char *key, int64_t factor,
			int64_t more)
{
	const char *at = event.text, *end = event.text + event.length, *found;
	size_t length = strlen(key);
	while ((found = memmem(at, (size_t)(end - at), key, length))) {
		char *after;
		int64_t value = strtoll(found + length, &after, 10);
		buffer_add(out, at, (size_t)(found + length - at));
		buffer_printf(out, "%" PRId64, value * factor + more);
		at = after;
	}
	buffer_add(out, at, (size_t)(end - at));
}

static void put_later(struct buffer *out, struct event event)
{
	put_changed(out, event, "\"ts\":", 1, 123456789);
}

static void put_other_correlation(struct buffer *out, struct event event)
{
	put_changed(out, event, "\"correlation\":", 3, 7);
}

static void put_other_external(struct buffer *out, struct event event)
{
	put_changed(out, event, "\"External id\":", 5, 1000);
}

static void put_other_sequence(struct buffer *out, struct event event)
{
	put_changed(out, event, "\"Sequence number\":", 2, 5);
}

static void put_other_process(struct buffer *out, struct event event)
{
	put_changed(out, event, "\"pid\":", 1, is_of_host(event) ? 4000 : 0);
}

static void put_other_thread(struct buffer *out, struct event event)
{
	put_changed(out, event, "\"tid\":", 1, is_of_host(event) ? 4000 : 0);
}

static void put_other_stream(struct buffer *out, struct event event)
{
	struct buffer first = { 0 };
	put_changed(&first, event, "\"tid\":", 1, is_of_host(event) ? 0 : 40);
	put_changed(out, (struct event){ first.data, first.length }, "\"stream\":", 1, 40);
	buffer_free(&first);
}

/* With a point in time of another category when it begins. */
static void put_with_point(struct buffer *out, struct event event)
{
	static const char thread[] = "\"tid\":", dur[] = ",\"dur\"";
	bool last = event.text[event.length - 1] != ',';
	buffer_add(out, event.text, event.length);
	if (!is_of_host(event))
		return;
	const char *from = memmem(event.text, event.length, thread, sizeof thread - 1);
	const char *to = memmem(event.text, event.length, dur, sizeof dur - 1);
	buffer_puts(out, last ? ",\n" : "\n");
	buffer_puts(out,
		    "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"marker\",\"name\":\"m\",\"pid\":100,");
	buffer_add(out, from, (size_t)(to - from));
	buffer_puts(out, last ? "}" : "},");
}

/* With the name of a thread and of a process that do nothing. */
static void put_with_names(struct buffer *out, struct event event)
{
	bool last = event.text[event.length - 1] != ',';
	buffer_add(out, event.text, event.length);
	buffer_puts(out, last ? ",\n" : "\n");
	buffer_puts(out, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":100,\"tid\":99,"
			 "\"args\":{\"name\":\"idle\"}},\n"
			 "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":99,\"tid\":0,"
			 "\"args\":{\"name\":\"idle\"}}");
	buffer_puts(out, last ? "" : ",");
}

struct relation {
	const char *name;
	void (*put)(struct buffer *out, struct event event);
	const char *views;   /* not compared, with commas around */
	const char *columns; /* likewise */
};

/* Each view but those that list the file, and columns with what was changed. */
#define FILES ",info,recordings,runs,"
#define IDS ",id,partner,forward,forward_id,backward_id,"

static const struct relation relations[] = {
	{ "a later time", put_later, FILES, "," },
	{ "other correlation ids", put_other_correlation, FILES, ",correlation," },
	{ "other external ids", put_other_external, FILES, "," },
	{ "other sequence numbers", put_other_sequence, FILES, ",seq," },
	{ "another process", put_other_process, FILES "ranks,", ",pid," },
	{ "other threads", put_other_thread, FILES, ",thread,track," },
	{ "other streams", put_other_stream, FILES, ",stream,track," },
	{ "points in time", put_with_point, FILES "overview,spans,streams,", IDS },
	{ "idle threads and processes", put_with_names, FILES, "," },
};

static struct run *changed_run(const struct buffer *trace, const struct relation *relation)
{
	struct buffer text = { 0 };
	const char *at = trace->data, *end = trace->data + trace->length;
	while (at < end) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		struct event event = { at, (size_t)(line - at) };
		if (event.length > 6 && !strncmp(at, "{\"ph\"", 5))
			relation->put(&text, event);
		else
			buffer_add(&text, event.text, event.length);
		buffer_puts(&text, "\n");
		at = line + 1;
	}
	struct run *run = trace_run_bytes(text.data, text.length);
	buffer_free(&text);
	return run;
}

/* ---- comparing views ---- */

static bool is_listed(const char *list, const char *name)
{
	char wanted[64];
	snprintf(wanted, sizeof wanted, ",%s,", name);
	return strstr(list, wanted) != NULL;
}

static void print_cell(struct value value)
{
	if (value.kind == VALUE_TEXT)
		print_error("'%.*s' ", (int)value.length, value.text);
	else
		print_error(value.kind == VALUE_MISSING ? "blank " : "%.17g ",
			    value_number(value, 0));
}

/* The path of the file is among the facts. */
static bool is_path(const struct table *table, size_t row)
{
	return table->view == view_find("overview") && cell_is(table, row, "metric", "file");
}

static void compare_view(const struct view *view, const struct run *one, const struct run *other,
			 const struct relation *relation)
{
	struct table *a = trace_view(one, view->name, NULL, NULL);
	struct table *b = trace_view(other, view->name, NULL, NULL);
	if (a->rows != b->rows || a->columns != b->columns)
		FAIL("%s: %s has %zu rows, not %zu", relation->name, view->name, b->rows, a->rows);
	for (size_t row = 0; row < a->rows; row++)
		for (size_t i = 0; i < a->columns && !is_path(a, row); i++) {
			struct value before = table_value(a, row, i),
				     after = table_value(b, row, i);
			if (is_listed(relation->columns, a->column[i]->id) ||
			    same_cell(before, after))
				continue;
			print_cell(before);
			print_cell(after);
			FAIL("%s: %s.%s of row %zu", relation->name, view->name, a->column[i]->id,
			     row);
		}
	table_free(a);
	table_free(b);
}

static void check_trace(void)
{
	struct buffer text = random_trace(seed);
	struct run *run = trace_run_bytes(text.data, text.length);
	for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
		struct run *changed = changed_run(&text, &relations[i]);
		for (size_t v = 0; view_at(v); v++)
			if (!is_listed(relations[i].views, view_at(v)->name))
				compare_view(view_at(v), run, changed, &relations[i]);
		run_free(changed);
	}
	run_free(run);
	buffer_free(&text);
}

static void for_each_seed(void (*check)(void))
{
	const char *only = getenv("STRATA_SEED");
	for (uint64_t i = 0; i < (only ? 1 : SEEDS); i++) {
		seed = only ? strtoull(only, NULL, 10) : i + 1;
		check();
	}
}

TEST(what_does_not_matter_changes_nothing)
{
	for_each_seed(check_trace);
}

/* ---- comparing runs ---- */

static const char *const groupings[] = { "kernels", "operators", "steps",  "layers",
					 "tree",    "modules",   "classes" };
enum { GROUPS_BY_NAME = 3, GROUPS = sizeof groupings / sizeof *groupings };

static struct run *compared_run(const struct buffer *base, const struct buffer *new)
{
	struct run *run = trace_run_bytes(new->data, new->length);
	run_compare(run, trace_run_bytes(base->data, base->length));
	return run;
}

/* Is the verdict on B that on A with the runs swapped? A difference of 10 % is one of the base. */
static bool is_opposite(const char *a, const char *b)
{
	static const char *const opposite[][2] = {
		{ "slower", "faster" },
		{ "likely slower", "likely faster" },
		{ "new", "gone" },
		{ "same", "same" },
		{ "within noise", "same" },
		{ "within noise", "within noise" },
		{ "not comparable", "not comparable" },
		{ "", "" },
	};
	for (size_t i = 0; i < sizeof opposite / sizeof *opposite; i++)
		for (int k = 0; k < 2; k++)
			if (!strcmp(a, opposite[i][k]) && !strcmp(b, opposite[i][!k]))
				return true;
	/* of a class: the first of equals */
	return (strstr(a, " of ") || !strcmp(a, "same")) &&
	       (strstr(b, " of ") || !strcmp(b, "same"));
}

static bool is_swapped(const struct table *a, size_t i, const struct table *b, size_t k)
{
	static const char *const columns[][2] = {
		{ "base_calls", "new_calls" },   { "new_calls", "base_calls" },
		{ "base_gpu_ns", "new_gpu_ns" }, { "new_gpu_ns", "base_gpu_ns" },
		{ "base_cpu_ns", "new_cpu_ns" }, { "new_cpu_ns", "base_cpu_ns" },
		{ "compared", "compared" },
	};
	for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
		if (!same_cell(table_cell(a, i, columns[c][0]), table_cell(b, k, columns[c][1])))
			return false;
	const char *kind = table_text(a, i, "kind"), *renamed = table_text(a, i, "base_name");
	return !strcmp(kind, table_text(b, k, "kind")) &&
	       table_number(a, i, "delta_gpu_ns") == -table_number(b, k, "delta_gpu_ns") &&
	       table_number(a, i, "delta_cpu_ns") == -table_number(b, k, "delta_cpu_ns") &&
	       is_opposite(table_text(a, i, "verdict"), table_text(b, k, "verdict")) &&
	       (!strcmp(kind, "step") || /* their names have both numbers */
		!strcmp(*renamed ? renamed : table_text(a, i, "name"), table_text(b, k, "name")));
}

/* GROUPS: how many of the groupings. */
static void check_swapped(const struct buffer *one, const struct buffer *other, size_t groups)
{
	struct run *forward = compared_run(one, other), *back = compared_run(other, one);
	for (size_t g = 0; g < groups; g++) {
		struct table *a = trace_view(forward, "diff", NULL, groupings[g]);
		struct table *b = trace_view(back, "diff", NULL, groupings[g]);
		if (a->rows != b->rows)
			FAIL("%s: %zu rows, not %zu", groupings[g], b->rows, a->rows);
		for (size_t i = 0; i < a->rows; i++) {
			size_t k = 0;
			while (k < b->rows && !is_swapped(a, i, b, k))
				k++;
			if (k == b->rows)
				FAIL("%s: no opposite of %s, %s", groupings[g],
				     table_text(a, i, "name"), table_text(a, i, "verdict"));
		}
		table_free(a);
		table_free(b);
	}
	run_free(forward);
	run_free(back);
}

/* Which layers of one name take the place of which of another is a choice. */
static void check_swapped_random(void)
{
	struct buffer one = random_trace(seed), other = random_trace(seed + 1);
	check_swapped(&one, &other, GROUPS_BY_NAME);
	buffer_free(&one);
	buffer_free(&other);
}

static struct buffer generated(const char *options)
{
	struct buffer text = { 0 };
	size_t length;
	char *trace = trace_generate(options, &length);
	buffer_add(&text, trace, length);
	mem_free(trace);
	return text;
}

TEST(swapped_runs_differ_by_the_opposite)
{
	static const char *const changes[] = { "--seed 2", "--seed 3 --slow layer2:1.3",
					       "--seed 4 --slow layer1:1.1 --no-shapes",
					       "--seed 5 --no-modules" };
	for_each_seed(check_swapped_random);
	struct buffer one = generated("--seed 1");
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct buffer other = generated(changes[i]);
		check_swapped(&one, &other, GROUPS);
		buffer_free(&other);
	}
	buffer_free(&one);
}
static void check_equal(void)
{
	static const char *const zero[] = { "delta_gpu_ns", "delta_cpu_ns" };
	struct buffer text = random_trace(seed);
	struct run *run = compared_run(&text, &text);
	for (size_t g = 0; g < GROUPS; g++) {
		struct table *table = trace_view(run, "diff", NULL, groupings[g]);
		for (size_t row = 0; row < table->rows; row++) {
			struct value ratio = table_cell(table, row, "ratio");
			bool equal = !*table_text(table, row, "verdict") &&
				     !*table_text(table, row, "base_name") &&
				     (ratio.kind == VALUE_MISSING || value_number(ratio, 0) == 1);
			for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
				equal &= !table_number(table, row, zero[i]);
			if (!equal)
				FAIL("%s: %s differs from itself, %s", groupings[g],
				     table_text(table, row, "name"),
				     table_text(table, row, "verdict"));
		}
		table_free(table);
	}
	run_free(run);
	buffer_free(&text);
}

TEST(a_run_does_not_differ_from_itself)
{
	for_each_seed(check_equal);
}
