/*
 * The findings as a panel, and what changed against the base run.
 */
#include "base/mem.h"
#include "base/number.h"
#include "picture/dashboard/panels.h"
#include "views/diff.h"

#include <math.h>
#include <string.h>

enum { FINDINGS_MAX = 7 };

struct tally { /* checks that are not shown */
	size_t passed, skipped;
};

static size_t checks_in(const char *detectors)
{
	size_t count = 1;
	for (; *detectors; detectors++)
		count += *detectors == ',';
	return count;
}

static enum role severity_role(const char *severity, const char **sign)
{
	if (strcmp(severity, "high") == 0) {
		*sign = "!";
		return ROLE_ERROR;
	}
	*sign = strcmp(severity, "medium") == 0 ? "!" : "*";
	return strcmp(severity, "low") == 0 ? ROLE_DIM : ROLE_WARNING;
}

static void add_finding(struct dashboard_work *work, struct panel *panel, const struct table *table,
			size_t row, const char *severity)
{
	struct dashboard *dashboard = work->dashboard;
	char text[NUMBER_MAX];
	double gain = panel_number(table, row, table_need(table, "gain_pct"));
	struct panel_line *line = panel_add_line(panel, table->view, table_ref(table, row));
	line->role = severity_role(severity, &line->sign);
	line->label = panel_copy(dashboard, table_cell(table, row, "problem"));
	line->detail = panel_copy(dashboard, table_cell(table, row, "evidence"));
	struct value start = table_cell(table, row, "start_ns");
	struct value dur = table_cell(table, row, "dur_ns");
	if (start.kind == VALUE_INT && dur.kind == VALUE_INT) {
		line->from = start.integer;
		line->to = start.integer + dur.integer;
	}
	line->value = isnan(gain) ? "" : panel_text(dashboard, "%s", number_gain(text, gain));
}

/* A summary does not say what passed. */
static const char *rest_of(struct dashboard_work *work, const struct tally *tally)
{
	if (work->rank->profile->kept)
		return panel_text(work->dashboard, "%zu skipped", tally->skipped);
	return panel_text(work->dashboard, "%zu check%s passed, %zu skipped", tally->passed,
			  tally->passed == 1 ? "" : "s", tally->skipped);
}

static bool add_advice(struct dashboard_work *work)
{
	struct table *table = panel_table(work, "advice", "all");
	struct tally tally = { 0 };
	if (!table)
		return false;
	struct panel *panel = panel_add(work->dashboard, PANEL_FINDINGS, BAND_FINDINGS, "Findings");
	for (size_t row = 0; row < table->rows; row++) {
		const char *severity = table_cell(table, row, "severity").text;
		if (strcmp(severity, "silent") == 0)
			tally.passed++;
		else if (strcmp(severity, "unknown") == 0)
			tally.skipped += checks_in(table_cell(table, row, "detector").text);
		else if (panel->count < FINDINGS_MAX)
			add_finding(work, panel, table, row, severity);
		else
			panel->hidden++;
	}
	panel->summary = work->rank->profile->partial ? NULL : rest_of(work, &tally);
	if (!panel->count) {
		struct panel_line *line =
			panel_add_line(panel, table->view, (struct ref){ .kind = REF_NONE });
		line->label = work->rank->profile->partial ? "Findings need the whole file"
							   : "No finding";
		line->role = ROLE_DIM;
	}
	table_free(table);
	return true;
}

/* ---- against the base run ---- */

/* The columns with the times of a change; -1: not listed. */
struct change_columns {
	int gpu, cpu, verdict, compared;
};

/* The column with the time that the verdict compares, GPU time if both or neither has it. */
static int changed_column(const struct table *table, size_t row, struct change_columns columns)
{
	struct value compared = table_value(table, row, (size_t)columns.compared);
	bool host = value_compare(compared, value_text("CPU")) == 0;
	return host || !(fabs(panel_number(table, row, columns.gpu)) > 0) ? columns.cpu
									  : columns.gpu;
}

static void add_change(struct dashboard_work *work, struct panel *panel, const struct table *table,
		       size_t row, struct change_columns columns, double most)
{
	int delta = changed_column(table, row, columns);
	double ns = panel_number(table, row, delta);
	struct panel_line *line = panel_add_line(panel, table->view, table_ref(table, row));
	line->label = panel_copy(work->dashboard, table_cell(table, row, "name"));
	line->sign = ns > 0 ? "+" : "-";
	line->role = ns > 0 ? ROLE_WORSE : ROLE_BETTER;
	line->value = panel_cell(work->dashboard, table, row, delta);
	line->extra = panel_text(work->dashboard, "%s %s", delta == columns.gpu ? "GPU" : "CPU",
				 panel_copy(work->dashboard, table_cell(table, row, "verdict")));
	line->share = fabs(ns) / most;
	line->group = "operators";
}

/* Operators by how much their time changed, without noise. */
static bool add_changes(struct dashboard_work *work)
{
	enum { CHANGES_MAX = 6 };
	size_t rows[CHANGES_MAX + 1], count = 0;
	double change[CHANGES_MAX + 1];
	if (!work->run->base)
		return true;
	struct table *table = panel_table(work, "diff", "operators");
	if (!table)
		return false;
	struct change_columns columns = { table_need(table, "delta_gpu_ns"),
					  table_need(table, "delta_cpu_ns"),
					  table_need(table, "verdict"),
					  table_need(table, "compared") };
	for (size_t row = 0; row < table->rows; row++) {
		double ns = fabs(panel_number(table, row, changed_column(table, row, columns)));
		size_t at = count;
		struct value verdict = table_value(table, row, (size_t)columns.verdict);
		if (!(ns > 0) || verdict.kind != VALUE_TEXT || diff_is_noise(verdict))
			continue;
		while (at && change[at - 1] < ns)
			at--;
		if (at == CHANGES_MAX)
			continue;
		count += count < CHANGES_MAX;
		memmove(rows + at + 1, rows + at, (count - 1 - at) * sizeof *rows);
		memmove(change + at + 1, change + at, (count - 1 - at) * sizeof *change);
		rows[at] = row;
		change[at] = ns;
	}
	struct panel *panel =
		panel_add(work->dashboard, PANEL_BARS, BAND_FINDINGS, "Changed Operators");
	panel->summary = panel_text(work->dashboard, "comparable: %s",
				    table->comparable ? table->comparable : "no");
	for (size_t i = 0; i < count; i++)
		add_change(work, panel, table, rows[i], columns, change[0]);
	if (!count) {
		struct panel_line *line =
			panel_add_line(panel, table->view, (struct ref){ .kind = REF_NONE });
		line->label = "No change beyond noise";
		line->role = ROLE_DIM;
		line->group = "operators";
	}
	table_free(table);
	return true;
}

bool panels_add_findings(struct dashboard_work *work)
{
	return add_advice(work) && add_changes(work);
}
