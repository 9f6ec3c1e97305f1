/*
 * Follows the trace of a device: allocations from alloc to free_completed, the three totals after
 * each entry, and what was there before.
 *
 * The trace is a ring: what it frees without having allocated, and what is live in the segments
 * without being live in the trace, was there before.
 */
#include "base/hash.h"
#include "input/snapshot/snapshot_private.h"

struct snapshot_trace_trace {
	struct snapshot_reading *reading;
	struct snapshot *snapshot;
	int32_t device;
	struct hash *by_address; /* → allocation; the last is the newest */
	/* changes since the start, and for what was there before the bytes to add to it */
	int64_t allocated, active, reserved;
	int64_t before_allocated, before_active;
	uint8_t *requested; /* by allocation of the device: free_requested was seen */
	size_t first;       /* allocation */
};

static void snapshot_trace_damage(struct snapshot_trace_trace *trace, const char *cause,
				  const char *action)
{
	profile_damage(trace->reading->profile, cause, action, UINT64_MAX);
}

static struct snapshot_allocation *newest(struct snapshot_trace_trace *trace, int64_t address)
{
	uint32_t at = hash_last(trace->by_address, (uint64_t)address);
	return at == NO_ROW ? NULL : &trace->snapshot->allocations[at];
}

static uint8_t *is_requested(struct snapshot_trace_trace *trace,
			     const struct snapshot_allocation *allocation)
{
	return &trace->requested[allocation - trace->snapshot->allocations -
				 (ptrdiff_t)trace->first];
}

static struct snapshot_allocation *snapshot_trace_add(struct snapshot_trace_trace *trace,
						      int64_t address, int64_t size, uint32_t stack)
{
	struct snapshot *snapshot = trace->snapshot;
	size_t at = snapshot->allocation_count++;
	mem_grow(snapshot->allocations, at + 1);
	mem_grow(trace->requested, at - trace->first + 1);
	trace->requested[at - trace->first] = 0;
	snapshot->allocations[at] = (struct snapshot_allocation){
		.address = address,
		.size = size,
		.alloc_ns = NO_VALUE,
		.free_ns = NO_VALUE,
		.alloc_entry = NO_VALUE,
		.free_entry = NO_VALUE,
		.device = trace->device,
		.stack = stack,
	};
	hash_add(trace->by_address, (uint64_t)address, (uint32_t)at);
	return &snapshot->allocations[at];
}

static bool is_open(const struct snapshot_allocation *allocation)
{
	return allocation && allocation->free_entry == NO_VALUE;
}

static void close_at(struct snapshot_trace_trace *trace, struct snapshot_allocation *allocation,
		     int64_t entry, int64_t time)
{
	allocation->free_entry = entry;
	allocation->free_ns = time;
	trace->active = number_add(trace->active, -allocation->size);
	if (!*is_requested(trace, allocation))
		trace->allocated = number_add(trace->allocated, -allocation->size);
}

static void snapshot_trace_allocate(struct snapshot_trace_trace *trace, const struct entry *entry,
				    int64_t number)
{
	struct snapshot_allocation *old = newest(trace, entry->address);
	if (is_open(old)) {
		snapshot_trace_damage(trace, "allocation at an address in use",
				      "the old one ends there");
		close_at(trace, old, number, entry->time);
	}
	struct snapshot_allocation *made =
		snapshot_trace_add(trace, entry->address, entry->size, entry->stack);
	made->alloc_entry = number;
	made->alloc_ns = entry->time;
	trace->active = number_add(trace->active, entry->size);
	trace->allocated = number_add(trace->allocated, entry->size);
}

/* The allocation that ENTRY frees; one that was there before is added. NULL: freed already. */
static struct snapshot_allocation *freed(struct snapshot_trace_trace *trace,
					 const struct entry *entry)
{
	struct snapshot_allocation *found = newest(trace, entry->address);
	if (is_open(found))
		return found;
	if (found) {
		snapshot_trace_damage(trace, "free of an address that is free", "skipped");
		return NULL;
	}
	struct snapshot_allocation *made =
		snapshot_trace_add(trace, entry->address, entry->size, SNAPSHOT_EARLIER);
	trace->before_active = number_add(trace->before_active, entry->size);
	if (entry->action == WORD_free_requested)
		trace->before_allocated = number_add(trace->before_allocated, entry->size);
	else
		*is_requested(trace, made) = 1; /* requested before the trace */
	return made;
}

static void request_free(struct snapshot_trace_trace *trace, const struct entry *entry)
{
	struct snapshot_allocation *allocation = freed(trace, entry);
	if (!allocation || *is_requested(trace, allocation))
		return;
	*is_requested(trace, allocation) = 1;
	trace->allocated = number_add(trace->allocated, -allocation->size);
}

static void complete_free(struct snapshot_trace_trace *trace, const struct entry *entry,
			  int64_t number)
{
	struct snapshot_allocation *allocation = freed(trace, entry);
	if (allocation)
		close_at(trace, allocation, number, entry->time);
}

static void add_oom(struct snapshot_trace_trace *trace, const struct entry *entry, int64_t number)
{
	struct snapshot *snapshot = trace->snapshot;
	*mem_push(snapshot->ooms, snapshot->oom_count) = (struct snapshot_oom){
		.entry = number,
		.time = entry->time,
		.size = entry->size,
		.device_free = entry->device_free,
		.stream = entry->stream,
		.device = trace->device,
		.stack = entry->stack,
	};
}

static void add_point(struct snapshot_trace_trace *trace, int64_t number, int64_t time)
{
	struct snapshot *snapshot = trace->snapshot;
	*mem_push(snapshot->points, snapshot->point_count) = (struct snapshot_point){
		time, trace->allocated, trace->active, trace->reserved, number, trace->device, 0
	};
}

