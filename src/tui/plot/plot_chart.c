/*
 * Charts: the cursor is on a point of a series.
 */
#include "picture/plot/plot_axis.h"
#include "picture/plot/plot_marks.h"
#include "tui/plot/plot_pane.h"

#include <math.h>

static const double ZOOM_MIN = 1e-7; /* share of the whole axis */

static const struct plot_series *series_here(const struct plot_pane *self)
{
	return &self->plot->series[self->look.series];
}

const struct plot_point *chart_point(const struct plot_pane *self)
{
	if (!self->plot || self->look.series >= self->plot->series_count ||
	    self->look.point >= series_here(self)->count)
		return NULL;
	return &series_here(self)->points[self->look.point];
}

/* x position of a point's cursor: the middle of bars. */
static double x_of(const struct plot_series *series, const struct plot_point *point)
{
	bool bar = series->style == PLOT_STACK || series->style == PLOT_BARS;
	return bar ? point->x + (double)point->width / 2 : point->x;
}

static double cursor_x(const struct plot_pane *self)
{
	return x_of(series_here(self), chart_point(self));
}

/* ---- the window ---- */

static void window_of(const struct plot_pane *self, double *from, double *to)
{
	const struct plot_look *look = &self->look;
	*from = 0;
	*to = 1;
	if (look->high > look->low) {
		*from = plot_place(&self->plot->x, look->low);
		*to = plot_place(&self->plot->x, look->high);
	}
}

/* Set the window to axis positions FROM to TO, clamped; unset if it covers the whole axis. */
static void set_window(struct plot_pane *self, double from, double to)
{
	struct plot_look *look = &self->look;
	double length = to - from;
	look->low = look->high = 0;
	if (length >= 1 || length < ZOOM_MIN)
		return;
	from = from < 0 ? 0 : from > 1 - length ? 1 - length : from;
	look->low = plot_value(&self->plot->x, from);
	look->high = plot_value(&self->plot->x, from + length);
}

static void keep_in_sight(struct plot_pane *self)
{
	double from, to, at = plot_place(&self->plot->x, cursor_x(self));
	window_of(self, &from, &to);
	if (at < from || at > to)
		set_window(self, at - (to - from) / 2, at + (to - from) / 2);
	if (self->drawing_range)
		self->look.to = cursor_x(self);
}

static void zoom(struct plot_pane *self, double factor)
{
	double from, to, at = plot_place(&self->plot->x, cursor_x(self));
	window_of(self, &from, &to);
	double length = (to - from) * factor;
	if (length < ZOOM_MIN)
		return;
	/* the cursor keeps its screen column */
	double before = (at - from) / (to - from) * length;
	set_window(self, at - before, at - before + length);
}

/* ---- moving along curves and bars ---- */

static struct plot_area area_of(const struct plot_pane *self)
{
	struct plot_area area = plot_area(self->plot, &self->look, self->rect);
	raise_to(area.rect.columns, 1);
	return area;
}

static void put_cursor(struct plot_pane *self, uint32_t series, size_t point)
{
	self->look.series = series;
	self->look.point = point;
}

/* The point of another series at this x. */
static size_t point_at(const struct plot_series *series, double x)
{
	size_t next = plot_lower(series, x);
	if (next < series->count && series->points[next].x <= x)
		return next;
	return next > 0 ? next - 1 : 0;
}

static void change_series(struct plot_pane *self, int direction)
{
	const struct plot *plot = self->plot;
	double x = cursor_x(self);
	for (int64_t i = (int64_t)self->look.series + direction;
	     i >= 0 && i < (int64_t)plot->series_count; i += direction) {
		const struct plot_series *series = &plot->series[i];
		if (!series->count || series->style == PLOT_POINTS)
			continue;
		put_cursor(self, (uint32_t)i, point_at(series, x));
		return;
	}
}

static void move_along(struct plot_pane *self, int direction)
{
	struct plot_area area = area_of(self);
	size_t next = plot_neighbour(series_here(self), &area, self->look.point, direction);
	put_cursor(self, self->look.series, next);
}

/* ---- moving among points ---- */

