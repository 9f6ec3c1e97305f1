/*
 * Carrying row references and scopes between two profiles of one recording: a prefix and the whole.
 */
#include "base/mem.h"
#include "database_case.h"
#include "trace_case.h"
#include "model/python_stats.h"
#include "table/remap_rows.h"

#include <stdio.h>
#include <stdlib.h>

static char *text;
static size_t length;
static struct run *part, *whole;

static struct run *open_begin(size_t bytes)
{
	struct error error = { 0 };
	const struct run_prefix begin = { text, bytes, UINT64_MAX };
	struct run *run = run_open_prefix("sample.json", &begin, NULL, NULL, &error);

	if (!run)
		fail_msg("%s", error.message);
	return run;
}

static int open_both(void **state)
{
	size_t got, cap = 1 << 24;
	FILE *pipe = popen("./tracegen", "r");

	text = malloc(cap);
	while ((got = fread(text + length, 1, cap - length, pipe)) > 0)
		length += got;
	pclose(pipe);
	part = open_begin(length / 3);
	whole = open_begin(length);
	return 0;
}

static int close_both(void **state)
{
	run_free(part);
	run_free(whole);
	free(text);
	return 0;
}

static struct table *build(const struct run *run, const char *view, const struct scope *scope)
{
	struct error error = { 0 };
	struct table *table = view_build(view_find(view), run, scope, NULL, NULL, &error);

	if (!table)
		fail_msg("%s: %s", view, error.message);
	return table;
}

static bool same_text(const struct table *a, size_t row_a, const struct table *b, size_t row_b,
		      const char *id)
{
	int column = table_column(a, id);
	struct value x, y;

	if (column < 0)
		return true;
	x = table_value(a, row_a, (size_t)column);
	y = table_value(b, row_b, (size_t)column);
	return x.kind == y.kind && (x.kind == VALUE_MISSING || value_compare(x, y) == 0);
}

/* Each row of the prefix maps to a row of the whole with equal cells SAME, and back. */
static void check_view(const char *view, const char *const *same)
{
	struct scope scope;

	scope_init(&scope);
	struct table *few = build(part, view, &scope), *many = build(whole, view, &scope);
	assert_true(few->rows > 0 && few->rows <= many->rows);
	for (size_t row = 0; row < few->rows; row++) {
		struct ref there = carry_ref(part, whole, 0, table_ref(few, row));
		size_t found = there.kind == REF_NONE ? SIZE_MAX : table_find(many, there);
		if (found == SIZE_MAX)
			fail_msg("row %zu of %s is gone", row, view);
		for (const char *const *id = same; *id; id++) {
			if (!same_text(few, row, many, found, *id))
				fail_msg("row %zu of %s has a different %s", row, view, *id);
		}
		assert_true(ref_equal(carry_ref(whole, part, 0, there), table_ref(few, row)));
	}
	table_free(few);
	table_free(many);
	scope_clear(&scope);
}

TEST(rows_map_to_equal_rows)
{
	static const char *const name[] = { "name", NULL };
	static const char *const call[] = { "name", "thread", "dur_ns", NULL };
	static const char *const launch[] = { "name", "stream", "dur_ns", NULL };
	static const char *const layer[] = { "path", "name", "kind", "depth", NULL };
	static const char *const step[] = { "step", NULL };

	check_view("operators", name);
	check_view("kernels", name);
	check_view("calls", call);
	check_view("launches", launch);
	check_view("layers", layer);
	check_view("steps", step);
}

/* A time is the same in both, counted from another start; lanes and events go by their names. */
TEST(times_lanes_and_events_map)
{
	const struct profile *few = part->ranks[0].profile, *all = whole->ranks[0].profile;
	for (uint32_t i = 0; i < few->activities; i += 7) {
		struct ref time = ref_of_time(0, few->activity_start[i], few->activity_dur[i]);
		struct ref there = carry_ref(part, whole, 0, time);
		assert_int_equal(there.kind, REF_TIME);
		assert_int_equal(ref_device(there), 0);
		assert_int_equal(ref_start(there) + all->base_ns, ref_start(time) + few->base_ns);
		assert_int_equal(ref_end(there) - ref_start(there),
				 ref_end(time) - ref_start(time));
		assert_true(ref_equal(carry_ref(whole, part, 0, there), time));
	}
	for (uint32_t t = 0; t < few->track_count; t++) {
		struct ref there = carry_ref(part, whole, 0, (struct ref){ REF_TRACK, t, 0, 0 });
		assert_int_equal(there.kind, REF_TRACK);
		assert_int_equal(all->tracks[there.a].tid, few->tracks[t].tid);
		assert_int_equal(all->tracks[there.a].device, few->tracks[t].device);
	}
	for (uint32_t i = 0; i < few->spans; i += 11) {
		struct ref event = { REF_EVENTS, few->span_name[i], 0, 0 };
		struct ref there = carry_ref(part, whole, 0, event);
		assert_int_equal(there.kind, REF_EVENTS);
		assert_string_equal(profile_string(all, (uint32_t)there.a),
				    profile_string(few, few->span_name[i]));
		assert_true(ref_equal(carry_ref(whole, part, 0, there), event));
	}
}

/* All times that are given. */
TEST(times_of_recordings_that_began_apart_map)
{
	static const char early[] = DOCUMENT(OPERATOR("a", "10", "2") "," OPERATOR("b", "20", "2"));
	static const char late[] = DOCUMENT(OPERATOR("b", "20", "2") "," OPERATOR("c", "40", "2"));
	struct run *from = trace_run(early), *to = trace_run(late);
	int64_t times[] = { 0, 10000, 15000 };
	assert_true(carry_times(from, to, 0, times, 3));
	assert_int_equal(times[0], -10000);
	assert_int_equal(times[1], 0);
	assert_int_equal(times[2], 5000);
	run_free(from);
	run_free(to);
}

