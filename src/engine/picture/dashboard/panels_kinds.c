/*
 * Panels that one kind of profile has: how near a kernel comes to the peaks (Nsight Compute), how
 * the allocator holds memory (memory snapshots), and where functions call (Python).
 */
#include "base/any_of.h"
#include "picture/dashboard/panels.h"
#include "picture/plot/flame.h"

#include <math.h>

/* ---- kernels of Nsight Compute ---- */

static const struct speed_metric {
	const char *label, *metric, *title;
	bool limit; /* blocks per SM that a resource has room for */
} speed_metrics[] = { SPEED_OF_LIGHT_ROWS };

enum { SPEED_METRICS = sizeof speed_metrics / sizeof *speed_metrics };

/* The first metric of the longest kernel with metrics of its own; NULL: none has. */
static const struct metric *longest_measured(const struct profile *profile)
{
	const struct metric *longest = NULL;
	for_each (metric, profile->metrics, profile->metric_count)
		if (!longest || profile->activity_dur[metric->activity] >
					profile->activity_dur[longest->activity])
			longest = metric;
	return longest;
}

/* A line of the metrics of a kernel, before line AT. */
static struct panel_line *add_metric_line(struct dashboard_work *work, struct panel *panel,
					  uint32_t activity, size_t at)
{
	panel_add_line(panel, NULL);
	memmove(&panel->lines[at + 1], &panel->lines[at],
		(panel->count - 1 - at) * sizeof *panel->lines);
	panel->lines[at] = (struct panel_line){ .ref = { REF_LAUNCH, activity, 0, 0 },
						.view = view_find("metrics"),
						.value = "",
						.role = ROLE_BAR };
	return &panel->lines[at];
}

/* The values of the kernel whose metrics begin with FROM, NAN where it was not measured. */
static void read_speed(const struct profile *profile, const struct metric *from,
		       double values[SPEED_METRICS])
{
	const struct metric *end = profile->metrics + profile->metric_count;
	for (size_t i = 0; i < SPEED_METRICS; i++)
		values[i] = NAN;
	for (const struct metric *metric = from; metric < end && metric->activity == from->activity;
	     metric++) {
		if (metric->instance)
			continue;
		const char *name = profile_string(profile, metric->name);
		for (size_t i = 0; i < SPEED_METRICS; i++)
			if (isnan(values[i]) && (!strcmp(name, speed_metrics[i].metric) ||
						 !strcmp(name, speed_metrics[i].title)))
				values[i] = metric->value;
	}
}

/* Metrics that are named alike but for what they count, between PREFIX and SUFFIX. */
static const struct metric_list {
	const char *title, *summary, *prefix, *suffix;
} metric_lists[] = { METRIC_LIST_ROWS };

/* What a metric of a list counts, "long scoreboard"; NULL: it is of no such list. */
static const char *counted_by(struct dashboard_work *work, const struct metric_list *list,
			      const char *name)
{
	size_t start = strlen(list->prefix), length = strlen(name), end = strlen(list->suffix);
	if (length <= start + end || strncmp(name, list->prefix, start) != 0 ||
	    strcmp(name + length - end, list->suffix) != 0)
		return NULL;
	char *text = arena_strndup(work->dashboard->arena, name + start, length - start - end);
	for (char *at = text; (at = strchr(at, '_'));)
		*at = ' ';
	return text;
}

/* The values of a kernel above 0, the highest first. */
static void add_metric_list(struct dashboard_work *work, const struct metric_list *list,
			    uint32_t activity)
{
	const struct profile *profile = work->rank->profile;
	struct panel *panel = panel_add(work->dashboard, PANEL_BARS, BAND_MORE, list->title);
	panel->summary = list->summary;
	for_each (metric, profile->metrics, profile->metric_count) {
		size_t at = panel->count;
		if (metric->activity != activity || metric->instance || !(metric->value > 0))
			continue;
		const char *name = profile_string(profile, metric->name);
		const char *label = counted_by(work, list, name);
		while (at && panel->lines[at - 1].share < metric->value)
			at--;
		if (!label || at == TOP_MAX)
			continue;
		struct panel_line *line = add_metric_line(work, panel, activity, at);
		line->label = label;
		line->share = metric->value;
		line->value = panel_text(work, "%.1f", metric->value);
	}
	panel_scale(panel);
}

/* What each of several measured kernels is nearest to the peak of, the longest first. */
static void add_limits(struct dashboard_work *work)
{
	const struct profile *profile = work->rank->profile;
	const int64_t *dur = profile->activity_dur;
	struct panel *panel = panel_add(work->dashboard, PANEL_BARS, BAND_TOP, "Kernels by Limit");
	panel->summary = "of the peak";
	for_each (metric, profile->metrics, profile->metric_count) {
		double values[SPEED_METRICS];
		uint32_t activity = metric->activity;
		size_t at = panel->count;
		if (metric > profile->metrics && metric[-1].activity == activity)
			continue;
		read_speed(profile, metric, values);
		while (at && dur[panel->lines[at - 1].ref.a] < dur[activity])
			at--;
		if (isnan(values[0]) || isnan(values[1]) || at == TOP_MAX)
			continue;
		bool memory = values[1] > values[0];
		struct panel_line *line = add_metric_line(work, panel, activity, at);
		line->label = profile_string(profile, profile->activity_name[activity]);
		line->share = values[memory] / 100;
		line->value = panel_percent(work, line->share);
		line->extra = panel_text(work, "%s, %s", speed_metrics[memory].label,
					 panel_duration(work, (double)dur[activity]));
		line->role = memory ? ROLE_MEMCPY : ROLE_KERNEL;
		panel->count = panel->count < TOP_MAX ? panel->count : TOP_MAX;
	}
	panel->count = panel->count > 1 ? panel->count : 0;
}

