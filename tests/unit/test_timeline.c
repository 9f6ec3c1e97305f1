/* Timeline lanes, their pyramids and drawn cells, compared with a linear pass over the events. */
#include "trace_case.h"

#include "analysis/pyramid.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "picture/picture.h"
#include "picture/timeline/timeline.h"
#include "views/views.h"

#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS_MAX = 200, EVENTS_MAX = 1 << 16 };

/* ---- linear reference ---- */

struct span {
	int64_t start, end;
};

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	return (x->start > y->start) - (x->start < y->start);
}

static int64_t union_of(const struct lane *lane, int64_t from, int64_t to)
{
	struct span *spans = malloc((lane->count + 1) * sizeof *spans);
	int64_t sum = 0, end = INT64_MIN;

	for (uint32_t i = 0; i < lane->count; i++)
		spans[i] = (struct span){ lane_start(lane, i), lane_end(lane, i) };
	qsort(spans, lane->count, sizeof *spans, compare_spans);
	for (uint32_t i = 0; i < lane->count; i++) {
		int64_t begin = spans[i].start > end ? spans[i].start : end;
		begin = begin > from ? begin : from;
		int64_t stop = spans[i].end < to ? spans[i].end : to;
		if (stop > begin)
			sum += stop - begin;
		end = spans[i].end > end ? spans[i].end : end;
	}
	free(spans);
	return sum;
}

/* The event overlaps [FROM, TO), or is a point in it. */
static bool overlaps(const struct lane *lane, uint32_t event, int64_t from, int64_t to)
{
	int64_t start = lane_start(lane, event), end = lane_end(lane, event);
	return start < to && (end > from || (start >= from && end == start));
}

static bool disjoint(const struct lane *lane)
{
	for (uint32_t i = 1; i < lane->count; i++)
		if (lane_start(lane, i) < lane_end(lane, i - 1))
			return false;
	return true;
}

static void check_cell(const struct lanes *lanes, const struct lane *lane,
		       const struct lane_cell *cell, int64_t from, int64_t to)
{
	uint32_t events = 0, whole = 0;
	int64_t group[LANE_GROUPS] = { 0 };

	assert_int_equal(cell->busy, union_of(lane, from, to));
	for (uint32_t i = 0; i < lane->count; i++) {
		int64_t start = lane_start(lane, i), end = lane_end(lane, i);
		if (!overlaps(lane, i, from, to))
			continue;
		events++;
		whole += start <= from && end >= to;
		group[lane_event_group(lanes, lane, i)] +=
			(end < to ? end : to) - (start > from ? start : from);
	}
	assert_int_equal(cell->events > 0, events > 0);
	if (!disjoint(lane))
		return;
	assert_int_equal(cell->events, events);
	assert_int_equal(cell->whole, whole > 0);
	if (events) {
		for (int i = 0; i < LANE_GROUPS; i++)
			assert_true(group[i] <= group[cell->group]);
	}
}

static int64_t time_end(const struct timeline *timeline)
{
	struct error error = { 0 };
	struct scope scope;
	int64_t begin, end;
	scope_init(&scope);
	assert_true(timeline_bounds(timeline, &scope, &begin, &end, &error));
	assert_int_equal(begin, 0);
	return end;
}

/* One of the windows reached by zooming into the middle or a side. */
static struct timeline_window zoomed(const struct timeline *timeline, int zoom, int columns)
{
	int64_t span = time_end(timeline) - (int64_t)0, width = span >> zoom;
	if (width < 2 * columns)
		width = 2 * columns;
	int64_t from = (int64_t)0 + (zoom % 3) * (span - width) / 2;
	return (struct timeline_window){ from, from + width, 0, columns };
}

static void check_window(const struct timeline *timeline, uint32_t index,
			 const struct timeline_window *window)
{
	const struct lane *lane = &timeline->lanes->lane[index];
	struct lane_cell cells[COLUMNS_MAX];
	int64_t sum = 0;

	lane_cells(timeline->lanes, lane, window->from, window->to, window->columns, cells);
	for (int i = 0; i < window->columns; i++) {
		int64_t from = lane_edge(window->from, window->to, window->columns, i);
		int64_t to = lane_edge(window->from, window->to, window->columns, i + 1);
		check_cell(timeline->lanes, lane, &cells[i], from, to);
		sum += cells[i].busy;
	}
	assert_int_equal(sum, lane_busy(lane, window->from, window->to));
	assert_int_equal(sum, union_of(lane, window->from, window->to));
}

