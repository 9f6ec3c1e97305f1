/*
 * Draws the timeline pane: ruler, lanes with names, overview map.
 */
#include "tui/timeline/timeline_pane.h"

#include "analysis/whatif/whatif_scenario.h"
#include "base/number.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMELINE_LAYOUT_ROWS(_) };

struct screen {
	struct timeline_pane *self;
	struct tui *tui;
	struct grid *grid;
	struct rect rest; /* remaining rows for lines */
	int cursor_row;   /* of the body, where the cursor's lane begins */
	struct timeline_heights heights;
	struct timeline_style style;
	bool letters;
	int gutter;
};

/* ---- layout ---- */

/* What tells lanes apart comes first: "GPU0 s7", "python 41207" of "thread 41207 (python)". */
static void add_label(struct buffer *out, const char *label)
{
	static const char stream[] = " stream ", thread[] = "thread ";
	const char *at = strstr(label, stream), *open = strchr(label, '(');
	size_t length = strlen(label), head = sizeof thread - 1;
	if (at && at > label && strchr("0123456789?", at[sizeof stream - 1])) {
		buffer_printf(out, "%.*s s%s", (int)(at - label), label, at + sizeof stream - 1);
	} else if (open && !strncmp(label, thread, head) && label[length - 1] == ')' &&
		   open > label + head) {
		buffer_printf(out, "%.*s %.*s", (int)(label + length - 1 - open - 1), open + 1,
			      (int)(open - label - (ptrdiff_t)head - 1), label + head);
	} else {
		buffer_puts(out, label);
	}
}

static int gutter_width(const struct screen *screen, int columns)
{
	const struct timeline_pane *self = screen->self;
	int widest = 0;
	AUTO_BUFFER struct buffer label = { 0 };
	for (size_t i = 0; i < self->line_count; i++) {
		buffer_clear(&label);
		add_label(&label, timeline_label(self->box->timeline, &self->lines[i]));
		int width = (int)label.length + 5;
		widest = width > widest ? width : widest;
	}
	widest = widest > GUTTER_MAX ? GUTTER_MAX : widest;
	int most = columns / 4 > GUTTER_SMALL ? columns / 4 : GUTTER_SMALL;
	widest = widest > most ? most : widest;
	widest = widest > columns / 3 ? columns / 3 : widest;
	return widest < GUTTER_MIN ? GUTTER_MIN : widest;
}

/* When the width changes, the start of the window stays. */
static void place_window(struct screen *screen, struct rect body)
{
	struct timeline_pane *self = screen->self;
	int columns = body.columns - screen->gutter - 1;
	self->window.column = body.column + screen->gutter + 1;
	columns = columns > 1 ? columns : 1;
	if (columns != self->window.columns) {
		self->window.columns = columns;
		timeline_show(self, self->window.from, self->window.to);
	}
}

/* Of work that is not prepared yet, perhaps: it has the room. */
static bool has_letters(const struct screen *screen, uint32_t lane)
{
	const struct timeline *timeline = screen->self->box->timeline;
	const struct lane *work = &timeline->lanes->lane[lane];
	if (!lane_is_prepared(work))
		return screen->letters && work->kind == LANE_WORK;
	return screen->letters && timeline_has_letters(timeline, lane);
}

static bool has_base(const struct screen *screen, uint32_t lane)
{
	uint32_t base;
	return timeline_base_lane(screen->self->box->timeline, lane, &base);
}

/* Of devices and hosts only where there is room. */
static bool has_rule(const struct screen *screen, size_t line)
{
	return timeline_has_rule(screen->self, line, screen->self->body.rows >= ROWS_FOR_RULES);
}

static int line_rows(const struct screen *screen, size_t line)
{
	uint32_t lane = screen->self->lines[line].lane;
	return has_rule(screen, line) + timeline_height(&screen->heights, screen->self, line) +
	       has_letters(screen, lane) + has_base(screen, lane);
}

/* ---- lines ---- */

