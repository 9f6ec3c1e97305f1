/*
 * Draws timeline lanes into a grid.
 */
#include "picture/timeline/timeline_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

int timeline_column(const struct timeline_window *window, int64_t time)
{
	int low = 0, high = window->columns - 1;
	while (low < high) {
		int middle = (low + high + 1) / 2;
		if (lane_edge(window->from, window->to, window->columns, middle) <= time)
			low = middle;
		else
			high = middle - 1;
	}
	return window->column + low;
}

/* ---- glyphs ---- */

/* Busy time in units of 1/parts of the width: 0 only if idle, all only if fully busy. */
static int quantum(int64_t busy, int64_t width, int parts)
{
	int part = (int)((double)busy * parts / (double)width);
	if (busy >= width)
		return parts;
	return part < 1 ? 1 : part >= parts ? parts - 1 : part;
}

static const char *const eighths[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "▓" };

/* ASCII resolves quarters, from '.' (less than one) to '#' (three or more). */
static const char *const quarters[] = { " ", ".", "-", "=", "#" };

/* Steps and annotations tell where work belongs, and are no work, nor is waiting: a thin line. */
static bool is_thin(const struct lane *lane, bool ascii)
{
	return (lane->kind == LANE_STEPS || lane->kind == LANE_ANNOTATION ||
		lane->kind == LANE_SYNC || lane->waits) &&
	       !ascii;
}

static const char *glyph(const struct lane_cell *cell, int64_t width, bool ascii, bool strip)
{
	if (!cell->events)
		return " ";
	if (cell->whole && !strip)
		return ascii ? "@" : "█";
	if (ascii) {
		int part = (int)((double)cell->busy * 4 / (double)width);
		return quarters[part < 3 ? part + 1 : 4];
	}
	int part = quantum(cell->busy, width, 8);
	return part == 8 && strip ? "█" : eighths[part];
}

/* The part of a cell ROWS high that is in one of its rows. */
static const char *glyph_of_row(const struct lane_cell *cell, int64_t width,
				const struct timeline_style *style, bool ascii, bool strip)
{
	int parts = ascii ? 4 : 8, above = style->rows - 1 - style->row;
	bool lined = style->row == 0 && !strip && !ascii; /* a line below the lane above */
	if (!cell->events || (cell->whole && !strip))
		return lined && cell->events ? eighths[7] : glyph(cell, width, ascii, strip);
	int all = quantum(cell->busy, width, parts * style->rows), part = all - parts * above;
	bool full = all == parts * style->rows;
	part = part < 0 ? 0 : part > parts ? parts : part;
	if (ascii)
		return quarters[part];
	if (lined && part > 6)
		return eighths[full ? 7 : 6];
	/* the rows below the top of a cell that is busy in part have its color */
	return part == 8 && (strip || !full) ? "█" : eighths[part];
}

/* Two columns of four dots, each filled from below. */
static void braille(const struct lane_cell half[2], int64_t width, char out[4])
{
	static const uint8_t dots[2][5] = { { 0, 0x40, 0x44, 0x46, 0x47 },
					    { 0, 0x80, 0xa0, 0xb0, 0xb8 } };
	unsigned bits = 0;
	for (int i = 0; i < 2; i++)
		if (half[i].events)
			bits |= dots[i][quantum(half[i].busy, width, 4)];
	bits = half[0].whole && half[1].whole && half[0].event == half[1].event ? 0 : bits;
	/* from U+2800; an event that fills both halves is solid */
	unsigned point = bits ? 0x2800 + bits : 0x2588;
	out[0] = (char)(0xe0 | point >> 12);
	out[1] = (char)(0x80 | (point >> 6 & 0x3f));
	out[2] = (char)(0x80 | (point & 0x3f));
	out[3] = '\0';
}

/* ---- labels ---- */

enum { LABEL_RUN_MIN = 6, LABEL_ELIDED_MIN = 6 }; /* columns of cells, of a name in part */

/* Number of cells from AT on filled by the same event. */
static int run_length(const struct lane_cell *cells, int at, int columns)
{
	int end = at;
	while (end < columns && cells[end].whole && cells[end].event == cells[at].event)
		end++;
	return end - at;
}

