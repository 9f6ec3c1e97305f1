/*
 * Single allocations and the memory curve, cells computed on demand.
 */
#include "analysis/memory.h"
#include "analysis/memory_blocks.h"
#include "base/keyed.h"
#include "views/memory_groups.h"
#include "view_columns.h"

bool memory_in_scope(const struct selection *selection, const struct memory_event *event,
		     uint32_t owner)
{
	const struct scope *scope = selection->scope;
	if (!scope_list_has(&scope->devices, memory_device(event)))
		return false;
	if (owner != NO_ROW)
		return selection_has_span(selection, owner);
	return !selection->span || (scope->has_time && event->time >= scope->time_first &&
				    event->time < scope->time_last);
}

void memory_note_none(struct table *table, const struct profile *profile)
{
	if (!profile->memory_count)
		table_note(table, "No memory events in the profile.");
}

/* ---- rows ---- */

/* Allocation and release events; points of the curve have only the first. */
struct memory_row {
	uint32_t alloc, release, owner, device;
};

struct memory_rows {
	const struct profile *profile;
	const struct derived *derived;
	struct memory_row *rows;
	struct keyed devices;
	struct value *device_names; /* by device */
};

static void free_rows(void *state)
{
	struct memory_rows *rows = state;
	mem_free_all(rows->rows, rows->device_names);
	keyed_clear(&rows->devices);
}

static const struct memory_event *event_of(const struct memory_rows *rows,
					   const struct memory_row *row)
{
	return &rows->profile->memory_events[row->alloc == NO_ROW ? row->release : row->alloc];
}

static void rows_begin(struct table *table, const struct selection *selection)
{
	struct memory_rows *rows = table_new_state(table, sizeof *rows, free_rows);
	rows->profile = selection->profile;
	rows->derived = selection->derived;
}

static void memory_events_add_row(struct table *table, struct memory_row row)
{
	struct memory_rows *rows = table->state;
	const struct memory_event *event = event_of(rows, &row);
	int32_t id = memory_device(event);
	struct value *name = keyed_item(&rows->devices, rows->device_names, &id);
	if (name->kind == VALUE_MISSING)
		*name = cell_device(table, id);
	row.device = (uint32_t)(name - rows->device_names);
	*mem_push(rows->rows, table->rows) = row;
}

static struct ref row_ref(const struct table *table, size_t row)
{
	const struct memory_rows *rows = table->state;
	uint32_t owner = rows->rows[row].owner;
	return (struct ref){ owner == NO_ROW ? REF_NONE : REF_CALL, owner, 0, 0 };
}

/* ---- single allocations ---- */

static struct value time_cell(const struct memory_rows *rows, uint32_t event)
{
	return event == NO_ROW ? value_missing()
			       : value_int(rows->profile->memory_events[event].time);
}

static struct value duration_cell(const struct memory_rows *rows, const struct memory_row *row)
{
	const struct memory_event *events = rows->profile->memory_events;
	if (row->alloc == NO_ROW || row->release == NO_ROW)
		return value_missing();
	return value_int(events[row->release].time - events[row->alloc].time);
}

static struct value event_value(const struct table *table, size_t index, size_t column)
{
	const struct memory_rows *rows = table->state;
	const struct memory_row *row = &rows->rows[index];
	int64_t bytes = event_of(rows, row)->bytes;
	switch ((enum memory_events_column)column) {
		MEMORY_EVENT_CELLS(LISTED_CASE)
	default: return value_missing(); /* only a snapshot has entries, and stacks as owners */
	}
}

/* A bit of `used` in struct table. */
static uint64_t event_bit(enum memory_events_column column)
{
	return UINT64_C(1) << column;
}

/* Freed in the chosen time or steps, wherever it was allocated. */
static bool freed_in_scope(const struct selection *selection, uint32_t release)
{
	const struct scope *scope = selection->scope;
	if (release == NO_ROW || (!scope->has_time && !scope->has_steps))
		return false;
	const struct memory_event *event = &selection->profile->memory_events[release];
	return memory_in_scope(selection, event, memory_owner(selection->derived, event));
}

static void memory_events_add_allocation(struct table *table, const struct selection *selection,
					 const struct memory_block *block)
{
	uint32_t alloc = block->from == INT64_MIN ? NO_ROW : (uint32_t)block->from;
	uint32_t release = block->to == INT64_MAX ? NO_ROW : (uint32_t)block->to;
	const struct memory_event *event =
		&selection->profile->memory_events[alloc == NO_ROW ? release : alloc];
	struct memory_row row = { alloc, release, memory_owner(selection->derived, event), 0 };
	if (!memory_in_scope(selection, event, row.owner) && !freed_in_scope(selection, release))
		return;
	memory_events_add_row(table, row);
	if (row.owner != NO_ROW)
		table->used |= event_bit(MEMORY_EVENTS_operator) | event_bit(MEMORY_EVENTS_parent);
	if (alloc != NO_ROW)
		table->used |= event_bit(MEMORY_EVENTS_alloc_ns);
	if (release != NO_ROW)
		table->used |= event_bit(MEMORY_EVENTS_free_ns);
	if (alloc != NO_ROW && release != NO_ROW)
		table->used |= event_bit(MEMORY_EVENTS_dur_ns);
}

bool build_memory_events(struct table *table, const struct view_query *query)
{
	const struct profile *profile = query->selection->profile;
	struct memory_blocks blocks;
	if (profile->snapshot)
		return snapshot_add_events(table, query);
	rows_begin(table, query->selection);
	table->compute = event_value;
	table->compute_ref = row_ref;
	table->used = event_bit(MEMORY_EVENTS_device) | event_bit(MEMORY_EVENTS_size_bytes);
	bool done = memory_blocks_pair(&blocks, profile, query->progress);
	for_heavy_rows (done, i, blocks.count, query->progress, "finding owners", MEMORY_WEIGHT)
		memory_events_add_allocation(table, query->selection, &blocks.items[i]);
	memory_blocks_free(&blocks);
	memory_note_none(table, profile);
	return done;
}

/* ---- the curve ---- */

static struct value curve_value(const struct table *table, size_t index, size_t column)
{
	const struct memory_rows *rows = table->state;
	const struct memory_row *row = &rows->rows[index];
	const struct memory_event *event = event_of(rows, row);
	switch ((enum memory_curve_column)column) {
		MEMORY_CURVE_CELLS(LISTED_CASE)
	default: return value_missing(); /* of a snapshot */
	}
}

bool build_memory_curve(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	const struct profile *profile = selection->profile;
	if (profile->snapshot)
		return snapshot_add_curve(table, query);
	rows_begin(table, selection);
	table->compute = curve_value;
	table->compute_ref = row_ref;
	for (size_t i = 0; i < profile->memory_count; i++) {
		const struct memory_event *event = &profile->memory_events[i];
		if (!progress_heavy_row(query->progress, "finding owners", i, profile->memory_count,
					MEMORY_WEIGHT))
			return false;
		if (event->total_allocated == NO_VALUE)
			continue;
		uint32_t owner = memory_owner(selection->derived, event);
		if (memory_in_scope(selection, event, owner))
			memory_events_add_row(table,
					      (struct memory_row){ (uint32_t)i, NO_ROW, owner, 0 });
	}
	if (profile->memory_count && !table->rows)
		table_note(table,
			   "The memory events have no totals (recorded before PyTorch 1.10).");
	memory_note_none(table, profile);
	return true;
}
