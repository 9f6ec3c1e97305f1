/*
 * Panels that list the largest rows of a view, ranks, and what the file is.
 */
#include "analysis/coverage.h"
#include "analysis/rank_summary.h"
#include "base/any_of.h"
#include "base/text.h"
#include "input/cuda/cuda_names.h"
#include "model/python_stats.h"
#include "model/snapshot.h"
#include "picture/dashboard/panels.h"
#include "picture/timeline/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- the largest rows ---- */

enum { SHOWN_ANYWAY = 3 }; /* rows of a list, though their share reads 0.0 % */

struct top {
	const char *title, *view, *group;
	enum panel_band band;
	const char *name, *second; /* columns of the label; NULL: one */
	const char *times;         /* column with how often it is; NULL */
	const char *amounts[5];    /* columns of the bar: the first with values above 0 */
	size_t additive;           /* of them, the first ones add up over the rows */
	const char *extra;         /* column shown after the share; NULL: that of the bar */
	const char *of;            /* what the shares are of; NULL: the column of the bar */
	bool python_only;          /* of Python profiles, not of traces with stacks */
	bool innermost;            /* the label is the innermost frame of a stack */
	size_t beside;             /* left out beside N other panels of its band; 0: never */
	bool last;                 /* of its band: beside the others, with several lines, or not */
	enum { OF_ALL, OF_SERVERS, OF_PHASES, OF_ONE_PHASE, OF_SNAPSHOTS } runs;
};

static const struct top tops[] = { TOP_LISTS_ROWS };

/* Rows of the TOP_MAX highest amounts, in descending order; their number, and that of ALL. */
static size_t highest(struct dashboard_work *work, const struct table *table, int amount,
		      size_t rows[TOP_MAX], double *sum, size_t *all)
{
	size_t count = 0;
	*all = 0;
	*sum = 0;
	for (size_t row = 0; row < table->rows; row++) {
		double value = table_amount(table, row, amount);
		size_t at = count;
		if (!panel_go_on(work, table, row))
			return SIZE_MAX;
		if (!(value > 0))
			continue;
		*sum += value;
		++*all;
		while (at && table_amount(table, rows[at - 1], amount) < value)
			at--;
		if (at == TOP_MAX)
			continue;
		count += count < TOP_MAX;
		memmove(rows + at + 1, rows + at, (count - 1 - at) * sizeof *rows);
		rows[at] = row;
	}
	return count;
}

/* A name that is a part of a label. */
static const char *brief_name(struct dashboard_work *work, const struct table *table, size_t row,
			      const char *column)
{
	enum { NAME_COLUMNS = 48 };
	AUTO_BUFFER struct buffer text = { 0 };
	struct value value = table_cell(table, row, column);
	if (value.kind == VALUE_TEXT) {
		size_t folders = text_folders(value.text, value.length);
		text_elide(&text, value.text + folders, value.length - folders, NAME_COLUMNS, true);
	}
	return panel_text(work, "%s", buffer_text(&text));
}

static const char *top_label(struct dashboard_work *work, const struct top *top,
			     const struct table *table, size_t row)
{
	const char *name = panel_copy(work, table_cell(table, row, top->name));
	if (top->innermost)
		return panel_innermost(work, name);
	name += text_folders(name, strlen(name));
	const char *second = top->second ? brief_name(work, table, row, top->second) : "";
	int rank = work->run->rank_count > 1 && table->view->all_ranks ? table_column(table, "rank")
								       : -1;
	if (rank >= 0 && strncmp(name, "nccl:", 5) == 0)
		name += 5;
	if (rank >= 0)
		return panel_text(work, "%s, rank %s", name, panel_cell(work, table, row, rank));
	if (top->python_only && work->rank->profile->python->line_count &&
	    table_cell(table, row, "line").kind == VALUE_INT)
		return panel_text(work, "%s, line %s", name,
				  panel_cell(work, table, row, table_need(table, "line")));
	name = *second ? panel_text(work, "%s: %s", name, second) : name;
	double times = top->times ? panel_amount(table, row, top->times) : 0;
	return times > 1 ? panel_text(work, "%s ×%.0f", name, times) : name;
}

static void add_top_line(struct dashboard_work *work, struct panel *panel, const struct top *top,
			 const struct table *table, size_t row, int amount, double whole,
			 bool additive)
{
	double share = table_amount(table, row, table_column(table, "share_pct")) / 100;
	struct panel_line *line = panel_add_row(panel, table, row);
	line->group = top->group;
	line->label = top_label(work, top, table, row);
	bool listed = additive && amount == table_column(table, top->amounts[0]) && isfinite(share);
	line->share = listed ? share : table_amount(table, row, amount) / whole;
	line->value = additive ? panel_percent(work, line->share) : "";
	line->role = timeline_role_of_row(table, row, ROLE_BAR);
	if (!top->extra || !additive)
		line->extra = panel_cell(work, table, row, amount);
	else
		line->extra = panel_cell(work, table, row, table_need(table, top->extra));
}

