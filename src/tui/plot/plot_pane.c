#include "tui/plot/plot_pane.h"

#include "base/text.h"
#include "picture/plot/plot_print.h"

#include <assert.h>

static const struct pane_ops plot_pane_ops;

static struct plot_pane *self_of(const struct pane *pane)
{
	assert(pane->ops == &plot_pane_ops);
	return (struct plot_pane *)pane;
}

struct pane *plot_pane_new(const struct pane_subject *subject)
{
	struct plot_pane *self = pane_new(sizeof *self, &plot_pane_ops, subject->plot->title);
	self->kind = subject->plot;
	self->wanted = subject->plot_group ? subject->plot_group : &self->kind->groups[0];
	self->chosen = subject->exact;
	self->target = subject->target;
	return &self->pane;
}

static void subject(const struct pane *pane, struct pane_subject *subject)
{
	const struct plot_pane *self = self_of(pane);
	subject->plot = self->kind;
	subject->plot_group = self->wanted;
	subject->exact = self->chosen;
}

static struct pane *carry(struct pane *pane, struct tui *tui, const struct run *from)
{
	const struct pane_subject same = pane_subject(pane);
	return plot_pane_new(&same);
}

static bool is_flame(const struct plot_pane *self)
{
	return self->plot && self->plot->flame;
}

/* Table row under the cursor, or NO_ROW. */
static uint32_t cursor_row(const struct plot_pane *self)
{
	const struct plot_point *point;
	if (!self->plot || plot_is_empty(self->plot))
		return NO_ROW;
	if (is_flame(self))
		return self->plot->flame->nodes[self->flame.node].row;
	point = chart_point(self);
	return point ? point->row : NO_ROW;
}

/* ---- drawing ---- */

static enum plot_marks marks_of(const struct tui *tui)
{
	return tui->settings.ascii     ? PLOT_ASCII
	       : tui->settings.braille ? PLOT_BRAILLE
				       : PLOT_BLOCKS;
}

static void draw_note(struct tui *tui, struct rect body, const char *note)
{
	int above = body.rows / 3;
	strip_sentence(
		&tui->grid,
		(struct rect){ body.row + above, body.column, body.rows - above, body.columns },
		note);
}

static void plot_pane_draw(struct pane *pane, struct tui *tui, struct rect body)
{
	struct plot_pane *self = self_of(pane);
	self->rect = (struct plot_rect){ body.row, body.column, body.rows, body.columns };
	if (!self->plot)
		return;
	if (plot_is_empty(self->plot)) {
		draw_note(tui, body, self->plot->note);
		tui->grid.cursor_row = body.row;
		return;
	}
	if (is_flame(self)) {
		flame_search_again(self, tui);
		flame_share_room(self, tui->settings.ascii);
		flame_keep_in_sight(self);
		self->flame.marks = marks_of(tui);
		self->flame.letters = tui_shows_letters(tui) && flame_has_kinds(self);
		flame_draw(self->plot->flame, &self->flame, &tui->grid, self->rect);
		flame_draw_legend(self, &tui->grid);
	} else {
		self->look.marks = marks_of(tui);
		plot_draw(self->plot, &self->look, &tui->grid, self->rect);
	}
}

/* ---- leaving ---- */

static struct ref ref_under_cursor(const struct plot_pane *self)
{
	return self->plot ? plot_ref(self->plot, cursor_row(self))
			  : (struct ref){ .kind = REF_NONE };
}

/* A new level with this plot, narrowed to the selected range. */
static bool narrow(struct plot_pane *self, struct tui *tui)
{
	AUTO(scope_clear) struct scope scope = { 0 };
	scope_copy(&scope, &self->pane.level->scope);
	bool good = !is_flame(self) && chart_narrow(self, &scope);
	if (good)
		nav_push_same(tui, &self->pane, &scope);
	return good;
}

