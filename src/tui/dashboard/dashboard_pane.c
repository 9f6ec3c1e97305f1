#include "tui/dashboard/dashboard_pane.h"

#include "base/any_of.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "picture/dashboard/dashboard.h"
#include "picture/picture.h"
#include "tui/core/pane_job.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct dashboard_pane {
	struct pane pane;
	struct dashboard *dashboard;  /* NULL until built */
	bool stale;                   /* of the run before: its rows do not exist in this run */
	size_t panel, line;           /* the cursor */
	struct dashboard_stops stops; /* of the last draw */
	struct dashboard_rect rect;
};

static const struct pane_ops dashboard_pane_ops;

static struct dashboard_pane *self_of(const struct pane *pane)
{
	assert(pane->ops == &dashboard_pane_ops);
	return (struct dashboard_pane *)pane;
}

struct pane *dashboard_pane_new(const struct pane_subject *subject)
{
	return pane_new(sizeof(struct dashboard_pane), &dashboard_pane_ops, picture_dashboard.name);
}

/* The line under the cursor; NULL: none. */
static const struct panel_line *line_here(const struct dashboard_pane *self)
{
	const struct dashboard *dashboard = self->dashboard;
	return dashboard && self->panel < dashboard->count &&
			       self->line < dashboard->panels[self->panel].count
		       ? &dashboard->panels[self->panel].lines[self->line]
		       : NULL;
}

/* ---- building, in the worker ---- */

struct dashboard_job {
	struct pane_job job;
	struct dashboard *dashboard;
};

static bool dashboard_pane_run(struct job *job, const struct progress *progress,
			       struct error *error)
{
	struct dashboard_job *self = (struct dashboard_job *)job;
	self->dashboard = dashboard_build(self->job.tui->run, &self->job.scope, progress, error);
	return self->dashboard != NULL;
}

/* First on the costliest finding. */
static void first_line(struct dashboard_pane *self)
{
	const struct dashboard *dashboard = self->dashboard;
	self->panel = self->line = 0;
	for (size_t i = 0; i < dashboard->count; i++)
		if (dashboard->panels[i].kind == PANEL_FINDINGS) {
			self->panel = i;
			return;
		}
}

static void dashboard_pane_take(struct dashboard_pane *pane, struct dashboard_job *self)
{
	bool first = !pane->dashboard;
	dashboard_free(pane->dashboard);
	pane->dashboard = self->dashboard;
	self->dashboard = NULL;
	pane->stops.count = 0; /* they refer to lines of the one before, until drawn */
	pane->stale = false;
	if (first || !line_here(pane))
		first_line(pane);
}

static void dashboard_pane_arrive(struct job *job, bool good, const struct error *error)
{
	struct dashboard_job *self = (struct dashboard_job *)job;
	struct tui *tui = self->job.tui;
	struct dashboard_pane *pane = self_of(self->job.pane);
	if (good) {
		dashboard_pane_take(pane, self);
		return;
	}
	/* one that is not shown starts again when it is */
	if (tui_pane(tui) == &pane->pane)
		tui_say_error(tui, error);
	if (!pane->dashboard)
		nav_abandon(tui, &pane->pane);
}

static void dashboard_pane_clear(struct job *job)
{
	dashboard_free(((struct dashboard_job *)job)->dashboard);
}

static void shown(struct pane *pane, struct tui *tui)
{
	static const struct pane_job_kind kind = { dashboard_pane_run, dashboard_pane_arrive,
						   dashboard_pane_clear };
	const struct dashboard_pane *self = self_of(pane);
	if (tui->quit || (self->dashboard && !self->stale && !pane->job))
		return;
	pane_job_submit(pane_job_new(sizeof(struct dashboard_job), &kind, pane, tui,
				     picture_dashboard.title));
}

/* What is shown stays until the new run's is ready. */
static struct pane *carry(struct pane *pane, struct tui *tui, const struct run *from)
{
	self_of(pane)->stale = true;
	return pane;
}

/* ---- drawing ---- */

static size_t stop_at_cursor(const struct dashboard_pane *self)
{
	for (size_t i = 0; i < self->stops.count; i++)
		if (self->stops.items[i].panel == self->panel &&
		    self->stops.items[i].line == self->line)
			return i;
	return SIZE_MAX;
}

static void select_stop(struct dashboard_pane *self, size_t stop)
{
	if (stop >= self->stops.count)
		return;
	self->panel = self->stops.items[stop].panel;
	self->line = self->stops.items[stop].line;
}

