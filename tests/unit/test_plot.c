/* Plots: their numbers compared with the views', axes, and drawing. */
#include "plot_case.h"

#include "derived/derived.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "picture/plot/plot_axis.h"
#include "picture/plot/plot_marks.h"
#include "picture/plot/plot_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double cell_number(const struct table *table, size_t row, const char *column)
{
	struct value value = table_cell(table, row, column);
	return value.kind == VALUE_INT    ? (double)value.integer
	       : value.kind == VALUE_REAL ? value.real
					  : NAN;
}

/* ---- the numbers ---- */

/* Each kernel is placed by the sums of its launches and appears exactly once. */
TEST(roofline_sums_launches)
{
	for (int i = 0; i < TRACES; i++) {
		struct plot *plot = plot_of(runs[i], "roofline", "kernels", NULL);
		struct table *launches = trace_view(runs[i], "launches", NULL, NULL);
		double placed = 0, known = 0;
		for (size_t s = 0; s < plot->series_count; s++) {
			for (size_t p = 0; p < plot->series[s].count; p++) {
				const struct plot_point *point = &plot->series[s].points[p];
				struct value name = table_cell(plot->table, point->row, "name");
				double flops = 0, bytes = 0, ns = 0;
				for (size_t row = 0; row < launches->rows; row++) {
					double work = cell_number(launches, row, "flops");
					double moved = cell_number(launches, row, "bytes");
					if (!same_cell(name, table_cell(launches, row, "name")) ||
					    !(work > 0) || !(moved > 0))
						continue;
					flops += work;
					bytes += moved;
					ns += cell_number(launches, row, "dur_ns");
				}
				assert_true(fabs(point->x - flops / bytes) <= 1e-9 * point->x);
				assert_true(fabs(point->y - flops / (ns / 1e9)) <= 1e-9 * point->y);
				assert_int_equal(plot_ref(plot, point->row).kind, REF_KERNEL);
				placed += ns;
			}
		}
		for (size_t row = 0; row < launches->rows; row++)
			if (cell_number(launches, row, "flops") > 0 &&
			    cell_number(launches, row, "bytes") > 0)
				known += cell_number(launches, row, "dur_ns");
		assert_true(placed == known);
		assert_true(i == 3 ? plot_is_empty(plot) : placed > 0);
		assert_true(i != 3 || plot->note);
		table_free(launches);
		plot_free(plot);
	}
}

TEST(roofline_of_operators_matches_rows)
{
	struct plot *plot = plot_of(runs[0], "roofline", "operators", NULL);
	size_t points = 0, known = 0;
	for (size_t s = 0; s < plot->series_count; s++) {
		for (size_t p = 0; p < plot->series[s].count; p++, points++) {
			const struct plot_point *point = &plot->series[s].points[p];
			double flops = cell_number(plot->table, point->row, "flops");
			assert_true(point->x ==
				    flops / cell_number(plot->table, point->row, "bytes"));
			assert_true(
				fabs(point->y *
					     cell_number(plot->table, point->row, "gpu_total_ns") /
					     1e9 / flops -
				     1) < 1e-9);
		}
	}
	for (size_t row = 0; row < plot->table->rows; row++)
		known += cell_number(plot->table, row, "flops") > 0 &&
			 cell_number(plot->table, row, "bytes") > 0 &&
			 cell_number(plot->table, row, "gpu_total_ns") > 0;
	assert_true(known > 0 && points == known);
	plot_free(plot);
}

static double fact_of(const struct run *run, const char *section, const char *metric)
{
	struct table *table = trace_view(run, "overview", NULL, NULL);
	double found = NAN;
	for (size_t row = 0; row < table->rows; row++) {
		struct value in = table_cell(table, row, "section");
		struct value of = table_cell(table, row, "metric");
		if (same_cell(in, value_text(section)) && same_cell(of, value_text(metric)))
			found = cell_number(table, row, "value");
	}
	table_free(table);
	return found;
}

