/*
 * The pane that shows a plot: a cursor that reads its values, a stretch of its axis that may become
 * the scope, zoom.  The plot is built by the worker (plot_job.c); what is here belongs to the UI's
 * thread.  A chart's cursor is a point of a series (plot_chart.c), a flame graph's is a frame
 * (plot_flame_pane.c).
 */
#ifndef STRATA_TUI_PLOT_PLOT_PANE_H
#define STRATA_TUI_PLOT_PLOT_PANE_H

#include "picture/plot/flame.h"
#include "picture/plot/plot_draw.h"
#include "tui/core/tui.h"
#include "tui/core/pane.h"

enum { FLAME_ZOOMS = 64 };

struct plot_pane {
	struct pane pane;
	const struct plot_kind *kind;
	const struct plot_group *wanted; /* shown once it is built */
	struct plot *plot;               /* NULL until it is built */
	struct ref target;               /* to be under the cursor when it is there */
	struct plot_rect rect;           /* of the last draw */

	/* a chart */
	struct plot_look look;
	bool drawing_range; /* its end goes with the cursor */

	/* a flame graph */
	struct flame_look flame;
	uint32_t zooms[FLAME_ZOOMS]; /* where it was zoomed to before */
	int zoom_count;
	uint8_t *matched; /* of the search with this serial */
	unsigned matched_serial;
	int64_t matched_ns;
};

struct pane *plot_pane_new(const struct subject *subject);

/* The row under the cursor, NO_ROW: none. */
uint32_t plot_pane_row(const struct plot_pane *self);

/* ---- plot_job.c ---- */
void plot_request(struct plot_pane *self, struct tui *tui);

/* ---- plot_chart.c ---- */
void chart_reset(struct plot_pane *self); /* after a new plot: put the cursor somewhere */
bool chart_act(struct plot_pane *self, struct tui *tui, enum action action);
bool chart_letter(struct plot_pane *self, struct tui *tui, enum action action, char letter);
void chart_click(struct plot_pane *self, int row, int column);
void chart_detail(struct plot_pane *self, struct buffer *out);
void chart_find(struct plot_pane *self, struct tui *tui, int direction, bool here);
/*
 * Narrow SCOPE to the stretch, without one to what is zoomed to.  False: neither, or the axis is
 * nothing to narrow by.
 */
bool chart_narrow(const struct plot_pane *self, struct scope *scope);
/* The point under the cursor; NULL: none. */
const struct plot_point *chart_point(const struct plot_pane *self);

/* ---- plot_flame_pane.c ---- */
void flame_reset(struct plot_pane *self);
bool flame_act(struct plot_pane *self, struct tui *tui, enum action action);
void flame_click(struct plot_pane *self, int row, int column);
void flame_detail(struct plot_pane *self, struct buffer *out);
void flame_find(struct plot_pane *self, struct tui *tui, int direction, bool here);
void flame_search_again(struct plot_pane *self, struct tui *tui); /* mark what matches now */
void flame_keep_in_sight(struct plot_pane *self);

#endif
