/*
 * The plot pane: a cursor that reads values, a selectable range of the x axis, zoom. The plot is
 * built in the worker (plot_job.c); everything here runs in the UI thread. The cursor is on a point
 * (plot_chart.c) or on a flame graph frame (plot_flame_pane.c).
 */
#pragma once

#include "picture/plot/flame.h"
#include "tui/core/tui.h"
#include "tui/core/pane.h"

enum { FLAME_ZOOMS = 64 };

struct plot_pane {
	struct pane pane;
	const struct plot_kind *kind;
	const struct plot_group *wanted; /* shown once built */
	bool chosen;                     /* by the user: shown though there is nothing to draw */
	bool alone;                      /* no other grouping has data */
	struct plot *plot;               /* NULL until built */
	struct ref target;               /* to be selected once built */
	struct plot_rect rect;           /* of the last draw */

	/* for charts */
	struct plot_look look;
	bool drawing_range; /* the end follows the cursor */

	/* for flame graphs */
	struct flame_look flame;
	uint32_t zooms[FLAME_ZOOMS]; /* previous zooms */
	int zoom_count;
	uint8_t *matched; /* matches of the search with this serial */
	unsigned matched_serial;
	int64_t matched_ns;
};

struct pane *plot_pane_new(const struct pane_subject *subject);

/* ---- plot_job.c ---- */
void plot_request(struct plot_pane *self, struct tui *tui);

/* ---- plot_chart.c ---- */
/* The entry of a number, or of two ("1 ms..2 ms"), in the details. */
void plot_entry(struct buffer *out, const char *label, enum unit unit, double value);
void plot_range_entry(struct buffer *out, const char *label, enum unit unit, double from,
		      double to);
/* A point of a chart; POINT is SIZE_MAX if there is none. */
struct chart_place {
	uint32_t series;
	size_t point;
};
struct chart_place chart_find_ref(const struct plot *plot, struct ref target); /* worker thread */
void chart_reset(struct plot_pane *self, struct chart_place place); /* after a new plot */
bool chart_act(struct plot_pane *self, struct tui *tui, enum action action);
bool chart_letter(struct plot_pane *self, struct tui *tui, enum action action, char letter);
void chart_click(struct plot_pane *self, int row, int column);
void chart_detail(struct plot_pane *self, struct buffer *out);
void chart_find(struct plot_pane *self, struct tui *tui, int direction, bool here);
/*
 * Narrow SCOPE to the selected range or else the zoom window. False if there is neither, or the
 * axis has no scope dimension.
 */
bool chart_narrow(const struct plot_pane *self, struct scope *scope);
/* Point under the cursor; NULL: none. */
const struct plot_point *chart_point(const struct plot_pane *self);

/* ---- plot_flame_pane.c ---- */
void flame_reset(struct plot_pane *self);
bool flame_act(struct plot_pane *self, struct tui *tui, enum action action);
void flame_click(struct plot_pane *self, int row, int column);
void flame_detail(struct plot_pane *self, struct buffer *out);
void flame_find(struct plot_pane *self, struct tui *tui, int direction, bool here);
void flame_search_again(struct plot_pane *self, struct tui *tui); /* recompute matches */
void flame_share_room(struct plot_pane *self, bool ascii);
/* Do colors tell kinds of layers and kernels? They tell modules otherwise. */
bool flame_has_kinds(const struct plot_pane *self);
void flame_draw_legend(const struct plot_pane *self, struct grid *grid);
void flame_keep_in_sight(struct plot_pane *self);

/* ---- plot_heat_pane.c: charts of cells ---- */
bool heat_move(struct plot_pane *self, enum action action);
/* ROW and COLUMN are of AREA. */
void heat_click(struct plot_pane *self, const struct plot_area *area, int row, int column);
size_t heat_start(const struct plot *plot); /* the cell that the cursor starts on */
void heat_detail(const struct plot_pane *self, struct buffer *out);