TEST(memory_peak_matches_overview)
{
	for (int i = 0; i < TRACES; i++) {
		struct plot *plot = plot_of(runs[i], "memory", NULL, NULL);
		const struct plot_series *allocated = &plot->series[0];
		assert_string_equal(plot->panels[0].name, "GPU0");
		assert_string_equal(allocated->name, "Allocated");
		size_t top = plot_highest(allocated, 0, allocated->count);
		assert_true(allocated->points[top].y ==
			    fact_of(runs[i], "device 0", "peak_memory_bytes"));
		plot_free(plot);
	}
}

#define ALLOCATED(ts, bytes, total)                                                                \
	"{\"ph\":\"i\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":" ts           \
	",\"args\":{\"Addr\":9,\"Bytes\":" bytes                                                   \
	",\"Device Type\":1,\"Device Id\":0,\"Total Allocated\":" total "}}"

/* Of moments with as much memory, the first is named. */
TEST(memory_peak_is_when_it_is_first_reached)
{
	struct run *run = trace_run(DOCUMENT(
		ALLOCATED("10", "256", "256") "," ALLOCATED("20", "512", "768") "," ALLOCATED(
			"30", "-512", "256") "," ALLOCATED("40", "512", "768")));
	struct plot *plot = plot_of(run, "memory", NULL, NULL);
	struct plot_print print = { 0 };
	struct buffer out = { 0 };
	plot_print(plot, &print, &out);
	assert_non_null(strstr(buffer_text(&out), "768 B allocated at 10.00 us"));
	buffer_free(&out);
	plot_free(plot);
	run_free(run);
}

TEST(mean_utilization_matches_overview)
{
	for (int i = 0; i < TRACES; i++) {
		struct plot *plot = plot_of(runs[i], "utilization", NULL, NULL);
		for (int line = 0; line < 2; line++) {
			double mean = plot_mean(&plot->series[line], plot->x.low, plot->x.high);
			double told = fact_of(runs[i], "device 0",
					      line ? "sm_efficiency_pct" : "gpu_util_pct");
			assert_true(fabs(mean - told) < 1e-6 * told);
		}
		plot_free(plot);
	}
}

TEST(stacked_series_sum_to_step)
{
	static const char *const groups[] = { "classes", "causes" };
	for (int g = 0; g < 2; g++) {
		struct plot *plot = plot_of(runs[1], "steps", groups[g], NULL);
		for (size_t row = 0; row < plot->table->rows; row++) {
			double sum = 0;
			for (size_t s = 0; s < plot->series_count; s++)
				if (plot->series[s].style == PLOT_STACK)
					sum += plot->series[s].points[row].y;
			assert_true(sum == cell_number(plot->table, row, "dur_ns"));
		}
		plot_free(plot);
	}
}

TEST(rank_parts_sum_to_step)
{
	struct plot *plot = plot_of(runs[4], "ranks", NULL, NULL);
	double sum = 0;
	for (size_t s = 0; s < plot->series_count; s++)
		if (plot->series[s].style == PLOT_STACK)
			sum += plot->series[s].points[0].y;
	assert_int_equal(plot->table->rows, 1);
	assert_true(fabs(sum - cell_number(plot->table, 0, "step_ns")) <= 4);
	plot_free(plot);
}

/* The cells of a state add up to its time; a cell is recorded, and then spent once. */
TEST(heat_map_adds_up)
{
	static const char *const columns[] = { "computation_ns", NULL, NULL, "idle_ns" };
	struct plot *plot = plot_of(runs[4], "rank-time", NULL, NULL);
	const struct table *table = plot->table;
	assert_int_equal(plot->series_count, 4);
	assert_int_equal(plot->bands, 1);
	for (size_t s = 0; s < plot->series_count; s++) {
		double cells = 0, rows = 0;
		for (size_t row = 0; columns[s] && row < table->rows; row++) {
			rows += cell_number(table, row, columns[s]);
			cells += (double)plot->series[s].points[row].weight / 100 *
				 cell_number(table, row, "dur_ns");
		}
		assert_true(fabs(cells - rows) <= 1e-4 * rows + 1);
		assert_true(!columns[s] || rows > 0);
	}
	for (size_t i = 0; i < plot->series[0].count; i++) {
		double share = 0;
		for (size_t s = 0; s < plot->series_count; s++)
			share += (double)plot->series[s].points[i].weight;
		assert_true(share <= 100.1 && share >= 0);
	}
	plot_free(plot);
}

