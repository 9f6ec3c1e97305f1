/*
 * The overview: what the run is, device utilization, breakdown of step time, and data quality.
 */
#include "base/any_of.h"
#include "analysis/breakdown.h"
#include "analysis/device_metrics.h"
#include "analysis/memory.h"
#include "analysis/python_rows.h"
#include "analysis/work/work.h"
#include "base/parallel.h"
#include "model/python_stats.h"
#include "views/fact_rows.h"
#include "views/findings.h"
#include "views/totals_rows.h"

#include <ctype.h>
#include <inttypes.h>

static void add_profile(struct table *table, const struct selection *selection)
{
	static const char section[] = "profile";
	const struct profile *profile = selection->profile;
	const struct derived *derived = selection->derived;
	struct row_counts all = profile_all_rows(profile);
	int64_t partial = count_where(i, derived->step_count, derived->steps[i].partial);
	fact_add(table, section, "file", value_text(profile->path), "");
	fact_add(table, section, "format", value_text(profile->format), "");
	if (profile_is_sums(profile)) /* its own section shows them */
		return;
	if (profile_ran_apart(profile))
		fact_add(table, section, "times",
			 value_text("of kernels that ran one by one for their counters: the time "
				    "between them is the profiler's"),
			 "");
	else if (profile_times_modeled(profile))
		fact_add(table, section, "times",
			 value_text("modeled: only durations are recorded, and the kernels are "
				    "laid end to end"),
			 "");
	else if (profile->end_ns)
		fact_add(table, section, "duration", value_int(profile->end_ns), "ns");
	fact_add(table, section, "steps",
		 derived->steps_from_profile ? value_int(derived->step_count) : value_missing(),
		 "count");
	if (derived->step_source != STEPS_PROFILER)
		fact_add_steps_from(table, section, derived);
	if (partial)
		fact_add(table, section, "partial steps", value_int(partial), "count");
	PROFILE_FACTS(fact_add);
}

/* ---- inputs, computed in parallel ---- */

/* Of the kernels in scope. */
struct top_kernels {
	uint32_t longest; /* activity; NO_ROW: there are none */
	uint32_t busiest; /* name of those with most time, … */
	int64_t ns;       /* …which is this */
};

static bool find_top_kernels(const struct selection *selection, struct top_kernels *top,
			     const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	size_t names = intern_count(profile->strings);
	AUTO_FREE int64_t *total = mem_zalloc(names + 1, sizeof *total);
	bool ok = true;
	*top = (struct top_kernels){ NO_ROW, 0, 0 };
	for_rows (ok, i, profile->activities, progress, "summing kernels") {
		if (profile->activity_kind[i] != ACTIVITY_KERNEL ||
		    !selection_has_activity(selection, i))
			continue;
		int64_t dur = profile->activity_dur[i];
		total[profile->activity_name[i]] += dur;
		if (top->longest == NO_ROW || dur > profile->activity_dur[top->longest])
			top->longest = i;
	}
	for (uint32_t i = 0; i < names; i++)
		top->busiest = total[i] > total[top->busiest] ? i : top->busiest;
	top->ns = total[top->busiest];
	return ok;
}

struct overview_parts {
	struct evidence evidence;
	struct findings findings;
	struct work_sum work; /* of the kernels in scope */
	struct breakdown *breakdown;
	struct link_facts links;
	struct top_kernels top;
};

enum { PART_BREAKDOWN = EVIDENCE_PARTS, PART_LINKS, PART_TOP, PARTS };

static bool sum_work(struct overview_parts *parts, const struct progress *progress)
{
	const struct selection *selection = parts->evidence.selection;
	const struct profile *profile = selection->profile;
	const struct work_counts *counts = derived_work(selection->derived, progress);
	bool ok = counts != NULL;
	for_rows (ok, i, profile->activities, progress, "summing FLOPs")
		if (profile->activity_kind[i] == ACTIVITY_KERNEL &&
		    selection_has_activity(selection, i))
			work_sum_activity(&parts->work, counts, profile, i);
	return ok;
}

