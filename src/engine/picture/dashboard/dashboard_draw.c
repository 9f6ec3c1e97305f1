/*
 * Lays out and draws a dashboard.
 *
 * The panels of a band are beside each other; a band is cut into rows of panels where the width
 * does not suffice. Each row of panels gets its least height, in order of importance; what remains
 * is given to them line by line.
 */
#include "picture/dashboard/panel_draw.h"
#include "text_tables.h"

enum { DASHBOARD_LAYOUT_ROWS(_) };

/* Order in which bands get rows. */
static const enum panel_band importance[PANEL_BANDS] = { BAND_FINDINGS, BAND_PHASES, BAND_TIME,
							 BAND_TOP,      BAND_FILE,   BAND_MORE,
							 BAND_FLAME };

struct shelf { /* panels beside each other */
	size_t first, count;
	enum panel_band band;
	int rows, least, enough, most, grown; /* rows 0: left out */
	bool later;                           /* not the first of its band */
};

struct shelf_layout {
	GROWING(struct shelf, shelves, count, cap);
	struct grid *grid; /* measures texts */
	int columns;
	bool framed;
};

/* Frames beside each other share a border. */
static int gap_columns(const struct shelf_layout *layout)
{
	return layout->framed ? -1 : GAP_COLUMNS;
}

static int panel_columns(const struct shelf_layout *layout, const struct shelf *shelf)
{
	int count = (int)shelf->count;
	return (layout->columns - (count - 1) * gap_columns(layout)) / count;
}

static void add_shelf(struct shelf_layout *layout, const struct dashboard *dashboard, size_t first,
		      size_t count)
{
	struct shelf *shelf = mem_push(layout->shelves, layout->count, layout->cap);
	*shelf =
		(struct shelf){ first, count, dashboard->panels[first].band, 0, 0, 0, 0, 0, false };
	if (layout->count > 1)
		shelf->later = shelf[-1].band == shelf->band;
	for (size_t i = first; i < first + count; i++) {
		struct panel_size size = panel_size(&dashboard->panels[i], layout->grid,
						    panel_columns(layout, shelf), layout->framed);
		shelf->least = size.least > shelf->least ? size.least : shelf->least;
		shelf->enough = size.enough > shelf->enough ? size.enough : shelf->enough;
		shelf->most = size.most > shelf->most ? size.most : shelf->most;
		shelf->grown = size.grown > shelf->grown ? size.grown : shelf->grown;
	}
}

static void make_shelves(struct shelf_layout *layout, const struct dashboard *dashboard)
{
	int beside = (layout->columns + GAP_COLUMNS) / (PANEL_COLUMNS_MIN + GAP_COLUMNS);
	beside = beside < 1 ? 1 : beside > BESIDE_MAX ? BESIDE_MAX : beside;
	for (size_t i = 0; i < dashboard->count;) {
		size_t end = i, count;
		while (end < dashboard->count &&
		       dashboard->panels[end].band == dashboard->panels[i].band)
			end++;
		size_t next = end;
		if (end - i > (size_t)beside && dashboard->panels[end - 1].beside)
			end--;
		for (count = end - i; count; count = end - i) {
			/* 4 panels in two rows of 2 rather than of 3 and 1 */
			size_t rows = (count + (size_t)beside - 1) / (size_t)beside;
			size_t here = (count + rows - 1) / rows;
			add_shelf(layout, dashboard, i, here);
			i += here;
		}
		i = next;
	}
}

/* All that a panel has to say comes before its size. */
enum shelf_growth { GROW_ENOUGH, GROW_MOST, GROW_ALL };

/* Give rows to the shelves of one band, as far as they want some; false if none could be added. */
static bool grow_band(struct shelf_layout *layout, enum panel_band band, bool later,
		      enum shelf_growth growth, int *left)
{
	bool grown = false;
	for_each_mutable (shelf, layout->shelves, layout->count) {
		if (shelf->band != band || shelf->later != later)
			continue;
		int more = shelf->rows ? 1 : shelf->least;
		int rows = growth == GROW_ENOUGH ? shelf->enough
			   : growth == GROW_MOST ? shelf->most
						 : shelf->grown;
		if (more > *left || shelf->rows >= rows)
			continue;
		shelf->rows += more;
		*left -= more;
		grown = true;
	}
	return grown;
}

/* A row or, at first, its least height for each shelf; false if none could be added. */
static bool grow_each(struct shelf_layout *layout, enum shelf_growth growth, int *left)
{
	bool grown = false;
	for (int later = 0; later < 2; later++)
		for (int i = 0; i < PANEL_BANDS; i++)
			grown |= grow_band(layout, importance[i], later, growth, left);
	return grown;
}