/* The stacks are the kernel time of the step whose Tensor Core use is known, and the input. */
TEST(tensor_core_split_sums_kernels)
{
	struct table *launches = trace_view(runs[0], "launches", NULL, NULL);
	struct plot *plot = plot_of(runs[0], "steps", "tensor-cores", NULL);
	double split = 0, kernels = 0;
	for (size_t row = 0; row < launches->rows; row++) {
		struct value kind = table_cell(launches, row, "kind");
		struct value use = table_cell(launches, row, "tensor_core");
		if (!strncmp(kind.text, "kernel", 6) && use.kind == VALUE_TEXT &&
		    table_cell(launches, row, "step").kind == VALUE_INT)
			kernels += cell_number(launches, row, "dur_ns");
	}
	for (size_t s = 0; s < plot->series_count; s++)
		for (size_t i = 0; plot->series[s].role != ROLE_WARNING &&
				   plot->series[s].style == PLOT_STACK && i < plot->series[s].count;
		     i++)
			split += plot->series[s].points[i].y;
	assert_true(kernels > 0 && split == kernels);
	table_free(launches);
	plot_free(plot);
}

/* Bars are the rows' differences; the curve ends at their sum. */
TEST(difference_adds_up)
{
	static const char *const operators =
		OPERATOR("aten::mm", "10", "20") "," OPERATOR("aten::add", "40", "10");
	static const char *const base =
		OPERATOR("aten::mm", "10", "15") "," OPERATOR("aten::add", "40", "12");
	struct buffer new = { 0 }, old = { 0 };
	buffer_printf(&new, DOCUMENT("%s"), operators);
	buffer_printf(&old, DOCUMENT("%s"), base);
	struct run *run = trace_run(buffer_text(&new));
	run_compare(run, trace_run(buffer_text(&old)));
	struct plot *plot = plot_of(run, "diff", "operators", NULL);
	assert_int_equal(plot->series_count, 3);
	const struct plot_series *more = &plot->series[0], *less = &plot->series[1],
				 *sum = &plot->series[2];
	assert_int_equal(more->count, 1);
	assert_int_equal(less->count, 1);
	assert_true(more->points[0].y == 5000 && less->points[0].y == 2000);
	assert_int_equal(sum->count, 2);
	assert_true(sum->points[1].y == 3000);
	plot_free(plot);
	run_free(run);
	buffer_free(&new);
	buffer_free(&old);
}

/* Six steps of 10 us and one of 30 us; the outlier fences are at least 5 % of the median apart. */
#define ANNOTATION(number, ts, dur)                                                                \
	EVENT("user_annotation", "ProfilerStep#" number, "1", "1", ts, dur, "{}")

