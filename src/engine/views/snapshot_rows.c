/*
 * The memory views of a memory snapshot: owners, allocations and the curve.
 */
#include "base/hash.h"
#include "model/snapshot.h"
#include "views/memory_groups.h"

static bool device_listed(const struct scope *scope, int32_t device)
{
	bool listed = scope->devices.count == 0;
	for (int i = 0; i < scope->devices.count; i++)
		listed |= scope->devices.id[i] == device;
	return listed;
}

static bool time_listed(const struct selection *selection, int64_t time)
{
	const struct scope *scope = selection->scope;
	return !selection->span ||
	       (scope->has_time && time >= scope->time_first && time < scope->time_last);
}

/* ---- owners ---- */

struct owner {
	uint32_t name;
	int64_t count, bytes, growth, peak_bytes, peak_blocks, end_bytes, end_blocks;
};

struct owners {
	struct owner *items;
	size_t count, capacity;
	struct hash *by_name;
};

static struct owner *find_owner(struct owners *owners, uint32_t name)
{
	uint32_t at = hash_last(owners->by_name, name);
	if (at != NO_ROW)
		return &owners->items[at];
	mem_grow(owners->items, owners->capacity, owners->count + 1);
	hash_add(owners->by_name, name, (uint32_t)owners->count);
	owners->items[owners->count] = (struct owner){ .name = name };
	return &owners->items[owners->count++];
}

static void snapshot_rows_add_allocation(struct owner *owner,
					 const struct snapshot_allocation *allocation,
					 int64_t peak_entry)
{
	bool made = allocation->alloc_entry != NO_VALUE, freed = allocation->free_entry != NO_VALUE;
	owner->count += made;
	owner->bytes += made ? allocation->size : 0;
	owner->growth += (made ? allocation->size : 0) - (freed ? allocation->size : 0);
	if (snapshot_is_live(allocation, peak_entry)) {
		owner->peak_bytes += allocation->size;
		owner->peak_blocks++;
	}
	if (!freed) {
		owner->end_bytes += allocation->size;
		owner->end_blocks++;
	}
}

static void add_owner_row(struct table *table, const struct profile *profile, int32_t device,
			  const struct owner *owner)
{
	size_t row = table_add_row(table, (struct ref){ REF_NONE, owner->name, 0, 0 });
	table_set(table, row, "device", cell_device(table, device));
	table_set(table, row, "name", cell_text(profile, owner->name));
	table_set(table, row, "size_increase_bytes", value_int(owner->growth));
	table_set(table, row, "self_size_increase_bytes", value_int(owner->growth));
	table_set(table, row, "alloc_count", value_int(owner->count));
	table_set(table, row, "self_alloc_count", value_int(owner->count));
	table_set(table, row, "alloc_bytes", value_int(owner->bytes));
	table_set(table, row, "self_alloc_bytes", value_int(owner->bytes));
	table_set(table, row, "peak_bytes", value_int(owner->peak_bytes));
	table_set(table, row, "peak_blocks", value_int(owner->peak_blocks));
	table_set(table, row, "end_bytes", value_int(owner->end_bytes));
	table_set(table, row, "end_blocks", value_int(owner->end_blocks));
}

static bool add_device_owners(struct table *table, const struct profile *profile,
			      const struct snapshot_device *device, const struct progress *progress)
{
	const struct snapshot *snapshot = profile->snapshot;
	struct owners owners = { .by_name = hash_new(64) };
	bool ok = true;
	for (size_t i = 0; i < device->allocations && ok; i++) {
		const struct snapshot_allocation *allocation =
			&snapshot->allocations[device->first_allocation + i];
		uint32_t name = snapshot->stacks[allocation->stack].owner;
		ok = progress_row(progress, "summing memory", i, device->allocations);
		snapshot_rows_add_allocation(find_owner(&owners, name), allocation,
					     device->peak_entry);
	}
	for (size_t i = 0; i < owners.count && ok; i++)
		add_owner_row(table, profile, device->id, &owners.items[i]);
	hash_free(owners.by_name);
	mem_free(owners.items);
	return ok;
}

bool snapshot_add_owners(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	const struct snapshot *snapshot = selection->profile->snapshot;
	table->default_columns =
		"device,name,peak_bytes,peak_blocks,end_bytes,end_blocks,size_increase_bytes,"
		"alloc_count,alloc_bytes";
	table->default_sort = "peak_bytes:desc";
	for (size_t i = 0; i < snapshot->device_count; i++)
		if (device_listed(selection->scope, snapshot->devices[i].id) &&
		    !add_device_owners(table, selection->profile, &snapshot->devices[i],
				       query->progress))
			return false;
	return true;
}

/* ---- allocations and the curve: cells computed on demand ---- */

struct snapshot_rows {
	const struct profile *profile;
	const struct snapshot *snapshot;
	uint32_t *rows;
	size_t capacity;
	struct value *devices; /* by number of the device */
};

static void snapshot_rows_free_rows(void *state)
{
	struct snapshot_rows *rows = state;
	mem_free(rows->rows);
	mem_free(rows->devices);
	mem_free(rows);
}

static struct ref no_ref(const struct table *table, size_t row)
{
	return (struct ref){ REF_NONE, 0, 0, 0 };
}