/* -1, 0, 1: total order of two points by x, or (UP) by y. */
static int compare_points(const struct plot *plot, bool up, uint32_t series_a, size_t a,
			  uint32_t series_b, size_t b)
{
	const struct plot_point *x = &plot->series[series_a].points[a];
	const struct plot_point *y = &plot->series[series_b].points[b];
	double one = up ? x->y : x->x, other = up ? y->y : y->x;
	if (one != other)
		return one < other ? -1 : 1;
	if (series_a != series_b)
		return series_a < series_b ? -1 : 1;
	return (a > b) - (a < b);
}

static void move_among(struct plot_pane *self, bool up, int direction)
{
	const struct plot *plot = self->plot;
	uint32_t best_series = self->look.series;
	size_t best = self->look.point;
	bool found = false;
	for (uint32_t s = 0; s < plot->series_count; s++) {
		for (size_t p = 0;
		     plot->series[s].style == PLOT_POINTS && p < plot->series[s].count; p++) {
			if (compare_points(plot, up, s, p, self->look.series, self->look.point) !=
				    direction ||
			    (found &&
			     compare_points(plot, up, s, p, best_series, best) != -direction))
				continue;
			found = true;
			best_series = s;
			best = p;
		}
	}
	put_cursor(self, best_series, best);
}

/* Go to the leftmost or rightmost point. */
static void move_to_end(struct plot_pane *self, int direction)
{
	const struct plot *plot = self->plot;
	for (uint32_t s = 0; s < plot->series_count; s++)
		for (size_t p = 0;
		     plot->series[s].style == PLOT_POINTS && p < plot->series[s].count; p++)
			if (compare_points(plot, false, s, p, self->look.series,
					   self->look.point) == direction)
				put_cursor(self, s, p);
}

/* ---- the selected range ---- */

static void range(struct plot_pane *self, struct tui *tui)
{
	struct plot_look *look = &self->look;
	if (self->kind->range == PLOT_RANGE_NONE) {
		tui_say(tui, MESSAGE_INFO, "this axis cannot narrow the scope");
	} else if (self->drawing_range) {
		self->drawing_range = false;
		tui_say(tui, MESSAGE_INFO, "Enter narrows to the range; Esc clears it");
	} else {
		look->has_range = self->drawing_range = true;
		look->from = look->to = cursor_x(self);
		tui_say(tui, MESSAGE_INFO, "move the cursor to extend the range; Space ends it");
	}
}

bool chart_letter(struct plot_pane *self, struct tui *tui, enum action action, char letter)
{
	struct plot_look *look = &self->look;
	if (self->kind->range == PLOT_RANGE_NONE || (letter != 'a' && letter != 'b'))
		return false;
	double *end = letter == 'a' ? &look->from : &look->to;
	if (action == ACTION_POSITION_GO && look->has_range) {
		put_cursor(self, look->series, point_at(series_here(self), *end));
		keep_in_sight(self);
	} else if (action == ACTION_POSITION_SET) {
		if (!look->has_range)
			look->from = look->to = cursor_x(self);
		*end = cursor_x(self);
		look->has_range = true;
		self->drawing_range = false;
		tui_say(tui, MESSAGE_INFO, "%c set; Enter narrows to a..b", letter);
	}
	return true;
}

static void narrow_time(const struct plot_pane *self, struct scope *scope, double low, double high)
{
	const struct plot_series *series = series_here(self);
	/* include the last bucket; an instant ends the range */
	high += series->points[0].width > 0 ? (double)series->points[point_at(series, high)].width
					    : 1;
	int64_t first = (int64_t)floor(low), last = (int64_t)ceil(high);
	if (scope->has_time && scope->time_first > first)
		first = scope->time_first;
	if (scope->has_time && scope->time_last < last)
		last = scope->time_last;
	scope->has_time = true;
	scope->time_first = first;
	scope->time_last = last;
}