static void draw_gutter(struct screen *screen, int row, size_t line)
{
	const struct timeline_pane *self = screen->self;
	const struct timeline_line *shown = &self->lines[line];
	const struct timeline_track *track =
		shown->track == NO_ROW ? NULL : &self->tracks[shown->track];
	struct timeline_line named = *shown;
	named.head |= line == self->top; /* show the track's name on its first visible line */
	AUTO_BUFFER struct buffer label = { 0 };
	add_label(&label, timeline_label(self->box->timeline, &named));
	char letter = timeline_letter(self->box->timeline, shown->lane);
	bool here = line == self->line;
	int plain = shown->head ? ROLE_TEXT : ROLE_DIM, role = here ? ROLE_SELECTION : plain;
	int column = screen->rest.column, room = screen->gutter - 4;
	int width = grid_width(screen->grid, BUFFERED(&label));
	if (here) /* the name alone is highlighted, with a cell on each side */
		grid_fill(screen->grid, row, column, (width < room ? width : room) + 3, role, ' ');
	if (here)
		grid_puts(screen->grid, row, column, 1, role, ">");
	if (shown->head && track && track->count > 1)
		grid_puts(screen->grid, row, column + 1, 1, role,
			  grid_fold_sign(screen->grid, track->fold != TIMELINE_FOLDED));
	grid_field(screen->grid, row, column + 2, width < room ? width : room, role, GRID_LEFT,
		   BUFFERED(&label));
	if (track && track->pinned && shown->head)
		grid_puts(screen->grid, row, column + screen->gutter - 2, 1, plain, "*");
	grid_put(screen->grid, row, column + screen->gutter - 1, 1, plain, &letter, 1);
	grid_rule(screen->grid, row, column + screen->gutter, 1, true);
}

/*
 * The cursor's line is in the rows of its lane, since a terminal is sent all of it whenever the
 * cursor moves; signs above and below the lanes line up with it.
 */
static bool has_cursor(const struct screen *screen, int row)
{
	int at = row - screen->cursor_row;
	return at >= 0 && at < line_rows(screen, screen->self->line);
}

/*
 * The cursor, the markers and the ticks continue through the lanes; the cursor in the color of
 * idle cells, so that a terminal is sent its cells only.
 */
static void draw_times(struct screen *screen, int row)
{
	const struct timeline_pane *self = screen->self;
	for (int i = 0; i < TIMELINE_MARKERS; i++)
		if (self->marked[i])
			timeline_draw_time(screen->grid, row, &self->window, self->marker[i],
					   ROLE_MARK);
	if (has_cursor(screen, row))
		timeline_draw_time(screen->grid, row, &self->window, timeline_cursor(self),
				   ROLE_TEXT);
	timeline_draw_ticks(screen->grid, row, &self->window);
}

/* The same lane of the base run, its work in its place or else the steps beginning together. */
static void draw_base(struct screen *screen, int row, uint32_t lane)
{
	const struct timeline_pane *self = screen->self;
	const struct timeline *timeline = self->box->timeline;
	struct timeline_window window = self->window;
	uint32_t base;
	if (!timeline_base_lane(timeline, lane, &base))
		return;
	bool placed = timeline->base->lanes->lane[base].own_group;
	int64_t shift = placed ? 0 : timeline_base_shift(timeline, window.from);
	window.from += shift;
	window.to += shift;
	grid_puts(screen->grid, row, screen->rest.column + 3, screen->gutter - 5, ROLE_DIM,
		  profile_metadata(timeline->base->rank->profile, WHATIF_SCENARIO) ? "predicted"
		  : placed ? "base by kernel"
			   : "base");
	grid_rule(screen->grid, row, screen->rest.column + screen->gutter, 1, true);
	if (placed && screen->letters)
		timeline_draw_letters(screen->grid, row, timeline->base, base, &window);
	else
		timeline_draw_lane(screen->grid, row, timeline->base, base, &window,
				   &screen->style);
	draw_times(screen, row);
}

/* A rule with the name of what begins below it. */
static void draw_rule(struct screen *screen, int row, size_t line)
{
	struct grid *grid = screen->grid;
	struct rect rest = screen->rest;
	AUTO_BUFFER struct buffer text = { 0 };
	timeline_name_section(screen->self, line, &text);
	grid_rule(grid, row, rest.column, rest.columns, false);
	grid_put(grid, row, rest.column + 2, rest.columns - 2, ROLE_LABEL, text.data, text.length);
}