/* Go to the table row of the point; for a curve, to the call that changed it. */
static void show_row(struct plot_pane *self, struct tui *tui)
{
	struct ref ref = ref_under_cursor(self);
	bool call = ref.kind == REF_CALL;
	struct pane_subject table = { .kind = PANE_TABLE,
				      .view = view_find(call ? "calls" : self->wanted->view),
				      .query.group = call ? NULL : self->wanted->view_group };
	table.target = call ? ref : table_ref(self->plot->table, cursor_row(self));
	nav_push_new(tui, &table, NULL);
}

static void plot_pane_drill(struct plot_pane *self, struct tui *tui)
{
	struct ref ref = ref_under_cursor(self);
	if (is_flame(self) && self->plot->flame->nodes[self->flame.node].layers > 1) {
		self->target = ref_under_cursor(self);
		self->wanted = plot_group_find(self->kind, "layers-each");
		plot_request(self, tui);
		return;
	}
	if (self->look.has_range && narrow(self, tui))
		return;
	if (cursor_row(self) == NO_ROW)
		tui_say(tui, MESSAGE_INFO, "nothing to drill into");
	else if (ref.kind == REF_NONE || ref.kind == REF_FACT || ref.kind == REF_LAUNCH ||
		 ref.kind == REF_CALL || !nav_drill(tui, ref))
		show_row(self, tui);
}

static void show_on_timeline(struct plot_pane *self, struct tui *tui)
{
	const struct plot_point *point = is_flame(self) ? NULL : chart_point(self);
	struct ref ref = ref_under_cursor(self);
	struct location at = { 0 };
	if (cursor_row(self) == NO_ROW)
		return;
	if ((ref.kind == REF_NONE || ref.kind == REF_FACT) && point) {
		at.from = (int64_t)point->x;
		at.to = at.from + (int64_t)point->width;
	}
	nav_timeline(tui, ref, &at);
}

/* Return to the table, at the point's row. */
static void back_to_table(struct plot_pane *self, struct tui *tui)
{
	struct ref ref = ref_under_cursor(self);
	struct level *above = self->pane.level->above;
	if (!above || pane_subject(above->pane).kind != PANE_TABLE ||
	    !scope_equal(&above->scope, &self->pane.level->scope)) {
		nav_view(tui, view_find(self->wanted->view));
		return;
	}
	if (ref.kind != REF_NONE)
		above->pane->ops->go_ref(above->pane, tui, ref);
	nav_back(tui);
}

/* ---- actions ---- */

static void next_group(struct plot_pane *self, struct tui *tui)
{
	const struct plot_group *next = plot_group_after(self->kind, self->wanted);
	if (next == self->wanted) {
		tui_say(tui, MESSAGE_INFO, "only one grouping here");
		return;
	}
	self->target = ref_under_cursor(self);
	self->wanted = next;
	self->chosen = false; /* by what there is to draw */
	plot_request(self, tui);
	self->chosen = true;
	tui_say(tui, MESSAGE_INFO, "%s", self->wanted->title);
}

/* Undo range or zoom before leaving the pane. */
static bool plot_pane_release(struct plot_pane *self, struct tui *tui, enum action action)
{
	if (action == ACTION_CANCEL && tui->search.pattern)
		return false; /* the search is cleared first, as in all panes */
	if (is_flame(self) && self->zoom_count > 0) {
		self->flame.zoom = self->zooms[--self->zoom_count];
		return true;
	}
	if (is_flame(self) || !self->look.has_range)
		return false;
	self->look.has_range = self->drawing_range = false;
	return true;
}