/* Event names in the cells they fill, with a margin of one cell; THIN: on a line. */
static void draw_labels(struct grid *grid, int row, const struct timeline *timeline,
			const struct lane *lane, bool thin, const struct lane_cell *cells,
			const struct timeline_window *window)
{
	const struct lanes *lanes = timeline->lanes;
	for (int at = 0; at < window->columns;) {
		int length = cells[at].whole ? run_length(cells, at, window->columns) : 1;
		uint32_t name =
			cells[at].whole ? lane_event_name(lanes, lane, cells[at].event) : NO_ROW;
		if (name != NO_ROW && length >= LABEL_RUN_MIN) {
			const char *text = profile_string(lanes->profile, name);
			int width = grid_width(grid, text, strlen(text));
			bool whole = width <= length - 2;
			width = whole ? width : length - 2;
			if (!whole && width < LABEL_ELIDED_MIN)
				width = 0; /* "St…c" tells nothing */
			grid_field(grid, row, window->column + at + 1, width,
				   timeline_role(cells[at].group), GRID_LEFT, text, strlen(text));
			if (!thin)
				grid_reverse(grid, row, window->column + at + 1, width);
		}
		at += length;
	}
}

static void mark_cut(struct grid *grid, int row, int column, const char *mark)
{
	const struct cell *cell = grid_cell(grid, row, column);
	if (!cell)
		return;
	bool full = cell->filled || !strcmp(cell->bytes, "█");
	grid_puts(grid, row, column, 1, cell->role, mark);
	if (full) /* otherwise it would look so */
		grid_reverse(grid, row, column, 1);
}

/* Marks at the edges of the window on events that begin before it or end after it. */
static void mark_ends(struct grid *grid, int row, const struct lane *lane,
		      const struct timeline_window *window, bool ascii)
{
	uint32_t left = lane_events_before(lane, window->from);
	uint32_t right = lane_events_before(lane, window->to);
	if (left > 0 && lane_end(lane, left - 1) > window->from)
		mark_cut(grid, row, window->column, ascii ? "<" : "◂");
	if (right > 0 && lane_end(lane, right - 1) > window->to)
		mark_cut(grid, row, window->column + window->columns - 1, ascii ? ">" : "▸");
}

/* ---- lanes ---- */

/* Of sums of doubles, in ns. */
#define ROUNDING 1e-3

/* The mean load in place of the busy time. */
static void show_load(const struct lane *lane, const struct timeline_window *window, int columns,
		      struct lane_cell *cells)
{
	for (int i = 0; i < columns; i++) {
		int64_t from = lane_edge(window->from, window->to, columns, i);
		int64_t to = lane_edge(window->from, window->to, columns, i + 1);
		/* not less than it is, so that half a load has half of the height in all cells */
		cells[i].busy =
			(int64_t)ceil(lane_load(lane, from, to) * (double)(to - from) - ROUNDING);
		cells[i].whole = false;
	}
}

/* The cells of a prepared lane, kept until another window is drawn. */
static const struct lane_cell *cells_in_window(const struct timeline *timeline, uint32_t index,
					       const struct timeline_window *window, bool map)
{
	const struct lane *lane = &timeline->lanes->lane[index];
	struct lane_picture *picture =
		&timeline->pictures[map ? TIMELINE_PICTURES : index % TIMELINE_PICTURES];
	if (picture->cells && picture->lane == index && picture->from == window->from &&
	    picture->to == window->to && picture->columns == window->columns)
		return picture->cells;
	mem_replace(picture->cells,
		    mem_alloc((size_t)(window->columns + 1) * sizeof *picture->cells));
	picture->lane = index;
	MEMBERS(picture, window, TAKE(from) TAKE(to) TAKE(columns));
	lane_cells(timeline->lanes, lane, window->from, window->to, window->columns,
		   picture->cells);
	if (lane->load)
		show_load(lane, window, window->columns, picture->cells);
	return picture->cells;
}

static void draw_braille(struct grid *grid, int row, const struct timeline *timeline,
			 const struct lane *lane, const struct timeline_window *window)
{
	int columns = window->columns * 2;
	AUTO_FREE struct lane_cell *cells = mem_alloc((size_t)columns * sizeof *cells);
	lane_cells(timeline->lanes, lane, window->from, window->to, columns, cells);
	if (lane->load)
		show_load(lane, window, columns, cells);
	for (int i = 0; i < columns; i += 2) {
		int64_t width = (window->to - window->from) / columns;
		const struct lane_cell *more = cells[i].busy >= cells[i + 1].busy && cells[i].events
						       ? &cells[i]
						       : &cells[i + 1];
		char text[4];
		if (!cells[i].events && !cells[i + 1].events)
			continue;
		braille(cells + i, width > 0 ? width : 1, text);
		grid_puts(grid, row, window->column + i / 2, 1, timeline_role(more->group), text);
	}
}