/* The lane in ROWS rows, with what is painted on it in each. */
static void draw_events(struct screen *screen, int row, int rows, size_t line)
{
	struct timeline_pane *self = screen->self;
	uint32_t lane = self->lines[line].lane;
	for (int i = 0; i < rows && i < screen->rest.rows; i++) {
		struct timeline_style style = screen->style;
		style.labels &= i == rows / 2;
		style.row = i;
		style.rows = rows;
		grid_rule(screen->grid, row + i, screen->rest.column + screen->gutter, 1, true);
		timeline_draw_lane(screen->grid, row + i, self->box->timeline, lane, &self->window,
				   &style);
		timeline_paint_lane(self, screen->tui, row + i, i - rows / 2, line);
		draw_times(screen, row + i);
	}
}

static void timeline_screen_draw_line(struct screen *screen, size_t line)
{
	struct timeline_pane *self = screen->self;
	const struct timeline *timeline = self->box->timeline;
	uint32_t lane = self->lines[line].lane;
	int all = line_rows(screen, line),
	    rows = timeline_height(&screen->heights, screen->self, line), row = screen->rest.row;
	bool prepared = lane_is_prepared(&timeline->lanes->lane[lane]);
	for (int i = 0; i < all; i++) {
		int at = row + i - self->body.row;
		if (at < TIMELINE_ROWS_MAX)
			self->row_line[at] = (uint32_t)line;
	}
	screen->rest.row += all;
	if (has_rule(screen, line) && screen->rest.rows > 1) {
		draw_rule(screen, row++, line);
		screen->rest.rows--;
		all--;
	}
	draw_gutter(screen, row + rows / 2, line);
	if (prepared)
		draw_events(screen, row, rows, line);
	else
		grid_puts(screen->grid, row + rows / 2, self->window.column, self->window.columns,
			  ROLE_DIM, "...");
	if (has_base(screen, lane) && screen->rest.rows >= all)
		draw_base(screen, row + all - 1, lane);
	if (prepared && has_letters(screen, lane) && screen->rest.rows > rows) {
		grid_rule(screen->grid, row + rows, screen->rest.column + screen->gutter, 1, true);
		timeline_draw_letters(screen->grid, row + rows, timeline, lane, &self->window);
		draw_times(screen, row + rows);
	}
	if (line == self->line) {
		screen->grid->cursor_row = row + rows / 2;
		screen->grid->cursor_column = timeline_column(&self->window, timeline_cursor(self));
	}
	screen->rest.rows -= all;
}

/* Draw lines FROM to TO while they fit; returns the first that did not. */
static size_t draw_lines(struct screen *screen, size_t from, size_t to)
{
	while (from < to && screen->rest.rows >= 1 &&
	       (screen->rest.rows >= line_rows(screen, from) || from == screen->self->line))
		timeline_screen_draw_line(screen, from++);
	return from;
}

static int rows_of(const struct screen *screen, size_t from, size_t to)
{
	int rows = 0;
	for (size_t i = from; i < to && rows < screen->rest.rows + 2; i++)
		rows += line_rows(screen, i);
	return rows;
}

static size_t count_fixed(const struct screen *screen)
{
	const struct timeline_pane *self = screen->self;
	int most = screen->rest.rows / (screen->rest.rows < ROWS_FOR_FIXED ? 3 : 2);
	size_t fixed = self->fixed;
	while (fixed > 0 && self->line_count > fixed && rows_of(screen, 0, fixed) > most)
		fixed--;
	return fixed;
}

static void scroll(struct screen *screen, size_t fixed)
{
	struct timeline_pane *self = screen->self;
	int room = screen->rest.rows - rows_of(screen, 0, fixed);
	raise_to(self->top, fixed);
	if (self->line >= fixed && self->line < self->top)
		self->top = self->line;
	while (self->line >= fixed && self->top < self->line &&
	       rows_of(screen, self->top, self->line + 1) > room)
		self->top++;
	/* no empty rows below while lines above are scrolled out */
	while (self->top > fixed && rows_of(screen, self->top - 1, self->line_count) <= room)
		self->top--;
}

