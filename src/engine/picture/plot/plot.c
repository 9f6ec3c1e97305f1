#include "picture/plot/plot.h"

#include "base/any_of.h"
#include "base/error.h"
#include "picture/plot/flame.h"

#include <math.h>
#include <stdio.h>

/* ---- registry ---- */

static const struct plot_kind *const kinds[] = {
	&plot_memory, &plot_utilization, &plot_steps, &plot_roofline, &plot_distribution,
	&plot_flame,  &plot_ranks,       &plot_heat,  &plot_experts,  &plot_diff,
};

/* Plot of a view; groupings may have their own. */
static const struct {
	const char *view, *view_group;
	const struct plot_kind *kind;
	const char *group;
} of_views[] = { VIEW_PLOTS_ROWS };

enum { KINDS = sizeof kinds / sizeof *kinds, OF_VIEWS = sizeof of_views / sizeof *of_views };

const struct plot_kind *plot_at(size_t index)
{
	return index < KINDS ? kinds[index] : NULL;
}

const struct plot_kind *plot_find(const char *name)
{
	for (size_t i = 0; i < KINDS; i++)
		if (strcmp(kinds[i]->name, name) == 0)
			return kinds[i];
	return NULL;
}

const struct plot_group *plot_group_find(const struct plot_kind *kind, const char *name)
{
	for (int i = 0; i < PLOT_GROUPS_MAX && kind->groups[i].name; i++)
		if (strcmp(kind->groups[i].name, name) == 0)
			return &kind->groups[i];
	return NULL;
}

const struct plot_kind *plot_of_view(const char *view, const char *group,
				     const struct plot_group **plot_group)
{
	for (size_t i = 0; i < OF_VIEWS; i++) {
		if (strcmp(of_views[i].view, view) != 0 ||
		    (of_views[i].view_group &&
		     (!group || strcmp(of_views[i].view_group, group) != 0)))
			continue;
		*plot_group = plot_group_find(of_views[i].kind, of_views[i].group);
		return of_views[i].kind;
	}
	return NULL;
}

/* ---- building ---- */

const struct plot_glyphs plot_glyphs_area = { { "#" }, { "█" } };
const struct plot_glyphs plot_glyphs_line = { { "-" }, { "─" } };

static char *format_text(struct plot *plot, const char *format, va_list arguments)
{
	char text[512];
	vsnprintf(text, sizeof text, format, arguments);
	return arena_strndup(plot->arena, text, strlen(text));
}

char *plot_text(struct plot *plot, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = format_text(plot, format, arguments);
	va_end(arguments);
	return text;
}

uint32_t plot_add_panel(struct plot *plot, const char *name, struct plot_axis y)
{
	mem_grow(plot->panels, plot->panel_count + 1);
	plot->panels[plot->panel_count] = (struct plot_panel){ name, y };
	return (uint32_t)plot->panel_count++;
}

struct plot_series *plot_add_series(struct plot *plot, uint32_t panel, const char *name,
				    enum plot_style style, enum role role,
				    struct plot_glyphs glyphs)
{
	struct plot_series *series = mem_push(plot->series, plot->series_count);
	*series = (struct plot_series){
		.name = name, .style = style, .role = role, .glyphs = glyphs, .panel = panel
	};
	return series;
}

void plot_add_point(struct plot_series *series, struct plot_point point)
{
	*mem_push(series->points, series->count) = point;
}

void plot_add_guide(struct plot *plot, struct plot_guide guide)
{
	*mem_push(plot->guides, plot->guide_count) = guide;
}

void plot_add_fact(struct plot *plot, const char *label, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	*mem_push(plot->derived, plot->fact_count) =
		(struct plot_fact){ label, format_text(plot, format, arguments) };
	va_end(arguments);
}

double plot_cell(const struct plot *plot, size_t row, int column)
{
	return table_amount(plot->table, row, column);
}

