/*
 * Builds the panels of a dashboard: each function adds those it has data for.
 */
#pragma once

#include "picture/dashboard/dashboard.h"

/* A lower share reads "0.0 %". */
#define PANEL_SHARE_MIN 0.0005

enum { TOP_MAX = 48 }; /* lines of a panel with the largest rows of a view */

/* A dashboard being built. */
struct dashboard_work {
	struct dashboard *dashboard;
	const struct run *run;
	const struct scope *scope;
	const struct rank *rank; /* held */
	const struct progress *progress;
	struct error *error;
};

/* Returns false with the error of the work. */
typedef bool panels_builder(struct dashboard_work *work);
panels_builder panels_add_time, panels_add_curves, panels_add_findings, panels_add_layers,
	panels_add_tops, panels_add_kinds, panels_add_file;

/* ---- helpers ---- */

/* Valid until the next panel is added; empty panels are dropped at the end. */
struct panel *panel_add(struct dashboard *dashboard, enum panel_kind kind, enum panel_band band,
			const char *title);
/* A line that Enter leads from to VIEW, or to ROW of TABLE; valid until the next one is added. */
struct panel_line *panel_add_line(struct panel *panel, const struct view *view);
struct panel_line *panel_add_row(struct panel *panel, const struct table *table, size_t row);
/* Make the longest bar as long as there is room. */
void panel_scale(struct panel *panel);
/* Append PART to the bar of a line, unless its share is 0. */
void panel_add_part(struct panel_line *line, const struct time_part *part, double share);
/* Likewise PARTS, each with its sum over the rows FROM to TO, as a share of WHOLE. */
void panel_add_parts(struct panel_line *line, const struct table *table,
		     const struct time_part *parts, size_t from, size_t to, double whole);

/* Texts, owned by the dashboard. */
const char *panel_text(struct dashboard_work *work, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *panel_copy(struct dashboard_work *work, struct value value); /* "" if not a text */
/* A formatted cell, "142.46 ms". */
const char *panel_cell(struct dashboard_work *work, const struct table *table, size_t row,
		       int column);
const char *panel_duration(struct dashboard_work *work, double ns); /* "1.32 ms" */
/* "31.2 %" of a share from 0 to 1. */
const char *panel_percent(struct dashboard_work *work, double share);

/* The table of a view in the scope of the work; NULL with its error. */
struct table *panel_table(struct dashboard_work *work, const char *view, const char *group);
/* A number in the column with this id; NaN if it is missing. */
double panel_amount(const struct table *table, size_t row, const char *column);
/* Poll for cancellation at ROW. */
bool panel_go_on(struct dashboard_work *work, const struct table *table, size_t row);

/* ---- labels ---- */

/* The innermost frame of a collapsed stack that has a symbol, without folders. */
const char *panel_innermost(struct dashboard_work *work, const char *stack);

/*
 * Functions of one name get their places, stacks of one innermost frame their callers, and rows of
 * several devices (table column "device") theirs.
 */
void panel_add_places(struct dashboard_work *work, struct panel *panel, const struct table *table,
		      const size_t *rows);
void panel_add_devices(struct dashboard_work *work, struct panel *panel, const struct table *table,
		       const size_t *rows);
void panel_add_callers(struct dashboard_work *work, struct panel *panel, const struct table *table,
		       const size_t *rows);
