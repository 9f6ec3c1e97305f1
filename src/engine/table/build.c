/*
 * Builds the table of a view: loads the rank, selects rows, applies the filter.
 */
#include "base/any_of.h"
#include "base/buffer.h"
#include "base/check.h"
#include "base/error.h"
#include "derived/derived_cache.h"
#include "model/device_label.h"
#include "session/load.h"
#include "table/summary_rows.h"
#include "table/rank_rows.h"

struct building_data {
	const struct view *view;
	const struct run *run;
	const struct scope *scope;
	const char *group;
	const struct progress *progress;
	struct error *error;
	struct table *table;
	struct scope narrowed; /* what SCOPE becomes once the rank is read */
};

/* Keep the rows whose name matches the scope's filter. */
static bool apply_filter(struct building_data *building)
{
	struct pattern *pattern = pattern_new(building->scope->filter, building->error);
	if (!pattern)
		return false;
	size_t count = building->table->rows;
	uint32_t *rows = table_filter(building->table, pattern, -1, false, NULL, &count,
				      building->progress, building->error);
	pattern_free(pattern);
	if (!rows)
		return false;
	table_keep(building->table, rows, count);
	mem_free(rows);
	return true;
}

/* The rows of a view that cannot follow a part of the scope are of more than it asks for. */
static void note_wide(struct table *table, const struct scope *asked)
{
	const struct {
		unsigned part;
		bool asked;
		const char *name;
	} parts[] = { WIDE_PART_ROWS };
	AUTO_BUFFER struct buffer names = { 0 };
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (table->view->wide & parts[i].part && parts[i].asked)
			buffer_printf(&names, "%s%s", names.length ? ", " : "", parts[i].name);
	if (names.length && table->rows)
		table_note(table, "Not narrowed to the %s of the scope.%s%s", buffer_text(&names),
			   table->note ? " " : "", table->note ? table->note : "");
}

/* If the scope requests steps that were not read, say so in a note. */
static void note_steps(struct table *table, const struct scope *asked)
{
	const struct profile *profile = table->held->profile;
	if (!profile->some_steps || !asked->has_steps ||
	    (asked->step_first >= profile->step_first && asked->step_last <= profile->step_last))
		return;
	table_note(table,
		   "Only steps %" PRId64 "..%" PRId64 " are loaded; open others with --steps A..B.",
		   profile->step_first, profile->step_last);
}

/* In a partially read profile, show only the steps that were read. */
static void narrow_to_steps(struct scope *scope, const struct profile *profile)
{
	if (!profile->some_steps)
		return;
	if (!scope->has_steps || scope->step_first < profile->step_first)
		scope->step_first = profile->step_first;
	if (!scope->has_steps || scope->step_last > profile->step_last)
		scope->step_last = profile->step_last;
	scope->has_steps = true;
}

/* Computed rows know their rank themselves. */
static void name_rank(const struct building_data *building)
{
	struct table *table = building->table;
	if (!building->view->by_rank || table->compute)
		return;
	struct value rank = rank_rows_number(building->run, table->held, NO_ROW);
	for (size_t row = 0; rank.kind != VALUE_MISSING && row < table->rows; row++)
		table_set(table, row, "rank", rank);
}

/* The same of the one phase of the scope. */
static void name_phase(const struct building_data *building)
{
	unsigned phases = building->scope->phases;
	bool one = phases && (phases & (phases - 1)) == 0;
	if (!building->view->by_phase || building->table->compute || !one)
		return;
	struct value name = value_text(phase_name((enum phase)__builtin_ctz(phases)));
	for (size_t row = 0; row < building->table->rows; row++)
		table_set(building->table, row, "phase", name);
}

/* A bare number is that of a device of the profile, of whatever kind: 0 also means NPU0. */
static void name_devices(struct scope *scope, const struct profile *profile)
{
	for (int i = 0; i < scope->devices.count; i++) {
		int64_t *id = &scope->devices.id[i];
		bool bare = *id >= 0 && *id < DEVICE_NUMBER_MAX;
		for (int kind = 0; bare && kind < DEVICE_KINDS; kind++) {
			int32_t device = device_of_kind(kind, (int32_t)*id);
			if (!profile_has_device(profile, *id) &&
			    profile_has_device(profile, device))
				*id = device;
		}
	}
}

