#include "picture/dashboard/dashboard.h"

#include "base/error.h"
#include "base/number.h"
#include "picture/dashboard/panels.h"
#include "session/load.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

/* ---- helpers of panels ---- */

struct panel *panel_add(struct dashboard *dashboard, enum panel_kind kind, enum panel_band band,
			const char *title)
{
	struct panel *panel = mem_push(dashboard->panels, dashboard->count);
	*panel = (struct panel){ .kind = kind, .band = band, .title = title };
	return panel;
}

struct panel_line *panel_add_line(struct panel *panel, const struct view *view)
{
	struct panel_line *line = mem_push(panel->lines, panel->count);
	*line = (struct panel_line){
		.role = ROLE_TEXT, .label = "", .value = "", .share = NAN, .view = view
	};
	return line;
}

struct panel_line *panel_add_row(struct panel *panel, const struct table *table, size_t row)
{
	struct panel_line *line = panel_add_line(panel, table->view);
	line->ref = table_ref(table, row);
	return line;
}

void panel_scale(struct panel *panel)
{
	double longest = 0;
	for (size_t i = 0; i < panel->count; i++)
		longest = fmax(longest, panel->lines[i].share);
	for (size_t i = 0; i < panel->count && longest > 0; i++)
		panel->lines[i].share /= longest;
}

void panel_add_part(struct panel_line *line, const struct time_part *part, double share)
{
	if (share > 0 && line->part_count < PANEL_PARTS_MAX)
		line->parts[line->part_count++] = (struct panel_part){ part, share };
}

const char *panel_text(struct dashboard_work *work, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return arena_strndup(work->dashboard->arena, text, strlen(text));
}

const char *panel_copy(struct dashboard_work *work, struct value value)
{
	return value.kind == VALUE_TEXT
		       ? arena_strndup(work->dashboard->arena, value.text, value.length)
		       : "";
}

const char *panel_cell(struct dashboard_work *work, const struct table *table, size_t row,
		       int column)
{
	AUTO_BUFFER struct buffer text = { 0 };
	if (column < 0)
		return "";
	table_format(&text, table, row, (size_t)column, false);
	return arena_strndup(work->dashboard->arena, BUFFERED(&text));
}

const char *panel_percent(struct dashboard_work *work, double share)
{
	char text[NUMBER_MAX];
	return isfinite(share) ? panel_text(work, "%s %%", number_percent(text, 100 * share)) : "";
}

const char *panel_duration(struct dashboard_work *work, double ns)
{
	char text[NUMBER_MAX];
	return panel_text(work, "%s", number_duration(text, (int64_t)ns));
}

struct table *panel_table(struct dashboard_work *work, const char *view, const char *group)
{
	return view_build_one(view_find(view), work->run, work->scope, group, work->progress,
			      work->error);
}

double panel_amount(const struct table *table, size_t row, const char *column)
{
	return value_number(table_cell(table, row, column), NAN);
}

bool panel_go_on(struct dashboard_work *work, const struct table *table, size_t row)
{
	return progress_heavy_row(work->progress, "drawing the dashboard", row, table->rows, 8) ||
	       error_cancelled(work->error);
}

/* ---- building ---- */

static panels_builder *const parts[] = {
	panels_add_time, panels_add_curves, panels_add_findings, panels_add_layers,
	panels_add_tops, panels_add_kinds,  panels_add_file,
};

/* Drop empty panels, and order the others by band. */
static void settle(struct dashboard *dashboard)
{
	struct panel *kept = mem_alloc((dashboard->count + 1) * sizeof *kept);
	size_t count = 0;
	for (int band = 0; band < PANEL_BANDS; band++)
		for (size_t i = 0; i < dashboard->count; i++)
			if ((int)dashboard->panels[i].band == band && dashboard->panels[i].count)
				kept[count++] = dashboard->panels[i];
	for (size_t i = 0; i < dashboard->count; i++)
		if (!dashboard->panels[i].count)
			mem_free(dashboard->panels[i].lines);
	mem_free(dashboard->panels);
	dashboard->panels = kept;
	dashboard->count = count;
}

static bool build_dashboard(void *context)
{
	struct dashboard_work *work = context;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!parts[i](work))
			return false;
	settle(work->dashboard);
	return true;
}

struct dashboard *dashboard_build(const struct run *run, const struct scope *scope,
				  const struct progress *progress, struct error *error)
{
	const struct rank *rank = run_acquire(run, scope->rank, progress, error);
	if (!rank)
		return NULL;
	struct dashboard *dashboard = mem_zalloc(1, sizeof *dashboard);
	dashboard->arena = arena_new();
	struct dashboard_work work = { dashboard, run, scope, rank, progress, error };
	bool good = mem_guard(build_dashboard, &work, error);
	run_release(run, rank);
	if (good)
		return dashboard;
	dashboard_free(dashboard);
	return NULL;
}

/* ---- figures ---- */

static void add_figure(struct buffer *out, const char *what, const char *text)
{
	int length = (int)strcspn(text, "("); /* without what is in parentheses at its end */
	while (length && text[length - 1] == ' ')
		length--;
	if (length)
		buffer_printf(out, "%s%s%s%.*s", out->length ? "   " : "", what, *what ? " " : "",
			      length, text);
}

void dashboard_figures(const struct dashboard *dashboard, struct buffer *out)
{
	size_t findings = 0;
	for_each (panel, dashboard->panels, dashboard->count) {
		const char *title = panel->title, *summary = panel->summary ?: "";
		bool bars = panel->kind == PANEL_STACK && panel->band == BAND_TIME;
		if (bars && isdigit((unsigned char)*summary))
			add_figure(out,
				   strcmp(title, "Time") && !strstr(summary, " step") ? title : "",
				   summary);
		for_each (line, panel->lines, panel->count) {
			if ((bars && line == panel->lines) ||
			    (line->sample_count && line->view == view_find("memory")))
				add_figure(out, line->label, line->value);
			findings += panel->kind == PANEL_FINDINGS && line->detail;
		}
	}
	if (findings)
		buffer_printf(out, "%s%zu finding%s", out->length ? "   " : "", findings,
			      findings == 1 ? "" : "s");
}

void dashboard_free(struct dashboard *dashboard)
{
	if (!dashboard)
		return;
	for (size_t i = 0; i < dashboard->count; i++) {
		for (size_t line = 0; line < dashboard->panels[i].count; line++)
			mem_free(dashboard->panels[i].lines[line].shown);
		mem_free(dashboard->panels[i].lines);
		plot_free(dashboard->panels[i].plot);
	}
	mem_free(dashboard->panels);
	arena_free(dashboard->arena);
	mem_free(dashboard);
}