static bool narrow_steps(const struct plot_pane *self, struct scope *scope, double low, double high)
{
	const struct plot_series *series = series_here(self);
	const struct table *table = self->plot->table;
	int step = table_column_as(table, COLUMN_STEP);
	bool found = false;
	for (size_t i = 0; i < series->count; i++) {
		double x = x_of(series, &series->points[i]);
		struct value number = table_value(table, series->points[i].row, (size_t)step);
		if (x < low || x > high || number.kind != VALUE_INT)
			continue;
		if (!found || number.integer < scope->step_first)
			scope->step_first = number.integer;
		if (!found || number.integer > scope->step_last)
			scope->step_last = number.integer;
		found = true;
	}
	scope->has_steps |= found;
	return found;
}

bool chart_narrow(const struct plot_pane *self, struct scope *scope)
{
	const struct plot_look *look = &self->look;
	double low = fmin(look->from, look->to), high = fmax(look->from, look->to);
	if (!look->has_range) {
		low = look->low;
		high = look->high;
	}
	if (!look->has_range && !(high > low))
		return false;
	if (self->kind->range == PLOT_RANGE_STEPS)
		return narrow_steps(self, scope, low, high);
	if (self->kind->range != PLOT_RANGE_TIME || self->plot->x.unit != UNIT_NS)
		return false;
	narrow_time(self, scope, low, high);
	return true;
}

/* ---- actions ---- */

static void page(struct plot_pane *self, int direction)
{
	double from, to;
	window_of(self, &from, &to);
	double x = plot_value(&self->plot->x,
			      plot_place(&self->plot->x, cursor_x(self)) + direction * (to - from));
	if (series_here(self)->style == PLOT_POINTS)
		return;
	set_window(self, from + direction * (to - from), to + direction * (to - from));
	size_t point = plot_lower(series_here(self), x);
	put_cursor(self, self->look.series,
		   point < series_here(self)->count ? point : series_here(self)->count - 1);
}

static bool move_point(struct plot_pane *self, enum action action)
{
	if (self->plot->bands)
		return heat_move(self, action);
	const struct plot_series *series = series_here(self);
	bool points = series->style == PLOT_POINTS;
	int direction = action == ACTION_CURSOR_RIGHT || action == ACTION_MOVE_UP ? 1 : -1;
	switch (action) {
	case ACTION_CURSOR_LEFT:
	case ACTION_CURSOR_RIGHT:
		if (points)
			move_among(self, false, direction);
		else
			move_along(self, direction);
		return true;
	case ACTION_MOVE_UP:
	case ACTION_MOVE_DOWN:
		if (points)
			move_among(self, true, direction);
		else /* stacked series go up, a legend goes down */
			change_series(self, series->style == PLOT_STACK ? direction : -direction);
		return true;
	case ACTION_PAGE_DOWN:
	case ACTION_PAGE_UP: page(self, action == ACTION_PAGE_DOWN ? 1 : -1); return true;
	case ACTION_FIRST:
	case ACTION_LAST:
		if (points)
			move_to_end(self, action == ACTION_LAST ? 1 : -1);
		else
			put_cursor(self, self->look.series,
				   action == ACTION_LAST ? series->count - 1 : 0);
		return true;
	default: return false;
	}
}

static bool look_at(struct plot_pane *self, enum action action)
{
	double from, to, at = plot_place(&self->plot->x, cursor_x(self));
	switch (action) {
	case ACTION_ZOOM_IN:
	case ACTION_ZOOM_OUT: zoom(self, action == ACTION_ZOOM_IN ? 0.5 : 2); return true;
	case ACTION_FIT_ALL: set_window(self, 0, 1); return true;
	case ACTION_CENTER:
		window_of(self, &from, &to);
		set_window(self, at - (to - from) / 2, at + (to - from) / 2);
		return true;
	default: return false;
	}
}

bool chart_act(struct plot_pane *self, struct tui *tui, enum action action)
{
	if (!chart_point(self))
		return false;
	if (action == ACTION_RANGE)
		range(self, tui);
	else if (!move_point(self, action) && !look_at(self, action))
		return false;
	keep_in_sight(self);
	return true;
}

/* ---- initial position ---- */