/* An empty table of the complete recording says how to record what it lacks. */
static void note_recording(struct table *table, const struct scope *asked)
{
	const struct profile *profile = table->held->profile;
	if (table->rows || asked->filter || profile->partial)
		return;
	enum recorded data = table->lacks ? table->lacks : recorded_for(table->view->name, NULL);
	const char *how = profile_how_to_record(profile, data);
	const char *what = table->note ? table->note
			   : data == RECORDED_DEVICE && !profile->activities
				   ? "No GPU events in the profile."
				   : "No rows.";
	if (how && profile->truncated)
		table_note(table, "%s The file ends early; its rest may hold them.", what);
	else if (how)
		table_note(table, "%s %s See strata-recording(7).", what, how);
}

const char *table_column_how(const struct table *table, size_t column)
{
	const char *id = table->column[column]->id;
	for (size_t row = 0; row < table->rows; row++)
		if (table_value(table, row, column).kind != VALUE_MISSING)
			return NULL;
	if (!table->held || !table->rows)
		return NULL;
	return profile_how_to_record(table->held->profile, recorded_for(NULL, id));
}

/* Bit sets of enum recorded. */
struct build_recorded {
	atomic_ullong looked_for, found;
};

static void *new_recorded(const void *from, const struct progress *progress)
{
	return mem_zalloc(1, sizeof(struct build_recorded));
}

static bool build_has(const struct table *table, enum recorded data)
{
	static const struct derived_slot slot = { new_recorded, mem_free };
	struct build_recorded *recorded =
		(struct build_recorded *)derived_cache_get(table->held->derived, &slot, NULL, NULL);
	if (!(recorded->looked_for >> data & 1) && profile_has_recorded(table->held->profile, data))
		recorded->found |= 1ull << data;
	recorded->looked_for |= 1ull << data;
	return recorded->found >> data & 1;
}

/* A machine without GPUs, where the profiler lists them: it worked for 0 ns. */
static bool has_no_device(struct table *table)
{
	const struct profile *profile = table->held->profile;
	return !profile->device_count && profile_recording(profile)->machine &&
	       !build_has(table, RECORDED_DEVICE) && !build_has(table, RECORDED_CALLS);
}

/* When work ran is all that the view shows. */
static bool lacks_times(struct table *table)
{
	const struct recording_need *need;
	for (size_t nth = 0; (need = recording_need_of(table->view->name, NULL, nth)); nth++)
		if (need->data == RECORDED_TIMES && !build_has(table, need->data))
			return true;
	return false;
}

/* Does no row have another number than 0? */
static bool is_zero(const struct table *table, size_t column)
{
	for (size_t row = 0; row < table->rows; row++) {
		struct value value = table_value(table, row, column);
		if (value.kind == VALUE_TEXT || value_number(value, 0) != 0)
			return false;
	}
	return true;
}

enum lacking table_lacks(struct table *table, const char *id)
{
	const struct recording_need *need;
	enum lacking lacking = LACKS_NOTHING;
	for (size_t nth = 0; table->held && (need = recording_need_of(NULL, id, nth)); nth++)
		if (!build_has(table, need->data) && lacking != LACKS_ALL &&
		    (need->whole || need->data > RECORDED_CALLS || !has_no_device(table)))
			lacking = need->whole ? LACKS_ALL : LACKS_PART;
	return lacking;
}

/* Reports are what their tools write. */
static bool is_report(const struct view *view)
{
	for (size_t i = 0; view_at(i); i++)
		if (view_at(i) == view)
			return false;
	return true;
}

/* Sums over what was not recorded are unknown, not 0. Totals of a file are what it says. */
static void blank_unrecorded(struct table *table)
{
	const struct profile *profile = table->held->profile;
	bool events = profile->spans || profile->activities;
	if (is_report(table->view) || (!events && (profile->totals || profile->python)))
		return;
	for (size_t i = 0; i < table->columns; i++) {
		enum lacking lacking = table_lacks(table, table->column[i]->id);
		if (lacking == LACKS_ALL || (lacking && is_zero(table, i)))
			table->blank |= UINT64_C(1) << i;
	}
}

