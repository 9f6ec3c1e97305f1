/*
 * Plots: graphical forms of tables. A plot is built from the table of one view and holds its
 * numbers as series over axes (or as a flame graph); each point refers to a row of that table.
 * plot_draw.h draws plots into cells, plot_svg.c as SVG.
 *
 * Each plot_NAME.c defines one `struct plot_kind` for the registry in plot.c.
 */
#pragma once

#include "picture/role.h"
#include "table/view.h"

struct flame;

enum plot_scale { PLOT_LINEAR, PLOT_LOG };

struct plot_axis {
	const char *title; /* quantity and unit, "intensity (FLOP/B)" */
	enum unit unit;
	enum plot_scale scale;
	double low, high; /* low < high; both positive on a log axis */
};

enum plot_style { PLOT_STYLE_ROWS(_) };

struct plot_point {
	double x, y;
	float width;  /* bar width on the x axis, or 0 */
	float weight; /* PLOT_POINTS, PLOT_CELLS: share of time in percent; NaN: none recorded */
	uint32_t row; /* of the table, or NO_ROW */
};

/* Distinguishes series without color; heavier points have larger glyphs, or the first. */
struct plot_glyphs {
	const char *ascii[3], *unicode[3];
};

struct plot_series {
	const char *name;
	enum plot_style style;
	enum role role;
	struct plot_glyphs glyphs;
	uint32_t panel;
	bool averaged; /* step functions: a cell shows its time-weighted mean, not its peak */
	struct plot_point
		*points; /* sorted by x, PLOT_POINTS by weight; stacks share their x values,
			    PLOT_CELLS those and y, by which they are sorted next */
	size_t count;
	double *peaks; /* segment tree of plot_highest, built by plot_build */
	double *sums;  /* prefix integrals of plot_mean, for averaged series */
};

/* A reference line (roof, percentile); straight in screen coordinates. */
struct plot_guide {
	const char *label;
	enum role role;
	uint32_t panel;
	double x0, y0, x1, y1;
};

struct plot_panel {       /* stacked vertically over one x axis */
	const char *name; /* "GPU0"; NULL: a single panel */
	struct plot_axis y;
};

struct plot_fact {
	const char *label, *text;
};

struct plot {
	const struct plot_kind *kind;
	const struct plot_group *group;
	struct table *table; /* points refer to its rows */
	struct arena *arena; /* owns all texts */
	const char *note;    /* reason for an empty plot, or a remark; NULL */
	struct plot_axis x;
	GROWING(struct plot_panel, panels, panel_count);
	GROWING(struct plot_series, series, series_count);
	GROWING(struct plot_guide, guides, guide_count);
	GROWING(struct plot_fact, derived, fact_count);
	size_t bands;        /* PLOT_CELLS: points of one x */
	struct flame *flame; /* instead of axes and series, or NULL */
	/* while it is built */
	const struct progress *progress;
	struct error *error;
};

/* A variant of a plot: source view and title. */
struct plot_group {
	const char *name;       /* "kernels" */
	const char *title;      /* "Roofline of kernels" */
	const char *view;       /* name of the view */
	const char *view_group; /* its grouping; NULL: default */
};

enum plot_range { PLOT_RANGE_NONE, PLOT_RANGE_TIME, PLOT_RANGE_STEPS };

enum { PLOT_GROUPS_MAX = 10 };

/* Fill PLOT from plot->table. False with its error when cancelled. */
typedef bool plot_builder(struct plot *plot);

struct plot_kind {
	const char *name; /* "memory", as in `:plot memory` and `report plot-memory` */
	const char *title;
	const char *summary;   /* one sentence for help and manual */
	enum plot_range range; /* scope dimension selected by a range of the x axis */
	struct plot_group groups[PLOT_GROUPS_MAX]; /* the first is the default */
	plot_builder *build;
	/* Drill target of a point; NULL: the target of its row. */
	struct ref (*ref)(const struct plot *plot, uint32_t row);
};