TEST(outliers_are_marked)
{
	struct run *run = trace_run(DOCUMENT(
		ANNOTATION("1", "0", "10") "," ANNOTATION("2", "10", "10") "," ANNOTATION("3", "20", "10") "," ANNOTATION(
			"4", "30",
			"30") "," ANNOTATION("5", "60",
					     "10") "," ANNOTATION("6", "70",
								  "10") "," ANNOTATION("7", "80",
										       "10")));
	struct plot *plot = plot_of(run, "steps", NULL, NULL);
	const struct plot_series *marks = NULL;
	for (size_t s = 0; s < plot->series_count; s++)
		if (strcmp(plot->series[s].name, "Outlier") == 0)
			marks = &plot->series[s];
	assert_non_null(marks);
	assert_int_equal(marks->count, 1);
	assert_true(marks->points[0].x == 4 && marks->points[0].y == 30000);
	plot_free(plot);
	run_free(run);
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static const char *fact_text(const struct plot *plot, const char *label)
{
	for (size_t i = 0; i < plot->fact_count; i++)
		if (strcmp(plot->derived[i].label, label) == 0)
			return plot->derived[i].text;
	return "";
}

TEST(distribution_counts_every_launch)
{
	struct plot *plot = plot_of(runs[0], "distribution", "launches", NULL);
	struct table *launches = trace_view(runs[0], "launches", NULL, NULL);
	const struct plot_series *bins = &plot->series[0];
	double *sorted = mem_alloc(launches->rows * sizeof *sorted), counted = 0;
	size_t count = 0;
	for (size_t row = 0; row < launches->rows; row++)
		if (!same_cell(table_cell(launches, row, "kind"), value_text("sync")))
			sorted[count++] = cell_number(launches, row, "dur_ns");
	qsort(sorted, count, sizeof *sorted, compare_numbers);
	for (size_t i = 0; i < bins->count; i++) {
		double low = bins->points[i].x, high = low + (double)bins->points[i].width;
		double inside = 0;
		for (size_t k = 0; k < count; k++)
			inside += sorted[k] >= low * (1 - 1e-7) && sorted[k] < high * (1 - 1e-7);
		assert_true(inside == bins->points[i].y);
		counted += inside;
	}
	assert_true(counted == (double)count);
	struct buffer text = { 0 };
	plot_number(&text, UNIT_NS, sorted[(count + 1) / 2 - 1]);
	assert_string_equal(fact_text(plot, "Median"), text.data);
	buffer_clear(&text);
	plot_number(&text, UNIT_NS, sorted[count - 1]);
	assert_string_equal(fact_text(plot, "Max"), text.data);
	buffer_free(&text);
	mem_free(sorted);
	table_free(launches);
	plot_free(plot);
}

/* A point alone is in the middle of axes that have a beginning and an end. */
TEST(one_kernel_is_in_the_middle_of_the_roofline)
{
	static const char trace[] = DOCUMENT(
		EVENT("cpu_op", "aten::mm", "1", "1", "1", "9", "{\"Input Dims\":[[64,64],[64,64]],\"Input type\":[\"float\",\"float\"]}") "," LAUNCH(
			"3", "7") "," KERNEL("gemm", "20", "8", "7"));
	struct run *run = trace_run(trace);
	struct plot *plot = plot_of(run, "roofline", NULL, NULL);
	double flops = 2.0 * 64 * 64 * 64, bytes = 4.0 * 3 * 64 * 64;
	const struct plot_axis *y = &plot->panels[0].y;
	assert_true(fabs(plot->x.low * 2 - flops / bytes) < 1e-9);
	assert_true(fabs(plot->x.high / 2 - flops / bytes) < 1e-9);
	assert_true(fabs(y->low * 2 - flops / 8e-6) < 1);
	assert_true(fabs(y->high / 2 - flops / 8e-6) < 1);
	plot_free(plot);
	run_free(run);
}

/* ---- hit testing ---- */

TEST(highest_matches_linear_search)
{
	for (size_t count = 1; count < 40; count++) {
		struct plot plot = { .arena = arena_new() };
		plot_add_panel(&plot, NULL, (struct plot_axis){ 0 });
		struct plot_series *series =
			plot_add_series(&plot, 0, "s", PLOT_AREA, ROLE_BAR, plot_glyphs_area);
		series->peaks = mem_alloc(2 * count * sizeof(double));
		for (size_t i = 0; i < count; i++) {
			double y = (double)((i * 7919 + count) % 13);
			plot_add_point(series, (struct plot_point){ .x = (double)i, .y = y });
			series->peaks[count + i] = y;
		}
		for (size_t i = count - 1; i > 0; i--)
			series->peaks[i] = fmax(series->peaks[2 * i], series->peaks[2 * i + 1]);
		for (size_t from = 0; from < count; from++) {
			for (size_t to = from + 1; to <= count; to++) {
				size_t top = plot_highest(series, from, to);
				assert_true(top >= from && top < to);
				for (size_t i = from; i < to; i++)
					assert_true(series->points[i].y <= series->points[top].y);
			}
		}
		mem_free(series->points);
		mem_free(series->peaks);
		mem_free(plot.series);
		mem_free(plot.panels);
		arena_free(plot.arena);
	}
}

/* The column of a point, before the first or after the last if it is beside the area. */
static int column_of(const struct plot_area *area, double x)
{
	int column = plot_column(area, x);
	return column >= 0 ? column : x < area->x.low ? -1 : area->rect.columns;
}

/* The highest point of the next column in DIRECTION that has one; beside the area the next point.
 */
static size_t neighbour_of(const struct plot_series *series, const struct plot_area *area,
			   size_t point, int direction)
{
	int own = column_of(area, series->points[point].x), bound = direction > 0 ? own + 1 : own;
	double limit = bound == area->rect.columns ? nextafter(area->x.high, INFINITY)
						   : plot_column_start(area, bound);
	size_t next = point, best;
	do {
		if (direction < 0 ? !next : next + 1 == series->count)
			return point;
		next += (size_t)direction;
	} while (direction > 0 ? series->points[next].x < limit : series->points[next].x >= limit);
	int column = plot_column(area, series->points[next].x);
	best = next;
	for (size_t i = next;
	     column >= 0 && i < series->count && plot_column(area, series->points[i].x) == column;
	     i += (size_t)direction)
		best = series->points[i].y > series->points[best].y ? i : best;
	return best;
}

/* Of a part of the axis, points left and right of it included. */
TEST(the_cursor_goes_to_the_next_column)
{
	enum { POINTS = 24 };
	uint64_t random = 5;
	for (int tries = 0; tries < 300; tries++) {
		struct plot_point points[POINTS];
		double peaks[2 * POINTS] = { 0 };
		struct plot_series series = { .points = points, .count = POINTS, .peaks = peaks };
		struct plot_area area = { 0 };
		double x = 0;
		for (size_t i = 0; i < POINTS; i++) {
			x += 0.2531 + (double)random_below(&random, 30) / 7.0341;
			points[i] =
				(struct plot_point){ .x = x, .y = (double)(i * 7 % POINTS) + 1 };
			peaks[POINTS + i] = points[i].y;
		}
		for (size_t i = POINTS - 1; i > 0; i--)
			peaks[i] = fmax(peaks[2 * i], peaks[2 * i + 1]);
		area.x.low = x * (double)random_below(&random, 40) / 100.7093;
		area.x.high = x * (double)(61 + random_below(&random, 41)) / 100.5;
		if (tries % 3 == 0) /* the last column has the point at the end of the axis */
			area.x.high = points[POINTS - 1 - random_below(&random, 9)].x;
		area.rect.columns = 1 + (int)random_below(&random, 30);
		for (size_t i = 0; i < POINTS; i++)
			for (int direction = -1; direction < 2; direction += 2)
				assert_int_equal(plot_neighbour(&series, &area, i, direction),
						 neighbour_of(&series, &area, i, direction));
	}
}

/* ---- axes ---- */

TEST(ticks_are_round_and_inside)
{
	static const struct plot_axis axes[] = {
		{ "t", UNIT_NS, PLOT_LINEAR, 0, 1 },
		{ "t", UNIT_NS, PLOT_LINEAR, 5130000, 5130900 },
		{ "t", UNIT_NS, PLOT_LINEAR, -3e9, 9e18 },
		{ "b", UNIT_BYTES, PLOT_LINEAR, 0, 1.3e12 },
		{ "p", UNIT_PERCENT, PLOT_LINEAR, 0, 100 },
		{ "n", UNIT_COUNT, PLOT_LINEAR, 0, 3 },
		{ "i", UNIT_RATIO, PLOT_LOG, 0.003, 7e5 },
		{ "i", UNIT_NS, PLOT_LOG, 1001, 1099 },
		{ "r", UNIT_FLOP_PER_S, PLOT_LOG, 1e-300, 1e300 },
		{ "x", UNIT_COUNT, PLOT_LINEAR, 1e300, 1.1e300 },
	};
	for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
		for (size_t max = 0; max < 50; max++) {
			struct plot_tick ticks[PLOT_TICKS_MAX];
			size_t count = plot_ticks(&axes[i], max, ticks);
			assert_true(count <= max && count <= PLOT_TICKS_MAX);
			for (size_t k = 0; k < count; k++) {
				double place = plot_place(&axes[i], ticks[k].value);
				if (!(place >= -1e-6 && place <= 1 + 1e-6))
					fail_msg("axis %zu: %g is at %g", i, ticks[k].value, place);
				assert_true(strlen(ticks[k].label) < PLOT_LABEL_MAX);
				if (k)
					assert_true(ticks[k].value > ticks[k - 1].value);
				if (k && i < 8)
					assert_string_not_equal(ticks[k].label, ticks[k - 1].label);
			}
		}
	}
	struct plot_tick ticks[PLOT_TICKS_MAX];
	struct plot_axis bytes = { "b", UNIT_BYTES, PLOT_LINEAR, 0, 3.5 * (1 << 30) };
	assert_int_equal(plot_ticks(&bytes, 4, ticks), 4);
	assert_string_equal(ticks[3].label, "3 GiB");
	struct plot_axis times = { "t", UNIT_NS, PLOT_LINEAR, 0, 2400000 };
	assert_int_equal(plot_ticks(&times, 5, ticks), 5);
	assert_string_equal(ticks[1].label, "0.5 ms");
	assert_string_equal(ticks[2].label, "1.0 ms");
}