static void give_rows(struct shelf_layout *layout, int rows)
{
	int left = rows - layout->framed, shown = 0; /* the lowest border */
	while (left > 0 && grow_each(layout, GROW_ENOUGH, &left))
		;
	for (size_t i = 0; i < layout->count; i++)
		shown += layout->shelves[i].rows > 0;
	left -= layout->framed ? 0 : shown - 1; /* free rows between shelves come first */
	while (left > 0 && grow_each(layout, GROW_MOST, &left))
		;
	while (left > 0 && grow_each(layout, GROW_ALL, &left))
		;
}

static struct shelf_layout lay_out_shelves(const struct dashboard *dashboard, struct grid *grid,
					   int rows, int columns, bool framed)
{
	struct shelf_layout layout = { .grid = grid, .columns = columns, .framed = framed };
	make_shelves(&layout, dashboard);
	give_rows(&layout, rows);
	return layout;
}

int dashboard_rows(const struct dashboard *dashboard, struct grid *grid, int columns)
{
	struct shelf_layout layout = { .grid = grid, .columns = columns };
	int rows = 0;
	make_shelves(&layout, dashboard);
	for (size_t i = 0; i < layout.count; i++) {
		const struct shelf *shelf = &layout.shelves[i];
		int most = shelf->enough + (shelf->band == BAND_FINDINGS ? 0 : REPORT_MORE);
		rows += (shelf->most < most ? shelf->most : most) + (i > 0);
	}
	mem_free(layout.shelves);
	return rows;
}

/* Free rows separate the shelves, from the top. */
static int free_rows_of(const struct shelf_layout *layout, int rows)
{
	for (size_t i = 0; i < layout->count; i++)
		rows -= layout->shelves[i].rows;
	return rows;
}

/* Is there a side of a frame of SHELF (NULL: none) at this column? */
static bool has_side(const struct shelf_layout *layout, const struct shelf *shelf, int column)
{
	int step = shelf ? panel_columns(layout, shelf) + gap_columns(layout) : 0;
	return shelf && (column == layout->columns - 1 ||
			 (column % step == 0 && column / step < (int)shelf->count));
}

/* The border between the frames of ABOVE and BELOW, either of which may be NULL. */
static void join_frames(const struct shelf_layout *layout, const struct shelf *above,
			const struct shelf *below, int row, int left)
{
	static const char *const joints[3][4] = { FRAME_JOINTS };
	for (int i = 0; i < layout->columns; i++) {
		int side = has_side(layout, above, i) + 2 * has_side(layout, below, i);
		int where = i == 0 ? 0 : i < layout->columns - 1 ? 1 : 2;
		const struct cell *cell = grid_cell(layout->grid, row, left + i);
		if (side && cell && (cell->role == ROLE_BORDER || cell->role == ROLE_ACCENT))
			grid_puts(layout->grid, row, left + i, 1, cell->role,
				  layout->grid->ascii ? "+" : joints[where][side]);
	}
}

static void draw_shelf(const struct dashboard *dashboard, const struct shelf_layout *layout,
		       const struct shelf *shelf, struct dashboard_rect rect,
		       struct dashboard_stops *stops)
{
	int columns = panel_columns(layout, shelf), end = rect.column + rect.columns;
	for (size_t at = 0; at < shelf->count; at++) {
		int column = rect.column + (int)at * (columns + gap_columns(layout));
		int wide = at + 1 == shelf->count ? end - column : columns;
		panel_draw(dashboard, shelf->first + at, layout->grid,
			   (struct dashboard_rect){ rect.row, column, rect.rows, wide },
			   layout->framed, stops);
	}
}

void dashboard_draw(const struct dashboard *dashboard, struct grid *grid,
		    struct dashboard_rect rect, struct dashboard_stops *stops)
{
	bool framed = stops && rect.rows >= FRAME_ROWS && rect.columns >= FRAME_COLUMNS;
	struct shelf_layout layout =
		lay_out_shelves(dashboard, grid, rect.rows, rect.columns, framed);
	int left = free_rows_of(&layout, rect.rows), row = rect.row;
	const struct shelf *above = NULL; /* with frames */
	for_each (shelf, layout.shelves, layout.count) {
		bool bare = shelf->band == BAND_FILE;
		if (!shelf->rows)
			continue;
		if (framed && bare && above)
			join_frames(&layout, above, NULL, row++, rect.column);
		draw_shelf(dashboard, &layout, shelf,
			   (struct dashboard_rect){ row, rect.column,
						    shelf->rows + (framed && !bare), rect.columns },
			   stops);
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