static bool has_size(struct snapshot_trace_trace *trace, const struct entry *entry)
{
	if (entry->size >= 0 && entry->size < SNAPSHOT_SIZE_LIMIT)
		return true;
	snapshot_trace_damage(trace, "trace entry without a valid size", "skipped");
	return false;
}

static bool has_place(struct snapshot_trace_trace *trace, const struct entry *entry)
{
	if (entry->address != NO_VALUE)
		return has_size(trace, entry);
	snapshot_trace_damage(trace, "trace entry without an address", "skipped");
	return false;
}

static void snapshot_trace_follow(struct snapshot_trace_trace *trace, const struct entry *entry,
				  int64_t number)
{
	switch (entry->action) {
	case WORD_alloc:
		if (has_place(trace, entry))
			snapshot_trace_allocate(trace, entry, number);
		break;
	case WORD_free_requested:
		if (has_place(trace, entry))
			request_free(trace, entry);
		break;
	case WORD_free_completed:
		if (has_place(trace, entry))
			complete_free(trace, entry, number);
		break;
	case WORD_segment_alloc:
	case WORD_segment_map:
		if (has_size(trace, entry))
			trace->reserved = number_add(trace->reserved, entry->size);
		break;
	case WORD_segment_free:
	case WORD_segment_unmap:
		if (has_size(trace, entry))
			trace->reserved = number_add(trace->reserved, -entry->size);
		break;
	case WORD_oom: add_oom(trace, entry, number); break;
	default: break;
	}
	add_point(trace, number, entry->time);
}

/* ---- the blocks ---- */

/* A live block that is not live in the trace was there before. */
static void match_block(struct snapshot_trace_trace *trace, const struct snapshot_block *block,
			struct snapshot_device *device)
{
	uint32_t allocated = trace->reading->word_id[WORD_active_allocated];
	int64_t size = block->requested == NO_VALUE ? block->size : block->requested;
	struct snapshot_allocation *known = newest(trace, block->address);
	device->requested = number_add(device->requested, size);
	if (is_open(known)) {
		if (known->stack == SNAPSHOT_EARLIER) /* only its free was requested */
			known->stack = block->stack;
		return;
	}
	snapshot_trace_add(trace, block->address, size, block->stack);
	trace->before_active = number_add(trace->before_active, size);
	if (block->state == allocated)
		trace->before_allocated = number_add(trace->before_allocated, size);
}

static void match_blocks(struct snapshot_trace_trace *trace, struct snapshot_device *device)
{
	const struct snapshot *snapshot = trace->snapshot;
	uint32_t inactive = trace->reading->word_id[WORD_inactive];
	for_each (block, snapshot->blocks, snapshot->block_count) {
		if (block->device != trace->device)
			continue;
		if (block->state != inactive) {
			match_block(trace, block, device);
			continue;
		}
		device->inactive = number_add(device->inactive, block->size);
		device->largest = block->size > device->largest ? block->size : device->largest;
	}
}

/* Add what was there before to all points; find the peak. */
static void finish_points(struct snapshot_trace_trace *trace, struct snapshot_device *device)
{
	struct snapshot_point *points = trace->snapshot->points + device->first_point;
	int64_t reserved = number_add(device->reserved, -trace->reserved);
	device->before = trace->before_active;
	device->end = number_add(trace->before_active, trace->active);
	device->peak_entry = SNAPSHOT_BEFORE;
	device->peak = trace->before_active;
	device->peak_reserved = reserved;
	for (size_t i = 0; i < device->points; i++) {
		points[i].allocated = number_add(points[i].allocated, trace->before_allocated);
		points[i].active = number_add(points[i].active, trace->before_active);
		points[i].reserved = number_add(points[i].reserved, reserved);
		if (points[i].active > device->peak) {
			device->peak = points[i].active;
			device->peak_entry = points[i].entry;
		}
		raise_to(device->peak_reserved, points[i].reserved);
	}
}

static bool follow_entries(struct snapshot_trace_trace *trace, const struct plain *entries,
			   size_t count)
{
	struct snapshot_reading *reading = trace->reading;
	bool ok = true;
	for_rows (ok, i, count, reading->progress, "following allocations") {
		uint32_t id;
		if (plain_container(reading->pickle, entries[i], CONTAINER_ENTRY, &id))
			snapshot_trace_follow(
				trace, &reading->entries[plain_at(reading->pickle, id)->count],
				(int64_t)i);
		else
			snapshot_trace_damage(trace, "trace entry without an action", "skipped");
	}
	return ok;
}

bool snapshot_follow(struct snapshot_reading *reading, struct snapshot_device *device,
		     const struct plain *entries, size_t count)
{
	struct snapshot *snapshot = reading->snapshot;
	struct snapshot_trace_trace trace = { .reading = reading,
					      .snapshot = snapshot,
					      .device = device->id,
					      .by_address = hash_new(1024),
					      .first = snapshot->allocation_count };
	device->first_allocation = snapshot->allocation_count;
	device->first_point = snapshot->point_count;
	device->entries = (int64_t)count;
	add_point(&trace, SNAPSHOT_BEFORE, NO_VALUE);
	bool ok = follow_entries(&trace, entries, count);
	match_blocks(&trace, device);
	device->allocations = snapshot->allocation_count - device->first_allocation;
	device->points = snapshot->point_count - device->first_point;
	finish_points(&trace, device);
	hash_free(trace.by_address);
	mem_free(trace.requested);
	return ok;
}