const struct plot_kind *plot_at(size_t index);       /* NULL past the end */
const struct plot_kind *plot_find(const char *name); /* NULL if unknown */
const struct plot_group *plot_group_find(const struct plot_kind *kind, const char *name);

/* Plot for a view in GROUP (NULL: default); NULL if there is none. */
const struct plot_kind *plot_of_view(const char *view, const char *group,
				     const struct plot_group **plot_group);

/*
 * Build a plot of RUN in SCOPE; GROUP is one of the kind's. NULL with ERROR as view_build. If there
 * is nothing to draw, the note gives the reason. The caller frees it.
 */
struct plot *plot_build(const struct plot_kind *kind, const struct plot_group *group,
			const struct run *run, const struct scope *scope,
			const struct progress *progress, struct error *error);
/* Likewise by GROUP or, if it has nothing to draw, the next grouping of the kind that has. */
struct plot *plot_build_first(const struct plot_kind *kind, const struct plot_group *group,
			      const struct run *run, const struct scope *scope,
			      const struct progress *progress, struct error *error);
/* The next grouping of the kind; after the last the first. */
const struct plot_group *plot_group_after(const struct plot_kind *kind,
					  const struct plot_group *group);
void plot_free(struct plot *plot); /* NULL is allowed */

bool plot_is_empty(const struct plot *plot);

/* ---- reading ---- */

/* First point at or after X, or series->count. For series sorted by x. */
size_t plot_lower(const struct plot_series *series, double x);
/* Drill target of a point. */
struct ref plot_ref(const struct plot *plot, uint32_t row);
/* Point with the highest value in [FROM, TO), which must not be empty. O(log TO). */
size_t plot_highest(const struct plot_series *series, size_t from, size_t to);
/* Mean of an averaged series over a range of x; NaN before its first point. */
double plot_mean(const struct plot_series *series, double from, double to);
/* Formatted value with unit. */
void plot_number(struct buffer *out, enum unit unit, double value);

/* ---- for builders ---- */

/* As plot_number; owned by the plot. */
const char *plot_quantity(struct plot *plot, enum unit unit, double value);
char *plot_text(struct plot *plot, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint32_t plot_add_panel(struct plot *plot, const char *name, struct plot_axis y);
/* Valid until the next series is added. */
struct plot_series *plot_add_series(struct plot *plot, uint32_t panel, const char *name,
				    enum plot_style style, enum role role,
				    struct plot_glyphs glyphs);
void plot_add_point(struct plot_series *series, struct plot_point point);
void plot_add_guide(struct plot *plot, struct plot_guide guide);
void plot_add_fact(struct plot *plot, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Number in a cell of the plot's table; NaN if missing. */
double plot_cell(const struct plot *plot, size_t row, int column);
/* Are the numbers in COLUMN, of which there are some, consecutive? */
bool plot_is_numbered(const struct plot *plot, int column);
/* Text in a cell, "" if missing; owned by the plot. */
const char *plot_cell_text(struct plot *plot, size_t row, int column);
/* Poll for cancellation at ROW. False with ERROR_CANCELLED. */
bool plot_go_on(const struct plot *plot, size_t row);

extern const struct plot_glyphs plot_glyphs_area, plot_glyphs_line;

/* The plots of plots.txt, and what builds them. */
extern const struct plot_kind plot_memory, plot_utilization, plot_steps, plot_roofline,
	plot_distribution, plot_flame, plot_ranks, plot_heat, plot_experts, plot_diff;
plot_builder plot_memory_build, plot_utilization_build, plot_steps_build, plot_roofline_build,
	plot_distribution_build, plot_flame_build, plot_ranks_build, plot_heat_build,
	plot_experts_build, plot_diff_build;
struct ref plot_roofline_ref(const struct plot *plot, uint32_t row);
