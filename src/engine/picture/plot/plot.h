/*
 * Plots: what a Table looks like.  A plot is built from the table of one view and holds its numbers
 * as series over axes (or as a flame graph); every point knows the row of the table that it stands
 * for.  plot_draw.h draws it into cells, plot_svg.c as SVG.
 *
 * Each plot_NAME.c defines one `struct plot_kind` that the table of plots (plot.c) lists.
 */
#ifndef STRATA_PICTURE_PLOT_PLOT_H
#define STRATA_PICTURE_PLOT_PLOT_H

#include "picture/role.h"
#include "table/view.h"

struct flame;
struct plot;

enum plot_scale { PLOT_LINEAR, PLOT_LOG };

struct plot_axis {
	const char *title; /* what it measures, "intensity (FLOP/B)" */
	enum unit unit;
	enum plot_scale scale;
	double low, high; /* low < high; both positive on a log axis */
};

enum plot_style {
	PLOT_AREA,  /* the value holds until the next point; filled from below */
	PLOT_LINE,  /* the same, only its edge */
	PLOT_STACK, /* bars, each series standing on those before it in the panel */
	PLOT_BARS,  /* bars from x to x + width */
	PLOT_POINTS,
};

struct plot_point {
	double x, y;
	float width;  /* on the x axis: of a bar; 0 */
	float weight; /* of PLOT_POINTS: its share of the time in percent */
	uint32_t row; /* of the table; NO_ROW: none */
};

/* How a series is told from the others without colours; points of more weight have a larger one. */
struct plot_glyphs {
	const char *ascii[3], *unicode[3];
};

struct plot_series {
	const char *name;
	enum plot_style style;
	enum role role;
	struct plot_glyphs glyphs;
	uint32_t panel;
	bool averaged; /* of curves: a cell shows the mean over its time, not the peak */
	struct plot_point *points; /* by x; PLOT_POINTS by weight.  The x of stacks are equal */
	size_t count, cap;
	double *peaks; /* plot_highest's; a tree, made by plot_build */
	double *sums;  /* plot_mean's: y dx before each point; of those averaged */
};

/* A line that is no data: a roof, a percentile; straight in the axes as they are drawn. */
struct plot_guide {
	const char *label;
	enum role role;
	uint32_t panel;
	double x0, y0, x1, y1;
};

struct plot_panel {       /* one above the other, over one x axis */
	const char *name; /* "GPU0"; NULL: there is only one */
	struct plot_axis y;
};

struct plot_fact {
	const char *label, *text;
};

struct plot {
	const struct plot_kind *kind;
	const struct plot_group *group;
	struct table *table; /* whose rows the points stand for */
	struct arena *arena; /* of all texts */
	const char *note;    /* why there is nothing, or what to know; NULL */
	struct plot_axis x;
	struct plot_panel *panels;
	size_t panel_count, panel_cap;
	struct plot_series *series;
	size_t series_count, series_cap;
	struct plot_guide *guides;
	size_t guide_count, guide_cap;
	struct plot_fact *facts;
	size_t fact_count, fact_cap;
	struct flame *flame; /* instead of axes and series; NULL */
};

/* What a plot can be of: which view's table, and what it is called. */
struct plot_group {
	const char *name;       /* "kernels" */
	const char *title;      /* "Roofline of kernels" */
	const char *view;       /* name of the view */
	const char *view_group; /* its grouping; NULL: the default */
};

enum plot_range { PLOT_RANGE_NONE, PLOT_RANGE_TIME, PLOT_RANGE_STEPS };

enum { PLOT_GROUPS_MAX = 8 };

struct plot_kind {
	const char *name; /* "memory", as in `:plot memory` and `report plot-memory` */
	const char *title;
	const char *summary;   /* one sentence for help and manual */
	enum plot_range range; /* what a stretch of the x axis narrows the scope by */
	struct plot_group groups[PLOT_GROUPS_MAX]; /* the first is the default */
	/* Fill PLOT from plot->table.  False with ERROR: cancelled. */
	bool (*build)(struct plot *plot, const struct progress *progress, struct error *error);
	/* What a point of this row stands for; NULL: what the row does. */
	struct ref (*ref)(const struct plot *plot, uint32_t row);
};

/* The table of plots. */
const struct plot_kind *plot_at(size_t index);       /* NULL past the end */
const struct plot_kind *plot_find(const char *name); /* NULL: none */
const struct plot_group *plot_group_find(const struct plot_kind *kind, const char *name);

/* The plot that belongs to a view shown in GROUP (NULL: its default).  NULL: it has none. */
const struct plot_kind *plot_of_view(const char *view, const char *group,
				     const struct plot_group **plot_group);

/*
 * Build a plot of RUN in SCOPE; GROUP is one of the kind's.  The caller frees it.  NULL with ERROR
 * as view_build.  Without anything to draw the note says why.
 */
struct plot *plot_build(const struct plot_kind *kind, const struct plot_group *group,
			const struct run *run, const struct scope *scope,
			const struct progress *progress, struct error *error);
void plot_free(struct plot *plot); /* NULL is fine */

bool plot_is_empty(const struct plot *plot);

/* ---- reading ---- */

/* The first point at or after X; series->count when there is none.  For series that are by x. */
size_t plot_lower(const struct plot_series *series, double x);
/* What one can go to from a point. */
struct ref plot_ref(const struct plot *plot, uint32_t row);
/* The point with the highest value of [FROM, TO), which is not empty; in O(log TO). */
size_t plot_highest(const struct plot_series *series, size_t from, size_t to);
/* The mean over a stretch of the x axis of a curve that is averaged; NaN before its first point. */
double plot_mean(const struct plot_series *series, double from, double to);
/* The value as people read it. */
void plot_number(struct buffer *out, enum unit unit, double value);

/* ---- for builders ---- */

char *plot_text(struct plot *plot, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint32_t plot_add_panel(struct plot *plot, const char *name, struct plot_axis y);
/* What is returned stays right until the next series is added. */
struct plot_series *plot_add_series(struct plot *plot, uint32_t panel, const char *name,
				    enum plot_style style, enum role role,
				    struct plot_glyphs glyphs);
void plot_add_point(struct plot_series *series, struct plot_point point);
void plot_add_guide(struct plot *plot, struct plot_guide guide);
void plot_add_fact(struct plot *plot, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A number of the plot's table; NaN when it is missing. */
double plot_cell(const struct plot *plot, size_t row, int column);
/* The text of a cell; "" when it is missing.  Lives as long as the plot. */
const char *plot_cell_text(struct plot *plot, size_t row, int column);
/* Is the work to go on after ROW rows?  False with ERROR_CANCELLED. */
bool plot_go_on(const struct plot *plot, size_t row, const struct progress *progress,
		struct error *error);

extern const struct plot_glyphs plot_glyphs_area, plot_glyphs_line;
extern const struct plot_kind plot_memory, plot_utilization, plot_steps, plot_roofline,
	plot_distribution, plot_flame;

#endif