const char *plot_cell_text(struct plot *plot, size_t row, int column)
{
	if (column < 0)
		return "";
	struct value value = table_value(plot->table, row, (size_t)column);
	return value.kind == VALUE_TEXT ? arena_strndup(plot->arena, value.text, value.length) : "";
}

bool plot_is_numbered(const struct plot *plot, int column)
{
	for (size_t row = 1; row < plot->table->rows; row++)
		if (plot_cell(plot, row, column) != plot_cell(plot, row - 1, column) + 1)
			return false;
	return plot->table->rows && fabs(plot_cell(plot, 0, column)) < 1e12;
}

bool plot_go_on(const struct plot *plot, size_t row)
{
	return progress_heavy_row(plot->progress, "plotting", row, plot->table->rows, 8) ||
	       error_cancelled(plot->error);
}

/* Give an empty axis a usable range. */
static void plot_widen(struct plot_axis *axis)
{
	bool usable = isfinite(axis->low) && isfinite(axis->high) && axis->high > axis->low;
	if (axis->scale == PLOT_LOG) {
		usable &= axis->low > 0;
		if (!usable && isfinite(axis->low) && axis->low > 0)
			*axis = (struct plot_axis){ axis->title, axis->unit, axis->scale,
						    axis->low / 2, axis->low * 2 };
		else if (!usable)
			axis->low = 1, axis->high = 10;
		return;
	}
	if (!usable && isfinite(axis->low))
		axis->high = axis->low + fmax(1, fabs(axis->low) / 1e6);
	else if (!usable)
		axis->low = 0, axis->high = 1;
}

/* ---- range maximum: a segment tree whose leaves start at `count` ---- */

/* For stacks, the height of the whole stack. */
static double height_at(const struct plot *plot, const struct plot_series *series, size_t point)
{
	double sum = 0;
	if (series->style != PLOT_STACK)
		return series->points[point].y;
	for (size_t i = 0; i < plot->series_count; i++)
		if (plot->series[i].style == PLOT_STACK && plot->series[i].panel == series->panel)
			sum += plot->series[i].points[point].y;
	return sum;
}

static void make_peaks(const struct plot *plot, struct plot_series *series)
{
	size_t count = series->count;
	if (series->style == PLOT_POINTS || series->style == PLOT_CELLS || count == 0)
		return;
	double *peaks = series->peaks = mem_alloc(2 * count * sizeof *peaks);
	for (size_t i = 0; i < count; i++)
		peaks[count + i] = height_at(plot, series, i);
	for (size_t i = count - 1; i > 0; i--)
		peaks[i] = fmax(peaks[2 * i], peaks[2 * i + 1]);
}

/* ---- range mean ---- */

static void make_sums(struct plot_series *series)
{
	if (!series->averaged || !series->count)
		return;
	series->sums = mem_alloc(series->count * sizeof *series->sums);
	series->sums[0] = 0;
	for (size_t i = 1; i < series->count; i++) {
		const struct plot_point *before = &series->points[i - 1];
		series->sums[i] =
			series->sums[i - 1] + before->y * (series->points[i].x - before->x);
	}
}

/* Integral of y dx from the first point to X. */
static double sum_to(const struct plot_series *series, double x)
{
	size_t next = plot_lower(series, x);
	if (!next)
		return 0;
	return series->sums[next - 1] +
	       series->points[next - 1].y * (x - series->points[next - 1].x);
}

double plot_mean(const struct plot_series *series, double from, double to)
{
	if (!series->count || to <= series->points[0].x)
		return NAN;
	return (sum_to(series, to) - sum_to(series, from)) / (to - from);
}

size_t plot_lower(const struct plot_series *series, double x)
{
	return search_first(i, (size_t)0, series->count, !(series->points[i].x < x));
}