/* Rows between the first line and the cursor's. */
static int cursor_away(const struct screen *screen, size_t fixed)
{
	const struct timeline_pane *self = screen->self;
	if (self->line < fixed)
		return rows_of(screen, 0, self->line);
	return rows_of(screen, 0, fixed) + rows_of(screen, self->top, self->line);
}

/* ---- ruler and map ---- */

static bool has_letter(struct grid *grid, int row, int column)
{
	const struct cell *cell = grid_cell(grid, row, column);
	return cell && isalnum((unsigned char)cell->bytes[0]);
}

/* A sign on the ruler; on a label, "5 ms", only its color. */
static void put_sign(struct grid *grid, int row, int column, int role, const char *sign)
{
	if (has_letter(grid, row, column) ||
	    (has_letter(grid, row, column - 1) && has_letter(grid, row, column + 1)))
		grid_paint(grid, row, column, 1, role);
	else
		grid_puts(grid, row, column, 1, role, sign);
}

static void draw_ruler(struct screen *screen, int row)
{
	const struct timeline_pane *self = screen->self;
	const struct timeline_window *window = &self->window;
	int cursor = timeline_column(window, timeline_cursor(self));
	timeline_draw_ruler(screen->grid, row, window);
	int64_t from, to;
	if (timeline_marked_range(self, &from, &to) && from < window->to && to > window->from)
		grid_paint(screen->grid, row, timeline_column(window, from),
			   timeline_column(window, to) - timeline_column(window, from) + 1,
			   ROLE_MARK);
	put_sign(screen->grid, row, cursor, ROLE_SELECTION, grid_fold_sign(screen->grid, true));
	for (int i = 0; i < TIMELINE_MARKERS; i++) {
		if (self->marked[i] && self->marker[i] >= window->from &&
		    self->marker[i] < window->to)
			put_sign(screen->grid, row, timeline_column(window, self->marker[i]),
				 ROLE_MARK, i ? "B" : "A");
	}
}

/* Which lanes are shown, if not all: the first ones, and those up to END. */
static void draw_shown(struct screen *screen, int row, size_t fixed, size_t end)
{
	const struct timeline_pane *self = screen->self;
	AUTO_BUFFER struct buffer text = { 0 };
	if (self->top == fixed && end >= self->line_count)
		return;
	buffer_printf(&text, "lanes %zu", self->top + 1);
	if (end > self->top + 1)
		buffer_printf(&text, "-%zu", end);
	buffer_printf(&text, "/%zu", self->line_count);
	size_t label = (int)text.length <= screen->gutter - 2 ? 0 : strlen("lanes ");
	grid_puts(screen->grid, row, screen->rest.column + 2, screen->gutter - 2, ROLE_DIM,
		  buffer_text(&text) + label);
}

/* Colors and letters of the kinds on the lines, beginning with what changed against a base run. */
static void timeline_screen_draw_legend(struct screen *screen, struct rect at)
{
	const struct timeline_pane *self = screen->self;
	unsigned groups = timeline_groups(self->box->timeline, self->lines, self->line_count);
	int column = at.column + 2, end = at.column + at.columns;
	for (int i = 0; i < GROUPS_PLAIN; i++) {
		enum lane_group group = (enum lane_group)((GROUP_FASTER + i) % GROUPS_PLAIN);
		const char *name = lane_group_name(group);
		const char letter[] = { lane_group_letter(group), '\0' };
		if (!(lane_groups_plain(groups) & 1U << group))
			continue;
		if (column + 4 + (int)strlen(name) > end)
			return;
		grid_puts(screen->grid, at.row, column, 1, timeline_role(group),
			  screen->grid->ascii ? "@" : "█");
		grid_puts(screen->grid, at.row, column + 2, 1, ROLE_KEY, letter);
		column += 4 + grid_puts(screen->grid, at.row, column + 4, end - column - 4,
					ROLE_DIM, name);
		column += 2;
	}
}

/* ---- links of the selected event ---- */

/* Screen row of a lane, of several the one with names, else of one of its track; -1: not visible.
 */