static void dashboard_pane_draw(struct pane *pane, struct tui *tui, struct rect body)
{
	struct dashboard_pane *self = self_of(pane);
	self->rect = (struct dashboard_rect){ body.row, body.column, body.rows, body.columns };
	self->stops.count = 0;
	if (!self->dashboard)
		return;
	dashboard_draw(self->dashboard, &tui->grid, self->rect, &self->stops);
	if (stop_at_cursor(self) == SIZE_MAX)
		select_stop(self, 0);
	size_t at = stop_at_cursor(self);
	if (at == SIZE_MAX)
		return;
	const struct dashboard_stop *stop = &self->stops.items[at];
	grid_puts(&tui->grid, stop->row, stop->column, 1, ROLE_SELECTION, ">");
	grid_paint(&tui->grid, stop->row, stop->column, stop->named, ROLE_SELECTION);
	tui->grid.cursor_row = stop->row;
	tui->grid.cursor_column = stop->column;
}

/* ---- moving ---- */

static bool beside(const struct dashboard_stop *a, const struct dashboard_stop *b)
{
	return a->column < b->column + b->columns && b->column < a->column + a->columns;
}

/* How far OTHER is up or down, among those in the same columns; 0: not in that direction. */
static int line_distance(const struct dashboard_stop *here, const struct dashboard_stop *other,
			 int direction)
{
	int away = (other->row - here->row) * direction;
	return away > 0 && beside(other, here) ? away : 0;
}

/* And to the left or right: at about the same row. */
static int panel_distance(const struct dashboard_stop *here, const struct dashboard_stop *other,
			  int direction)
{
	enum { ROW = 1 << 16 }; /* more than any screen has columns */
	int away = (other->column - here->column) * direction;
	return away > 0 ? ROW * abs(other->row - here->row) + away : 0;
}

static void move_nearest(struct dashboard_pane *self, int direction,
			 int (*distance)(const struct dashboard_stop *here,
					 const struct dashboard_stop *other, int direction))
{
	size_t at = stop_at_cursor(self), best = SIZE_MAX;
	int least = INT_MAX;
	for (size_t i = 0; at != SIZE_MAX && i < self->stops.count; i++) {
		int away = distance(&self->stops.items[at], &self->stops.items[i], direction);
		if (away > 0 && away < least) {
			least = away;
			best = i;
		}
	}
	select_stop(self, best);
}

/* The first line of the next panel, or of the one before. */
static void move_panel(struct dashboard_pane *self, int direction)
{
	size_t count = self->dashboard->count;
	for (size_t step = 1; step < count; step++) {
		size_t panel = direction > 0 ? self->panel + step : self->panel - step;
		for (size_t i = 0; panel < count && i < self->stops.count; i++)
			if (self->stops.items[i].panel == panel) {
				select_stop(self, i);
				return;
			}
	}
}

/* ---- search ---- */

/* The first line also stands for the title of its panel. */
static bool panel_line_matches(const struct panel *panel, size_t at, const struct pattern *pattern)
{
	const struct panel_line *line = &panel->lines[at];
	const char *const texts[] = { line->label, line->value, line->detail, line->extra,
				      at == 0 ? panel->title : NULL };
	return any_of(i, sizeof texts / sizeof *texts,
		      texts[i] && pattern_match(pattern, texts[i], strlen(texts[i]), NULL, NULL));
}

/* The first line that matches, from stop FROM, around the end. */
static void find_panel_line(struct dashboard_pane *self, struct tui *tui, size_t from,
			    int direction)
{
	size_t count = self->stops.count;
	if (!tui->search.pattern || !count)
		return;
	for (size_t i = 0; i < count; i++) {
		size_t at = (direction > 0 ? from + i : from + count - i) % count;
		const struct dashboard_stop *stop = &self->stops.items[at];
		if (panel_line_matches(&self->dashboard->panels[stop->panel], stop->line,
				       tui->search.pattern)) {
			select_stop(self, at);
			return;
		}
	}
	tui_say(tui, MESSAGE_WARNING, "no match for '%s'", tui->search.text);
}

/* ---- actions ---- */

static void dashboard_pane_drill(const struct dashboard_pane *self, struct tui *tui)
{
	const struct panel_line *line = line_here(self);
	if (!line || !line->view || self->stale) {
		tui_say(tui, MESSAGE_INFO, "nothing to drill into");
		return;
	}
	nav_push_new(tui,
		     &(struct pane_subject){ .kind = PANE_TABLE,
					     .view = line->view,
					     .query.group = line->group,
					     .target = line->ref },
		     NULL);
}

