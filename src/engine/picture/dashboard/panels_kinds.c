/*
 * Panels that one kind of profile has: how near a kernel comes to the peaks (Nsight Compute), how
 * the allocator holds memory (memory snapshots), and where functions call (Python).
 */
#include "picture/dashboard/panels.h"
#include "picture/plot/flame.h"

#include <math.h>

/* ---- kernels of Nsight Compute ---- */

static const struct speed_metric {
	const char *label, *metric, *title;
	bool limit; /* blocks per SM that a resource has room for */
} speed_metrics[] = { SPEED_OF_LIGHT_ROWS };

enum { SPEED_METRICS = sizeof speed_metrics / sizeof *speed_metrics };

/* The longest kernel with metrics of its own; NO_ROW: none has. */
static uint32_t longest_measured(const struct profile *profile)
{
	uint32_t longest = NO_ROW;
	for (size_t i = 0; i < profile->metric_count; i++) {
		uint32_t at = profile->metrics[i].activity;
		if (longest == NO_ROW || profile->activity_dur[at] > profile->activity_dur[longest])
			longest = at;
	}
	return longest;
}

/* The values of a kernel, NAN where it was not measured. */
static void read_speed(const struct profile *profile, uint32_t activity,
		       double values[SPEED_METRICS])
{
	for (size_t i = 0; i < SPEED_METRICS; i++)
		values[i] = NAN;
	for_each (metric, profile->metrics, profile->metric_count) {
		if (metric->activity != activity || metric->instance)
			continue;
		const char *name = profile_string(profile, metric->name);
		for (size_t i = 0; i < SPEED_METRICS; i++)
			if (isnan(values[i]) && (!strcmp(name, speed_metrics[i].metric) ||
						 !strcmp(name, speed_metrics[i].title)))
				values[i] = metric->value;
	}
}

static bool add_speed_of_light(struct dashboard_work *work)
{
	const struct profile *profile = work->rank->profile;
	uint32_t activity = longest_measured(profile);
	double values[SPEED_METRICS], least = INFINITY;
	if (activity == NO_ROW)
		return true;
	read_speed(profile, activity, values);
	struct panel *panel = panel_add(work->dashboard, PANEL_BARS, BAND_TIME, "Speed of Light");
	const char *limit = "";
	for (size_t i = 0; i < SPEED_METRICS; i++) {
		if (speed_metrics[i].limit && values[i] < least) {
			least = values[i];
			limit = speed_metrics[i].label;
		}
		if (speed_metrics[i].limit || isnan(values[i]))
			continue;
		struct panel_line *line = panel_add_line(panel, view_find("metrics"));
		line->ref = (struct ref){ REF_LAUNCH, activity, 0, 0 };
		line->label = speed_metrics[i].label;
		line->share = values[i] / 100;
		line->value = panel_percent(work, line->share);
		line->role = ROLE_BAR;
	}
	if (panel->count)
		panel->lines[panel->count - 1].extra = limit;
	panel->summary = panel_text(work, "%s, %s",
				    profile_string(profile, profile->activity_name[activity]),
				    panel_duration(work, (double)profile->activity_dur[activity]));
	return true;
}

/* ---- the allocator of a memory snapshot ---- */

/* What is reserved, used, and free within segments, per device. */
static bool add_allocator(struct dashboard_work *work)
{
	if (!work->rank->profile->snapshot)
		return true;
	AUTO_TABLE struct table *table = panel_table(work, "overview", NULL);
	if (!table)
		return false;
	struct panel *panel = panel_add(work->dashboard, PANEL_BARS, BAND_MORE, "Allocator");
	double most = 0;
	for (size_t pass = 0; pass < 2; pass++)
		for (size_t row = 0; row < table->rows; row++) {
			const char *section = panel_copy(work, table_cell(table, row, "section"));
			double bytes = panel_amount(table, row, "value");
			if (strncmp(section, "device ", 7) != 0 || !(bytes > 0) ||
			    !value_is(table_cell(table, row, "unit"), "bytes"))
				continue;
			most = fmax(most, bytes);
			if (!pass)
				continue;
			struct panel_line *line = panel_add_row(panel, table, row);
			line->label =
				panel_text(work, "GPU%s %s", section + 7,
					   panel_cell(work, table, row, table_need(table, "fact")));
			line->share = bytes / most;
			line->value = panel_percent(work, line->share);
			line->extra = panel_cell(work, table, row, table_need(table, "value"));
			line->role = ROLE_BAR;
		}
	panel->summary = "of the most";
	return true;
}

/* ---- functions ---- */

/* Of functions; of layers where other panels leave a screen half empty. */
static bool add_flame(struct dashboard_work *work)
{
	enum { FEW_LINES = 40 };
	const struct dashboard *dashboard = work->dashboard;
	bool functions = work->rank->profile->python != NULL;
	const char *group = functions ? "samples" : "layers", *view = functions ? "stacks" : group;
	size_t lines = 0;
	for (size_t i = 0; i < dashboard->count; i++)
		lines += dashboard->panels[i].count;
	if (!functions && (lines > FEW_LINES || work->rank->profile->tables))
		return true;
	struct plot *plot = plot_build_first(&plot_flame, plot_group_find(&plot_flame, group),
					     work->run, work->scope, work->progress, work->error);
	if (!plot)
		return false;
	if (!plot->flame || plot->flame->count < 3 || strcmp(plot->group->view, view) != 0) {
		plot_free(plot);
		return true;
	}
	struct panel *panel = panel_add(work->dashboard, PANEL_FLAME,
					functions ? BAND_TIME : BAND_FLAME, "Flame Graph");
	panel->plot = plot;
	panel_add_line(panel, view_find(view))->label = plot->group->title;
	return true;
}

bool panels_add_kinds(struct dashboard_work *work)
{
	return add_speed_of_light(work) && add_allocator(work) && add_flame(work);
}