static int row_of_lane(const struct screen *screen, uint32_t lane)
{
	const struct timeline_pane *self = screen->self;
	const struct lane *lanes = self->box->timeline->lanes->lane;
	int found = -1;
	for (int i = 0; i < self->body.rows && i < TIMELINE_ROWS_MAX; i++) {
		size_t line = self->row_line[i];
		uint32_t shown = line == NO_ROW ? NO_ROW : self->lines[line].lane;
		if (line == NO_ROW || (shown != lane && (lanes[lane].track == NO_ROW ||
							 lanes[shown].track != lanes[lane].track)))
			continue;
		found = self->body.row + i + has_rule(screen, line) +
			timeline_height(&screen->heights, self, line) / 2;
		if (shown == lane)
			break;
	}
	return found;
}

/* At the edge of ROW: how far away an event is that begins before or after the time shown. */
static void draw_away(struct screen *screen, int row, int64_t distance, bool later)
{
	const struct timeline_window *window = &screen->self->window;
	bool ascii = screen->grid->ascii;
	char number[NUMBER_MAX], text[NUMBER_MAX + 8];
	number_duration(number, distance);
	snprintf(text, sizeof text, later ? "%1$s %2$s" : "%2$s %1$s", number,
		 later ? (ascii ? ">" : "▸") : (ascii ? "<" : "◂"));
	int width = grid_width(screen->grid, text, strlen(text));
	grid_puts(screen->grid, row, window->column + (later ? window->columns - width : 0), width,
		  ROLE_MARK, text);
}

/*
 * A line leads through idle cells, turning on the first rule on its way, to the other end, which is
 * marked; a long one only where it begins and ends. A terminal is sent all of it.
 */
static void draw_link(struct screen *screen, int here, struct timeline_event end)
{
	enum { WHOLE = 8 };
	static const char *const corners[] = { "┴", "┬" };
	const struct timeline_pane *self = screen->self;
	const struct timeline_window *window = &self->window;
	const struct lane *lane = &self->box->timeline->lanes->lane[end.lane];
	int64_t start = lane_start(timeline_lane(self), self->event),
		other = lane_start(lane, end.event);
	int there = row_of_lane(screen, end.lane), from, to;
	bool down = here < there, turned = false;
	if (there < 0)
		return;
	if (!timeline_event_columns(self, lane, end.event, &from, &to)) {
		draw_away(screen, there, llabs(other - start), other >= window->to);
		return;
	}
	timeline_paint_end(screen->grid, there, from, to);
	int top = down ? here : there, bottom = down ? there : here;
	const int64_t times[] = { down ? start : other, down ? other : start };
	for (int row = top + 1; row < bottom; row++) {
		const struct cell *gutter = grid_cell(screen->grid, row, window->column - 1);
		if (gutter && strcmp(gutter->bytes, screen->grid->ascii ? "|" : "│") != 0) {
			for (int i = 0; i < 2 && !turned; i++)
				grid_puts(screen->grid, row, timeline_column(window, times[i]), 1,
					  ROLE_MARK, screen->grid->ascii ? "+" : corners[i]);
			turned = true;
		} else if (bottom - top <= WHOLE || row <= top + LINK_NEAR ||
			   row >= bottom - LINK_NEAR) {
			timeline_draw_time(screen->grid, row, window,
					   times[turned || row + 1 == bottom], ROLE_TEXT);
		}
	}
}

static void draw_links(struct screen *screen)
{
	const struct timeline_pane *self = screen->self;
	struct timeline_event ends[TIMELINE_LINKS];
	if (!timeline_ready(self) || self->event == NO_ROW || timeline_on_rank(self))
		return;
	size_t count = timeline_links(self->box->timeline, timeline_ref(self), ends);
	int here = row_of_lane(screen, self->lines[self->line].lane);
	for (size_t i = 0; here >= 0 && i < count; i++)
		draw_link(screen, here, ends[i]);
}

/*
 * Open what is folded at first, as far as all fits: levels of threads, then modules and Python
 * functions.
 */
static void open_folded(struct screen *screen)
{
	struct timeline_pane *self = screen->self;
	self->opened = true;
	for (enum timeline_fold fold = TIMELINE_OPEN; fold <= TIMELINE_ALL; fold++)
		for_each_mutable (track, self->tracks, self->track_count) {
			enum timeline_fold before = track->fold;
			if (track->hidden || track->count < 2 || before >= fold ||
			    self->box->timeline->lanes->lane[track->first].waits)
				continue;
			track->fold = fold;
			timeline_arrange(self);
			if (rows_of(screen, 0, self->line_count) <= screen->rest.rows)
				continue;
			track->fold = before;
			timeline_arrange(self);
			return;
		}
}

