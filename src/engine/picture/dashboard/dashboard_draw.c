/*
 * Lays out and draws a dashboard.
 *
 * The panels of a band are beside each other; a band is cut into rows of panels where the width
 * does not suffice. Each row of panels gets its least height, in order of importance; what remains
 * is given to them line by line.
 */
#include "base/any_of.h"
#include "picture/dashboard/panel_draw.h"

#include <stdlib.h>

enum { DASHBOARD_LAYOUT_ROWS(_) };

/* Order in which bands get rows. */
static const enum panel_band importance[PANEL_BANDS] = { BAND_FINDINGS, BAND_PHASES, BAND_TIME,
							 BAND_TOP,      BAND_FILE,   BAND_MORE,
							 BAND_FLAME };

struct shelf { /* panels beside each other */
	size_t first, count;
	enum panel_band band;
	int rows;                   /* 0: left out */
	struct panel_size size;     /* of the panel that has most */
	bool later;                 /* not the first of its band */
	int column[BESIDE_MAX + 1]; /* of each panel, and that after the last one */
};

struct shelf_layout {
	GROWING(struct shelf, shelves, count);
	struct grid *grid; /* measures texts */
	int columns;
	bool framed, closed;    /* frames around the panels, and around what the file is */
	int gap;                /* columns between panels: frames share a border */
	int lack[PANEL_BANDS];  /* what a list wants at most, in percent of what it has */
	int fewer[PANEL_BANDS]; /* panels beside each other than have room */
};

static int panel_columns(const struct shelf_layout *layout, const struct shelf *shelf, size_t i)
{
	return shelf->column[i + 1] - shelf->column[i] - layout->gap;
}

/* Evenly, but lists that need fewer columns leave them to those with longer names. */
static void place_panels(struct shelf_layout *layout, const struct panel *panels,
			 struct shelf *shelf)
{
	int count = (int)shelf->count, gap = layout->gap, more[BESIDE_MAX], sum[2] = { 0 };
	int even = (layout->columns - (count - 1) * gap) / count;
	for (int i = 0; i < count; i++) {
		more[i] = panel_wants(&panels[i], layout->grid, even) - even;
		sum[more[i] > 0] += abs(more[i]);
	}
	int moved = sum[0] < sum[1] ? sum[0] : sum[1];
	for (int i = 0; i < count; i++) {
		int columns = even + (moved ? more[i] * moved / sum[more[i] > 0] : 0);
		int lack = 100 * (even + more[i]) / columns;
		shelf->column[i + 1] = shelf->column[i] + columns + gap;
		raise_to(layout->lack[shelf->band], lack);
	}
	shelf->column[count] = layout->columns + gap;
}

static void add_shelf(struct shelf_layout *layout, const struct dashboard *dashboard, size_t first,
		      size_t count)
{
	const struct panel *panels = dashboard->panels + first;
	struct shelf *shelf = mem_push(layout->shelves, layout->count);
	*shelf = (struct shelf){ .first = first, .count = count, .band = panels->band };
	if (layout->count > 1)
		shelf->later = shelf[-1].band == shelf->band;
	place_panels(layout, panels, shelf);
	for (size_t i = 0; i < count; i++) {
		struct panel_size size = panel_size(
			&panels[i], layout->grid, panel_columns(layout, shelf, i), layout->framed);
		for (int k = 0; k < PANEL_SIZES; k++)
			raise_to(shelf->size.rows[k], size.rows[k]);
	}
}

