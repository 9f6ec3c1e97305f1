/*
 * Memory by operator and device; single allocations; the curve.
 */
#include "analysis/memory.h"
#include "base/hash.h"
#include "model/recording.h"
#include "view/memory_groups.h"

#include <string.h>

static struct value device_of(struct table *table, const struct memory_event *event)
{
	return cell_device(table, memory_is_host(event) ? -1 : event->device_id);
}

static bool in_scope(const struct selection *selection, const struct memory_event *event,
		     uint32_t owner)
{
	const struct scope *scope = selection->scope;
	int32_t device = memory_is_host(event) ? -1 : event->device_id;
	bool listed = scope->devices.count == 0;
	for (int i = 0; i < scope->devices.count; i++)
		listed |= scope->devices.id[i] == device;
	if (!listed)
		return false;
	if (owner != NO_ROW)
		return selection_has_span(selection, owner);
	return !selection->span ||
	       (scope->has_time && event->time >= scope->time_first &&
		event->time < scope->time_last);
}

static void note_no_memory(struct table *table, const struct profile *profile)
{
	if (!profile->memory_count)
		table_note(table, "The profile has no memory events. %s",
			   profile_recording(profile)->memory);
}

/* ---- by operator ---- */

struct group {
	uint32_t name;			/* interned; 0: outside any operator */
	int32_t device;
	int64_t calls;
	int64_t increase, self_increase, count, self_count, bytes, self_bytes;
};

struct build {
	const struct selection *selection;
	struct group *groups;
	size_t count, capacity;
	struct hash *by_key;
	uint32_t *calls;		/* by name: calls of the operator */
};

static struct group *find_group(struct build *build, uint32_t name, int32_t device)
{
	uint64_t key = hash_pair(name, (uint32_t)device);
	size_t cursor;
	for (uint32_t at = hash_find(build->by_key, key, &cursor); at != NO_ROW;
	     at = hash_next(build->by_key, &cursor))
		if (build->groups[at].name == name && build->groups[at].device == device)
			return &build->groups[at];
	mem_grow(build->groups, build->capacity, build->count + 1);
	hash_add(build->by_key, key, (uint32_t)build->count);
	build->groups[build->count] = (struct group){ .name = name, .device = device };
	return &build->groups[build->count++];
}

static void add_self(struct group *group, int64_t bytes)
{
	group->self_increase += bytes;
	if (bytes <= 0)
		return;
	group->self_count++;
	group->self_bytes += bytes;
}

static void add_total(struct group *group, int64_t bytes)
{
	group->increase += bytes;
	if (bytes <= 0)
		return;
	group->count++;
	group->bytes += bytes;
}

/* What no operator did is of the layer around it, where there is one. */
static uint32_t name_of_layer(const struct selection *selection, const struct memory_event *event)
{
	const struct profile *profile = selection->profile;
	uint32_t span = memory_span(selection->facts, event);
	while (span != NO_ROW && profile->span_kind[span] != SPAN_MODULE &&
	       profile->span_kind[span] != SPAN_ANNOTATION)
		span = profile->span_parent[span];
	return span == NO_ROW ? 0 : profile->span_name[span];
}

static void add_event(struct build *build, const struct memory_event *event)
{
	const struct selection *selection = build->selection;
	const struct facts *facts = selection->facts;
	const struct profile *profile = selection->profile;
	uint32_t owner = memory_owner(facts, event);
	int32_t device = memory_is_host(event) ? -1 : event->device_id;
	if (!in_scope(selection, event, owner))
		return;
	if (owner == NO_ROW) {
		struct group *group =
			find_group(build, name_of_layer(selection, event), device);
		add_self(group, event->bytes);
		add_total(group, event->bytes);
		return;
	}
	add_self(find_group(build, profile->span_name[owner], device), event->bytes);
	for (uint32_t at = owner; at != NO_ROW; at = facts->span_owner[at])
		if (facts->span_flags[at] & SPAN_IS_OPERATOR &&
		    !(facts->span_flags[at] & SPAN_FOLDED))
			add_total(find_group(build, profile->span_name[at], device),
				  event->bytes);
}