/*
 * What the start of a file does not have may follow: kinds of events come one after another, GPU
 * work last. Remarks wait for the end.
 */
static void forget_claims(struct table *table)
{
	if (!table->held->profile->partial)
		return;
	table->note = NULL;
	if (!table->rows)
		table_note(table, "Nothing in the part of the file that was read.");
}

static bool in_preorder(const struct table *table)
{
	return !any_of(row, table->rows,
		       row && table_depth(table, row) > table_depth(table, row - 1) + 1);
}

/*
 * Is there what SCOPE names? Another rank may have what the first one lacks, and a report may count
 * steps of its own, by a key.
 */
static bool scope_holds(const struct building_data *building, const struct scope *scope)
{
	bool all = building->view->no_selection && building->view->all_ranks;
	bool own = building->group && strncmp(building->group, "key", 3) == 0;
	return (all && building->run->rank_count > 1) || own ||
	       selection_exists(building->table->held, scope, building->error);
}

static bool build_build(void *context)
{
	struct building_data *building = context;
	if (!view_has_group(building->view, building->group))
		return error_usage(building->error, "%s has no grouping '%s'", building->view->name,
				   building->group);
	if (!progress_update(building->progress, building->view->title, 0, 0, 0))
		return false;
	building->table = table_new(building->view);
	if (rank_rows_wanted(building->view, building->run, building->scope))
		return rank_rows_build(building->table, building->view, building->run,
				       building->scope, building->group, building->progress,
				       building->error);
	building->table->run = building->run;
	building->table->held = run_acquire(building->run, building->scope->rank,
					    building->progress, building->error);
	if (!building->table->held)
		return false;
	struct view_query kept = { building->run,   building->scope,    NULL,
				   building->group, building->progress, building->error };
	if (building->view->by_phase && building->group && strcmp(building->group, "phase") == 0 &&
	    !building->table->held->profile->tables)
		return phase_rows_build(building->table, building->view, building->run,
					building->scope, building->table->held->derived,
					building->progress, building->error);
	if (building->table->held->profile->tables && !building->view->from_summaries) {
		summary_rows_add(building->table, &kept);
		return !building->scope->filter || apply_filter(building);
	}
	const struct scope *asked = building->scope;
	building->narrowed = *asked;
	narrow_to_steps(&building->narrowed, building->table->held->profile);
	name_devices(&building->narrowed, building->table->held->profile);
	building->scope = &building->narrowed;
	if (!scope_holds(building, building->scope))
		return false;
	if (lacks_times(building->table)) {
		table_note(building->table, "The file has durations, not a timeline.");
		return true;
	}
	struct selection *selection = &building->table->selection;
	struct view_query query = { building->run,   building->scope,    selection,
				    building->group, building->progress, building->error };
	if ((!building->view->no_selection &&
	     !selection_make(selection, building->run, building->scope, building->progress,
			     building->error)) ||
	    !building->view->build(building->table, &query))
		return false;
	name_rank(building);
	name_phase(building);
	blank_unrecorded(building->table);
	require(!building->table->is_tree || in_preorder(building->table),
		"view %s: its tree is not in preorder", building->view->name);
	note_wide(building->table, asked);
	note_steps(building->table, asked);
	note_recording(building->table, asked);
	forget_claims(building->table);
	if (!building->view->keeps_selection)
		selection_free(selection);
	return !building->scope->filter || apply_filter(building);
}

struct table *view_build(const struct view *view, const struct run *run, const struct scope *scope,
			 const char *group, const struct progress *progress, struct error *error)
{
	require(view && run && scope, "no view, no run or no scope");
	struct building_data building = { view, run, scope, group, progress, error };
	error_cancelled(error);
	if (mem_guard(build_build, &building, error)) {
		if (error)
			*error = (struct error){ 0 }; /* SQL checks later whether a table failed */
		return building.table;
	}
	table_free(building.table);
	return NULL;
}

struct table *view_build_one(const struct view *view, const struct run *run,
			     const struct scope *scope, const char *group,
			     const struct progress *progress, struct error *error)
{
	struct scope one = *scope; /* shares the texts of SCOPE, which outlives it */
	one.all_ranks = false;
	return view_build(view, run, &one, group, progress, error);
}