static bool derive_part(void *context, size_t i, const struct progress *progress)
{
	struct overview_parts *parts = context;
	if (i == EVIDENCE_WORK)
		return sum_work(parts, progress);
	if (i == PART_LINKS)
		return link_facts_count(parts->evidence.selection, &parts->links, progress);
	if (i == PART_TOP)
		return find_top_kernels(parts->evidence.selection, &parts->top, progress);
	if (i != PART_BREAKDOWN)
		return evidence_derive(&parts->evidence, i, progress);
	parts->breakdown = breakdown_of_steps(parts->evidence.selection, progress);
	return parts->breakdown;
}

STATIC_FREE_MEMBERS(parts_free, struct overview_parts,
		    OWN_IN(evidence_free, evidence) OWN_IN(findings_free, findings) OWN(breakdown))

/* ---- findings ---- */

/* The top findings; Enter drills down to their cause. */
static void add_advice(struct table *table, const struct findings *findings)
{
	enum { FINDINGS_MAX = 5 };
	for (size_t i = 0; i < findings->count && i < FINDINGS_MAX; i++) {
		const struct finding *finding = &findings->items[i];
		if (finding->answer != ANSWER_FIRED)
			break;
		struct ref ref = finding_ref(finding, table->rows);
		if (finding->subject == SUBJECT_NONE)
			ref = (struct ref){ REF_FACT, (uint32_t)table->rows,
					    view_number(&view_advice), 0 };
		size_t row = table_add_row(table, ref);
		table_set(table, row, "section", value_text("advice"));
		table_set(table, row, "metric", value_text(finding_title(finding)));
		table_set(table, row, "value",
			  table_copy_text(table, BUFFERED(&finding->evidence)));
		table_set(table, row, "unit", value_text(""));
	}
}

/* ---- Python profiles ---- */

static bool add_python(struct table *table, const struct selection *selection,
		       const struct progress *progress)
{
	static const char section[] = "python";
	const struct python_stats *stats = selection->profile->python;
	AUTO(python_rows_free) struct python_rows rows = { 0 };
	bool done = python_rows_make(&rows, selection, PYTHON_AS_RECORDED, progress);
	int64_t calls = 0, primitive = 0;
	for (size_t i = 0; i < rows.count; i++) {
		calls += rows.items[i].calls > 0 ? rows.items[i].calls : 0;
		primitive += rows.items[i].primitive_calls > 0 ? rows.items[i].primitive_calls : 0;
	}
	if (rows.count)
		fact_add(table, section, stats->line_count ? "lines" : "functions",
			 value_int((int64_t)rows.count), "count");
	if (stats->operator_count)
		fact_add(table, section, "rows of operators",
			 value_int((int64_t)stats->operator_count), "count");
	if (stats->sample_count)
		fact_add(table, section, "stacks", value_int((int64_t)stats->sample_count),
			 "count");
	if (calls)
		fact_add(table, section, "calls", value_int(calls), "count");
	if (primitive)
		fact_add(table, section, "primitive calls", value_int(primitive), "count");
	fact_add(table, section, stats->sample_unit ? "value" : "time", cell_int(rows.self_ns),
		 python_unit(stats));
	return done;
}

/* ---- devices ---- */

static void add_properties(struct table *table, const char *section, const struct profile *profile,
			   int32_t id)
{
	const struct device *device = profile_device(profile, id);
	char capability[CAPABILITY_MAX];
	if (!device)
		return;
	fact_add(table, section, "name", cell_text(profile, device->name), "");
	fact_add(table, section, "memory_bytes", cell_int(device->memory_bytes), "bytes");
	if (device_capability(device, capability))
		fact_add(table, section, "compute_capability", table_copy_string(table, capability),
			 "");
	fact_add(table, section, "sm_count", cell_int(device->sm_count), "count");
}

/* Maximum "Total Allocated" recorded for the device. */
static struct value peak_memory(const struct selection *selection, int32_t id)
{
	const struct profile *profile = selection->profile;
	int64_t peak = NO_VALUE;
	for_each (event, profile->memory_events, profile->memory_count) {
		if (memory_is_host(event) != (id < 0) || (id >= 0 && event->device_id != id) ||
		    event->total_allocated == NO_VALUE)
			continue;
		peak = event->total_allocated > peak ? event->total_allocated : peak;
	}
	return cell_int(peak);
}

/*
 * A figure and over what share of kernel time it is known, unless that is all; the figure is blank
 * when it is too little.
 */
static void add_covered(struct table *table, const char *section, const char *metric,
			const char *known_metric, double value, double known_pct)
{
	fact_add_blank(table, section, metric, cell_real(value), "%");
	if (known_pct < 100)
		fact_add(table, section, known_metric, value_real(known_pct), "%");
}

