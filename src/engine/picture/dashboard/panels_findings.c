/*
 * The findings as a panel, and what changed against the base run.
 */
#include "base/number.h"
#include "picture/dashboard/panels.h"
#include "picture/severity.h"
#include "views/diff/diff.h"

#include <math.h>

enum { FINDINGS_MAX = 7 };

struct check_counts { /* checks that are not shown */
	size_t passed, skipped;
};

static size_t checks_in(const char *ids)
{
	size_t count = 1;
	for (; *ids; ids++)
		count += *ids == ',';
	return count;
}

static void add_finding(struct dashboard_work *work, struct panel *panel, const struct table *table,
			size_t row, enum severity severity)
{
	char text[NUMBER_MAX];
	double gain = panel_amount(table, row, "gain_pct");
	struct panel_line *line = panel_add_row(panel, table, row);
	line->role = severity_role(severity, &line->sign);
	line->label = panel_copy(work, table_cell(table, row, "problem"));
	line->detail = panel_copy(work, table_cell(table, row, "evidence"));
	struct value start = table_cell(table, row, "start_ns");
	struct value dur = table_cell(table, row, "dur_ns");
	if (start.kind == VALUE_INT && dur.kind == VALUE_INT) {
		line->from = start.integer;
		line->to = start.integer + dur.integer;
	}
	line->value = isnan(gain) ? "" : panel_text(work, "%s", number_gain(text, gain));
}

/* A headline with its causes below it: the bars of the devices say as much, and causes are what to
 * act on. */
static bool is_shown_by_bars(const struct table *table, size_t row, enum severity severity)
{
	return severity == SEVERITY_HEADLINE && row + 1 < table->rows &&
	       !isnan(table_amount(table, row + 1, table_need(table, "gain_pct")));
}

/* A summary does not say what passed. */
static const char *rest_of(struct dashboard_work *work, const struct check_counts *checks)
{
	if (work->rank->profile->tables)
		return panel_text(work, "%zu skipped", checks->skipped);
	return panel_text(work, "%zu check%s passed, %zu skipped", checks->passed,
			  checks->passed == 1 ? "" : "s", checks->skipped);
}

static bool add_advice(struct dashboard_work *work)
{
	AUTO_TABLE struct table *table = panel_table(work, "advice", "all");
	struct check_counts checks = { 0 };
	if (!table)
		return false;
	struct panel *panel = panel_add(work->dashboard, PANEL_FINDINGS, BAND_FINDINGS, "Findings");
	for (size_t row = 0; row < table->rows; row++) {
		enum severity severity = severity_at(table, row);
		if (severity == SEVERITY_SILENT)
			checks.passed++;
		else if (severity == SEVERITY_UNKNOWN)
			checks.skipped += checks_in(table_cell(table, row, "detector").text);
		else if (is_shown_by_bars(table, row, severity))
			continue;
		else if (panel->count < FINDINGS_MAX)
			add_finding(work, panel, table, row, severity);
	}
	panel->summary = work->rank->profile->partial ? NULL : rest_of(work, &checks);
	if (!panel->count) {
		struct panel_line *line = panel_add_line(panel, table->view);
		line->label = work->rank->profile->partial       ? "Findings need the whole file"
			      : !checks.passed && checks.skipped ? "No check could run"
								 : "No finding";
		line->group = "all"; /* says why */
		line->role = ROLE_DIM;
	}
	return true;
}

/* ---- against the base run ---- */

/* The columns with the times of a change; -1: not listed. */
struct change_columns {
	int gpu, cpu, gpu_total, cpu_total, bytes, verdict, compared;
	const char *group; /* NULL: the default */
};

/* The column with the bytes, or the time that the verdict compares, GPU time if both or neither has
 * it. */
static int changed_column(const struct table *table, size_t row, struct change_columns columns)
{
	struct value compared = table_value(table, row, (size_t)columns.compared);
	bool own = table_value(table, row, (size_t)columns.cpu).kind == VALUE_INT ||
		   table_value(table, row, (size_t)columns.gpu).kind == VALUE_INT;
	int gpu = own ? columns.gpu : columns.gpu_total; /* a data loader has no time of its own */
	if (table_value(table, row, (size_t)columns.bytes).kind == VALUE_INT)
		return columns.bytes;
	bool host = value_is(compared, "CPU") || !(fabs(table_amount(table, row, gpu)) > 0);
	return !host ? gpu : own ? columns.cpu : columns.cpu_total;
}