/* ---- drawing ---- */

TEST(all_plots_draw_at_any_size)
{
	for (size_t k = 0; plot_at(k); k++) {
		for (int g = 0; g < PLOT_GROUPS_MAX && plot_at(k)->groups[g].name; g++) {
			struct plot *plot = plot_of(runs[1], plot_at(k)->name,
						    plot_at(k)->groups[g].name, NULL);
			/* the run has no CPU samples, no other ranks and no base */
			assert_int_equal(
				plot_is_empty(plot),
				strncmp(plot_at(k)->groups[g].name, "samples", 7) == 0 ||
					strcmp(plot_at(k)->groups[g].name, "collectives") == 0 ||
					strcmp(plot_at(k)->name, "experts") == 0 ||
					strcmp(plot_at(k)->name, "diff") == 0);
			for (int width = 1; width < 300; width = width * 2 + 1) {
				for (int height = 1; height < 90; height = height * 2 + 1) {
					for (int marks = PLOT_ASCII; marks <= PLOT_BRAILLE;
					     marks++) {
						struct buffer out = { 0 };
						plot_print(plot,
							   &(struct plot_print){
								   (enum plot_marks)marks, width,
								   height, NULL },
							   &out);
						for (size_t i = 0;
						     marks == PLOT_ASCII && i < out.length; i++)
							assert_true(out.data[i] == '\n' ||
								    (out.data[i] >= ' ' &&
								     out.data[i] <= '~'));
						buffer_free(&out);
					}
				}
			}
			plot_free(plot);
		}
	}
}