/* Parse an ASCII line back into bounds on the lane's busy time in the window. */
static void check_drawn(const struct timeline *timeline, uint32_t index,
			const struct timeline_window *window)
{
	static const char quarters[] = ".-=#";
	const struct lane *lane = &timeline->lanes->lane[index];
	const struct timeline_style style = { .ascii = true };
	struct grid grid = { 0 };
	double least = 0, max = 0, rounding = window->columns;

	if (lane->kind == LANE_LOAD) /* draws the load, not the busy time */
		return;
	grid_resize(&grid, 1, window->columns);
	timeline_draw_lane(&grid, 0, timeline, index, window, &style);
	for (int i = 0; i < window->columns; i++) {
		int64_t from = lane_edge(window->from, window->to, window->columns, i);
		int64_t to = lane_edge(window->from, window->to, window->columns, i + 1);
		char glyph = grid_cell(&grid, 0, i)->bytes[0];
		int64_t busy = union_of(lane, from, to);
		const char *quarter = strchr(quarters, glyph);
		bool any = false;
		for (uint32_t k = 0; k < lane->count; k++)
			any |= overlaps(lane, k, from, to);
		assert_int_equal(glyph != ' ', any);
		if (glyph == '@') {
			assert_int_equal(busy, to - from);
			assert_true(lane->kind != LANE_DEVICE);
			least += (double)(to - from);
			max += (double)(to - from);
		} else if (glyph != ' ') {
			assert_non_null(quarter);
			least += (double)(to - from) * (double)(quarter - quarters) / 4;
			max += (double)(to - from) * (double)(quarter - quarters + 1) / 4;
		}
	}
	double busy = (double)lane_busy(lane, window->from, window->to);
	assert_true(busy >= least - rounding && busy <= max + rounding);
	grid_free(&grid);
}

static void prepare_all(struct timeline *timeline)
{
	struct error error = { 0 };
	for (uint32_t i = 0; i < timeline->lanes->count; i++)
		assert_true(timeline_prepare(timeline, &i, 1, NULL, &error));
}

static void check_timeline(struct timeline *timeline)
{
	prepare_all(timeline);
	for (uint32_t i = 0; i < timeline->lanes->count; i++) {
		const struct lane *lane = &timeline->lanes->lane[i];
		assert_int_equal(union_of(lane, INT64_MIN / 2, INT64_MAX / 2),
				 lane_busy(lane, (int64_t)0, time_end(timeline)));
		for (int zoom = 0; zoom<40; zoom += lane->count> 300 ? 7 : 3) {
			struct timeline_window window = zoomed(timeline, zoom, zoom % 2 ? 61 : 7);
			check_window(timeline, i, &window);
			check_drawn(timeline, i, &window);
		}
	}
}

/* Every span and activity of the profile is in exactly one lane. */
static void check_complete(const struct timeline *timeline)
{
	const struct profile *profile = timeline->rank->profile;
	uint64_t rows = 0;
	uint32_t lane, event;

	for (uint32_t i = 0; i < timeline->lanes->count; i++)
		if (timeline->lanes->lane[i].track != NO_ROW)
			rows += timeline->lanes->lane[i].count;
	assert_int_equal(rows, (uint64_t)profile->spans + profile->activities);
	for (uint32_t i = 0; i < profile->spans; i++) {
		assert_true(lanes_find(timeline->lanes, false, i, &lane, &event));
		assert_int_equal(lane_row(&timeline->lanes->lane[lane], event), i);
	}
	for (uint32_t i = 0; i < profile->activities; i++) {
		assert_true(lanes_find(timeline->lanes, true, i, &lane, &event));
		assert_int_equal(lane_row(&timeline->lanes->lane[lane], event), i);
	}
}

TEST(cells_add_up_at_every_zoom)
{
	char *text = trace_generate("--steps 1 --layers 1 --stacks 3", NULL);
	struct run *run = trace_run(text);
	struct timeline *timeline = timeline_whole(run);

	for (uint32_t i = 0; i < timeline->lanes->count; i++)
		assert_true(disjoint(&timeline->lanes->lane[i]));
	check_complete(timeline);
	check_timeline(timeline);
	timeline_free(timeline);
	run_free(run);
	mem_free(text);
}

