#include "session/load.h"
#include "base/check.h"
#include "base/error.h"
#include "base/text.h"
#include "views/views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the manual. */
static const struct view *const views[] = {
	&view_overview,     &view_steps,         &view_layers,   &view_modules, &view_operators,
	&view_calls,        &view_kernels,       &view_launches, &view_memory,  &view_memory_events,
	&view_memory_curve, &view_collectives,   &view_ranks,    &view_streams, &view_utilization,
	&view_counters,     &view_critical_path, &view_links,    &view_advice,  &view_diff,
	&view_stacks,       &view_python,        &view_info,
};

enum { VIEWS = sizeof views / sizeof *views };

const struct view *view_at(size_t index)
{
	return index < VIEWS ? views[index] : NULL;
}

uint32_t view_number(const struct view *view)
{
	uint32_t number = 0;
	while (number < VIEWS && views[number] != view)
		number++;
	require(number < VIEWS, "view %s: not in the registry", view->name);
	return number;
}

const struct view *view_home(const struct run *run)
{
	const struct rank *rank = run_peek(run, ANY_RANK);
	bool python = rank && rank->profile->python;
	run_release(run, rank);
	return python ? &view_python : &view_overview;
}

static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))
			return false;
	return *a == *b;
}

const struct view *view_find(const char *name)
{
	for (size_t i = 0; i < VIEWS; i++)
		if (same_name(views[i]->name, name))
			return views[i];
	return NULL;
}

const char *view_nearest(const char *name)
{
	const struct view *best = views[0];
	for (size_t i = 1; i < VIEWS; i++)
		if (text_distance(name, views[i]->name) < text_distance(name, best->name))
			best = views[i];
	return best->name;
}

/* ---- building ---- */

struct building {
	const struct view *view;
	const struct run *run;
	const struct scope *scope;
	const char *group;
	const struct progress *progress;
	struct error *error;
	struct table *table;
};

/* LISTED is how the view has it: with a "=" at its end it may take a value. */
static bool is_group(const char *listed, const char *group)
{
	size_t length = strlen(listed);
	if (!length || listed[length - 1] != '=')
		return strcmp(listed, group) == 0;
	return strncmp(listed, group, length) == 0 ||
	       (strlen(group) == length - 1 && strncmp(listed, group, length - 1) == 0);
}

bool view_has_group(const struct view *view, const char *group)
{
	for (int i = 0; group && i < VIEW_GROUPS_MAX && view->groups[i]; i++)
		if (is_group(view->groups[i], group))
			return true;
	return !group;
}

/* Keep the rows whose name the scope's filter matches. */
static bool apply_filter(struct building *building)
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

/* Who narrows to steps that were not read is told why there is nothing of them. */
static void note_steps(struct table *table, const struct scope *asked)
{
	const struct profile *profile = table->held->profile;
	if (!profile->some_steps || !asked->has_steps ||
	    (asked->step_first >= profile->step_first && asked->step_last <= profile->step_last))
		return;
	table_note(table,
		   "Only steps %" PRId64 "..%" PRId64 " of the file were read: open it with "
		   "--steps A..B for others.",
		   profile->step_first, profile->step_last);
}

/* Of a profile of which only some steps are there nothing more is shown, however wide the scope. */
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

static bool build(void *context)
{
	struct building *building = context;
	if (!view_has_group(building->view, building->group))
		return error_set(building->error, ERROR_USAGE, "%s cannot be grouped by '%s'",
				 building->view->name, building->group);
	if (!progress_update(building->progress, building->view->title, 0, 0, 0))
		return false;
	building->table = table_new(building->view);
	building->table->run = building->run;
	building->table->held = run_acquire(building->run, building->scope->rank,
					    building->progress, building->error);
	if (!building->table->held)
		return false;
	const struct scope *asked = building->scope;
	struct scope narrowed = *asked;
	narrow_to_steps(&narrowed, building->table->held->profile);
	building->scope = &narrowed;
	struct selection *selection = &building->table->selection;
	if (!building->view->no_selection &&
	    !selection_make(selection, building->run, building->scope, building->progress,
			    building->error))
		return false;
	struct view_query query = { building->run,   building->scope,    selection,
				    building->group, building->progress, building->error };
	if (!building->view->build(building->table, &query))
		return false;
	note_steps(building->table, asked);
	if (!building->view->keeps_selection)
		selection_free(selection);
	return !building->scope->filter || apply_filter(building);
}

struct table *view_build(const struct view *view, const struct run *run, const struct scope *scope,
			 const char *group, const struct progress *progress, struct error *error)
{
	require(view && run && scope, "no view, no run or no scope");
	struct building building = { view, run, scope, group, progress, error, NULL };
	error_set(error, ERROR_CANCELLED, "cancelled");
	if (mem_guard(build, &building, error)) {
		if (error)
			*error = (struct error){ 0 }; /* SQL asks later whether a table failed */
		return building.table;
	}
	table_free(building.table);
	return NULL;
}