/* Lanes of one number on two devices are not each other. */
TEST(lanes_of_one_number_map_to_themselves)
{
	static const char sql[] = NSYS_STRINGS NSYS_KERNELS NSYS_CALLS
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0,10," NSYS_THREAD(7, 8) ",1,2),(20,30," NSYS_THREAD(
			7,
			8) ",2,2);"
			   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, "
			   "globalPid, demangledName) VALUES (100,200,0,7,1," NSYS_PROCESS(
				   7) ",1),(300,350,1,7,2," NSYS_PROCESS(7) ",1);";
	struct run *from = database_run(sql), *to = database_run(sql);
	const struct profile *profile = from->ranks[0].profile;
	assert_int_equal(profile->track_count, 3);
	for (uint32_t t = 0; t < profile->track_count; t++) {
		struct ref track = { REF_TRACK, t, 0, 0 };
		assert_true(ref_equal(carry_ref(from, to, from->ranks[0].number, track), track));
	}
	run_free(from);
	run_free(to);
}

/* Functions go by their name, file and line, wherever they are. */
TEST(functions_map)
{
	static const char head[] =
		"         9000 function calls in 10.000 seconds\n\n"
		"   Ordered by: internal time\n\n"
		"   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n",
			  f[] = "       90    4.000    0.040    5.000    0.050 a.py:1(f)\n",
			  g[] = "       10    1.000    0.100   10.000    1.000 a.py:9(g)\n",
			  h[] = "       10    1.000    0.100    1.000    0.100 b.py:9(g)\n",
			  k[] = "       10    1.000    0.100    1.000    0.100 a.py:7(g)\n";
	char one[1000], other[1000];
	snprintf(one, sizeof one, "%s%s%s%s", head, f, g, h);
	snprintf(other, sizeof other, "%s%s%s%s", head, h, k, f);
	struct run *from = trace_run(one), *to = trace_run(other);
	const struct python_stats *few = from->ranks[0].profile->python,
				  *many = to->ranks[0].profile->python;
	uint32_t mapped = 0;
	for (uint32_t i = 0; i < few->function_count; i++) {
		struct ref function = { REF_FUNCTION, i, 0, 0 };
		struct ref there = carry_ref(from, to, 0, function);
		if (there.kind == REF_NONE)
			continue;
		const struct python_function *a = &few->functions[i];
		const struct python_function *b = &many->functions[there.a];
		assert_int_equal(a->line, b->line);
		assert_string_equal(profile_string(from->ranks[0].profile, a->name),
				    profile_string(to->ranks[0].profile, b->name));
		assert_string_equal(profile_string(from->ranks[0].profile, a->file),
				    profile_string(to->ranks[0].profile, b->file));
		assert_true(ref_equal(carry_ref(to, from, 0, there), function));
		mapped++;
	}
	assert_int_equal(few->function_count, 3);
	assert_int_equal(mapped, 2);
	run_free(from);
	run_free(to);
}

TEST(missing_rows_map_to_none)
{
	struct scope scope;
	size_t missing = 0;

	scope_init(&scope);
	struct table *many = build(whole, "calls", &scope), *few = build(part, "calls", &scope);
	for (size_t row = 0; row < many->rows; row++)
		missing += carry_ref(whole, part, 0, table_ref(many, row)).kind == REF_NONE;
	assert_true(missing > 0);
	assert_true(missing <= many->rows - few->rows);
	table_free(many);
	table_free(few);
	scope_clear(&scope);
}

TEST(scopes_select_equal_rows)
{
	const struct view *next;
	struct scope everything, narrow, there;

	scope_init(&everything);
	struct table *operators = build(part, "operators", &everything);
	for (size_t row = 0; row < operators->rows; row++) {
		assert_true(
			view_drill(part, table_ref(operators, row), &everything, &next, &narrow));
		assert_true(carry_scope(part, whole, &narrow, &there));
		struct table *few = build(part, next->name, &narrow);
		struct table *many = build(whole, next->name, &there);
		assert_true(few->rows > 0 && few->rows <= many->rows);
		assert_true(same_text(few, 0, many, 0, "name"));
		table_free(few);
		table_free(many);
		scope_clear(&narrow);
		scope_clear(&there);
	}
	table_free(operators);
	scope_clear(&everything);
}

/* What the start of a file lacks may follow. */
TEST(a_prefix_claims_no_absence)
{
	static const char start[] =
		"{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add\","
		" \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 5}, {\"ph\": \"X\", ";
	const struct run_prefix prefix = { start, sizeof start - 1, UINT64_MAX };
	struct scope scope;
	scope_init(&scope);
	struct run *begin = run_open_prefix("sample.json", &prefix, NULL, NULL, NULL);
	assert_non_null(begin);
	for (size_t i = 0; view_at(i); i++) {
		struct table *table = build(begin, view_at(i)->name, &scope);
		if (table->note)
			assert_string_equal(table->note,
					    "Nothing in the part of the file that was read.");
		assert_true(!table->note || !table->rows);
		table_free(table);
	}
	struct table *overview = build(begin, "overview", &scope);
	for (size_t row = 0; row < overview->rows; row++)
		assert_string_not_equal(
			table_value(overview, row, (size_t)table_column(overview, "section")).text,
			"trust");
	table_free(overview);
	struct table *advice = build(begin, "advice", &scope);
	assert_int_equal(advice->rows, 0);
	table_free(advice);
	run_free(begin);
}

TEST_PROGRAM(open_both, close_both)