/* Share of the time that findings refer to; where that is a small part, also of the capture. */
static void add_busy(struct table *table, const char *section, const struct selection *selection,
		     const struct causes *causes, int32_t device)
{
	const struct device_causes *found = causes_of_device(causes, device);
	if (!found || profile_times_modeled(selection->profile))
		return;
	const struct analysis_window *time = &found->analysis_window;
	int64_t busy = causes_busy(time->cause_ns);
	fact_add(table, section, "busy_pct", cell_share(busy, time->dur), "%");
	if (analysis_window_is_small(time) && !selection->derived->steps_from_profile)
		fact_add(table, section, "busy_capture_pct", cell_share(busy, time->capture), "%");
}

static void add_metrics(struct table *table, const struct selection *selection,
			const struct causes *causes, const struct device_metrics *metrics)
{
	const char *section = fact_device_section(table, selection->profile, metrics->device);
	add_properties(table, section, selection->profile, metrics->device);
	add_busy(table, section, selection, causes, metrics->device);
	fact_add(table, section, "gpu_util_pct", cell_real(metrics->gpu_util_pct), "%");
	add_covered(table, section, "sm_efficiency_pct", "sm_efficiency_known_pct",
		    metrics->sm_efficiency_pct, metrics->sm_known_pct);
	add_covered(table, section, "occupancy_pct", "occupancy_known_pct", metrics->occupancy_pct,
		    metrics->occupancy_known_pct);
	add_covered(table, section, "tensor_core_pct", "tensor_core_known_pct",
		    metrics->tensor_core_pct,
		    100.0 * (double)metrics->known_tensor_ns / (double)metrics->kernel_ns);
	fact_add(table, section, "kernel_ns", value_int(metrics->kernel_ns), "ns");
	fact_add(table, section, "peak_memory_bytes", peak_memory(selection, metrics->device),
		 "bytes");
}

static void overview_add_devices(struct table *table, const struct overview_parts *parts)
{
	const struct selection *selection = parts->evidence.selection;
	for (size_t i = 0; i < parts->evidence.device_count; i++)
		add_metrics(table, selection, parts->evidence.causes, &parts->evidence.devices[i]);
	for (size_t i = 0; !parts->evidence.device_count && i < selection->profile->device_count;
	     i++)
		add_properties(table,
			       fact_device_section(table, selection->profile,
						   selection->profile->devices[i].id),
			       selection->profile, selection->profile->devices[i].id);
}

/* ---- top kernels ---- */

/* These rows drill down to the kernel's launches, and to a launch on the timeline. */
static void add_kernels(struct table *table, const struct profile *profile,
			const struct top_kernels *top)
{
	static const char section[] = "kernels";
	if (!top->ns)
		return;
	struct ref at = { REF_LAUNCH, top->longest, 0, 0 };
	struct ref kernel = { REF_KERNEL, top->busiest, NO_ROW, NO_ROW };
	fact_add_about(table, section, "slowest launch",
		       cell_text(profile, profile->activity_name[top->longest]), "", at);
	fact_add_about(table, section, "slowest launch_ns",
		       value_int(profile->activity_dur[top->longest]), "ns", at);
	fact_add_about(table, section, "most time", cell_text(profile, top->busiest), "", kernel);
	fact_add_about(table, section, "most time_ns", value_int(top->ns), "ns", kernel);
}

/* ---- work ---- */

/* Work estimates of the kernels in scope, and their coverage. */
static void overview_add_work(struct table *table, const struct work_sum *sum)
{
	static const char section[] = "work";
	struct work work = work_sum_value(sum);
	if (sum->flops_ns) {
		fact_add(table, section, "flops", cell_work(work.flops), "flop");
		fact_add(table, section, "flops_per_s",
			 cell_real(work.flops * 1e9 / (double)sum->flops_ns), "flop/s");
		fact_add(table, section, "flops_known_pct",
			 cell_share(sum->flops_ns, sum->kernel_ns), "%");
	}
	if (sum->bytes_ns) {
		fact_add(table, section, "bytes", cell_work(work.bytes), "bytes");
		table_set(table, table->rows - 1, "bytes_from", cell_bytes_from(sum));
		fact_add(table, section, "bytes_known_pct",
			 cell_share(sum->bytes_ns, sum->kernel_ns), "%");
	}
}