static bool refers_to_rows(const struct panel_line *line)
{
	return line->ref.kind != REF_NONE && line->ref.kind != REF_FACT;
}

static bool has_time(const struct dashboard_pane *self)
{
	const struct panel_line *line = line_here(self);
	return line && (refers_to_rows(line) || line->to > line->from) && !self->stale;
}

static void show_on_timeline(const struct dashboard_pane *self, struct tui *tui)
{
	const struct panel_line *line = line_here(self);
	if (!has_time(self))
		tui_say(tui, MESSAGE_INFO, "no time range here");
	else if (refers_to_rows(line))
		nav_timeline(tui, line->ref, &(struct location){ 0 });
	else
		nav_timeline(tui, (struct ref){ .kind = REF_NONE },
			     &(struct location){ .from = line->from, .to = line->to });
}

/* ---- following links ---- */

struct link_job {
	struct pane_job job;
	struct view_link link;
};

static bool find_link(struct job *job, const struct progress *progress, struct error *error)
{
	struct link_job *self = (struct link_job *)job;
	return pane_job_follow(&self->job, &self->link, progress, error);
}

static void link_found(struct job *job, bool good, const struct error *error)
{
	const struct link_job *self = (const struct link_job *)job;
	if (good)
		nav_follow_to(self->job.tui, &self->link);
	else
		tui_say_error(self->job.tui, error);
}

static bool has_row(const struct dashboard_pane *self)
{
	const struct panel_line *line = line_here(self);
	return line && line->view && refers_to_rows(line) && !self->stale;
}

static void dashboard_pane_follow(struct dashboard_pane *self, struct tui *tui, bool forward)
{
	static const struct pane_job_kind kind = { find_link, link_found, NULL };
	const struct panel_line *line = line_here(self);
	if (!forward && nav_return(tui))
		return;
	if (!has_row(self)) {
		tui_say(tui, MESSAGE_INFO, "nothing is linked to this row");
		return;
	}
	struct link_job *job = pane_job_new(sizeof *job, &kind, &self->pane, tui, "Link");
	job->link = nav_follow(&tui->nav, line->ref, forward);
	job->link.in = line->view;
	pane_job_submit(&job->job);
}

static bool dashboard_pane_move(struct dashboard_pane *self, enum action action)
{
	switch (action) {
	case ACTION_MOVE_DOWN: move_nearest(self, 1, line_distance); return true;
	case ACTION_MOVE_UP: move_nearest(self, -1, line_distance); return true;
	case ACTION_CURSOR_RIGHT: move_nearest(self, 1, panel_distance); return true;
	case ACTION_CURSOR_LEFT: move_nearest(self, -1, panel_distance); return true;
	case ACTION_SECTION_NEXT:
	case ACTION_PAGE_DOWN:
	case ACTION_HALF_PAGE_DOWN: move_panel(self, 1); return true;
	case ACTION_SECTION_PREVIOUS:
	case ACTION_PAGE_UP:
	case ACTION_HALF_PAGE_UP: move_panel(self, -1); return true;
	case ACTION_FIRST: select_stop(self, 0); return true;
	case ACTION_LAST: select_stop(self, self->stops.count - 1); return true;
	default: return false;
	}
}

static bool dashboard_pane_act(struct pane *pane, struct tui *tui, enum action action)
{
	struct dashboard_pane *self = self_of(pane);
	if (!self->dashboard)
		return false;
	if (dashboard_pane_move(self, action))
		return true;
	switch (action) {
	case ACTION_DRILL: dashboard_pane_drill(self, tui); return true;
	case ACTION_TIMELINE: show_on_timeline(self, tui); return true;
	case ACTION_FOLLOW_FORWARD:
	case ACTION_FOLLOW_BACK:
		dashboard_pane_follow(self, tui, action == ACTION_FOLLOW_FORWARD);
		return true;
	case ACTION_FACTS: nav_view(tui, view_find("overview")); return true;
	case ACTION_SEARCH_NEXT:
	case ACTION_SEARCH_PREVIOUS:
		find_panel_line(self, tui,
				stop_at_cursor(self) +
					(action == ACTION_SEARCH_NEXT ? 1 : self->stops.count - 1),
				action == ACTION_SEARCH_NEXT ? 1 : -1);
		return true;
	default: return false;
	}
}

