#include "tui/dashboard/dashboard_pane.h"

#include "base/any_of.h"
#include "base/text.h"
#include "picture/dashboard/dashboard.h"
#include "picture/picture.h"
#include "tui/core/pane_job.h"

#include <assert.h>
#include <stdlib.h>

struct dashboard_pane {
	struct pane pane;
	struct dashboard *dashboard;  /* NULL until built */
	struct shared_run *shared;    /* the run it is of */
	bool stale;                   /* of the run before: its rows do not exist in this run */
	struct dashboard_stops stops; /* of the last draw, and the cursor */
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
	return dashboard && self->stops.panel < dashboard->count &&
			       self->stops.line < dashboard->panels[self->stops.panel].count
		       ? &dashboard->panels[self->stops.panel].lines[self->stops.line]
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
	self->stops.panel = self->stops.line = 0;
	for (size_t i = 0; i < dashboard->count; i++)
		if (dashboard->panels[i].kind == PANEL_FINDINGS) {
			self->stops.panel = i;
			return;
		}
}

/* Plots hold ranks of their run. */
static void drop_dashboard(struct dashboard_pane *self)
{
	dashboard_free(self->dashboard);
	shared_run_drop(self->shared);
}

static void dashboard_pane_take(struct dashboard_pane *pane, struct dashboard_job *self)
{
	bool first = !pane->dashboard;
	drop_dashboard(pane);
	pane->shared = take_hold(self->job.tui->shared);
	pane->dashboard = self->dashboard;
	self->dashboard = NULL;
	struct level *level = self->job.level;
	AUTO_BUFFER struct buffer figures = { 0 };
	dashboard_figures(pane->dashboard, &figures);
	mem_replace(level->figures, mem_strdup(buffer_text(&figures)));
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
	struct pane_job *job = pane_job_new(sizeof(struct dashboard_job), &kind, pane, tui,
					    picture_dashboard.title);
	job->job.background = tui_pane(tui) != pane; /* for the line of the scope */
	pane_job_submit(job);
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
		if (self->stops.items[i].panel == self->stops.panel &&
		    self->stops.items[i].line == self->stops.line)
			return i;
	return SIZE_MAX;
}

static void select_stop(struct dashboard_pane *self, size_t stop)
{
	if (stop >= self->stops.count)
		return;
	self->stops.panel = self->stops.items[stop].panel;
	self->stops.line = self->stops.items[stop].line;
}

static void dashboard_pane_draw(struct pane *pane, struct tui *tui, struct rect body)
{
	struct dashboard_pane *self = self_of(pane);
	self->rect = (struct dashboard_rect){ body.row, body.column, body.rows, body.columns };
	self->stops.count = 0;
	if (!self->dashboard)
		return;
	dashboard_draw(self->dashboard, &tui->grid, self->rect, &self->stops);
	if (stop_at_cursor(self) == SIZE_MAX && self->stops.count) { /* no room for its panel */
		select_stop(self, 0);
		self->stops.count = 0;
		dashboard_draw(self->dashboard, &tui->grid, self->rect, &self->stops);
	}
	size_t at = stop_at_cursor(self);
	if (at == SIZE_MAX)
		return;
	const struct dashboard_stop *stop = &self->stops.items[at];
	for (int i = 0; i < stop->columns; i++) { /* colors of bars and curves stay */
		int role = grid_cell(&tui->grid, stop->row, stop->column + i)->role;
		if (role < ROLE_KERNEL && role != ROLE_BAR)
			grid_paint(&tui->grid, stop->row, stop->column + i, 1, ROLE_SELECTION);
	}
	grid_puts(&tui->grid, stop->row, stop->column, 1, ROLE_SELECTION, ">");
	tui->grid.cursor_row = stop->row;
	tui->grid.cursor_column = stop->column;
}

/* ---- moving ---- */

static bool is_drawn(const struct dashboard_pane *self, size_t panel)
{
	return any_of(i, self->stops.count, self->stops.items[i].panel == panel);
}

/* The first line of the next panel with room, or of the one before; around the ends. */
static void move_panel(struct dashboard_pane *self, int direction)
{
	size_t count = self->dashboard->count, panel = self->stops.panel;
	do
		panel = (panel + count + (size_t)direction) % count;
	while (!is_drawn(self, panel) && panel != self->stops.panel);
	self->stops.panel = panel;
	self->stops.line = 0;
}

/* To the next line of the panels that are drawn, around the end. */
static void step_line(struct dashboard_pane *self, int direction)
{
	self->stops.line += (size_t)direction;
	if (line_here(self))
		return;
	move_panel(self, direction);
	self->stops.line = direction > 0 ? 0 : self->dashboard->panels[self->stops.panel].count - 1;
}