static void count_calls(struct build *build)
{
	const struct facts *facts = build->selection->facts;
	const struct profile *profile = facts->profile;
	build->calls = mem_zalloc(intern_count(profile->strings), sizeof *build->calls);
	for (uint32_t i = 0; i < profile->spans; i++)
		if (facts->span_flags[i] & SPAN_IS_OPERATOR &&
		    !(facts->span_flags[i] & SPAN_FOLDED) &&
		    selection_has_span(build->selection, i))
			build->calls[profile->span_name[i]]++;
}

static void add_group(struct table *table, const struct build *build, const struct group *group)
{
	const struct profile *profile = build->selection->profile;
	struct ref ref = { REF_NONE, 0, 0, 0 };
	if (build->calls[group->name] && group->name)
		ref = (struct ref){ REF_OPERATOR, group->name, NO_ROW, NO_ROW };
	size_t row = table_add_row(table, ref);
	table_set(table, row, "device", cell_device(table, group->device));
	table_set(table, row, "name",
		  group->name ? cell_text(profile, group->name)
			      : value_text("(outside any operator)"));
	if (ref.kind == REF_OPERATOR)
		table_set(table, row, "calls", value_int(build->calls[group->name]));
	table_set(table, row, "size_increase_bytes", value_int(group->increase));
	table_set(table, row, "self_size_increase_bytes", value_int(group->self_increase));
	table_set(table, row, "alloc_count", value_int(group->count));
	table_set(table, row, "self_alloc_count", value_int(group->self_count));
	table_set(table, row, "alloc_bytes", value_int(group->bytes));
	table_set(table, row, "self_alloc_bytes", value_int(group->self_bytes));
}

static void add_operators(struct table *table, const struct selection *selection)
{
	struct build build = { .selection = selection, .by_key = hash_new(64) };
	count_calls(&build);
	for (size_t i = 0; i < selection->profile->memory_count; i++)
		add_event(&build, &selection->profile->memory_events[i]);
	for (size_t i = 0; i < build.count; i++)
		add_group(table, &build, &build.groups[i]);
	hash_free(build.by_key);
	mem_free(build.groups);
	mem_free(build.calls);
}

static bool build_memory(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	if (!query->group || strcmp(query->group, "operator") == 0)
		add_operators(table, selection);
	else if (strcmp(query->group, "step") == 0)
		memory_add_steps(table, selection);
	else
		memory_add_peak(table, selection, strcmp(query->group, "peak-layer") == 0);
	note_no_memory(table, selection->profile);
	return true;
}

const struct view view_memory = {
	.name = "memory",
	.title = "Memory",
	.row = "an operator, per memory device",
	.summary = "What operators allocated and released; grouped by peak or peak-layer who held it "
		   "when the device had most allocated, by step its growth.",
	.columns = "device,name,calls,size_increase_bytes,self_size_increase_bytes,alloc_count,"
		   "self_alloc_count,alloc_bytes,self_alloc_bytes",
	.default_columns = "device,name,calls,self_size_increase_bytes,size_increase_bytes,"
			   "self_alloc_count,alloc_count,self_alloc_bytes,alloc_bytes",
	.default_sort = "self_size_increase_bytes:desc",
	.groups = { "operator", "peak", "peak-layer", "step" },
	.key = '6',
	.build = build_memory,
};

/* ---- single allocations ---- */

/* The open allocation of an address on a device: same address on two devices is two. */
static uint64_t place_key(const struct memory_event *event)
{
	return hash_pair((uint64_t)event->address,
			 (uint64_t)(uint32_t)event->device_type << 32 | (uint32_t)event->device_id);
}