static bool plot_pane_act(struct pane *pane, struct tui *tui, enum action action)
{
	struct plot_pane *self = self_of(pane);
	if (action == ACTION_PLOT) {
		back_to_table(self, tui);
		return true;
	}
	if (!self->plot)
		return false;
	switch (action) {
	case ACTION_GROUP: next_group(self, tui); return true;
	case ACTION_BACK:
	case ACTION_CANCEL: return plot_pane_release(self, tui, action);
	default: break;
	}
	if (plot_is_empty(self->plot))
		return false;
	switch (action) {
	case ACTION_DRILL:
		if (!is_flame(self) || !flame_act(self, tui, action))
			plot_pane_drill(self, tui);
		return true;
	case ACTION_NARROW:
		if (!narrow(self, tui))
			tui_say(tui, MESSAGE_INFO,
				"no range: mark one with Space on a time or step axis");
		return true;
	case ACTION_TIMELINE: show_on_timeline(self, tui); return true;
	default:
		return is_flame(self) ? flame_act(self, tui, action) : chart_act(self, tui, action);
	}
}

static bool can(struct pane *pane, struct tui *tui, enum action action)
{
	struct plot_pane *self = self_of(pane);
	bool some = self->plot && !plot_is_empty(self->plot);
	switch (action) {
	case ACTION_DRILL:
		return cursor_row(self) != NO_ROW ||
		       (some && is_flame(self) && self->flame.node != self->flame.zoom);
	case ACTION_TIMELINE: return cursor_row(self) != NO_ROW && nav_has_timeline(tui);
	case ACTION_GROUP: return some && self->kind->groups[1].name && !self->alone;
	case ACTION_SORT_INVERT: return is_flame(self);
	case ACTION_RANGE:
	case ACTION_NARROW: return some && !is_flame(self) && self->kind->range != PLOT_RANGE_NONE;
	case ACTION_SCROLL_LEFT:
	case ACTION_SCROLL_RIGHT:
	case ACTION_FILTER: return false;
	default: return some;
	}
}

/* ---- description ---- */

static void state(struct pane *pane, struct buffer *out)
{
	struct plot_pane *self = self_of(pane);
	buffer_printf(out, "  %s", self->wanted->title);
	if (is_flame(self) && self->matched)
		buffer_printf(out, "  Match %.1f %%",
			      100.0 * (double)self->matched_ns /
				      (double)self->plot->flame->nodes[0].value);
	if (self->flame.zoom || (self->plot && self->look.high > self->look.low))
		buffer_puts(out, "  zoomed");
}

static void position(struct pane *pane, struct buffer *out)
{
	struct plot_pane *self = self_of(pane);
	if (!self->plot || plot_is_empty(self->plot))
		return;
	if (is_flame(self))
		buffer_printf(out, "%.1f%%",
			      100.0 * (double)self->plot->flame->nodes[self->flame.node].value /
				      (double)self->plot->flame->nodes[0].value);
	else
		pane_position(out, self->look.point, self->plot->series[self->look.series].count);
}

static void detail(struct pane *pane, struct tui *tui, struct buffer *out)
{
	struct plot_pane *self = self_of(pane);
	if (!self->plot || plot_is_empty(self->plot))
		return;
	if (is_flame(self))
		flame_detail(self, out);
	else
		chart_detail(self, out);
	struct ref ref = ref_under_cursor(self);
	bool folded = is_flame(self) && self->plot->flame->nodes[self->flame.node].layers > 1;
	if (ref.kind != REF_NONE && ref.kind != REF_FACT && !folded)
		view_detail(tui->run, &self->pane.level->scope, ref, out);
	for (size_t i = 0; i < self->plot->fact_count; i++)
		buffer_printf(out, "%s\t%s\n", self->plot->derived[i].label,
			      self->plot->derived[i].text);
	if (self->plot->note)
		buffer_printf(out, "Note\t%s\n", self->plot->note);
}

/* Row number encoding a frame, or a point and its series. */
enum { POINT_BITS = 40 };

static size_t row(const struct pane *pane)
{
	const struct plot_pane *self = self_of(pane);
	if (!self->plot)
		return SIZE_MAX;
	return is_flame(self) ? self->flame.node
			      : (size_t)self->look.series << POINT_BITS | self->look.point;
}