static bool add_speed_of_light(struct dashboard_work *work)
{
	const struct profile *profile = work->rank->profile;
	const struct metric *measured = longest_measured(profile);
	double values[SPEED_METRICS], least = INFINITY;
	if (!measured)
		return true;
	uint32_t activity = measured->activity;
	read_speed(profile, measured, values);
	struct panel *panel = panel_add(work->dashboard, PANEL_BARS, BAND_TIME, "Speed of Light");
	const char *limit = "";
	for (size_t i = 0; i < SPEED_METRICS; i++) {
		if (speed_metrics[i].limit && values[i] < least) {
			least = values[i];
			limit = speed_metrics[i].label;
		}
		if (speed_metrics[i].limit || isnan(values[i]))
			continue;
		struct panel_line *line = add_metric_line(work, panel, activity, panel->count);
		line->label = speed_metrics[i].label;
		line->share = values[i] / 100;
		line->value = panel_percent(work, line->share);
	}
	if (panel->count)
		panel->lines[panel->count - 1].extra = limit;
	panel->summary = panel_text(work, "%s, %s",
				    profile_string(profile, profile->activity_name[activity]),
				    panel_duration(work, (double)profile->activity_dur[activity]));
	for (size_t i = 0; i < sizeof metric_lists / sizeof *metric_lists; i++)
		add_metric_list(work, &metric_lists[i], activity);
	add_limits(work);
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

/* ---- flight recorders ---- */

/* How many collectives a rank lacks that others began. */
static double missing_of(const struct table *ranks, double rank)
{
	uint32_t row = row_where(i, 0, ranks->rows, panel_amount(ranks, i, "rank") == rank);
	return row == NO_ROW ? 0 : value_number(table_cell(ranks, row, "missing"), 0);
}

/* The rank of the entries FROM to END: how far it came with its collectives. */
static void add_progress(struct dashboard_work *work, struct panel *panel,
			 const struct table *table, size_t from, size_t end, double missing)
{
	struct panel_line *line = panel_add_row(panel, table, from);
	line->label = panel_text(work, "Rank %s",
				 panel_cell(work, table, from, table_need(table, "rank")));
	line->high = missing + (double)(end - from);
	for (const struct time_part *part = time_parts("flight-progress"); part->name; part++) {
		double count = strcmp(part->column, "missing") ? 0 : missing;
		for (size_t row = from; row < end; row++)
			count += value_is(table_cell(table, row, "state"), part->column);
		line->parts[line->part_count++] = (struct panel_part){ part, count };
		if (part == time_parts("flight-progress"))
			line->value = panel_text(work, "%.0f of %.0f", count, line->high);
	}
	line->sign = missing > 0 ? "!" : NULL;
	line->extra = missing > 0 ? panel_text(work, "%.0f missing", missing) : NULL;
}

/* Ranks that lack collectives first; many ranks do not all have room. */
static bool add_flight(struct dashboard_work *work)
{
	if (!work->rank->profile->flight)
		return true;
	AUTO_TABLE struct table *table = panel_table(work, "flight", NULL);
	AUTO_TABLE struct table *ranks = table ? panel_table(work, "ranks", NULL) : NULL;
	struct panel *panel =
		panel_add(work->dashboard, PANEL_STACK, BAND_TIME, "Progress of Ranks");
	double most = 0;
	for (int lacking = 1; ranks && lacking >= 0; lacking--)
		for (size_t row = 0, end; row < table->rows && panel->count < TOP_MAX; row = end) {
			double rank = panel_amount(table, row, "rank");
			double missing = missing_of(ranks, rank);
			for (end = row + 1;
			     end < table->rows && panel_amount(table, end, "rank") == rank; end++)
				;
			if ((missing > 0) != lacking)
				continue;
			add_progress(work, panel, table, row, end, missing);
			most = fmax(most, panel->lines[panel->count - 1].high);
		}
	panel->summary = "completed, of those that any rank began";
	for_each_mutable (line, panel->lines, panel->count)
		for (size_t i = 0; i < line->part_count; i++)
			line->parts[i].share /= most;
	return ranks != NULL;
}

/* ---- functions ---- */

/* Of functions; of layers where other panels leave a screen half empty. */
static bool add_flame(struct dashboard_work *work)
{
	enum { FEW_LINES = 40 };
	const struct dashboard *dashboard = work->dashboard;
	const struct profile *profile = work->rank->profile;
	bool functions = profile->python || (profile->sample_count && !profile->activities);
	const char *group = functions ? "samples" : "layers", *view = functions ? "stacks" : group;
	size_t lines = sum_of(i, dashboard->count, dashboard->panels[i].count);
	if (!functions && (lines > FEW_LINES || profile->tables))
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
	return add_speed_of_light(work) && add_allocator(work) && add_flight(work) &&
	       add_flame(work);
}