/* Without colors, too, series on the same axes have different glyphs. */
TEST(series_have_distinct_glyphs)
{
	static const float weights[] = { 0, 5, 50 };
	for (size_t k = 0; plot_at(k); k++) {
		for (int g = 0; g < PLOT_GROUPS_MAX && plot_at(k)->groups[g].name; g++) {
			struct plot *plot = plot_of(runs[4], plot_at(k)->name,
						    plot_at(k)->groups[g].name, NULL);
			for (size_t a = 0; a < plot->series_count; a++) {
				for (size_t b = 0; b < a; b++) {
					const struct plot_series *one = &plot->series[a];
					const struct plot_series *other = &plot->series[b];
					if (one->panel != other->panel)
						continue;
					for (int i = 0; i < 18; i++) {
						enum plot_marks marks =
							i < 9 ? PLOT_ASCII : PLOT_BLOCKS;
						assert_string_not_equal(
							plot_glyph(one, marks, weights[i / 3 % 3]),
							plot_glyph(other, marks, weights[i % 3]));
					}
				}
			}
			plot_free(plot);
		}
	}
}

/* Empty profiles show the reason, in text and in SVG. */
TEST(empty_plots_give_reason)
{
	struct run *run = trace_run(DOCUMENT(OPERATOR("aten::mm", "1", "2")));
	for (size_t k = 0; plot_at(k); k++) {
		for (int g = 0; g < PLOT_GROUPS_MAX && plot_at(k)->groups[g].name; g++) {
			struct plot *plot =
				plot_of(run, plot_at(k)->name, plot_at(k)->groups[g].name, NULL);
			struct buffer text = { 0 }, svg = { 0 };
			plot_print(plot, &(struct plot_print){ 0 }, &text);
			plot_svg(plot, &svg);
			assert_true(!plot_is_empty(plot) || plot->note);
			assert_non_null(strstr(svg.data, "</svg>"));
			buffer_free(&text);
			buffer_free(&svg);
			plot_free(plot);
		}
	}
	run_free(run);
}