/* To the first stop, or to the last. */
static void move_end(struct dashboard_pane *self, int direction)
{
	select_stop(self, direction < 0 ? 0 : self->stops.count - 1);
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

/* The cursor, as a number for places and searches. */
static size_t place_of(const struct dashboard_pane *self)
{
	return self->stops.panel << 16 | self->stops.line;
}

static void go_place(struct dashboard_pane *self, size_t place)
{
	self->stops.panel = place >> 16;
	self->stops.line = place & 0xffff;
}

/* The first line that matches, beginning with the one at the cursor unless NEXT, around the end. */
static void find_panel_line(struct dashboard_pane *self, struct tui *tui, bool next, int direction)
{
	size_t from = place_of(self), lines = 0;
	if (!tui->search.pattern || !self->stops.count)
		return;
	for (size_t i = 0; i < self->dashboard->count; i++)
		lines += self->dashboard->panels[i].count;
	if (next)
		step_line(self, direction);
	for (; lines--; step_line(self, direction)) /* it may begin at one that is not drawn */
		if (line_here(self) && is_drawn(self, self->stops.panel) &&
		    panel_line_matches(&self->dashboard->panels[self->stops.panel],
				       self->stops.line, tui->search.pattern))
			return;
	go_place(self, from);
	tui_say(tui, MESSAGE_WARNING, "no match for '%s'", tui->search.text);
}

/* ---- actions ---- */

static bool refers_to_rows(const struct panel_line *line)
{
	return line->ref.kind != REF_NONE && line->ref.kind != REF_FACT;
}

static struct pane_subject subject_of(const struct panel *panel, const struct panel_line *line)
{
	return (struct pane_subject){ .kind = panel->plot ? PANE_PLOT : PANE_TABLE,
				      .plot = panel->plot ? panel->plot->kind : NULL,
				      .plot_group = panel->plot ? panel->plot->group : NULL,
				      .view = line->view,
				      .query.group = line->group,
				      .target = line->ref };
}

static void dashboard_pane_drill(const struct dashboard_pane *self, struct tui *tui)
{
	const struct panel_line *line = line_here(self);
	if (!line || !line->view || self->stale) {
		tui_say(tui, MESSAGE_INFO, "nothing to drill into");
		return;
	}
	const struct pane_subject subject =
		subject_of(&self->dashboard->panels[self->stops.panel], line);
	nav_push_new(tui, &subject, NULL);
}

const char *dashboard_name(const struct pane *pane, size_t *at, struct pane_subject *subject)
{
	const struct dashboard_pane *self = pane->ops == &dashboard_pane_ops ? self_of(pane) : NULL;
	const struct dashboard *dashboard = self && !self->stale ? self->dashboard : NULL;
	size_t number = 0;
	for (size_t i = 0; dashboard && i < dashboard->count; i++) {
		const struct panel *panel = &dashboard->panels[i];
		for_each (line, panel->lines, panel->count) {
			if (number++ < *at || !line->view || !line->label || !refers_to_rows(line))
				continue;
			*at = number;
			*subject = subject_of(panel, line);
			return line->label;
		}
	}
	return NULL;
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
		nav_timeline(tui, NO_REF, &(struct location){ .from = line->from, .to = line->to });
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
	static const struct {
		enum action action;
		void (*move)(struct dashboard_pane *self, int by);
		int by;
	} moves[] = { DASHBOARD_MOVES };
	for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
		if (moves[i].action == action) {
			moves[i].move(self, moves[i].by);
			return true;
		}
	return false;
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
		pane_position(out, self->stops.line,
			      self->dashboard->panels[self->stops.panel].count);
}

static size_t row(const struct pane *pane)
{
	const struct dashboard_pane *self = self_of(pane);
	return line_here(self) ? place_of(self) : SIZE_MAX;
}

static void go(struct pane *pane, size_t place)
{
	go_place(self_of(pane), place);
}

static void go_stop(struct pane *pane, size_t stop)
{
	select_stop(self_of(pane), stop);
}

static void search(struct pane *pane, struct tui *tui, size_t origin, int direction)
{
	if (!direction)
		go_place(self_of(pane), origin == SIZE_MAX ? 0 : origin);
	find_panel_line(self_of(pane), tui, direction != 0, direction ?: 1);
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

static void copy_line(const struct panel_line *line, struct buffer *out)
{
	const char *const texts[] = { line->label, line->value, line->extra, line->detail };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (!texts[i] || !*texts[i])
			continue;
		buffer_puts(out, i ? "\t" : "");
		text_escape(out, texts[i], strlen(texts[i]));
	}
}

/* The line with its figures and evidence; or all lines of the panel. */
static size_t dashboard_pane_copy(struct pane *pane, struct tui *tui, bool whole,
				  struct buffer *out)
{
	const struct dashboard_pane *self = self_of(pane);
	if (!line_here(self))
		return 0;
	const struct panel *panel = &self->dashboard->panels[self->stops.panel];
	if (!whole)
		copy_line(line_here(self), out);
	for (size_t i = 0; whole && i < panel->count; i++) {
		copy_line(&panel->lines[i], out);
		buffer_putc(out, '\n');
	}
	return whole ? panel->count : 1;
}

static bool write_dashboard(struct pane *pane, struct tui *tui, const char *path,
			    const char *extension, struct error *error)
{
	const struct dashboard_pane *self = self_of(pane);
	struct buffer text = { 0 };
	if (!self->dashboard)
		return error_usage(error, "dashboard not ready yet");
	if (strcmp(extension, "txt") != 0)
		return error_usage(error, "FILE must end in .txt");
	print(self, tui, &text);
	return tui_write(tui, path, "dashboard", &text, error);
}

static void free_pane(struct pane *pane)
{
	AUTO_FREE struct dashboard_pane *self = self_of(pane);
	drop_dashboard(self);
	mem_free(self->stops.items);
}

static const struct pane_ops dashboard_pane_ops = { DASHBOARD_PANE_OPS };