static void draw_work(struct grid *grid, int row, const struct lane *lane,
		      const struct lane_cell *cells, int i, const struct timeline_window *window,
		      const struct timeline_style *style)
{
	bool ascii = style->ascii || grid->ascii, strip = lane_is_union(lane);
	int role = strip && lane->kind != LANE_RANK ? ROLE_BAR : timeline_role(cells[i].group);
	int64_t width = lane_edge(window->from, window->to, window->columns, i + 1) -
			lane_edge(window->from, window->to, window->columns, i);
	bool begins =
		i && cells[i - 1].whole && cells[i].whole && cells[i - 1].event != cells[i].event;
	const char *thin = begins ? "├" : cells[i].busy >= width / 2 ? "─" : "╌";
	const char *text = is_thin(lane, ascii) ? thin
			   : style->rows > 1 ? glyph_of_row(&cells[i], width, style, ascii, strip)
					     : glyph(&cells[i], width, ascii, strip);
	if (*text == ' ')
		return;
	grid_puts(grid, row, window->column + i, 1, role, text);
	/* a line between two events that fill cells side by side */
	if (!ascii && !strip && begins && !is_thin(lane, ascii)) {
		grid_puts(grid, row, window->column + i, 1, role, "▏");
		grid_reverse(grid, row, window->column + i, 1);
	}
}

void timeline_draw_lane(struct grid *grid, int row, const struct timeline *timeline, uint32_t index,
			const struct timeline_window *window, const struct timeline_style *style)
{
	const struct lane *lane = &timeline->lanes->lane[index];
	bool ascii = style->ascii || grid->ascii, strip = lane_is_union(lane);
	int columns = window->columns;
	if (columns <= 0 || !lane_is_prepared(lane))
		return;
	if (lane->why) {
		if (style->row == style->rows / 2)
			grid_cut(grid, row, window->column, columns, ROLE_WARNING, lane->why);
		return;
	}
	const struct lane_cell *cells = cells_in_window(timeline, index, window, style->map);
	if (style->braille && !ascii) {
		draw_braille(grid, row, timeline, lane, window);
	} else {
		for (int i = 0; i < columns; i++)
			if (cells[i].events)
				draw_work(grid, row, lane, cells, i, window, style);
	}
	if (style->labels && !strip) {
		draw_labels(grid, row, timeline, lane, is_thin(lane, ascii), cells, window);
		mark_ends(grid, row, lane, window, ascii);
	}
	if (style->labels && lane->kind == LANE_DEVICE)
		timeline_draw_gaps(grid, row, timeline, lane, cells, window, ascii);
}

bool timeline_has_letters(const struct timeline *timeline, uint32_t index)
{
	const struct lane *lane = &timeline->lanes->lane[index];
	return lane_is_prepared(lane) && lane_group_count(lane) > 1;
}

void timeline_draw_letters(struct grid *grid, int row, const struct timeline *timeline,
			   uint32_t index, const struct timeline_window *window)
{
	const struct lane_cell *cells = cells_in_window(timeline, index, window, false);
	for (int i = 0; i < window->columns; i++) {
		char letter = lane_group_letter(cells[i].group);
		if (!cells[i].events)
			continue;
		grid_put(grid, row, window->column + i, 1, timeline_role(cells[i].group), &letter,
			 1);
	}
}

/* ---- ruler and map ---- */

char *timeline_time(char out[40], int64_t time, int64_t step)
{
	static const struct {
		const char *name;
		int64_t ns;
		int digits; /* after the decimal point */
	} units[] = {
		{ "s", 1000000000, 9 }, { "ms", 1000000, 6 }, { "us", 1000, 3 }, { "ns", 1, 0 }
	};
	int64_t size = time < 0 ? -time : time;
	int unit = 0, drop = 0;
	while (units[unit].ns > 1 && size < units[unit].ns && step < units[unit].ns)
		unit++;
	for (int64_t digit = 10; digit <= step && drop < units[unit].digits; digit *= 10)
		drop++;
	int digits = units[unit].digits - drop;
	int64_t rest = size % units[unit].ns;
	for (int i = 0; i < drop; i++)
		rest /= 10;
	int used = snprintf(out, 40, "%s%" PRId64, time < 0 ? "-" : "", size / units[unit].ns);
	if (digits > 0)
		used += snprintf(out + used, 40 - (size_t)used, ".%0*" PRId64, digits, rest);
	snprintf(out + used, 40 - (size_t)used, " %s", units[unit].name);
	return out;
}