static size_t panels_of_band(const struct dashboard *dashboard, enum panel_band band)
{
	return count_where(i, dashboard->count,
			   dashboard->panels[i].count && dashboard->panels[i].band == band);
}

static bool same_labels(const struct panel *a, const struct panel *b)
{
	enum { COMPARED = 8 };
	size_t count = a->count - a->minor, compared = count < COMPARED ? count : COMPARED;
	return count == b->count - b->minor &&
	       !any_of(i, compared, strcmp(a->lines[i].label, b->lines[i].label) != 0);
}

/* Where each function has one caller, as an import has, stacks are the list of functions again. */
static bool is_repetition(const struct dashboard *dashboard, const struct panel *panel)
{
	for (const struct panel *other = dashboard->panels; other < panel; other++)
		if (other->count && other->band == panel->band && same_labels(other, panel))
			return true;
	return false;
}

/* False when cancelled. */
static bool add_rows_of(struct dashboard_work *work, const struct top *top,
			const struct table *table)
{
	size_t rows[TOP_MAX + 1], all = 0;
	double sum = 0;
	int amount = -1;
	size_t count = 0;
	bool additive = true;
	for (size_t i = 0; !count && i < sizeof top->amounts / sizeof *top->amounts; i++) {
		amount = top->amounts[i] ? table_column(table, top->amounts[i]) : -1;
		additive = i < top->additive;
		if (amount >= 0)
			count = highest(work, table, amount, rows, &sum, &all);
	}
	if (count == SIZE_MAX || !(sum > 0))
		return count != SIZE_MAX;
	struct panel *panel = panel_add(work->dashboard, PANEL_BARS, top->band, top->title);
	panel->summary = top->of ?: table->column[amount]->title;
	panel->whole = all;
	panel->beside = top->last;
	double whole = additive ? table_whole(table, (size_t)amount, sum)
				: table_amount(table, rows[0], amount);
	for (size_t i = 0; i < count; i++) {
		panel->minor += i >= SHOWN_ANYWAY &&
				table_amount(table, rows[i], amount) < PANEL_SHARE_MIN * whole;
		add_top_line(work, panel, top, table, rows[i], amount, whole, additive);
	}
	panel_scale(panel);
	if (top->python_only)
		panel_add_places(work, panel, table, rows);
	if (top->innermost)
		panel_add_callers(work, panel, table, rows);
	if (table_column(table, "device") >= 0)
		panel_add_devices(work, panel, table, rows);
	bool alike = panel->lines[0].share <= panel->lines[count - 1].share; /* says nothing */
	if (is_repetition(work->dashboard, panel) ||
	    (top->last && panel->count - panel->minor < 2) || (top->beside && count > 1 && alike))
		panel->count = 0;
	return true;
}

/* Is the panel for this run: for servers, for those with several phases, or for all others? */
static bool is_for(const struct top *top, const struct derived *derived)
{
	const struct snapshot *snapshot = derived->profile->snapshot;
	if (top->runs == OF_SNAPSHOTS) /* the owners of a timeline are its categories */
		return snapshot && !(snapshot->unpaired && top->group);
	unsigned phases = 0;
	for (uint32_t i = 0; i < derived->step_count; i++)
		phases |= derived->steps[i].phase ? 1u << derived->steps[i].phase : 0;
	bool several = phases & (phases - 1);
	return top->runs == OF_ALL || (top->runs == OF_SERVERS && phases) ||
	       (top->runs == OF_PHASES && several) || (top->runs == OF_ONE_PHASE && !several);
}

static bool add_top(struct dashboard_work *work, const struct top *top)
{
	if (!is_for(top, work->rank->derived) ||
	    (top->python_only && !work->rank->profile->python) ||
	    (top->beside && panels_of_band(work->dashboard, top->band) >= top->beside))
		return true;
	AUTO_TABLE struct table *table = panel_table(work, top->view, top->group);
	return table && add_rows_of(work, top, table);
}

/* ---- ranks ---- */

static bool is_straggler(const struct table *table, size_t row)
{
	return panel_amount(table, row, "straggler") > 0;
}