/* ---- random runs ---- */

static unsigned next_random(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 16) % below;
}

/* Kernels and spans of all lengths including zero, side by side and nested. */
static struct run *random_run(unsigned seed, int events, unsigned range, unsigned longest)
{
	struct buffer text = { 0 };
	static const char *const names[] = { "gemm", "ncclKernel_AllReduce", "Memcpy HtoD",
					     "aten::add", "MulBackward0" };

	buffer_puts(&text, "{\"traceEvents\":[");
	for (int i = 0; i < events; i++) {
		bool kernel = next_random(&seed, 2);
		const char *name = names[next_random(&seed, 5)];
		unsigned start = next_random(&seed, range), dur = next_random(&seed, longest);
		if (!next_random(&seed, 4))
			dur = 0;
		buffer_printf(&text,
			      "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,"
			      "\"tid\":%u,\"ts\":%u,\"dur\":%u,\"args\":{\"device\":0,"
			      "\"stream\":7}}",
			      i ? "," : "", kernel ? "kernel" : "cpu_op", name, kernel ? 0 : 1,
			      kernel ? 7 : next_random(&seed, 2), start, dur);
	}
	buffer_puts(&text, "]}");
	struct run *run = trace_run(buffer_text(&text));
	buffer_free(&text);
	return run;
}

TEST(overlapping_events_have_own_lanes)
{
	for (unsigned seed = 1; seed <= 12; seed++) {
		struct run *run = random_run(seed, 300, seed % 2 ? 2000 : 200, 50);
		struct timeline *timeline = timeline_whole(run);
		for (uint32_t i = 0; i < timeline->lanes->count; i++)
			assert_true(disjoint(&timeline->lanes->lane[i]));
		check_complete(timeline);
		check_timeline(timeline);
		timeline_free(timeline);
		run_free(run);
	}
}

TEST(no_event_is_dropped_beyond_last_lane)
{
	struct run *run = random_run(5, 1500, 10, 1000);
	struct timeline *timeline = timeline_whole(run);
	bool shared = false;

	check_complete(timeline);
	prepare_all(timeline);
	for (uint32_t i = 0; i < timeline->lanes->count; i++) {
		const struct lane *lane = &timeline->lanes->lane[i];
		struct timeline_window window = zoomed(timeline, (int)(i % 9), 50);
		assert_in_range(lane->level, 0, LANE_LEVELS_MAX - 1);
		shared |= !disjoint(lane);
		check_window(timeline, i, &window);
	}
	assert_true(shared);
	timeline_free(timeline);
	run_free(run);
}

/* ---- single events ---- */

static int64_t part(const struct lane *lane, uint32_t event, int64_t from, int64_t to)
{
	int64_t start = lane_start(lane, event), end = lane_end(lane, event);
	if (!overlaps(lane, event, from, to))
		return -1;
	return (end < to ? end : to) - (start > from ? start : from);
}

static void check_longest(const struct lane *lane, int64_t from, int64_t to)
{
	uint32_t found = lane_longest(lane, from, to);
	int64_t max = -1;

	for (uint32_t i = 0; i < lane->count; i++)
		max = part(lane, i, from, to) > max ? part(lane, i, from, to) : max;
	if (max < 0)
		assert_int_equal(found, NO_ROW);
	else
		assert_int_equal(part(lane, found, from, to), max);
}

static int64_t distance(const struct lane *lane, uint32_t event, int64_t time)
{
	int64_t start = lane_start(lane, event), end = lane_end(lane, event);
	return time < start ? start - time : time > end ? time - end : 0;
}

static void check_gaps(const struct lane *lane, uint32_t event, int64_t least)
{
	uint32_t after = NO_ROW, before = NO_ROW;

	for (uint32_t i = 1; i < lane->count; i++) {
		if (lane_start(lane, i) - lane_end(lane, i - 1) < least)
			continue;
		if (i > event && after == NO_ROW)
			after = i;
		before = i < event ? i : before;
	}
	assert_int_equal(lane_gap(lane, event, least, false), after);
	assert_int_equal(lane_gap(lane, event, least, true), before);
}

