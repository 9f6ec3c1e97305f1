#include "analysis/memory_blocks.h"

#include "analysis/memory.h"
#include "base/binary_search.h"
#include "base/compare.h"
#include "base/hash.h"
#include "base/sort.h"
#include "derived/derived.h"
#include "model/snapshot.h"

LISTED_NAMES(memory_category_name, enum memory_category, MEMORY_CATEGORY_ROWS)

FREE_MEMBERS(memory_blocks_free, struct memory_blocks, OWN(items))

/* ---- where a block is allocated ---- */

/* Parts of a program. Setup, cache and communication happen within the others. */
enum memory_part { PART_FORWARD, PART_BACKWARD, PART_OPTIMIZER, PART_SETUP, PART_CACHE, PART_SEND };

static enum memory_part part_of_event(const struct derived *derived, uint32_t event)
{
	const struct memory_event *of = &derived->profile->memory_events[event];
	uint32_t span = derived_span_at(derived, of->track, of->time);
	bool backward = span != NO_ROW && derived->span_flags[span] & SPAN_BACKWARD;
	for (; span != NO_ROW; span = derived->profile->span_parent[span]) {
		uint16_t role = derived->role[derived->profile->span_name[span]];
		if (role & (NAME_COMMUNICATION | NAME_COLLECTIVE))
			return PART_SEND;
		if (role & NAME_OPTIMIZER)
			return PART_OPTIMIZER;
		backward |= role & (NAME_BACKWARD_ENGINE | NAME_BACKWARD);
	}
	return backward ? PART_BACKWARD : PART_FORWARD;
}

/* By functions of PyTorch, whose names its own code gives, and methods of Python. */
static enum memory_part part_of_stack(const struct profile *profile, uint32_t number)
{
	const struct snapshot *snapshot = profile->snapshot;
	const struct snapshot_stack *stack = &snapshot->stacks[number];
	enum memory_part part = PART_FORWARD;
	for (uint32_t i = 0; i < stack->count && part == PART_FORWARD; i++) {
		const struct snapshot_frame *frame =
			&snapshot->frames[snapshot->calls[stack->first + i]];
		const char *name = profile_string(profile, frame->name);
		const char *file = profile_string(profile, frame->file);
		part = strstr(file, "/distributed/") || strstr(name, "c10d::") ? PART_SEND
		       : strstr(name, "autograd::Engine::")                    ? PART_BACKWARD
		       : strcmp(name, "step") == 0 && strstr(file, "optim")    ? PART_OPTIMIZER
		       : strstr(name, "kv_cache")                              ? PART_CACHE
		       : strcmp(name, "__init__") == 0 || strcmp(name, "_apply") == 0
			       ? PART_SETUP
			       : PART_FORWARD;
	}
	return part;
}

/* ---- what it is for ---- */

/* What happens after a block, seen from the end of the recording. */
struct memory_later {
	enum memory_part part;          /* of the run of allocations that is looked at */
	int64_t first;                  /* allocation of it, so far */
	int64_t run_end;                /* first allocation after it, INT64_MAX */
	int64_t backward, backward_end; /* the next backward pass; INT64_MAX: none */
};

static const struct memory_later nothing_later = { PART_FORWARD, INT64_MAX, INT64_MAX, INT64_MAX,
						   INT64_MAX };

static void look_back(struct memory_later *later, const struct memory_block *block,
		      enum memory_part part)
{
	if (part != later->part) {
		later->run_end = later->first;
		later->part = part;
	}
	later->first = block->from;
	if (part == PART_BACKWARD) {
		later->backward = block->from;
		later->backward_end = later->run_end;
	}
}

static enum memory_category category_of(const struct memory_block *block, enum memory_part part,
					const struct memory_later *later)
{
	bool kept = block->to == INT64_MAX;
	if (part == PART_SEND)
		return MEMORY_COMMUNICATION;
	if (part == PART_SETUP || part == PART_CACHE)
		return !kept && block->to <= later->first ? MEMORY_TEMPORARIES
		       : part == PART_SETUP               ? MEMORY_WEIGHTS
							  : MEMORY_CACHE;
	if (part == PART_BACKWARD || part == PART_OPTIMIZER)
		return !kept && block->to <= later->run_end ? MEMORY_TEMPORARIES
		       : part == PART_BACKWARD              ? MEMORY_GRADIENTS
							    : MEMORY_OPTIMIZER;
	if (!kept && block->to <= later->backward)
		return MEMORY_TEMPORARIES;
	return !kept && block->to <= later->backward_end ? MEMORY_ACTIVATIONS : MEMORY_OTHER;
}