static void go(struct pane *pane, size_t place)
{
	struct plot_pane *self = self_of(pane);
	if (!self->plot || plot_is_empty(self->plot))
		return;
	if (is_flame(self)) {
		if (place < self->plot->flame->count)
			self->flame.node = (uint32_t)place;
		return;
	}
	uint32_t series = (uint32_t)(place >> POINT_BITS);
	size_t point = place & (((size_t)1 << POINT_BITS) - 1);
	if (series < self->plot->series_count && point < self->plot->series[series].count) {
		self->look.series = series;
		self->look.point = point;
	}
}

static void go_line(struct pane *pane, size_t line)
{
	struct plot_pane *self = self_of(pane);
	go(pane, is_flame(self) ? line : (size_t)self->look.series << POINT_BITS | line);
}

static void search(struct pane *pane, struct tui *tui, size_t origin, int direction)
{
	struct plot_pane *self = self_of(pane);
	if (!self->plot || plot_is_empty(self->plot))
		return;
	if (!direction)
		go(pane, origin);
	(is_flame(self) ? flame_find : chart_find)(self, tui, direction ?: 1, !direction);
}

/* The picture, or the item under the cursor. */
static size_t plot_pane_copy(struct pane *pane, struct tui *tui, bool whole, struct buffer *out)
{
	struct plot_pane *self = self_of(pane);
	const struct plot_print print = { .marks = marks_of(tui), .width = self->rect.columns };
	const struct plot_point *point;
	if (!self->plot || plot_is_empty(self->plot))
		return 0;
	if (whole) {
		plot_print(self->plot, &print, out);
	} else if (is_flame(self)) {
		const char *name = flame_name(self->plot->flame, self->flame.node);
		text_escape(out, name, strlen(name));
	} else if ((point = chart_point(self))) {
		plot_number(out, self->plot->x.unit, point->x);
		buffer_putc(out, '\t');
		plot_number(out, self->plot->panels[0].y.unit, point->y);
	}
	return 1;
}

static void click(struct pane *pane, struct tui *tui, int at_row, int at_column, bool twice)
{
	struct plot_pane *self = self_of(pane);
	if (!self->plot || plot_is_empty(self->plot))
		return;
	(is_flame(self) ? flame_click : chart_click)(self, at_row, at_column);
	if (twice)
		tui->host->act(tui, ACTION_DRILL);
}

static bool letter(struct pane *pane, struct tui *tui, enum action action, char which)
{
	struct plot_pane *self = self_of(pane);
	return self->plot && !is_flame(self) && !plot_is_empty(self->plot) &&
	       chart_letter(self, tui, action, which);
}

static void shown(struct pane *pane, struct tui *tui)
{
	plot_request(self_of(pane), tui);
}

static void free_pane(struct pane *pane)
{
	AUTO_FREE struct plot_pane *self = self_of(pane);
	plot_free(self->plot);
	mem_free(self->matched);
}

/* As SVG or text. */
static bool write_plot(struct pane *pane, struct tui *tui, const char *path, const char *extension,
		       struct error *error)
{
	const struct plot_pane *self = self_of(pane);
	bool svg = !strcmp(extension, "svg");
	struct buffer text = { 0 };
	struct plot_print print = { .marks = marks_of(tui),
				    .width = self->rect.columns,
				    .search = tui->search.pattern };
	if (!self->plot)
		return error_set(error, ERROR_USAGE, "plot not ready yet");
	if (!svg && strcmp(extension, "txt") != 0)
		return error_set(error, ERROR_USAGE, "FILE must end in .svg or .txt");
	if (svg)
		plot_svg(self->plot, &text);
	else
		plot_print(self->plot, &print, &text);
	return tui_write(tui, path, "plot", &text, error);
}

static const struct pane_ops plot_pane_ops = { PLOT_PANE_OPS };