static const char *link_to(struct pane *pane, struct tui *tui, bool forward)
{
	const struct dashboard_pane *self = self_of(pane);
	if (!has_row(self))
		return NULL;
	return view_link_name(tui->run, &pane->level->scope, line_here(self)->ref,
			      line_here(self)->view, forward);
}

static bool can(struct pane *pane, struct tui *tui, enum action action)
{
	const struct dashboard_pane *self = self_of(pane);
	switch (action) {
	case ACTION_DRILL: return line_here(self) && line_here(self)->view;
	case ACTION_TIMELINE: return has_time(self) && nav_has_timeline(tui);
	case ACTION_FOLLOW_FORWARD:
	case ACTION_FOLLOW_BACK: return link_to(pane, tui, action == ACTION_FOLLOW_FORWARD) != NULL;
	case ACTION_FILTER:
	case ACTION_CENTER:
	case ACTION_SCROLL_LEFT:
	case ACTION_SCROLL_RIGHT:
	case ACTION_DETAIL: return false;
	default: return self->dashboard != NULL;
	}
}

static void click(struct pane *pane, struct tui *tui, int row, int column, bool twice)
{
	struct dashboard_pane *self = self_of(pane);
	for (size_t i = 0; i < self->stops.count; i++) {
		const struct dashboard_stop *stop = &self->stops.items[i];
		if (stop->row != row || column < stop->column ||
		    column >= stop->column + stop->columns)
			continue;
		select_stop(self, i);
		if (twice)
			tui->host->act(tui, ACTION_DRILL);
		return;
	}
}

/* ---- description ---- */

static void position(struct pane *pane, struct buffer *out)
{
	const struct dashboard_pane *self = self_of(pane);
	if (line_here(self)) /* within its panel */
		pane_position(out, self->line, self->dashboard->panels[self->panel].count);
}

/* The row of the cursor is its stop. */
static size_t row(const struct pane *pane)
{
	return stop_at_cursor(self_of(pane));
}

static void go(struct pane *pane, size_t stop)
{
	select_stop(self_of(pane), stop);
}

static void search(struct pane *pane, struct tui *tui, size_t origin)
{
	find_panel_line(self_of(pane), tui, origin == SIZE_MAX ? 0 : origin, 1);
}

static void print(const struct dashboard_pane *self, const struct tui *tui, struct buffer *out)
{
	AUTO(grid_free) struct grid grid = { .ascii = tui->settings.ascii };
	grid_resize(&grid, dashboard_rows(self->dashboard, &grid, self->rect.columns),
		    self->rect.columns);
	dashboard_draw(self->dashboard, &grid,
		       (struct dashboard_rect){ 0, 0, grid.rows, grid.columns }, NULL);
	grid_dump(&grid, out);
}

/* The line's label, or the whole dashboard. */
static size_t dashboard_pane_copy(struct pane *pane, struct tui *tui, bool whole,
				  struct buffer *out)
{
	const struct dashboard_pane *self = self_of(pane);
	const struct panel_line *line = line_here(self);
	if (!line)
		return 0;
	if (whole)
		print(self, tui, out);
	else
		text_escape(out, line->label, strlen(line->label));
	return 1;
}

static bool write_dashboard(struct pane *pane, struct tui *tui, const char *path,
			    const char *extension, struct error *error)
{
	const struct dashboard_pane *self = self_of(pane);
	struct buffer text = { 0 };
	if (!self->dashboard)
		return error_set(error, ERROR_USAGE, "dashboard not ready yet");
	if (strcmp(extension, "txt") != 0)
		return error_set(error, ERROR_USAGE, "FILE must end in .txt");
	print(self, tui, &text);
	return tui_write(tui, path, "dashboard", &text, error);
}

static void free_pane(struct pane *pane)
{
	AUTO_FREE struct dashboard_pane *self = self_of(pane);
	dashboard_free(self->dashboard);
	mem_free(self->stops.items);
}

static const struct pane_ops dashboard_pane_ops = {
	.kind = PANE_DASHBOARD,
	.context = CONTEXT_DASHBOARD,
	.draw = dashboard_pane_draw,
	.act = dashboard_pane_act,
	.can = can,
	.link = link_to,
	.position = position,
	.row = row,
	.go = go,
	.go_line = go,
	.search = search,
	.copy = dashboard_pane_copy,
	.write = write_dashboard,
	.click = click,
	.shown = shown,
	.carry = carry,
	.free = free_pane,
};