static struct snapshot_rows *begin_rows(struct table *table, const struct profile *profile)
{
	struct snapshot_rows *rows = mem_zalloc(1, sizeof *rows);
	int32_t last = 0;
	table->state = rows;
	table->free_state = snapshot_rows_free_rows;
	table->compute_ref = no_ref;
	rows->profile = profile;
	rows->snapshot = profile->snapshot;
	for (size_t i = 0; i < rows->snapshot->device_count; i++)
		if (rows->snapshot->devices[i].id > last)
			last = rows->snapshot->devices[i].id;
	rows->devices = mem_alloc(((size_t)last + 1) * sizeof *rows->devices);
	for (int32_t i = 0; i <= last; i++)
		rows->devices[i] = cell_device(table, i);
	return rows;
}

static void snapshot_rows_add_row(struct table *table, uint32_t row)
{
	struct snapshot_rows *rows = table->state;
	mem_grow(rows->rows, rows->capacity, table->rows + 1);
	rows->rows[table->rows++] = row;
}

/* ---- allocations ---- */

typedef struct value event_cell(const struct snapshot_rows *, const struct snapshot_allocation *);

#define EVENT(id)                                                                                  \
	static struct value event_##id(const struct snapshot_rows *rows,                           \
				       const struct snapshot_allocation *of)

EVENT(device)
{
	return rows->devices[of->device];
}

EVENT(operator)
{
	return value_missing();
}

#define event_parent event_operator

EVENT(owner)
{
	return cell_text(rows->profile, rows->snapshot->stacks[of->stack].owner);
}

EVENT(size_bytes)
{
	return value_int(of->size);
}

EVENT(alloc_ns)
{
	return cell_int(of->alloc_ns);
}

EVENT(free_ns)
{
	return cell_int(of->free_ns);
}

EVENT(dur_ns)
{
	return of->alloc_ns == NO_VALUE || of->free_ns == NO_VALUE
		       ? value_missing()
		       : value_int(of->free_ns - of->alloc_ns);
}

EVENT(alloc_entry)
{
	return cell_int(of->alloc_entry);
}

EVENT(free_entry)
{
	return rows->snapshot->unpaired ? value_missing() : cell_int(of->free_entry);
}

static struct value event_value(const struct table *table, size_t index, size_t column)
{
#define EVENT_CELL(id) event_##id,
	static event_cell *const cells[] = { EVENT_COLUMNS(EVENT_CELL) };
	const struct snapshot_rows *rows = table->state;
	return cells[column](rows, &rows->snapshot->allocations[rows->rows[index]]);
}

static bool event_listed(const struct selection *selection,
			 const struct snapshot_allocation *allocation)
{
	return device_listed(selection->scope, allocation->device) &&
	       (time_listed(selection, allocation->alloc_ns) ||
		time_listed(selection, allocation->free_ns));
}

bool snapshot_add_events(struct table *table, const struct view_query *query)
{
	const struct snapshot *snapshot = query->selection->profile->snapshot;
	begin_rows(table, query->selection->profile);
	table->compute = event_value;
	table->used = UINT64_MAX;
	for (size_t i = 0; i < snapshot->allocation_count; i++) {
		if (!progress_row(query->progress, "listing allocations", i,
				  snapshot->allocation_count))
			return false;
		if (event_listed(query->selection, &snapshot->allocations[i]))
			snapshot_rows_add_row(table, (uint32_t)i);
	}
	return true;
}

/* ---- the curve ---- */

typedef struct value curve_cell(const struct snapshot_rows *, const struct snapshot_point *);

#define CURVE(id)                                                                                  \
	static struct value curve_##id(const struct snapshot_rows *rows,                           \
				       const struct snapshot_point *of)

CURVE(device)
{
	return rows->devices[of->device];
}

CURVE(entry)
{
	return value_int(of->entry);
}

CURVE(time_ns)
{
	return cell_int(of->time);
}

CURVE(allocated_bytes)
{
	return value_int(of->allocated);
}

CURVE(active_bytes)
{
	return cell_int(of->active);
}

CURVE(reserved_bytes)
{
	return cell_int(of->reserved);
}

CURVE(category)
{
	return of->category ? cell_text(rows->profile, of->category) : value_missing();
}

static struct value curve_value(const struct table *table, size_t index, size_t column)
{
#define CURVE_CELL(id) curve_##id,
	static curve_cell *const cells[] = { CURVE_COLUMNS(CURVE_CELL) };
	const struct snapshot_rows *rows = table->state;
	struct snapshot_point point = snapshot_point(rows->snapshot, rows->rows[index]);
	return cells[column](rows, &point);
}

bool snapshot_add_curve(struct table *table, const struct view_query *query)
{
	const struct snapshot *snapshot = query->selection->profile->snapshot;
	begin_rows(table, query->selection->profile);
	table->compute = curve_value;
	table->used = UINT64_MAX;
	size_t count = snapshot_points(snapshot);
	for (size_t i = 0; i < count; i++) {
		struct snapshot_point point = snapshot_point(snapshot, i);
		if (!progress_row(query->progress, "listing the curve", i, count))
			return false;
		if (device_listed(query->selection->scope, point.device) &&
		    time_listed(query->selection, point.time))
			snapshot_rows_add_row(table, (uint32_t)i);
	}
	if (!snapshot->timed)
		table_note(table, "The entries have no times; they are in their order.");
	return true;
}