static void add_allocation(struct table *table, const struct selection *selection,
			   const struct memory_event *alloc, const struct memory_event *release)
{
	const struct memory_event *event = alloc ? alloc : release;
	uint32_t owner = memory_owner(selection->facts, event);
	if (!in_scope(selection, event, owner))
		return;
	struct ref ref = { REF_NONE, 0, 0, 0 };
	if (owner != NO_ROW)
		ref = (struct ref){ REF_CALL, owner, 0, 0 };
	size_t row = table_add_row(table, ref);
	table_set(table, row, "device", device_of(table, event));
	if (owner != NO_ROW)
		table_set(table, row, "operator",
			  cell_text(selection->profile, selection->profile->span_name[owner]));
	table_set(table, row, "size_bytes", value_int(alloc ? alloc->bytes : -release->bytes));
	if (alloc)
		table_set(table, row, "alloc_ns", value_int(alloc->time));
	if (release)
		table_set(table, row, "free_ns", value_int(release->time));
	if (alloc && release)
		table_set(table, row, "dur_ns", value_int(release->time - alloc->time));
}

static bool build_events(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	const struct profile *profile = selection->profile;
	struct hash *places = hash_new(profile->memory_count);
	uint8_t *closed = mem_zalloc(profile->memory_count, 1);
	for (size_t i = 0; i < profile->memory_count; i++) {
		const struct memory_event *event = &profile->memory_events[i];
		if (event->bytes > 0) {
			hash_add(places, place_key(event), (uint32_t)i);
			continue;
		}
		uint32_t open = hash_last(places, place_key(event));
		bool paired = open != NO_ROW && !closed[open];
		if (paired)
			closed[open] = 1;
		add_allocation(table, selection, paired ? &profile->memory_events[open] : NULL,
			       event);
	}
	for (size_t i = 0; i < profile->memory_count; i++)
		if (profile->memory_events[i].bytes > 0 && !closed[i])
			add_allocation(table, selection, &profile->memory_events[i], NULL);
	note_no_memory(table, profile);
	mem_free(closed);
	hash_free(places);
	return true;
}

const struct view view_memory_events = {
	.name = "memory-events",
	.title = "Memory events",
	.row = "one allocation",
	.summary = "Single allocations: who made them, when, and when they were released.",
	.columns = "device,operator,size_bytes,alloc_ns,free_ns,dur_ns",
	.default_columns = "device,operator,size_bytes,alloc_ns,free_ns,dur_ns",
	.default_sort = "size_bytes:desc",
	.build = build_events,
};

/* ---- the curve ---- */

static bool build_curve(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	const struct profile *profile = selection->profile;
	for (size_t i = 0; i < profile->memory_count; i++) {
		const struct memory_event *event = &profile->memory_events[i];
		uint32_t owner = memory_owner(selection->facts, event);
		if (event->total_allocated == NO_VALUE ||
		    !in_scope(selection, event, owner))
			continue;
		struct ref ref = { owner == NO_ROW ? REF_NONE : REF_CALL, owner, 0, 0 };
		size_t row = table_add_row(table, ref);
		table_set(table, row, "device", device_of(table, event));
		table_set(table, row, "time_ns", value_int(event->time));
		table_set(table, row, "allocated_bytes", value_int(event->total_allocated));
		table_set(table, row, "reserved_bytes", cell_int(event->total_reserved));
	}
	if (profile->memory_count && !table->rows)
		table_note(table, "The memory events have no totals (recorded before PyTorch "
				  "1.10).");
	note_no_memory(table, profile);
	return true;
}

const struct view view_memory_curve = {
	.name = "memory-curve",
	.title = "Memory curve",
	.row = "one point of the curve",
	.summary = "Allocated and reserved memory of each device over time, as recorded.",
	.columns = "device,time_ns,allocated_bytes,reserved_bytes",
	.default_columns = "device,time_ns,allocated_bytes,reserved_bytes",
	.default_sort = "",
	.build = build_curve,
};