/* The rows of ruler, legend and map, and what remains for lanes. */
static void timeline_screen_lay_out(struct screen *screen, struct rect body)
{
	struct timeline_pane *self = screen->self;
	screen->rest = body;
	if (body.rows >= ROWS_FOR_RULER) {
		screen->rest.row++;
		screen->rest.rows--;
	}
	screen->rest.rows -= (body.rows >= ROWS_FOR_MAP) + 2 * (body.rows >= ROWS_FOR_LEGEND);
	if (!self->opened)
		open_folded(screen);
	if (!screen->style.braille)
		timeline_share_room(&screen->heights, self, screen->rest.rows,
				    rows_of(screen, 0, self->line_count));
	screen->gutter = gutter_width(screen, body.columns);
	place_window(screen, body);
}

static void draw_all(struct screen *screen, struct rect body)
{
	struct timeline_pane *self = screen->self;
	timeline_screen_lay_out(screen, body);
	if (body.rows >= ROWS_FOR_RULER)
		draw_ruler(screen, body.row);
	if (body.rows >= ROWS_FOR_MAP) {
		self->map_row = body.row + body.rows - 1;
		timeline_draw_map(screen->grid, self->map_row, self->box->timeline, self->begin,
				  self->end, &self->window, &screen->style);
		grid_field(screen->grid, self->map_row, body.column + 2, screen->gutter - 3,
			   ROLE_DIM, GRID_LEFT, "all", 3);
	}
	if (body.rows >= ROWS_FOR_LEGEND) {
		timeline_screen_draw_legend(
			screen, (struct rect){ self->map_row - 1, body.column, 1, body.columns });
		grid_puts(screen->grid, self->map_row - 2,
			  timeline_column(&self->window, timeline_cursor(self)), 1, ROLE_SELECTION,
			  screen->grid->ascii ? "^" : "▴");
	}
	size_t fixed = count_fixed(screen);
	scroll(screen, fixed);
	screen->cursor_row = screen->rest.row + cursor_away(screen, fixed);
	draw_lines(screen, 0, fixed);
	size_t end = draw_lines(screen, self->top, self->line_count);
	if (body.rows >= ROWS_FOR_RULER)
		draw_shown(screen, body.row, fixed, end);
	draw_links(screen);
}

static const char *why_empty(const struct timeline_pane *self)
{
	const struct profile *profile = self->box->timeline->lanes->profile;
	const struct scope *scope = &self->pane.level->scope;
	if (scope->filter || scope->shortest > 0)
		return "No event is left by the filter (Backspace goes back).";
	if (profile->spans > 0 || profile->activities > 0)
		return "No events here, or all lanes are hidden (c chooses lanes).";
	if (profile->tables)
		return "A summary holds no events; :from-trace opens its trace.";
	return "No events with timestamps.";
}

void timeline_draw(struct pane *pane, struct tui *tui, struct rect body)
{
	struct timeline_pane *self = timeline_pane_of(pane);
	struct screen screen = {
		.self = self,
		.tui = tui,
		.grid = &tui->grid,
		.style = { .ascii = tui->settings.ascii,
			   .braille = tui->settings.braille,
			   .labels = true },
		.letters = tui_shows_letters(tui),
	};
	self->body = body;
	self->map_row = -1;
	for (int i = 0; i < TIMELINE_ROWS_MAX; i++)
		self->row_line[i] = NO_ROW;
	if (!self->box || body.rows < 1)
		return;
	if (self->line_count == 0)
		strip_sentence(&tui->grid, body, why_empty(self));
	else
		draw_all(&screen, body);
	if (self->line_count == 1 &&
	    self->box->timeline->lanes->lane[self->lines[0].lane].kind == LANE_STEPS &&
	    screen.rest.rows > 1) {
		struct rect free = { screen.rest.row + 1, body.column, screen.rest.rows - 1,
				     body.columns };
		strip_sentence(&tui->grid, free, why_empty(self));
	}
	if (!self->pane.job && !self->stalled)
		timeline_request(self, tui);
}
