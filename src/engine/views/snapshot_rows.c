/*
 * The memory views of a memory snapshot: owners, allocations and the curve.
 */
#include "base/keyed.h"
#include "model/snapshot.h"
#include "views/memory_groups.h"
#include "view_columns.h"

static bool time_listed(const struct selection *selection, int64_t time)
{
	const struct scope *scope = selection->scope;
	return !selection->span ||
	       (scope->has_time && time >= scope->time_first && time < scope->time_last);
}

/* ---- owners ---- */

struct owner {
	struct allocation_sum sum;
	int64_t peak_bytes, peak_blocks, end_bytes, end_blocks;
};

static void snapshot_rows_add_allocation(struct owner *owner,
					 const struct snapshot_allocation *allocation,
					 int64_t peak_entry)
{
	bool made = allocation->alloc_entry != NO_VALUE, freed = allocation->free_entry != NO_VALUE;
	owner->sum.count += made;
	owner->sum.bytes += made ? allocation->size : 0;
	owner->sum.growth += (made ? allocation->size : 0) - (freed ? allocation->size : 0);
	if (snapshot_is_live(allocation, peak_entry)) {
		owner->peak_bytes += allocation->size;
		owner->peak_blocks++;
	}
	if (!freed) {
		owner->end_bytes += allocation->size;
		owner->end_blocks++;
	}
}

/* TRACED: the trace of the device has allocations. */
static void add_owner_row(struct table *table, const struct profile *profile, int32_t device,
			  uint32_t name, const struct owner *owner, bool traced)
{
	size_t row = table_add_row(table, (struct ref){ REF_NONE, name, 0, 0 });
	table_set(table, row, "device", cell_device(table, device));
	table_set(table, row, "name", cell_text(profile, name));
	if (traced)
		set_allocations(table, row, &owner->sum, &owner->sum);
	table_set(table, row, "peak_bytes", value_int(owner->peak_bytes));
	table_set(table, row, "peak_blocks", value_int(owner->peak_blocks));
	table_set(table, row, "end_bytes", value_int(owner->end_bytes));
	table_set(table, row, "end_blocks", value_int(owner->end_blocks));
}

/* At entry PEAK. */
static bool add_device_owners(struct table *table, const struct profile *profile,
			      const struct snapshot_device *device, int64_t peak,
			      const struct progress *progress)
{
	const struct snapshot *snapshot = profile->snapshot;
	AUTO_KEYED struct keyed names = { 0 };
	AUTO_FREE struct owner *owners = NULL;
	bool ok = true, traced = false;
	for_rows (ok, i, device->allocations, progress, "summing memory") {
		const struct snapshot_allocation *allocation =
			&snapshot->allocations[device->first_allocation + i];
		uint32_t name = snapshot->stacks[allocation->stack].owner;
		traced |= allocation->alloc_entry != NO_VALUE || allocation->free_entry != NO_VALUE;
		snapshot_rows_add_allocation(keyed_item(&names, owners, &name), allocation, peak);
	}
	for (uint32_t i = 0; i < names.count && ok; i++)
		add_owner_row(table, profile, device->id, *(const uint32_t *)keyed_key(&names, i),
			      &owners[i], traced);
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
	struct memory_moment peaks[MEMORY_DEVICES_MAX];
	size_t count = 0;
	bool ok = memory_find_moments(selection->profile, selection->scope, NULL, peaks, &count,
				      query->progress);
	for (size_t i = 0; i < snapshot->device_count && ok; i++) {
		const struct snapshot_device *device = &snapshot->devices[i];
		if (scope_list_has(&selection->scope->devices, device->id))
			ok = add_device_owners(table, selection->profile, device,
					       memory_moment_of(peaks, count, device->id).at,
					       query->progress);
	}
	return ok;
}

/* ---- allocations and the curve: cells computed on demand ---- */

struct snapshot_rows {
	const struct profile *profile;
	const struct snapshot *snapshot;
	struct value *devices; /* by number of the device */
};

static void begin_rows(struct table *table, const struct profile *profile)
{
	struct snapshot_rows *rows = table_new_state(table, sizeof *rows, NULL);
	int32_t last = 0;
	rows->profile = profile;
	rows->snapshot = profile->snapshot;
	for (size_t i = 0; i < rows->snapshot->device_count; i++)
		raise_to(last, rows->snapshot->devices[i].id);
	rows->devices = table_values(table, (size_t)last);
	for (int32_t i = 0; i <= last; i++)
		rows->devices[i] = cell_device(table, i);
}

/* ---- allocations ---- */

static struct value event_value(const struct table *table, size_t index, size_t column)
{
	const struct snapshot_rows *rows = table->state;
	const struct snapshot *snapshot = rows->snapshot;
	const struct snapshot_allocation *of = &snapshot->allocations[index];
	bool both = of->alloc_ns != NO_VALUE && of->free_ns != NO_VALUE;
	switch ((enum memory_events_column)column) {
		SNAPSHOT_EVENT_CELLS(LISTED_CASE)
	default: return value_missing();
	}
}

static bool event_listed(const struct selection *selection, size_t i)
{
	const struct snapshot_allocation *allocation =
		&selection->profile->snapshot->allocations[i];
	return scope_list_has(&selection->scope->devices, allocation->device) &&
	       (time_listed(selection, allocation->alloc_ns) ||
		time_listed(selection, allocation->free_ns));
}

/* Those of COUNT rows that are LISTED. */
static bool list_rows(struct table *table, const struct view_query *query, size_t count,
		      bool (*listed)(const struct selection *selection, size_t i))
{
	return table_add_where(table, i, count, query->progress, "listing memory",
			       listed(query->selection, i));
}

bool snapshot_add_events(struct table *table, const struct view_query *query)
{
	begin_rows(table, query->selection->profile);
	table->compute = event_value;
	table->kind = REF_ALLOCATION;
	return list_rows(table, query, query->selection->profile->snapshot->allocation_count,
			 event_listed);
}

/* ---- the curve ---- */

static struct value curve_value(const struct table *table, size_t index, size_t column)
{
	const struct snapshot_rows *rows = table->state;
	struct snapshot_point point = snapshot_point(rows->snapshot, index);
	switch ((enum memory_curve_column)column) {
		SNAPSHOT_CURVE_CELLS(LISTED_CASE)
	}
	return value_missing();
}

static bool point_listed(const struct selection *selection, size_t i)
{
	struct snapshot_point point = snapshot_point(selection->profile->snapshot, i);
	return scope_list_has(&selection->scope->devices, point.device) &&
	       time_listed(selection, point.time);
}

bool snapshot_add_curve(struct table *table, const struct view_query *query)
{
	const struct snapshot *snapshot = query->selection->profile->snapshot;
	begin_rows(table, query->selection->profile);
	table->compute = curve_value;
	if (!snapshot->timed)
		table_note(table, "The entries have no times; they are in their order.");
	return list_rows(table, query, snapshot_points(snapshot), point_listed);
}
