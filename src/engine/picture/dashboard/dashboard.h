/*
 * The dashboard: the answers of several views on one screen. It is a list of panels, whose lines
 * refer to rows of tables; the explorer and the report draw it alike.
 */
#pragma once

#include "picture/plot/time_parts.h"

enum panel_kind { PANEL_KIND_ROWS(_) };

/* Panels of a band are beside each other, as far as the width allows. From top to bottom. */
enum panel_band { PANEL_BAND_ROWS(LISTED) PANEL_BANDS };

struct panel_part { /* of a stacked bar */
	const struct time_part *part;
	double share; /* of the bar, 0 to 1 */
};

enum { PANEL_PARTS_MAX = 16 };

/* A line of a panel: a stop of the cursor. Texts are not escaped. */
struct panel_line {
	enum role role;
	const char *sign; /* severity: "!"; NULL: none */
	const char *label, *value;
	char *shown;        /* a long label as it was drawn last; owned by what draws */
	int shown_columns;  /* the columns that it was for; negative: in ASCII */
	const char *extra;  /* shown if there is room */
	const char *detail; /* a sentence, likewise below the line */
	double share;       /* length of the bar, 0 to 1; NAN: none. Of lists, of the longest one */

	double *samples; /* of a curve, at equal distances; NAN: unknown */
	size_t sample_count;
	double high;      /* their scale starts at 0 */
	bool peaks;       /* a cell shows the highest of its samples, not their mean */
	double bad, good; /* values; alike: all have the color of ROLE */

	struct panel_part parts[PANEL_PARTS_MAX];
	size_t part_count;

	/* What Enter opens: this view at this row. */
	const struct view *view;
	const char *group;
	struct ref ref;
	int64_t from, to; /* its time if the row refers to none; TO 0: not known */
};

struct panel {
	enum panel_kind kind;
	enum panel_band band;
	const char *title, *summary;
	struct panel_line *lines;
	size_t count;
	size_t whole;      /* lines that it would have without a limit; fewer than COUNT: unknown */
	size_t minor;      /* of the lines, the last ones: for free rows of a screen */
	struct plot *plot; /* of a flame graph; owned */
	bool beside;       /* the last of its band: shown beside the others or not at all */
};

struct dashboard {
	struct panel *panels; /* without empty ones, in order of bands */
	size_t count;
	struct arena *arena; /* owns all texts and samples */
};

/* NULL with ERROR when cancelled or out of memory. The caller frees it. */
struct dashboard *dashboard_build(const struct run *run, const struct scope *scope,
				  const struct progress *progress, struct error *error);
void dashboard_free(struct dashboard *dashboard); /* NULL is allowed */

/*
 * What is examined in a few figures, three blanks between them, the most telling first: "Step 31 ms
 * median of 6   GPU0 busy 55.5 %   GPU0 memory 3.1 GiB".
 */
void dashboard_figures(const struct dashboard *dashboard, struct buffer *out);

/* ---- drawing ---- */

struct dashboard_rect {
	int row, column, rows, columns;
};

/* Where a line was drawn. */
struct dashboard_stop {
	size_t panel, line;
	int row, column, columns;
};

struct dashboard_stops {
	struct dashboard_stop *items;
	size_t count;
	size_t panel, line; /* the cursor: its panel scrolls to it, and has a bright frame */
};

/*
 * Draw into RECT of GRID; what has no room is left out, lines of low panels first. STOPS receives
 * the lines that were drawn, from top to bottom (NULL: a report, without frames); the caller frees
 * its items.
 */
void dashboard_draw(const struct dashboard *dashboard, struct grid *grid,
		    struct dashboard_rect rect, struct dashboard_stops *stops);

/* Rows of a report at this width: of long lists the first ten lines. GRID measures texts. */
int dashboard_rows(const struct dashboard *dashboard, struct grid *grid, int columns);
