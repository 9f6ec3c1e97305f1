/*
 * Single allocations and the memory curve, cells computed on demand.
 */
#include "analysis/memory.h"
#include "base/hash.h"
#include "views/memory_groups.h"

bool memory_in_scope(const struct selection *selection, const struct memory_event *event,
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
	size_t capacity;
	struct value *devices; /* by device, filled on demand */
	size_t device_count, device_cap;
	struct hash *by_device;
};

typedef struct value memory_cell(const struct memory_rows *, const struct memory_row *);

static void free_rows(void *state)
{
	struct memory_rows *rows = state;
	mem_free(rows->rows);
	mem_free(rows->devices);
	hash_free(rows->by_device);
	mem_free(rows);
}

static uint32_t find_device(struct table *table, const struct memory_event *event)
{
	struct memory_rows *rows = table->state;
	int32_t id = memory_is_host(event) ? -1 : event->device_id;
	uint32_t known = hash_last(rows->by_device, (uint32_t)id);
	if (known != NO_ROW)
		return known;
	mem_grow(rows->devices, rows->device_cap, rows->device_count + 1);
	rows->devices[rows->device_count] = cell_device(table, id);
	hash_add(rows->by_device, (uint32_t)id, (uint32_t)rows->device_count);
	return (uint32_t)rows->device_count++;
}

static const struct memory_event *event_of(const struct memory_rows *rows,
					   const struct memory_row *row)
{
	return &rows->profile->memory_events[row->alloc == NO_ROW ? row->release : row->alloc];
}

static struct memory_rows *rows_begin(struct table *table, const struct selection *selection)
{
	struct memory_rows *rows = mem_zalloc(1, sizeof *rows);
	table->state = rows;
	table->free_state = free_rows;
	rows->profile = selection->profile;
	rows->derived = selection->derived;
	rows->by_device = hash_new(8);
	return rows;
}

static void memory_events_add_row(struct table *table, struct memory_row row)
{
	struct memory_rows *rows = table->state;
	row.device = find_device(table, event_of(rows, &row));
	mem_grow(rows->rows, rows->capacity, table->rows + 1);
	rows->rows[table->rows++] = row;
}

static struct ref row_ref(const struct table *table, size_t row)
{
	const struct memory_rows *rows = table->state;
	uint32_t owner = rows->rows[row].owner;
	return (struct ref){ owner == NO_ROW ? REF_NONE : REF_CALL, owner, 0, 0 };
}

/* ---- single allocations ---- */

/* Bits of `used` in struct table. */
#define EVENT_BIT(id) EVENT_BIT_##id,
enum { EVENT_COLUMNS(EVENT_BIT) };

static struct value event_device(const struct memory_rows *rows, const struct memory_row *row)
{
	return rows->devices[row->device];
}

static struct value event_operator(const struct memory_rows *rows, const struct memory_row *row)
{
	const struct profile *profile = rows->profile;
	return row->owner == NO_ROW ? value_missing()
				    : cell_text(profile, profile->span_name[row->owner]);
}

static struct value event_parent(const struct memory_rows *rows, const struct memory_row *row)
{
	const struct profile *profile = rows->profile;
	uint32_t parent = row->owner == NO_ROW ? NO_ROW : memory_parent(rows->derived, row->owner);
	return parent == NO_ROW ? value_missing() : cell_text(profile, profile->span_name[parent]);
}

static struct value event_size_bytes(const struct memory_rows *rows, const struct memory_row *row)
{
	const struct memory_event *event = event_of(rows, row);
	return value_int(row->alloc == NO_ROW ? -event->bytes : event->bytes);
}

static struct value memory_events_time_of(const struct memory_rows *rows, uint32_t event)
{
	return event == NO_ROW ? value_missing()
			       : value_int(rows->profile->memory_events[event].time);
}

static struct value event_alloc_ns(const struct memory_rows *rows, const struct memory_row *row)
{
	return memory_events_time_of(rows, row->alloc);
}

static struct value event_free_ns(const struct memory_rows *rows, const struct memory_row *row)
{
	return memory_events_time_of(rows, row->release);
}

static struct value event_dur_ns(const struct memory_rows *rows, const struct memory_row *row)
{
	const struct memory_event *events = rows->profile->memory_events;
	if (row->alloc == NO_ROW || row->release == NO_ROW)
		return value_missing();
	return value_int(events[row->release].time - events[row->alloc].time);
}

/* Only a snapshot has entries, and stacks as owners. */
static struct value event_none(const struct memory_rows *rows, const struct memory_row *row)
{
	return value_missing();
}
#define event_owner event_none
#define event_alloc_entry event_none
#define event_free_entry event_none

static struct value event_value(const struct table *table, size_t index, size_t column)
{
#define EVENT_CELL(id) event_##id,
	static memory_cell *const cells[] = { EVENT_COLUMNS(EVENT_CELL) };
	const struct memory_rows *rows = table->state;
	return cells[column](rows, &rows->rows[index]);
}