/* Smallest of 1, 2, 5, 10, 20, 50… ns that is at least LEAST. */
static int64_t round_step(int64_t least)
{
	int64_t step = 1;
	while (step < least) {
		if (step * 2 >= least)
			return step * 2;
		if (step * 5 >= least)
			return step * 5;
		step *= 10;
	}
	return step;
}

enum { TICK_MIN = 14 }; /* columns between ticks, so that labels fit */

/* Time between ticks: too short a one has no room for its label. */
static int64_t tick_step(const struct timeline_window *window)
{
	int64_t span = window->to - window->from;
	int64_t step = round_step(span / (window->columns / TICK_MIN + 1) + 1);
	char text[40];
	timeline_time(text, window->to, step);
	while (step / (span / window->columns + 1) < (int64_t)strlen(text) + 2 && step < span)
		step = round_step(step + 1);
	return step;
}

static int64_t first_tick(const struct timeline_window *window, int64_t step)
{
	return (window->from + step - 1) / step * step;
}

void timeline_draw_ruler(struct grid *grid, int row, const struct timeline_window *window)
{
	int64_t step = tick_step(window);
	char text[40];
	for (int64_t tick = first_tick(window, step); tick < window->to; tick += step) {
		int at = timeline_column(window, tick);
		timeline_time(text, tick, step);
		grid_puts(grid, row, at, 1, ROLE_BORDER, "|");
		if (at + 1 + (int)strlen(text) <= window->column + window->columns)
			grid_puts(grid, row, at + 1, (int)strlen(text), ROLE_LABEL, text);
	}
}

/* A mark in a cell where nothing happens. */
static void mark_idle(struct grid *grid, int row, int column, int role, const char *mark)
{
	const struct cell *cell = grid_cell(grid, row, column);
	if (cell && cell->role == ROLE_TEXT && !cell->filled && !strcmp(cell->bytes, " "))
		grid_puts(grid, row, column, 1, role, mark);
}

void timeline_draw_ticks(struct grid *grid, int row, const struct timeline_window *window)
{
	int64_t step = tick_step(window);
	if (grid->ascii) /* a dot would be work */
		return;
	for (int64_t tick = first_tick(window, step); tick < window->to; tick += step) {
		int column = timeline_column(window, tick);
		if (column > window->column) /* the first is at the rule beside the names */
			mark_idle(grid, row, column, ROLE_BORDER, "┊");
	}
}

void timeline_draw_time(struct grid *grid, int row, const struct timeline_window *window,
			int64_t time, int role)
{
	if (time >= window->from && time < window->to)
		mark_idle(grid, row, timeline_column(window, time), role, grid->ascii ? "|" : "│");
}

/* The busy time of the first device, else the outermost work of the first track; NO_ROW: none. */
static uint32_t map_lane(const struct timeline *timeline)
{
	const struct lanes *lanes = timeline->lanes;
	for (uint32_t i = 0; i < lanes->count; i++)
		if (lanes->lane[i].kind == LANE_DEVICE)
			return i;
	return timeline->track_count ? timeline_folded_lane(timeline, &timeline->tracks[0])
				     : NO_ROW;
}

void timeline_draw_map(struct grid *grid, int row, const struct timeline *timeline, int64_t begin,
		       int64_t end, const struct timeline_window *window,
		       const struct timeline_style *style)
{
	struct timeline_window all = { begin, end, window->column, window->columns };
	struct timeline_style plain = { .ascii = style->ascii, .map = true };
	uint32_t lane = map_lane(timeline);
	if (all.to - all.from < 2 * all.columns)
		all.to = all.from + 2 * all.columns;
	if (lane != NO_ROW)
		timeline_draw_lane(grid, row, timeline, lane, &all, &plain);
	int from = timeline_column(&all, window->from), to = timeline_column(&all, window->to - 1);
	grid_puts(grid, row, from, 1, ROLE_ACCENT, "[");
	grid_puts(grid, row, to > from ? to : from + 1, 1, ROLE_ACCENT, "]");
}