/* WHAT is said of a rank that is no straggler. */
static void add_rank(struct dashboard_work *work, struct panel *panel, const struct table *table,
		     size_t row, double longest, const char *what)
{
	struct panel_line *line = panel_add_row(panel, table, row);
	line->extra = line->ref.kind == REF_NONE ? "not readable" : what;
	line->label = panel_text(work, "Rank %s",
				 panel_cell(work, table, row, table_need(table, "rank")));
	line->value = panel_cell(work, table, row, table_need(table, "step_ns"));
	if (is_straggler(table, row)) {
		line->sign = "!";
		line->extra = "straggler";
	}
	for (const struct time_part *part = time_parts("ranks-panel"); part->name; part++)
		panel_add_part(line, part, panel_amount(table, row, part->column) / longest);
}

/* Of many ranks those that say most; ENDS of the slowest and of the fastest. */
enum { RANKS_MAX = 16, STRAGGLERS_MAX = 8, ENDS = 3 };

static void add_key_ranks(struct dashboard_work *work, struct panel *panel,
			  const struct table *table, const uint32_t *order, size_t count,
			  double longest)
{
	size_t stragglers = 0;
	while (count > 0 && table_ref(table, order[count - 1]).kind == REF_NONE)
		count--; /* files without a profile come last, as they have no time */
	for (size_t i = 0; i < count && stragglers < STRAGGLERS_MAX; i++)
		if (is_straggler(table, order[i])) {
			add_rank(work, panel, table, order[i], longest, NULL);
			stragglers++;
		}
	for (size_t i = 0; i < count; i++) {
		const char *what = i < ENDS            ? "slowest"
				   : i == count / 2    ? "median"
				   : i >= count - ENDS ? "fastest"
						       : NULL;
		if (what && !is_straggler(table, order[i]))
			add_rank(work, panel, table, order[i], longest, what);
	}
}

static bool add_some_ranks(struct dashboard_work *work, struct panel *panel,
			   const struct table *table, double longest)
{
	struct sort_key key = { table_need(table, "step_ns"), true };
	size_t count;
	AUTO_FREE uint32_t *order =
		table_sort(table, &key, 1, NULL, &count, work->progress, work->error);
	if (order)
		add_key_ranks(work, panel, table, order, count, longest);
	return order != NULL;
}

static bool add_ranks(struct dashboard_work *work)
{
	double longest = 0;
	if (work->run->rank_count < 2)
		return true;
	AUTO_TABLE struct table *table = panel_table(work, "ranks", NULL);
	if (!table)
		return false;
	struct panel *panel = panel_add(work->dashboard, PANEL_STACK, BAND_MORE, "Ranks");
	for (size_t row = 0; row < table->rows; row++)
		longest = fmax(longest, panel_amount(table, row, "step_ns"));
	bool many = table->rows > RANKS_MAX && longest > 0, done = true;
	for (int rest = 0; rest < 2 && longest > 0 && !many; rest++)
		for (size_t row = 0; row < table->rows; row++) /* the straggler first */
			if (is_straggler(table, row) == !rest)
				add_rank(work, panel, table, row, longest, NULL);
	if (many)
		done = add_some_ranks(work, panel, table, longest);
	return done;
}

/* ---- Tensor Cores ---- */

struct tensor_time {
	double used, unused, all; /* of kernels whose use is known, and of all */
};

/* Of the rows of kernels; COMPUTE: without communication. */
static struct tensor_time tensor_time_of(const struct table *table, bool compute)
{
	struct tensor_time sum = { 0, 0, 0 };
	int use = table_need(table, "tensor_core"), ns = table_need(table, "total_ns");
	for (size_t row = 0; row < table->rows; row++) {
		struct value value = table_value(table, row, (size_t)use);
		struct value family = table_cell(table, row, "family");
		double time = table_amount(table, row, ns);
		if (compute && family.kind == VALUE_TEXT && !strcmp(family.text, "communication"))
			continue;
		sum.all += time;
		if (value.kind == VALUE_TEXT)
			*(strcmp(value.text, "yes") == 0 ? &sum.used : &sum.unused) += time;
	}
	return sum;
}

/* The share that uses them is blank if too little is known (analysis/coverage.h). */
static void add_tensor_parts(struct dashboard_work *work, struct panel_line *line,
			     const struct tensor_time *time, double whole)
{
	const struct time_part *parts = time_parts("tensor-use");
	if (coverage_suffices(time->used + time->unused, time->all))
		line->value = panel_percent(work, time->used / time->all * whole);
	panel_add_part(line, &parts[0], time->used / time->all * whole);
	panel_add_part(line, &parts[1], time->unused / time->all * whole);
	panel_add_part(line, &parts[2],
		       (time->all - time->used - time->unused) / time->all * whole);
}