/* Key of an allocation: device and address. */
static uint64_t memory_events_place_key(const struct memory_event *event)
{
	return hash_pair((uint64_t)event->address,
			 (uint64_t)(uint32_t)event->device_type << 32 | (uint32_t)event->device_id);
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
					 uint32_t alloc, uint32_t release)
{
	const struct memory_event *event =
		&selection->profile->memory_events[alloc == NO_ROW ? release : alloc];
	struct memory_row row = { alloc, release, memory_owner(selection->derived, event), 0 };
	if (!memory_in_scope(selection, event, row.owner) && !freed_in_scope(selection, release))
		return;
	memory_events_add_row(table, row);
	if (row.owner != NO_ROW)
		table->used |= UINT64_C(1) << EVENT_BIT_operator | UINT64_C(1) << EVENT_BIT_parent;
	if (alloc != NO_ROW)
		table->used |= UINT64_C(1) << EVENT_BIT_alloc_ns;
	if (release != NO_ROW)
		table->used |= UINT64_C(1) << EVENT_BIT_free_ns;
	if (alloc != NO_ROW && release != NO_ROW)
		table->used |= UINT64_C(1) << EVENT_BIT_dur_ns;
}

static bool add_allocations(struct table *table, const struct view_query *query,
			    struct hash *places, uint8_t *closed)
{
	const struct selection *selection = query->selection;
	const struct profile *profile = selection->profile;
	for (size_t i = 0; i < profile->memory_count; i++) {
		const struct memory_event *event = &profile->memory_events[i];
		if (!progress_heavy_row(query->progress, "pairing events", i, profile->memory_count,
					MEMORY_WEIGHT))
			return false;
		if (event->bytes > 0) {
			hash_add(places, memory_events_place_key(event), (uint32_t)i);
			continue;
		}
		if (event->category)
			continue;
		uint32_t open = hash_last(places, memory_events_place_key(event));
		bool paired = open != NO_ROW && !closed[open];
		if (paired)
			closed[open] = 1;
		memory_events_add_allocation(table, selection, paired ? open : NO_ROW, (uint32_t)i);
	}
	for (size_t i = 0; i < profile->memory_count; i++) {
		if (!progress_heavy_row(query->progress, "finding owners", i, profile->memory_count,
					MEMORY_WEIGHT))
			return false;
		if (profile->memory_events[i].bytes > 0 && !closed[i])
			memory_events_add_allocation(table, selection, (uint32_t)i, NO_ROW);
	}
	return true;
}

static bool build_events(struct table *table, const struct view_query *query)
{
	const struct profile *profile = query->selection->profile;
	if (profile->snapshot)
		return snapshot_add_events(table, query);
	struct hash *places = hash_new(profile->memory_count / 2);
	uint8_t *closed = mem_zalloc(profile->memory_count, 1);
	rows_begin(table, query->selection);
	table->compute = event_value;
	table->compute_ref = row_ref;
	table->used = UINT64_C(1) << EVENT_BIT_device | UINT64_C(1) << EVENT_BIT_size_bytes;
	bool done = add_allocations(table, query, places, closed);
	memory_note_none(table, profile);
	mem_free(closed);
	hash_free(places);
	return done;
}

const struct view view_memory_events = {
	.name = "memory-events",
	.title = "Memory Events",
	.row = "one allocation",
	.summary =
		"Allocations with owner, time of allocation and time of free; a range of time or steps has "
		"also those freed in it.",
	.columns = COLUMN_LIST(EVENT_COLUMNS),
	.default_columns = "device,owner,operator,parent,size_bytes,alloc_ns,free_ns,"
			   "dur_ns,alloc_entry,free_entry",
	.default_sort = "size_bytes:desc",
	.build = build_events,
};

/* ---- the curve ---- */

static struct value curve_device(const struct memory_rows *rows, const struct memory_row *row)
{
	return rows->devices[row->device];
}

static struct value curve_time_ns(const struct memory_rows *rows, const struct memory_row *row)
{
	return value_int(event_of(rows, row)->time);
}

static struct value curve_allocated_bytes(const struct memory_rows *rows,
					  const struct memory_row *row)
{
	return value_int(event_of(rows, row)->total_allocated);
}

static struct value curve_reserved_bytes(const struct memory_rows *rows,
					 const struct memory_row *row)
{
	return cell_int(event_of(rows, row)->total_reserved);
}

#define curve_entry event_none
#define curve_active_bytes event_none

static struct value curve_category(const struct memory_rows *rows, const struct memory_row *row)
{
	uint32_t category = event_of(rows, row)->category;
	return category ? cell_text(rows->profile, category) : value_missing();
}

static struct value curve_value(const struct table *table, size_t index, size_t column)
{
#define CURVE_CELL(id) curve_##id,
	static memory_cell *const cells[] = { CURVE_COLUMNS(CURVE_CELL) };
	const struct memory_rows *rows = table->state;
	return cells[column](rows, &rows->rows[index]);
}

static bool build_curve(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	const struct profile *profile = selection->profile;
	if (profile->snapshot)
		return snapshot_add_curve(table, query);
	rows_begin(table, selection);
	table->compute = curve_value;
	table->compute_ref = row_ref;
	table->used = UINT64_MAX;
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

const struct view view_memory_curve = {
	.name = "memory-curve",
	.title = "Memory Curve",
	.row = "one point of the curve",
	.summary = "Allocated and reserved memory per device over time, as recorded.",
	.columns = COLUMN_LIST(CURVE_COLUMNS),
	.default_columns = "device,entry,time_ns,category,allocated_bytes,active_bytes,"
			   "reserved_bytes",
	.default_sort = "",
	.build = build_curve,
};
