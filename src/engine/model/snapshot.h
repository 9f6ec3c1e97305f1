/*
 * A snapshot of a caching allocator: its blocks, and the allocations and frees of its trace.
 *
 * Filled by the reader in input/snapshot. Texts are interned in the profile's strings. Sizes of
 * allocations are the bytes requested; blocks also have the rounded size. A trace entry is named by
 * its number on its device, from 0; SNAPSHOT_BEFORE is the state before the first. Times are ns,
 * from the profile's zero once it is finished. Absent numbers are NO_VALUE.
 */
#pragma once

#include "base/mem.h"

enum { SNAPSHOT_BEFORE = -1 };

struct snapshot_frame {
	uint32_t name, file;
	int64_t line;
};

/* Frames of a call stack, innermost first. OWNER: "file:line function" of the user's frame. */
struct snapshot_stack {
	size_t first;
	uint32_t count;
	uint32_t owner;
};

/* Stacks that stand for none. */
enum {
	SNAPSHOT_NO_STACK,
	SNAPSHOT_EARLIER, /* allocated before the trace, freed in it */
	SNAPSHOT_STACKS_OWN,
};

struct snapshot_block {
	int64_t address, size, requested;
	int64_t segment, stream; /* address of its segment; the stream's number or pointer */
	int32_t device;
	uint32_t state, type, pool; /* interned; pool 0: the default one */
	uint32_t stack;
};

struct snapshot_allocation {
	int64_t address, size;
	int64_t alloc_ns, free_ns;
	int64_t alloc_entry, free_entry; /* NO_VALUE: before the trace; still live */
	int32_t device;
	uint32_t stack;
};

/* The state after an entry. */
struct snapshot_point {
	int64_t time, allocated, active, reserved;
	int64_t entry;
	int32_t device;
	uint32_t category; /* interned: whose bytes; 0: all */
};

/* Two points in few bytes: all bytes, and the bytes of one category; no other values. */
struct snapshot_step {
	int64_t time, total, own;
	int64_t entry;
	uint32_t category;
};

/* A request that failed. */
struct snapshot_oom {
	int64_t entry, time, size, device_free, stream;
	int32_t device;
	uint32_t stack;
};

struct snapshot_device {
	int32_t id;
	size_t first_allocation, allocations;
	size_t first_point, points;
	int64_t entries;
	int64_t before, end;        /* bytes live before and after the trace */
	int64_t requested;          /* bytes requested of the blocks not inactive */
	int64_t peak_entry, peak;   /* highest active bytes, its first entry */
	int64_t segments, reserved; /* at the dump, as are these */
	int64_t inactive, largest;  /* bytes of inactive blocks, and of the largest */
	int64_t peak_reserved;
};

struct snapshot {
	GROWING(struct snapshot_frame, frames, frame_count); /* distinct */
	GROWING(uint32_t, calls, call_count);                /* the frames of all stacks */
	GROWING(struct snapshot_stack, stacks, stack_count); /* distinct */
	GROWING(struct snapshot_block, blocks, block_count);
	struct snapshot_allocation *allocations; /* by device */
	size_t allocation_count;
	GROWING(struct snapshot_point, points, point_count); /* by device, then entry */
	GROWING(struct snapshot_step, steps, step_count);    /* after them */
	GROWING(struct snapshot_oom, ooms, oom_count);
	GROWING(struct snapshot_device, devices, device_count);
	bool timed;    /* entries have times */
	bool unpaired; /* which allocation is freed is unknown, only of what size and owner */
};

struct snapshot *snapshot_new(void);
void snapshot_free(struct snapshot *snapshot);         /* NULL is fine */
size_t snapshot_size(const struct snapshot *snapshot); /* bytes held; NULL: 0 */

/* The points, also those in steps. */
size_t snapshot_points(const struct snapshot *snapshot);
struct snapshot_point snapshot_point(const struct snapshot *snapshot, size_t index);

/* Is the allocation live after ENTRY? */
static inline bool snapshot_is_live(const struct snapshot_allocation *allocation, int64_t entry)
{
	return allocation->alloc_entry <= entry && /* NO_VALUE is below all */
	       (allocation->free_entry == INT64_MIN || allocation->free_entry > entry);
}