/* ---- step time ---- */

/* Means per step, and their share of DUR, the time of STEPS; without GPU work those that are not 0.
 */
static void add_means(struct table *table, const char *section, const char *const *columns,
		      const int64_t *ns, int count, int64_t steps, int64_t dur)
{
	bool zeros = table->held->profile->activities > 0;
	for (int i = 0; i < count; i++)
		if (zeros || ns[i])
			fact_add(table, section, columns[i],
				 value_real((double)ns[i] / (double)steps), "ns");
	for (int i = 0; i < count; i++)
		if (zeros || ns[i])
			fact_add(table, section,
				 table_printf(table, "%.*s_pct", (int)strlen(columns[i]) - 3,
					      columns[i])
					 .text,
				 cell_share(ns[i], dur), "%");
}

static void add_step_time(struct table *table, const struct overview_parts *parts)
{
	const struct selection *selection = parts->evidence.selection;
	static const char section[] = "step time";
	const struct derived *derived = selection->derived;
	int64_t steps = 0, dur = 0, class_ns[TIME_CLASSES] = { 0 }, cause_ns[TIME_CAUSES] = { 0 };
	const char *class_columns[TIME_CLASSES], *cause_columns[TIME_CAUSES];
	for (int class = 0; class < TIME_CLASSES; class ++)
		class_columns[class] = time_class_column((enum time_class) class);
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		cause_columns[cause] = time_cause_column((enum time_cause)cause);
	for (uint32_t i = 0; i < derived->step_count; i++) {
		if (!selection_counts_step(selection, i))
			continue;
		steps++;
		dur += derived->steps[i].end - derived->steps[i].start;
		for (int class = 0; class < TIME_CLASSES; class ++)
			class_ns[class] += parts->breakdown[i].ns[class];
		for (int cause = 0; cause < TIME_CAUSES; cause++)
			cause_ns[cause] +=
				critical_device(parts->evidence.causes)->step_ns[i][cause];
	}
	if (steps) {
		fact_add(table, section, "steps averaged", value_int(steps), "count");
		fact_add(table, section, "dur_ns", value_real((double)dur / (double)steps), "ns");
		add_means(table, section, class_columns, class_ns, TIME_CLASSES, steps, dur);
		add_means(table, "compute", cause_columns, cause_ns, CAUSE_LAUNCH, steps, dur);
		if (critical_device(parts->evidence.causes)->device != NO_DEVICE &&
		    !profile_times_modeled(selection->profile))
			add_means(table, "idle", cause_columns + CAUSE_LAUNCH,
				  cause_ns + CAUSE_LAUNCH, TIME_CAUSES - CAUSE_LAUNCH, steps, dur);
	}
}

/* ---- trust ---- */

/* "none: record with this", from the note's text. */
static void add_missing(struct table *table, const char *what, const char *how)
{
	fact_add(table, "trust", what,
		 table_printf(table, "none: %c%.*s", tolower((unsigned char)*how),
			      (int)strlen(how) - 2, how + 1),
		 "");
}

static void add_damage(struct table *table, const struct profile *profile)
{
	static const char section[] = "trust";
	for (size_t i = 0; i < profile->damage_count; i++)
		fact_add(table, section, profile->damages[i].cause,
			 table_printf(table, "%" PRIu64 ", %s", profile->damages[i].count,
				      profile->damages[i].action),
			 "");
	if (profile->truncated)
		fact_add(table, section, "truncated",
			 value_text("the file ends early; complete events are loaded"), "");
}

static void add_trust(struct table *table, const struct selection *selection)
{
	const struct profile *profile = selection->profile;
	const struct derived *derived = selection->derived;
	if (profile->partial)
		return; /* the rest of the file may hold what is missing */
	add_damage(table, profile);
	if (!profile->activities)
		add_missing(table, "GPU events", profile_recording(profile)->device);
	if (!derived->steps_from_profile)
		add_missing(table, "steps", profile_recording(profile)->steps);
	if (derived->layers.source != LAYERS_MODULES && derived->layers.source != LAYERS_SCOPES)
		add_missing(table, "modules", profile_recording(profile)->modules);
	const char *shapes = profile_how_to_record(profile, RECORDED_SHAPES);
	const char *memory = profile_how_to_record(profile, RECORDED_MEMORY);
	if (profile->spans && shapes)
		add_missing(table, "shapes", shapes);
	if (memory)
		add_missing(table, "memory events", memory);
}