TEST(events_are_found)
{
	unsigned seed = 3;
	char *text = trace_generate("--steps 12 --layers 8 --stacks 0", NULL);
	struct run *run = trace_run(text);
	struct timeline *timeline = timeline_whole(run);

	prepare_all(timeline);
	for (uint32_t l = 0; l < timeline->lanes->count; l++) {
		const struct lane *lane = &timeline->lanes->lane[l];
		for (int i = 0; i < 60; i++) {
			int64_t a = next_random(&seed, 0x7fff) * time_end(timeline) / 0x7fff;
			int64_t b = a + 1 +
				    (next_random(&seed, 0x7fff) * time_end(timeline) / 0x7fff >>
				     i % 16);
			uint32_t nearest = lane_nearest(lane, a), at = lane_event_at(lane, a);
			int64_t least = INT64_MAX;
			check_longest(lane, a, b);
			for (uint32_t k = 0; k < lane->count; k++)
				least = distance(lane, k, a) < least ? distance(lane, k, a) : least;
			assert_int_equal(distance(lane, nearest, a), least);
			if (at != NO_ROW)
				assert_true(lane_start(lane, at) <= a &&
					    (lane_end(lane, at) > a || lane_start(lane, at) == a));
			else
				assert_int_equal(union_of(lane, a, a + 1), 0);
			check_gaps(lane, next_random(&seed, lane->count), b - a);
		}
	}
	timeline_free(timeline);
	run_free(run);
	mem_free(text);
}

/* ---- lanes ---- */

static int64_t track_busy(const struct run *run, const char *track)
{
	struct table *table = trace_view(run, "streams", NULL, NULL);
	int64_t busy = -1;
	for (size_t i = 0; i < table->rows; i++) {
		struct value name = table_cell(table, i, "track");
		if (name.length == strlen(track) && !memcmp(name.text, track, name.length))
			busy = table_number(table, i, "busy_ns");
	}
	table_free(table);
	return busy;
}

/* Busy time of a stream lane matches the streams view; that of a device lane its utilization. */
TEST(busy_time_matches_views)
{
	char *text = trace_generate("--steps 2 --layers 2", NULL);
	struct run *run = trace_run(text);
	struct timeline *timeline = timeline_whole(run);
	struct table *overview = trace_view(run, "overview", NULL, NULL);
	const struct derived *derived = timeline->rank->derived;
	int streams = 0;

	prepare_all(timeline);
	for (uint32_t i = 0; i < timeline->lanes->count; i++) {
		const struct lane *lane = &timeline->lanes->lane[i];
		if (lane->kind == LANE_WORK && lane->device >= 0) {
			AUTO_BUFFER struct buffer name = { 0 };
			track_name(timeline->lanes->profile, lane->track, &name);
			streams++;
			assert_int_equal(lane_busy(lane, (int64_t)0, time_end(timeline)),
					 track_busy(run, buffer_text(&name)));
		}
		if (lane->kind != LANE_DEVICE)
			continue;
		double busy = (double)lane_busy(lane, derived->window_start, derived->window_end);
		double share = busy * 100 / (double)(derived->window_end - derived->window_start);
		bool told = false;
		for (size_t row = 0; row < overview->rows; row++) {
			struct value metric = table_cell(overview, row, "metric");
			struct value value = table_cell(overview, row, "value");
			if (metric.length == 12 && !memcmp(metric.text, "gpu_util_pct", 12)) {
				assert_true(share > value.real - 1e-9 && share < value.real + 1e-9);
				told = true;
			}
		}
		assert_true(told);
	}
	assert_true(streams > 0);
	table_free(overview);
	timeline_free(timeline);
	run_free(run);
	mem_free(text);
}

TEST(kernel_has_pass_of_its_launch)
{
	struct run *run = trace_run(DOCUMENT(OPERATOR("aten::mul", "0", "10") "," LAUNCH("1", "1") "," OPERATOR(
		"autograd::engine::evaluate_function: MulBackward0", "20",
		"20") "," OPERATOR("MulBackward0", "21",
				   "10") "," LAUNCH("22",
						    "2") "," KERNEL("first", "5", "10",
								    "1") "," KERNEL("second", "25",
										    "5",
										    "2") "," KERNEL("orphan",
												    "40",
												    "5",
												    "9") "," KERNEL("ncclKernel_AllReduce",
														    "50",
														    "5",
														    "1")));
	struct timeline *timeline = timeline_whole(run);
	static const struct {
		const char *name;
		char letter;
	} cases[] = { { "first", 'k' },
		      { "second", 'K' },
		      { "orphan", 'k' },
		      { "ncclKernel_AllReduce", 'C' } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint32_t row = activity_named(timeline->rank->profile, cases[i].name), lane, event;
		assert_true(lanes_find(timeline->lanes, true, row, &lane, &event));
		assert_int_equal(lane_group_letter(lane_event_group(
					 timeline->lanes, &timeline->lanes->lane[lane], event)),
				 cases[i].letter);
	}
	timeline_free(timeline);
	run_free(run);
}