/* A row by how much its time changed. */
struct changed_row {
	size_t row;
	double ns;  /* absolute */
	bool noise; /* within it */
};

/* The largest changes first, those within noise last. At most MOST; the count. */
static size_t largest_changes(const struct table *table, struct change_columns columns,
			      struct changed_row *changes, size_t most)
{
	size_t count = 0;
	for (size_t row = 0; row < table->rows; row++) {
		struct value verdict = table_value(table, row, (size_t)columns.verdict);
		struct changed_row change = { .row = row };
		change.ns = fabs(table_amount(table, row, changed_column(table, row, columns)));
		if (!(change.ns > 0) || verdict.kind != VALUE_TEXT || value_is(verdict, "same"))
			continue;
		change.noise = diff_is_noise(verdict);
		size_t at = count;
		while (at &&
		       (change.noise != changes[at - 1].noise ? changes[at - 1].noise
							      : change.ns > changes[at - 1].ns))
			at--;
		if (at == most)
			continue;
		count += count < most;
		memmove(changes + at + 1, changes + at, (count - 1 - at) * sizeof *changes);
		changes[at] = change;
	}
	return count;
}

static void add_change(struct dashboard_work *work, struct panel *panel, const struct table *table,
		       struct changed_row change, struct change_columns columns, double most)
{
	size_t row = change.row;
	int delta = changed_column(table, row, columns);
	bool more = table_amount(table, row, delta) > 0;
	struct panel_line *line = panel_add_row(panel, table, row);
	line->label = panel_copy(work, table_cell(table, row, "name"));
	line->sign = more ? "+" : "-";
	line->role = change.noise ? ROLE_DIM : more ? ROLE_WORSE : ROLE_BETTER;
	line->value = panel_cell(work, table, row, delta);
	bool device = delta == columns.gpu || delta == columns.gpu_total;
	line->extra = panel_text(work, "%s%s",
				 delta == columns.bytes ? ""
				 : device               ? "GPU "
							: "CPU ",
				 panel_copy(work, table_cell(table, row, "verdict")));
	line->share = change.ns / most;
	line->group = columns.group;
}

static void add_no_change(struct panel *panel, const struct table *table, const char *group)
{
	struct panel_line *line = panel_add_line(panel, table->view);
	line->label = table->rows ? "No change beyond noise" : "Nothing to compare";
	line->sign = " ";
	line->role = ROLE_DIM;
	line->group = group;
}

/* Operators, or what a profile has in their place, by how much it changed; noise fills what room is
 * left. */
static bool add_changes(struct dashboard_work *work)
{
	enum { CHANGES_MAX = 20 };
	struct changed_row changes[CHANGES_MAX];
	double most = 0;
	if (!work->run->base)
		return true;
	const struct profile *profile = work->rank->profile;
	const char *group = profile->snapshot || !profile->spans ? NULL : "operators";
	AUTO_TABLE struct table *table = panel_table(work, "diff", group);
	if (table && !table->rows && group) { /* only kernels, as of many programs without Python */
		group = NULL;
		table_free(table);
		table = panel_table(work, "diff", group);
	}
	if (!table)
		return false;
	struct value kind = table->rows ? table_cell(table, 0, "kind") : value_text("");
	struct change_columns columns = {
		table_need(table, "delta_gpu_ns"),       table_need(table, "delta_cpu_ns"),
		table_need(table, "delta_gpu_total_ns"), table_need(table, "delta_cpu_total_ns"),
		table_need(table, "delta_bytes"),        table_need(table, "verdict"),
		table_need(table, "compared"),           group
	};
	size_t count = largest_changes(table, columns, changes, CHANGES_MAX);
	struct panel *panel = panel_add(work->dashboard, PANEL_BARS, BAND_FINDINGS,
					profile->snapshot            ? "Changed Memory"
					: value_is(kind, "function") ? "Changed Functions"
					: value_is(kind, "kernel")   ? "Changed Kernels"
								     : "Changed Operators");
	if (!profile->snapshot)
		panel->summary = panel_text(work, "comparable: %s",
					    table->comparable ? table->comparable : "no");
	if (!count || changes[0].noise)
		add_no_change(panel, table, group);
	for (size_t i = 0; i < count; i++)
		most = fmax(most, changes[i].ns);
	for (size_t i = 0; i < count; i++)
		add_change(work, panel, table, changes[i], columns, most);
	return true;
}

bool panels_add_findings(struct dashboard_work *work)
{
	return add_advice(work) && add_changes(work);
}