size_t plot_highest(const struct plot_series *series, size_t from, size_t to)
{
	size_t count = series->count, best = from + count;
	const double *peaks = series->peaks;
	for (size_t low = from + count, high = to + count; low < high; low /= 2, high /= 2) {
		if (low & 1) {
			best = peaks[low] > peaks[best] ? low : best;
			low++;
		}
		if (high & 1) {
			high--;
			best = peaks[high] > peaks[best] ? high : best;
		}
	}
	while (best < count) /* descend to the leaf with the maximum */
		best = peaks[2 * best] == peaks[best] ? 2 * best : 2 * best + 1;
	return best - count;
}

struct ref plot_ref(const struct plot *plot, uint32_t row)
{
	if (row == NO_ROW)
		return NO_REF;
	return plot->kind->ref ? plot->kind->ref(plot, row) : table_ref(plot->table, row);
}

void plot_number(struct buffer *out, enum unit unit, double value)
{
	struct column column = { .unit = unit };
	bool whole = unit == UNIT_ID || unit == UNIT_COUNT;
	if (whole && value == floor(value) && fabs(value) < 9e15)
		value_format(out, &column, value_int((int64_t)value), false);
	else
		value_format(out, &column, value_real(value), false);
}

const char *plot_quantity(struct plot *plot, enum unit unit, double value)
{
	AUTO_BUFFER struct buffer text = { 0 };
	plot_number(&text, unit, value);
	return arena_strndup(plot->arena, BUFFERED(&text));
}

/* ---- plots ---- */

static bool build_plot(void *context)
{
	struct plot *plot = context;
	if (!plot->kind->build(plot))
		return false;
	plot_widen(&plot->x);
	for (size_t i = 0; i < plot->panel_count; i++)
		plot_widen(&plot->panels[i].y);
	for (size_t i = 0; i < plot->series_count; i++) {
		make_peaks(plot, &plot->series[i]);
		make_sums(&plot->series[i]);
	}
	if (plot_is_empty(plot) && !plot->note)
		plot->note =
			plot->table->note ? plot->table->note : "Nothing to plot in this scope.";
	return true;
}

struct plot *plot_build(const struct plot_kind *kind, const struct plot_group *group,
			const struct run *run, const struct scope *scope,
			const struct progress *progress, struct error *error)
{
	struct table *table = view_build_one(view_find(group->view), run, scope, group->view_group,
					     progress, error);
	if (!table)
		return NULL;
	struct plot *plot = mem_zalloc(1, sizeof *plot);
	*plot = (struct plot){ .kind = kind,
			       .group = group,
			       .table = table,
			       .arena = arena_new(),
			       .progress = progress,
			       .error = error };
	return keep_if(mem_guard(build_plot, plot, error), plot, plot_free);
}

void plot_free(struct plot *plot)
{
	if (!plot)
		return;
	for (size_t i = 0; i < plot->series_count; i++) {
		mem_free_all(plot->series[i].points, plot->series[i].peaks, plot->series[i].sums);
	}
	mem_free_all(plot->series, plot->panels, plot->guides, plot->derived);
	flame_free(plot->flame);
	table_free(plot->table);
	arena_free(plot->arena);
	mem_free(plot);
}

bool plot_is_empty(const struct plot *plot)
{
	if (plot->flame)
		return plot->flame->count < 2;
	return !any_of(i, plot->series_count, plot->series[i].count);
}

const struct plot_group *plot_group_after(const struct plot_kind *kind,
					  const struct plot_group *group)
{
	bool last = ++group == kind->groups + PLOT_GROUPS_MAX || !group->name;
	return last ? kind->groups : group;
}

struct plot *plot_build_first(const struct plot_kind *kind, const struct plot_group *group,
			      const struct run *run, const struct scope *scope,
			      const struct progress *progress, struct error *error)
{
	struct plot *plot = plot_build(kind, group, run, scope, progress, error);
	for (const struct plot_group *next = plot_group_after(kind, group);
	     plot && plot_is_empty(plot) && next != group; next = plot_group_after(kind, next)) {
		struct plot *other = plot_build(kind, next, run, scope, progress, error);
		bool better = !other || !plot_is_empty(other);
		plot_free(better ? plot : other);
		plot = better ? other : plot;
	}
	return plot;
}