static void make_shelves(struct shelf_layout *layout, const struct dashboard *dashboard)
{
	int beside = (layout->columns + GAP_COLUMNS) / (PANEL_COLUMNS_MIN + GAP_COLUMNS);
	beside = beside < 1 ? 1 : beside > BESIDE_MAX ? BESIDE_MAX : beside;
	layout->count = 0;
	layout->gap = layout->framed ? -1 : GAP_COLUMNS;
	memset(layout->lack, 0, sizeof layout->lack);
	for (size_t i = 0; i < dashboard->count;) {
		size_t end = i, count;
		while (end < dashboard->count &&
		       dashboard->panels[end].band == dashboard->panels[i].band)
			end++;
		size_t next = end;
		int here = beside - layout->fewer[dashboard->panels[i].band];
		here = here > 1 ? here : 1;
		if (end - i > (size_t)beside && dashboard->panels[end - 1].beside)
			end--;
		for (count = end - i; count; count = end - i) {
			/* 4 panels in two rows of 2 rather than of 3 and 1 */
			size_t rows = (count + (size_t)here - 1) / (size_t)here;
			size_t added = (count + rows - 1) / rows;
			add_shelf(layout, dashboard, i, added);
			i += added;
		}
		i = next;
	}
}

/* Give rows to the shelves of one band, as far as they want some; false if none could be added. */
static bool grow_band(struct shelf_layout *layout, enum panel_band band, bool later,
		      enum panel_growth growth, int *left)
{
	bool grown = false;
	for_each_mutable (shelf, layout->shelves, layout->count) {
		if (shelf->band != band || shelf->later != later)
			continue;
		int more = shelf->rows ? 1 : shelf->size.rows[PANEL_LEAST];
		if (more > *left || shelf->rows >= shelf->size.rows[growth])
			continue;
		shelf->rows += more;
		*left -= more;
		grown = true;
	}
	return grown;
}

/* A row or, at first, its least height for each shelf, again and again. */
static void grow_all(struct shelf_layout *layout, enum panel_growth growth, int *left)
{
	for (bool grown = true; grown && *left > 0;) {
		grown = false;
		for (int later = 0; later < 2; later++)
			for (int i = 0; i < PANEL_BANDS; i++)
				if (growth != PANEL_GROWN || importance[i] != BAND_FILE)
					grown |= grow_band(layout, importance[i], later, growth,
							   left);
	}
}

/* The rows left, which separate the shelves, from the top; frames take them. */
static int give_rows(struct shelf_layout *layout, int rows)
{
	int left = rows - layout->framed, shown = 0; /* the lowest border */
	grow_all(layout, PANEL_ENOUGH, &left);
	for (size_t i = 0; i < layout->count; i++)
		shown += layout->shelves[i].rows > 0;
	shown = layout->framed ? 1 : shown;
	left -= shown - 1; /* free rows between shelves come first */
	while (left > 0 && grow_band(layout, BAND_FINDINGS, false, PANEL_MOST, &left))
		; /* whole sentences come before more lines */
	grow_all(layout, PANEL_MOST, &left);
	grow_all(layout, PANEL_GROWN, &left);
	struct shelf *file = &layout->shelves[layout->count - 1];
	layout->closed = layout->framed && left > 0 && file->band == BAND_FILE && file->rows;
	if (layout->closed) { /* what no other panel has a use for */
		file->rows++;
		file->size.rows[PANEL_GROWN]++;
		left--;
		while (left > 0 && grow_band(layout, BAND_FILE, false, PANEL_GROWN, &left))
			;
	}
	return left + shown - 1;
}

/* Of lists and findings: rows beyond those that other panels come first for. */
static int rows_wanted(const struct shelf_layout *layout, int more, int evidence)
{
	int rows = layout->framed ? 1 : (int)layout->count - 1;
	for_each (shelf, layout->shelves, layout->count) {
		int most = shelf->size.rows[PANEL_MOST], enough = shelf->size.rows[PANEL_ENOUGH];
		enough += shelf->band == BAND_FINDINGS ? evidence : more;
		rows += most < enough ? most : enough;
	}
	return rows;
}

/* Some lines of each list suffice if a list lacks many columns. */
static bool has_rows(const struct shelf_layout *layout, int lack, int rows)
{
	enum { MANY_PCT = 200, MOST_PCT = 250, ALL_ROWS = 1000, SOME_ROWS = 3 };
	int some = lack > MOST_PCT ? 0 : lack > MANY_PCT ? SOME_ROWS : ALL_ROWS;
	return rows_wanted(layout, some, ALL_ROWS) <= rows;
}