/*
 * The time of the steps in the classes of DLProf: kernels by their use of Tensor Cores, in the
 * proportions of their durations, and what runs while no kernel does.
 */
static bool add_step_time(struct dashboard_work *work, struct panel *panel,
			  const struct tensor_time *time)
{
	AUTO_TABLE struct table *steps = panel_table(work, "steps", NULL);
	double whole = 0, kernel = 0;
	for (size_t row = 0; steps && row < steps->rows; row++) {
		whole += panel_amount(steps, row, "dur_ns");
		kernel += panel_amount(steps, row, "kernel_ns");
	}
	if (whole > 0 && kernel > 0) {
		struct panel_line *line = panel_add_line(panel, steps->view);
		line->label = work->rank->derived->steps_from_profile ? "Steps" : "Time";
		add_tensor_parts(work, line, time, kernel / whole);
		panel_add_parts(line, steps, time_parts("classes") + 1, 0, steps->rows, whole);
	}
	return steps != NULL;
}

/* Where files were read or written: the time of the run in all classes of DLProf's summary. */
static bool add_dlprof_time(struct dashboard_work *work)
{
	enum { CLASSES = 7, IO = 6 };
	const struct time_part *parts = time_parts("dlprof");
	AUTO_TABLE struct table *summary = panel_table(work, "dlprof-summary", NULL);
	double share[CLASSES] = { 0 };
	for (size_t row = 0; summary && row < summary->rows; row++)
		for (size_t i = 0; i < CLASSES; i++)
			if (value_compare(table_cell(summary, row, "metric"),
					  value_text(parts[i].column)) == 0)
				share[i] = panel_amount(summary, row, "value") / 100;
	if (!summary || !(share[IO] > 0))
		return summary != NULL;
	struct panel *panel = panel_add(work->dashboard, PANEL_STACK, BAND_MORE, "DLProf Classes");
	struct panel_line *line = panel_add_line(panel, summary->view);
	line->label = "Time";
	for (size_t i = 0; i < CLASSES; i++)
		panel_add_part(line, &parts[i], share[i]);
	return true;
}

/* Kernel time with and without Tensor Cores, and what part of the steps that is. */
static bool add_tensor_cores(struct dashboard_work *work, const struct table *table)
{
	struct tensor_time time = tensor_time_of(table, false),
			   compute = tensor_time_of(table, true);
	if (!(time.used + time.unused > 0))
		return true;
	struct panel *panel = panel_add(work->dashboard, PANEL_STACK, BAND_MORE, "Tensor Cores");
	if (compute.all > 0 && !add_step_time(work, panel, &compute)) /* first: the legend is its */
		return false;
	struct panel_line *line = panel_add_line(panel, view_find("kernels"));
	line->label = "Kernels";
	add_tensor_parts(work, line, &time, 1);
	return true;
}

static bool add_kernels(struct dashboard_work *work)
{
	AUTO_TABLE struct table *table = panel_table(work, "kernels", NULL);
	return table && add_tensor_cores(work, table) && add_dlprof_time(work);
}

bool panels_add_tops(struct dashboard_work *work)
{
	bool good = add_ranks(work);
	for (int last = 0; last < 2; last++) {
		for (size_t i = 0; good && i < sizeof tops / sizeof *tops; i++)
			good = tops[i].last != last || add_top(work, &tops[i]);
		good = good && (last || add_kernels(work));
	}
	return good;
}

/* ---- the file ---- */

static void add_file_fact(struct panel *panel, const struct view *view, const char *label,
			  const char *text)
{
	struct panel_line *line = panel_add_line(panel, view);
	line->label = label;
	line->value = text;
}

/* The most frequent damage of the file, and how much there is besides; NULL: none. */
static const char *what_is_damaged(struct dashboard_work *work)
{
	const struct profile *profile = work->rank->profile;
	const struct damage *worst = profile->damages;
	uint64_t other = 0;
	for (size_t i = 0; i < profile->damage_count; i++) {
		other += profile->damages[i].count;
		if (profile->damages[i].count > worst->count)
			worst = &profile->damages[i];
	}
	if (!other)
		return NULL;
	other -= worst->count;
	const char *rest = other ? panel_text(work, "; other damage ×%" PRIu64, other) : "";
	return panel_text(work, "%s ×%" PRIu64 "%s: see info", worst->cause, worst->count, rest);
}

/* Is there anything of the program but calls of the runtime? */
static bool shows_work(const struct profile *profile)
{
	static const enum span_kind kinds[] = { SPAN_OPERATOR, SPAN_ANNOTATION, SPAN_MODULE,
						SPAN_PYTHON };
	uint64_t work = profile->activities + profile->sample_count;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		work += profile_all_spans(profile, kinds[i]);
	return work || profile->totals || profile->flight || profile_recording(profile)->any_ranges;
}

