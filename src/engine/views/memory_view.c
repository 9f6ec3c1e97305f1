/*
 * The memory view: allocations by operator and device.
 */
#include "analysis/memory.h"
#include "base/keyed.h"
#include "base/text.h"
#include "views/memory_groups.h"

/* ---- by operator ---- */

struct memory_view_key {
	uint32_t name; /* interned; 0: outside operators */
	int32_t device;
};

struct memory_view_group {
	struct allocation_sum own, all;
};

struct memory_view_build {
	const struct selection *selection;
	struct keyed keys;
	struct memory_view_group *groups; /* by key */
	uint32_t *calls;                  /* by name: number of calls */
};

static struct memory_view_group *memory_view_find_group(struct memory_view_build *build,
							uint32_t name, int32_t device)
{
	const struct memory_view_key key = { name, device };
	return keyed_item(&build->keys, build->groups, &key);
}

void allocation_sum_add(struct allocation_sum *sum, int64_t bytes)
{
	sum->growth += bytes;
	sum->count += bytes > 0;
	sum->bytes += bytes > 0 ? bytes : 0;
}

void set_allocations(struct table *table, size_t row, const struct allocation_sum *own,
		     const struct allocation_sum *all)
{
	MEMORY_CELLS(table_set);
}

/* Allocations outside operators belong to the enclosing layer, if any. */
static uint32_t name_of_layer(const struct selection *selection, const struct memory_event *event)
{
	const struct profile *profile = selection->profile;
	uint32_t span = derived_span_at(selection->derived, event->track, event->time);
	while (span != NO_ROW && profile->span_kind[span] != SPAN_MODULE &&
	       profile->span_kind[span] != SPAN_ANNOTATION)
		span = profile->span_parent[span];
	return span == NO_ROW ? 0 : profile->span_name[span];
}

static void memory_view_add_event(struct memory_view_build *build, const struct memory_event *event)
{
	const struct selection *selection = build->selection;
	const struct derived *derived = selection->derived;
	const struct profile *profile = selection->profile;
	uint32_t owner = memory_owner(derived, event);
	int32_t device = memory_device(event);
	if (!memory_in_scope(selection, event, owner))
		return;
	if (owner == NO_ROW) {
		struct memory_view_group *group =
			memory_view_find_group(build, name_of_layer(selection, event), device);
		allocation_sum_add(&group->own, event->bytes);
		allocation_sum_add(&group->all, event->bytes);
		return;
	}
	allocation_sum_add(&memory_view_find_group(build, profile->span_name[owner], device)->own,
			   event->bytes);
	for (uint32_t at = owner; at != NO_ROW; at = derived->span_owner[at])
		if (derived->span_flags[at] & SPAN_IS_OPERATOR &&
		    !(derived->span_flags[at] & SPAN_FOLDED))
			allocation_sum_add(
				&memory_view_find_group(build, profile->span_name[at], device)->all,
				event->bytes);
}

static bool count_calls(struct memory_view_build *build, const struct progress *progress)
{
	const struct derived *derived = build->selection->derived;
	const struct profile *profile = derived->profile;
	build->calls = mem_zalloc(intern_count(profile->strings), sizeof *build->calls);
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, "counting calls")
		if (derived->span_flags[i] & SPAN_IS_OPERATOR &&
		    !(derived->span_flags[i] & SPAN_FOLDED) &&
		    selection_has_span(build->selection, i))
			build->calls[profile->span_name[i]]++;
	return ok;
}

static void memory_view_add_group(struct table *table, const struct memory_view_build *build,
				  uint32_t at)
{
	const struct profile *profile = build->selection->profile;
	const struct memory_view_key *key = keyed_key(&build->keys, at);
	const struct memory_view_group *group = &build->groups[at];
	struct ref ref = { REF_NONE, 0, 0, 0 };
	if (build->calls[key->name] && key->name)
		ref = (struct ref){ REF_OPERATOR, key->name, NO_ROW, NO_ROW };
	size_t row = table_add_row(table, ref);
	table_set(table, row, "device", cell_device(table, key->device));
	table_set(table, row, "name",
		  key->name ? cell_text(profile, key->name) : value_text("(outside any operator)"));
	if (ref.kind == REF_OPERATOR)
		table_set(table, row, "calls", value_int(build->calls[key->name]));
	set_allocations(table, row, &group->own, &group->all);
}

static bool add_operators(struct table *table, const struct selection *selection,
			  const struct progress *progress)
{
	struct memory_view_build build = { .selection = selection };
	size_t events = selection->profile->memory_count;
	bool ok = count_calls(&build, progress);
	for_heavy_rows (ok, i, events, progress, "summing memory", MEMORY_WEIGHT)
		if (!selection->profile->memory_events[i].category)
			memory_view_add_event(&build, &selection->profile->memory_events[i]);
	for (uint32_t i = 0; i < build.keys.count && ok; i++)
		memory_view_add_group(table, &build, i);
	keyed_clear(&build.keys);
	mem_free_all(build.groups, build.calls);
	return ok;
}

bool build_memory(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	bool done;
	const struct snapshot *snapshot = selection->profile->snapshot;
	bool by_owner =
		!query->group || text_is_listed("operator peak peak-layer step", query->group);
	if (snapshot && by_owner)
		return snapshot_add_owners(table, query);
	if (!query->group || strcmp(query->group, "operator") == 0)
		done = add_operators(table, selection, query->progress);
	else if (strcmp(query->group, "step") == 0)
		done = memory_add_steps(table, selection, query->progress);
	else
		done = memory_add_groups(table, query);
	if (!snapshot)
		memory_note_none(table, selection->profile);
	return done;
}