/* The heaviest point, or the highest. */
static void start_at_largest(struct plot_pane *self)
{
	const struct plot *plot = self->plot;
	float heaviest = -1;
	if (plot->bands) {
		put_cursor(self, 0, heat_start(plot));
		return;
	}
	for (uint32_t i = 0; i < plot->series_count; i++) {
		const struct plot_series *series = &plot->series[i];
		if (!series->count)
			continue;
		if (series->style != PLOT_POINTS) {
			put_cursor(self, i, plot_highest(series, 0, series->count));
			return;
		}
		if (series->points[series->count - 1].weight > heaviest) {
			heaviest = series->points[series->count - 1].weight;
			put_cursor(self, i, series->count - 1);
		}
	}
}

struct chart_place chart_find_ref(const struct plot *plot, struct ref target)
{
	for (uint32_t i = 0; target.kind != REF_NONE && i < plot->series_count; i++) {
		for (size_t p = 0; p < plot->series[i].count; p++) {
			struct ref ref = plot_ref(plot, plot->series[i].points[p].row);
			if (ref.kind == target.kind && ref.a == target.a)
				return (struct chart_place){ i, p };
		}
	}
	return (struct chart_place){ 0, SIZE_MAX };
}

void chart_reset(struct plot_pane *self, struct chart_place place)
{
	self->look = (struct plot_look){ .has_cursor = true };
	self->drawing_range = false;
	if (place.point == SIZE_MAX)
		start_at_largest(self);
	else
		put_cursor(self, place.series, place.point);
}

/* ---- the mouse ---- */

void chart_click(struct plot_pane *self, int row, int column)
{
	const struct plot *plot = self->plot;
	struct plot_area area = area_of(self);
	int at = column - area.rect.column, nearest = 0;
	bool found = false;
	if (at < 0 || at >= area.rect.columns || !chart_point(self))
		return;
	if (plot->bands) {
		heat_click(self, &area, row - area.rect.row, at);
		return;
	}
	if (series_here(self)->style != PLOT_POINTS) {
		size_t point = plot_drawn(series_here(self), &area, at, at + 1);
		if (point != SIZE_MAX)
			put_cursor(self, self->look.series, point);
		keep_in_sight(self);
		return;
	}
	struct plot_canvas canvas = { plot, &self->look, NULL, area };
	struct plot_look look = self->look;
	for (uint32_t s = 0; s < plot->series_count; s++) {
		for (size_t p = 0; p < plot->series[s].count; p++) {
			int r, c;
			if (!plot_point_cell(&canvas, s, p, &r, &c))
				continue;
			int distance = (r - row + area.rect.row) * (r - row + area.rect.row) * 4 +
				       (c - at) * (c - at);
			if (found && distance >= nearest)
				continue;
			found = true;
			nearest = distance;
			look.series = s;
			look.point = p;
		}
	}
	self->look = look;
}

/* ---- reading ---- */

void plot_entry(struct buffer *out, const char *label, enum unit unit, double value)
{
	buffer_printf(out, "%s\t", label);
	plot_number(out, unit, value);
	buffer_putc(out, '\n');
}

void plot_range_entry(struct buffer *out, const char *label, enum unit unit, double from, double to)
{
	buffer_printf(out, "%s\t", label);
	plot_number(out, unit, from);
	buffer_puts(out, "..");
	plot_number(out, unit, to);
	buffer_putc(out, '\n');
}

/* Values of the panel's other series at this x. */
static void add_others(const struct plot_pane *self, struct buffer *out)
{
	const struct plot *plot = self->plot;
	const struct plot_series *here = series_here(self);
	for (uint32_t i = 0; i < plot->series_count; i++) {
		const struct plot_series *series = &plot->series[i];
		if (i == self->look.series || series->panel != here->panel || !series->count ||
		    series->style == PLOT_POINTS)
			continue;
		plot_entry(out, series->name, plot->panels[here->panel].y.unit,
			   series->points[point_at(series, chart_point(self)->x)].y);
	}
}

/* How the bytes of a curve change in the range, and the most in it. */
static void add_change(const struct plot_pane *self, struct buffer *out)
{
	const struct plot_series *series = series_here(self);
	enum unit unit = self->plot->panels[series->panel].y.unit;
	size_t from = plot_lower(series, fmin(self->look.from, self->look.to));
	size_t to = plot_lower(series, nextafter(fmax(self->look.from, self->look.to), INFINITY));
	if (unit != UNIT_BYTES || from >= to)
		return;
	double change = series->points[to - 1].y - series->points[from].y;
	buffer_puts(out, change < 0 ? ": -" : ": +");
	plot_number(out, unit, fabs(change));
	buffer_puts(out, ", up to ");
	plot_number(out, unit, series->points[plot_highest(series, from, to)].y);
}