/* ---- glyphs ---- */

static void draw_one(struct grid *grid, struct timeline *timeline, uint32_t row, bool ascii)
{
	struct timeline_style style = { .ascii = ascii, .labels = true };
	struct timeline_window window = { 0, 40000, 0, 40 };
	uint32_t lane, event;

	assert_true(lanes_find(timeline->lanes, true, row, &lane, &event));
	grid_resize(grid, 1, 40);
	timeline_draw_lane(grid, 0, timeline, lane, &window, &style);
}

/* One long event, many short ones, a lone short one and a gap all look different. */
TEST(event_densities_have_distinct_glyphs)
{
	struct buffer text = { 0 };
	struct grid grid = { 0 };
	struct run *run = trace_run(DOCUMENT(KERNEL("long_kernel_name", "0", "20", "1") "," KERNEL(
		"a", "20", "0.5",
		"2") "," KERNEL("b", "20.5", "0.5",
				"3") "," KERNEL("c", "25", "0.9",
						"4") "," KERNEL("d", "30", "0.001",
								"5") "," KERNEL("e", "35", "0",
										"6")));
	struct timeline *timeline = timeline_whole(run);
	uint32_t row = activity_named(timeline->rank->profile, "long_kernel_name");

	prepare_all(timeline);
	draw_one(&grid, timeline, row, true);
	grid_row_text(&grid, 0, &text);
	assert_string_equal(buffer_text(&text), "@long_kernel_name@@@#    #    .    .");
	buffer_clear(&text);
	draw_one(&grid, timeline, row, false);
	grid_row_text(&grid, 0, &text);
	assert_string_equal(buffer_text(&text), "█long_kernel_name███▓    ▇    ▁    ▁");
	buffer_free(&text);
	grid_free(&grid);
	timeline_free(timeline);
	run_free(run);
}

/* More lanes than cells are kept of; the map shows one of them in another window. */
TEST(cells_are_kept_for_as_many_lanes_as_a_screen_has)
{
	enum { LANES = 2 * TIMELINE_PICTURES };
	struct buffer text = { 0 }, drawn = { 0 };
	struct grid grid = { 0 };
	const struct timeline_style style = { .ascii = true };
	struct timeline_window window = { 0, 100000, 0, 50 };

	buffer_puts(&text, "{\"traceEvents\":[");
	for (int i = 0; i < LANES; i++)
		buffer_printf(&text,
			      "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,"
			      "\"tid\":%d,\"ts\":%d,\"dur\":2}",
			      i ? "," : "", i + 1, 2 * (i / TIMELINE_PICTURES) + 10);
	buffer_puts(&text, "]}");
	struct run *run = trace_run(buffer_text(&text));
	struct timeline *timeline = timeline_whole(run);
	prepare_all(timeline);
	assert_true(timeline->lanes->count >= LANES);
	for (uint32_t i = 0; i < 2 * timeline->lanes->count; i++) {
		uint32_t lane = i / 2 + i % 2 * TIMELINE_PICTURES; /* two take turns in a place */
		if (lane >= timeline->lanes->count)
			continue;
		const struct lane *shown = &timeline->lanes->lane[lane];
		grid_resize(&grid, 1, 50);
		grid_clear(&grid);
		timeline_draw_lane(&grid, 0, timeline, lane, &window, &style);
		buffer_clear(&drawn);
		grid_row_text(&grid, 0, &drawn);
		assert_int_equal(strcspn(buffer_text(&drawn), "@"),
				 timeline_column(&window, lane_start(shown, 0)));
	}
	grid_clear(&grid);
	timeline_draw_map(&grid, 0, timeline, 0, 400000, &window, &style);
	const struct lane_cell *map = timeline->pictures[TIMELINE_PICTURES].cells;
	assert_non_null(map);
	timeline_draw_lane(&grid, 0, timeline, timeline->pictures[TIMELINE_PICTURES].lane, &window,
			   &style);
	timeline_draw_map(&grid, 0, timeline, 0, 400000, &window, &style);
	assert_ptr_equal(timeline->pictures[TIMELINE_PICTURES].cells, map);
	assert_int_equal(timeline->pictures[TIMELINE_PICTURES].to, 400000);
	buffer_free(&text);
	buffer_free(&drawn);
	grid_free(&grid);
	timeline_free(timeline);
	run_free(run);
}