/* Bar heights in an ASCII histogram match the bin counts within a cell. */
/* Corners of the first curve: how many, and between which heights and ends. */
static size_t read_curve(const char *svg, double *left, double *right, double *top, double *bottom)
{
	const char *at = strstr(svg, " points=\"");
	size_t count = 0;
	double x, y;
	int used;
	assert_non_null(at);
	for (at += strlen(" points=\""); sscanf(at, "%lf,%lf %n", &x, &y, &used) == 2; at += used) {
		*left = !count || x < *left ? x : *left;
		*right = !count || x > *right ? x : *right;
		*top = !count || y < *top ? y : *top;
		*bottom = !count || y > *bottom ? y : *bottom;
		count++;
	}
	return count;
}

/* Of more points than columns, a curve has a corner for each column, as high and as wide. */
TEST(curves_of_many_points_are_as_high)
{
	double left[2], right[2], top[2], bottom[2];
	size_t corners[2];
	for (int many = 0; many < 2; many++) {
		struct buffer trace = { 0 }, svg = { 0 };
		int events = many ? 6000 : 600;
		buffer_puts(&trace, "{\"traceEvents\":[");
		for (int i = 0; i < events; i++) {
			bool high = i >= events / 3 && i < events / 2;
			buffer_printf(
				&trace,
				"%s{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"cpu_instant_event\","
				"\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":%d,\"args\":{"
				"\"Device Type\":1,\"Device Id\":0,\"Bytes\":64,\"Addr\":%d,"
				"\"Total Allocated\":%d,\"Total Reserved\":4096}}",
				i ? "," : "", i * (many ? 10 : 100), 64 * i, high ? 3000 : 1000);
		}
		buffer_puts(&trace, "]}");
		struct run *run = trace_run(buffer_text(&trace));
		struct plot *plot = plot_of(run, "memory", NULL, NULL);
		assert_int_equal(plot->series[0].count > 4000, many);
		plot_svg(plot, &svg);
		corners[many] = read_curve(buffer_text(&svg), &left[many], &right[many], &top[many],
					   &bottom[many]);
		buffer_free(&svg);
		buffer_free(&trace);
		plot_free(plot);
		run_free(run);
	}
	assert_int_equal(corners[0], 2 * 600 + 2);
	assert_int_equal(corners[1], right[1] - left[1] + 3); /* and two of the base */
	assert_true(fabs(left[0] - left[1]) < 1 && fabs(right[0] - right[1]) < 1);
	assert_true(fabs(top[0] - top[1]) < 1 && fabs(bottom[0] - bottom[1]) < 1);
}

TEST(bar_heights_match_counts)
{
	struct plot *plot = plot_of(runs[0], "distribution", "launches", NULL);
	struct grid grid = { .ascii = true };
	struct plot_look look = { .marks = PLOT_ASCII };
	struct plot_rect rect = { 0, 0, 40, 120 };
	plot->guide_count = 0;
	grid_resize(&grid, rect.rows, rect.columns);
	plot_draw(plot, &look, &grid, rect);
	struct plot_area area = plot_area(plot, &look, rect);
	const struct plot_series *bins = &plot->series[0];
	for (int column = 0; column < area.rect.columns; column++) {
		double x = plot_value(&area.x, (column + 0.5) / area.rect.columns), count = 0;
		double left = plot_column_start(&area, column);
		double right = plot_column_start(&area, column + 1);
		bool inside = false; /* the column lies in a single bin */
		for (size_t i = 0; i < bins->count; i++) {
			double low = bins->points[i].x, high = low + (double)bins->points[i].width;
			if (x >= low && x < high)
				count = bins->points[i].y;
			inside |= left >= low && right <= high;
		}
		if (!inside)
			continue;
		int height = 0;
		for (int row = 0; row < area.rect.rows; row++)
			height += strcmp(grid_cell(&grid, area.rect.row + row,
						   area.rect.column + column)
						 ->bytes,
					 " ") != 0;
		double cells = count / area.y.high * area.rect.rows;
		assert_true(height >= (int)cells && height <= (int)cells + 1);
	}
	grid_free(&grid);
	plot_free(plot);
}

TEST_PROGRAM(plot_case_open, plot_case_close)