static const char *what_is_missing(struct dashboard_work *work)
{
	const struct profile *profile = work->rank->profile;
	const struct derived *derived = work->rank->derived;
	const char *damaged = what_is_damaged(work);
	if (profile->partial)
		return "partly read";
	if (profile->truncated)
		return "the file ends early; complete events are loaded";
	if (damaged)
		return damaged;
	if (profile->tables && work->rank->summary->damaged)
		return "the trace was damaged: see info";
	if (profile->tables)
		return "intact; its events are in the trace (from-trace)";
	if (profile->python || profile->snapshot)
		return "intact";
	if (profile_is_counters(profile))
		return panel_text(work, "intact; %zu values of counters (:view counters)",
				  profile->counter_count);
	return panel_text(work, "intact%s%s%s%s%s", shows_work(profile) ? "" : ", no operators",
			  profile->activities ? "" : ", no GPU events",
			  derived->steps_from_profile ? "" : ", no steps",
			  derived->layers.source == LAYERS_MODULES ||
					  derived->layers.source == LAYERS_SCOPES
				  ? ""
				  : ", no modules",
			  profile->memory_count ? "" : ", no memory events");
}

static void add_system(struct dashboard_work *work, struct panel *panel)
{
	static const struct {
		const char *key, *before; /* the value */
	} facts[] = { SYSTEM_FACTS };
	const struct profile *profile = work->rank->profile;
	const struct device *device = profile->devices;
	AUTO_BUFFER struct buffer text = { 0 };
	if (profile->device_count > 1 && device->name)
		buffer_printf(&text, "%zu × ", profile->device_count);
	if (profile->device_count && device->name)
		buffer_puts(&text, profile_string(profile, device->name));
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		const char *value = profile_metadata(profile, facts[i].key);
		if (value)
			buffer_printf(&text, "%s%s%s", text.length ? ", " : "", facts[i].before,
				      value);
	}
	const char *cuda = profile_metadata(profile, "cuda_runtime_version"); /* PyTorch's number */
	if (cuda && !profile_metadata(profile, "CUDA version")) {
		buffer_printf(&text, "%sCUDA ", text.length ? ", " : "");
		cuda_version(&text, cuda, strlen(cuda));
	}
	if (text.length)
		add_file_fact(panel, view_find("info"), "System",
			      panel_text(work, "%s", buffer_text(&text)));
}

/* Where few panels have lines: further facts, for what they leave free of a screen. */
static bool add_facts(struct dashboard_work *work, struct panel *panel)
{
	enum { FEW_LINES = 48 };
	size_t lines = 0;
	for_each (other, work->dashboard->panels, work->dashboard->count)
		lines += other->count;
	AUTO_TABLE struct table *table =
		lines > FEW_LINES ? NULL : panel_table(work, "overview", NULL);
	for (size_t row = 0; table && row < table->rows; row++) {
		struct value section = table_cell(table, row, "section");
		const char *fact = panel_cell(work, table, row, table_need(table, "fact"));
		double value = panel_amount(table, row, "value");
		if (isnan(value) ? !value_is(section, "python") && !value_is(section, "kernels")
				 : !(value > 0) || value_is(section, "links"))
			continue; /* texts are sentences, or above */
		struct panel_line *line = panel_add_row(panel, table, row);
		bool own = value_is(section, "profile") || value_is(section, "python");
		line->label =
			own ? fact : panel_text(work, "%s: %s", panel_copy(work, section), fact);
		line->value = panel_cell(work, table, row, table_need(table, "value"));
		panel->minor++;
	}
	return table || lines > FEW_LINES;
}

bool panels_add_file(struct dashboard_work *work)
{
	const struct profile *profile = work->rank->profile;
	struct row_counts all = profile_all_rows(profile);
	struct panel *panel = panel_add(work->dashboard, PANEL_FACTS, BAND_FILE, "Profile");
	const char *counts = "";
	if (all.spans || all.activities)
		counts = panel_text(work, ", %" PRIu64 " CPU event%s, %" PRIu64 " GPU event%s",
				    all.spans, all.spans == 1 ? "" : "s", all.activities,
				    all.activities == 1 ? "" : "s");
	add_file_fact(panel, view_find("overview"), "File",
		      panel_text(work, "%s, %s%s", text_file_name(profile->path), profile->format,
				 counts));
	add_system(work, panel);
	add_file_fact(panel, view_find("info"), "Input", what_is_missing(work));
	return add_facts(work, panel);
}