static void add_range_entry(const struct plot_pane *self, struct buffer *out)
{
	const struct plot_look *look = &self->look;
	enum unit unit = self->plot->x.unit;
	if (!look->has_range)
		return;
	buffer_puts(out, "Range\t");
	plot_number(out, unit, fmin(look->from, look->to));
	buffer_puts(out, "..");
	plot_number(out, unit, fmax(look->from, look->to));
	if (unit == UNIT_NS) {
		buffer_puts(out, ", ");
		plot_number(out, unit, fabs(look->to - look->from));
		add_change(self, out);
	}
	buffer_putc(out, '\n');
}

void chart_detail(struct plot_pane *self, struct buffer *out)
{
	const struct plot_point *point = chart_point(self);
	const struct plot *plot = self->plot;
	if (!point)
		return;
	if (plot->bands) {
		heat_detail(self, out);
		return;
	}
	const struct plot_series *series = series_here(self);
	const struct plot_panel *panel = &plot->panels[series->panel];
	if (panel->name)
		buffer_printf(out, "Device\t%s\n", panel->name);
	plot_entry(out, series->style == PLOT_POINTS ? panel->y.title : series->name, panel->y.unit,
		   point->y);
	if (series->style == PLOT_BARS)
		plot_range_entry(out, plot->x.title, plot->x.unit, point->x,
				 point->x + (double)point->width);
	else
		plot_entry(out, plot->x.title, plot->x.unit, x_of(series, point));
	add_range_entry(self, out);
	if (series->style == PLOT_POINTS && point->weight > 0)
		buffer_printf(out, "Time Share\t%.1f%%\n", (double)point->weight);
	if (series->style == PLOT_STACK || series->style == PLOT_AREA || series->style == PLOT_LINE)
		add_others(self, out);
}

/* ---- searching: by the names of the points' rows ---- */

static bool point_matches(const struct plot_pane *self, struct tui *tui, uint32_t series,
			  size_t point)
{
	const struct table *table = self->plot->table;
	uint32_t row = self->plot->series[series].points[point].row;
	int column = table_column_as(table, COLUMN_NAME);
	if (row == NO_ROW || column < 0)
		return false;
	struct value name = table_value(table, row, (size_t)column);
	return name.kind == VALUE_TEXT &&
	       pattern_match(tui->search.pattern, name.text, name.length, NULL, NULL);
}

/* Step through all points, heaviest first. */
static void step_point(const struct plot *plot, int direction, uint32_t *series, size_t *point)
{
	if (direction > 0 && *point > 0) {
		--*point;
		return;
	}
	if (direction < 0 && *point + 1 < plot->series[*series].count) {
		++*point;
		return;
	}
	uint32_t count = (uint32_t)plot->series_count;
	do
		*series = (*series + (direction > 0 ? 1 : count - 1)) % count;
	while (!plot->series[*series].count);
	*point = direction > 0 ? plot->series[*series].count - 1 : 0;
}

void chart_find(struct plot_pane *self, struct tui *tui, int direction, bool here)
{
	const struct plot *plot = self->plot;
	uint32_t series = self->look.series;
	size_t point = self->look.point, total = 0;
	if (!tui->search.pattern || !chart_point(self))
		return;
	if (series_here(self)->style != PLOT_POINTS || !plot->series[0].count) {
		tui_say(tui, MESSAGE_INFO, "only plots of points can be searched");
		return;
	}
	for (size_t i = 0; i < plot->series_count; i++)
		total += plot->series[i].count;
	for (size_t i = 0; i <= total; i++) {
		if ((i > 0 || here) && point_matches(self, tui, series, point)) {
			put_cursor(self, series, point);
			keep_in_sight(self);
			return;
		}
		step_point(plot, direction, &series, &point);
	}
	tui_say(tui, MESSAGE_WARNING, "no match for '%s'", tui->search.text);
}