TEST(time_labels_have_enough_digits)
{
	static const struct {
		int64_t time, step;
		const char *text;
	} cases[] = { { 0, 1000000, "0 ms" },
		      { 1500000, 500000, "1.5 ms" },
		      { 12, 1, "12 ns" },
		      { 1234567890, 1, "1.234567890 s" },
		      { 1234567890, 100000000, "1.2 s" },
		      { 45000000, 5000, "45.000 ms" },
		      { -1500, 100, "-1.5 us" } };
	char text[40];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(timeline_time(text, cases[i].time, cases[i].step),
				    cases[i].text);
}

/* A tick comes after a space, at any zoom; there are some. */
TEST(time_labels_do_not_touch)
{
	struct grid grid = { 0 };
	struct buffer text = { 0 };
	struct timeline_window window = { .column = 3 };
	for (window.columns = 30; window.columns < 250; window.columns += 31) {
		grid_resize(&grid, 1, window.column + window.columns);
		for (int64_t span = 2 * window.columns; span < INT64_MAX / 8; span += span / 3) {
			window.from = span / 7;
			window.to = window.from + span;
			grid_clear(&grid);
			timeline_draw_ruler(&grid, 0, &window);
			buffer_clear(&text);
			grid_row_text(&grid, 0, &text);
			const char *at = strchr(buffer_text(&text), '|');
			assert_non_null(at);
			for (; (at = strchr(at + 1, '|'));)
				assert_int_equal(at[-1], ' ');
		}
	}
	buffer_free(&text);
	grid_free(&grid);
}

TEST(extreme_times_and_sizes)
{
	static const char *const traces[] = {
		DOCUMENT(""),
		DOCUMENT(KERNEL("k", "0", "0", "1")),
		DOCUMENT(OPERATOR("a", "0", "86000000000")),
		DOCUMENT(KERNEL("\\u001b[2J\\n", "5", "10", "1")),
	};

	for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
		for (int width = 0; width < 300; width += 37) {
			struct run *run = trace_run(traces[i]);
			struct error error = { 0 };
			struct scope scope;
			struct buffer out = { 0 };
			scope_init(&scope);
			struct picture_query query = { .run = run,
						       .scope = &scope,
						       .width = width,
						       .ascii = true,
						       .error = &error };
			assert_true(picture_find("timeline")->print(&query, &out));
			for (size_t k = 0; k < out.length; k++)
				assert_true(out.data[k] == '\n' ||
					    (out.data[k] >= ' ' && out.data[k] <= '~'));
			buffer_free(&out);
			run_free(run);
		}
	}
}

static bool refuse(void *context, const char *stage, uint64_t done, uint64_t total, uint64_t rows)
{
	int *left = context;
	(void)stage, (void)done, (void)total, (void)rows;
	return (*left)-- > 0;
}

/* Cancelled at any point, nothing remains and the next try completes. */
TEST(cancellation_at_any_point)
{
	char *text = trace_generate("--steps 1 --layers 1 --stacks 2", NULL);
	struct run *run = trace_run(text);
	struct scope scope;
	bool done = false;

	scope_init(&scope);
	for (int calls = 0; !done; calls++) {
		struct error error = { 0 };
		int left = calls;
		struct progress progress = { refuse, &left };
		struct timeline *timeline = timeline_new(run, &scope, &progress, &error);
		if (!timeline)
			assert_int_equal(error.code, ERROR_CANCELLED);
		for (uint32_t i = 0; timeline && i < timeline->lanes->count; i++) {
			done = timeline_prepare(timeline, &i, 1, &progress, &error);
			assert_int_equal(lane_is_prepared(&timeline->lanes->lane[i]), done);
			if (!done)
				break;
		}
		timeline_free(timeline);
		assert_true(calls < 1000);
	}
	run_free(run);
	mem_free(text);
}