/* On screens, fewer lists are beside each other where their names lack columns and rows suffice. */
static void give_columns(struct shelf_layout *layout, const struct dashboard *dashboard, int rows)
{
	enum { SHORT_PCT = 150 };
	for (int band = 0; band < PANEL_BANDS; band++)
		for (int lack; (lack = layout->lack[band]) > SHORT_PCT &&
			       layout->fewer[band] < BESIDE_MAX - 1 &&
			       has_rows(layout, lack, rows);) {
			layout->fewer[band]++;
			make_shelves(layout, dashboard);
			if (has_rows(layout, lack, rows))
				continue;
			layout->fewer[band]--;
			make_shelves(layout, dashboard);
			break;
		}
}

int dashboard_rows(const struct dashboard *dashboard, struct grid *grid, int columns)
{
	struct shelf_layout layout = { .grid = grid, .columns = columns };
	make_shelves(&layout, dashboard);
	int rows = rows_wanted(&layout, REPORT_MORE, 0);
	mem_free(layout.shelves);
	return rows;
}

/* Is there a side of a frame of SHELF (NULL: none) at this column? */
static bool has_side(const struct shelf *shelf, int column)
{
	return shelf && any_of(i, shelf->count + 1, shelf->column[i] == column);
}

/* The border between the frames of ABOVE and BELOW, either of which may be NULL. */
static void join_frames(const struct shelf_layout *layout, const struct shelf *above,
			const struct shelf *below, int row, int left)
{
	static const char *const joints[3][4] = { FRAME_JOINTS };
	for (int i = 0; i < layout->columns; i++) {
		int side = has_side(above, i) + 2 * has_side(below, i);
		int where = i == 0 ? 0 : i < layout->columns - 1 ? 1 : 2;
		const struct cell *cell = grid_cell(layout->grid, row, left + i);
		if (side && cell && (cell->role == ROLE_BORDER || cell->role == ROLE_ACCENT))
			grid_puts(layout->grid, row, left + i, 1, cell->role,
				  layout->grid->ascii ? "+" : joints[where][side]);
	}
}

void dashboard_draw(const struct dashboard *dashboard, struct grid *grid,
		    struct dashboard_rect rect, struct dashboard_stops *stops)
{
	bool framed = stops && rect.rows >= FRAME_ROWS && rect.columns >= FRAME_COLUMNS;
	struct shelf_layout layout = { .grid = grid, .columns = rect.columns, .framed = framed };
	make_shelves(&layout, dashboard);
	if (stops)
		give_columns(&layout, dashboard, rect.rows);
	int left = give_rows(&layout, rect.rows), row = rect.row;
	const struct shelf *above = NULL; /* with frames */
	for_each (shelf, layout.shelves, layout.count) {
		bool bare = shelf->band == BAND_FILE && !layout.closed;
		if (!shelf->rows)
			continue;
		if (framed && bare && above) {
			join_frames(&layout, above, NULL, row, rect.column);
			row += left + 1; /* frames end with their lines, the file with the screen */
		}
		for (size_t i = 0; i < shelf->count; i++)
			panel_draw(dashboard, shelf->first + i, grid,
				   (struct dashboard_rect){ row, rect.column + shelf->column[i],
							    shelf->rows + (framed && !bare),
							    panel_columns(&layout, shelf, i) },
				   framed && !bare, stops);
		if (framed && !bare)
			join_frames(&layout, above, shelf, row, rect.column);
		above = bare ? NULL : shelf;
		row += shelf->rows;
		if (left > 0 && !framed) {
			left--;
			row++;
		}
	}
	if (framed && above)
		join_frames(&layout, above, NULL, row, rect.column);
	mem_free(layout.shelves);
}