/* ---- where the facts lead ---- */

/*
 * Drill targets by section, and of some facts. The first row is the run itself: repeated Enter
 * leads from it down to a kernel.
 */
static const struct {
	const char *section, *metric;
	const struct view *view;
} sources[] = { FACT_VIEW_ROWS };

static bool is_source_of(size_t i, const char *section, const char *metric)
{
	return strncmp(section, sources[i].section, strlen(sources[i].section)) == 0 &&
	       (!sources[i].metric || !strcmp(metric, sources[i].metric));
}

static void lead_on(struct table *table, const struct derived *derived)
{
	int section = table_need(table, "section"), metric = table_need(table, "metric");
	for (size_t row = 0; row < table->rows; row++) {
		const char *of = table_value(table, row, (size_t)section).text;
		const char *fact = table_value(table, row, (size_t)metric).text;
		for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
			if (table->refs[row].kind == REF_FACT && is_source_of(i, of, fact))
				table->refs[row].b = view_number(sources[i].view == &view_layers
									 ? view_of_layers(derived)
									 : sources[i].view);
	}
}

/* ---- memory snapshots ---- */

static bool add_snapshot_facts(struct table *table, const struct overview_parts *parts,
			       const struct progress *progress)
{
	const struct profile *profile = parts->evidence.selection->profile;
	add_advice(table, &parts->findings);
	fact_add_snapshot(table, profile->snapshot);
	add_damage(table, profile);
	return true;
}

static bool add_totals_facts(struct table *table, const struct overview_parts *parts,
			     const struct progress *progress)
{
	const struct profile *profile = parts->evidence.selection->profile;
	add_advice(table, &parts->findings);
	totals_add_facts(table, profile);
	totals_add_summary(table, profile);
	add_damage(table, profile);
	return true;
}

/* The part of the window that findings and shares of causes are of, where it is not all. */
static void add_examined(struct table *table, const struct overview_parts *parts)
{
	const struct device_causes *device = critical_device(parts->evidence.causes);
	int64_t dur = device->analysis_window.dur;
	if (device->device == NO_DEVICE)
		return;
	if ((double)dur < 0.99 * (double)(device->window.end - device->window.start))
		fact_add(table, "window", "examined", value_int(dur), "ns");
}

static bool overview_add_facts(struct table *table, const struct overview_parts *parts,
			       const struct progress *progress)
{
	const struct selection *selection = parts->evidence.selection;
	const struct profile *profile = selection->profile;
	add_advice(table, &parts->findings);
	overview_add_devices(table, parts);
	add_kernels(table, profile, &parts->top);
	overview_add_work(table, &parts->work);
	if (!profile_times_modeled(profile) && (profile->spans || profile->activities))
		add_step_time(table, parts);
	fact_add_spread(table, "devices", parts->evidence.causes);
	if (!fact_add_window(table, "window", selection, progress))
		return false;
	add_examined(table, parts);
	fact_add_links(table, "links", selection, &parts->links);
	add_trust(table, selection);
	return true;
}

static bool add_python_facts(struct table *table, const struct overview_parts *parts,
			     const struct progress *progress)
{
	add_advice(table, &parts->findings);
	bool done = add_python(table, parts->evidence.selection, progress);
	add_damage(table, parts->evidence.selection->profile);
	return done;
}

bool build_overview(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	AUTO(parts_free)
	struct overview_parts parts = {
		.evidence = { .selection = selection, .predict = !selection->scope->has_steps },
	};
	bool done, (*add)(struct table *, const struct overview_parts *, const struct progress *) =
			   profile_is_sums(selection->profile) ? add_python_facts
			   : selection->profile->snapshot      ? add_snapshot_facts
			   : selection->profile->totals        ? add_totals_facts
							       : overview_add_facts;
	add_profile(table, selection);
	done = parallel_try_rows(profile_rows(selection->profile), PARTS, derive_part, &parts,
				 "measuring the run", query->progress, query->error) &&
	       findings_of_query(&parts.findings, query, &parts.evidence) &&
	       add(table, &parts, query->progress);
	lead_on(table, selection->derived);
	overview_say_in_words(table);
	return done;
}