/* The recording from its end, each device of a snapshot for itself. False when cancelled. */
static bool categorize(struct memory_blocks *blocks, const struct derived *derived,
		       const struct progress *progress)
{
	const struct snapshot *snapshot = derived->profile->snapshot;
	struct memory_later later = nothing_later;
	for (size_t i = blocks->count; i-- > 0;) {
		struct memory_block *block = &blocks->items[i];
		if (!progress_heavy_row(progress, "sorting memory", blocks->count - i,
					blocks->count, MEMORY_WEIGHT))
			return false;
		if (block->from == INT64_MIN)
			continue;
		enum memory_part part = snapshot ? part_of_stack(derived->profile, block->source)
						 : part_of_event(derived, block->source);
		if (snapshot && i + 1 < blocks->count && block[1].device != block->device)
			later = nothing_later;
		if (part <= PART_OPTIMIZER)
			look_back(&later, block, part);
		block->category = (uint8_t)category_of(block, part, &later);
	}
	return true;
}

/* ---- the blocks ---- */

static void add_snapshot_blocks(struct memory_blocks *blocks, const struct snapshot *snapshot)
{
	blocks->count = snapshot->allocation_count;
	blocks->items = mem_alloc((blocks->count + 1) * sizeof *blocks->items);
	for (size_t i = 0; i < blocks->count; i++) {
		const struct snapshot_allocation *of = &snapshot->allocations[i];
		bool freed = of->free_entry != NO_VALUE;
		blocks->items[i] = (struct memory_block){
			of->size,   of->alloc_entry, freed ? of->free_entry : INT64_MAX,
			of->device, of->stack,       MEMORY_OTHER
		};
	}
}

static uint64_t memory_place(const struct memory_event *event)
{
	return hash_pair((uint64_t)event->address,
			 (uint64_t)(uint32_t)event->device_type << 32 | (uint32_t)event->device_id);
}

bool memory_blocks_pair(struct memory_blocks *blocks, const struct profile *profile,
			const struct progress *progress)
{
	*blocks = (struct memory_blocks){ 0 };
	AUTO_HASH struct hash *places = hash_new(256);
	blocks->items = mem_alloc((profile->memory_count + 1) * sizeof *blocks->items);
	bool ok = true;
	for_rows (ok, i, profile->memory_count, progress, "pairing events") {
		const struct memory_event *event = &profile->memory_events[i];
		if (event->category)
			continue;
		uint32_t open = hash_last(places, memory_place(event));
		bool frees = open != NO_ROW && blocks->items[open].to == INT64_MAX;
		if (frees)
			blocks->items[open].to = (int64_t)i;
		struct memory_block block = { event->bytes,         (int64_t)i,  INT64_MAX,
					      memory_device(event), (uint32_t)i, MEMORY_OTHER };
		if (event->bytes <= 0) {
			block.bytes = -event->bytes;
			block.from = INT64_MIN;
			block.to = (int64_t)i;
		}
		if (event->bytes > 0)
			hash_add(places, memory_place(event), (uint32_t)blocks->count);
		if (event->bytes > 0 || !frees)
			blocks->items[blocks->count++] = block;
	}
	return ok;
}

bool memory_blocks_find(struct memory_blocks *blocks, const struct derived *derived,
			const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	if (profile->snapshot)
		add_snapshot_blocks(blocks, profile->snapshot);
	else if (!memory_blocks_pair(blocks, profile, progress))
		return false;
	return categorize(blocks, derived, progress);
}

/* ---- without some of them ---- */

COMPARE_MEMBERS(compare_changes, struct memory_change, UP(device) UP(at))

struct memory_removed memory_blocks_remove(struct memory_blocks *blocks, const uint8_t *named,
					   double share)
{
	struct memory_removed removed = {
		.items = mem_alloc((2 * blocks->count + 1) * sizeof *removed.items),
	};
	for (size_t i = 0; i < blocks->count; i++) {
		struct memory_block *block = &blocks->items[i];
		if (!named[i])
			continue;
		int64_t kept = (int64_t)(share * (double)block->bytes);
		int64_t less = block->bytes - kept;
		removed.items[removed.count++] =
			(struct memory_change){ block->from, less, block->device };
		removed.items[removed.count++] =
			(struct memory_change){ block->to, -less, block->device };
		block->bytes = kept;
	}
	sort_items(removed.items, removed.count, compare_changes);
	for (size_t i = 1; i < removed.count; i++)
		if (removed.items[i].device == removed.items[i - 1].device)
			removed.items[i].bytes =
				number_add(removed.items[i - 1].bytes, removed.items[i].bytes);
	return removed;
}

int64_t memory_removed_at(const struct memory_removed *removed, int32_t device, int64_t at)
{
	const struct memory_change wanted = { at, 0, device };
	size_t after = search_first(i, 0, removed->count,
				    compare_changes(&removed->items[i], &wanted) > 0);
	return after && removed->items[after - 1].device == device ? removed->items[after - 1].bytes
								   : 0;
}
