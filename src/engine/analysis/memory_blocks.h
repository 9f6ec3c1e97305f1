/*
 * Memory as blocks: each from the event that allocates it to the one that frees it.
 *
 * Events are counted: memory events of a profile, or trace entries of a snapshot's device.
 */
#ifndef STRATA_ANALYSIS_MEMORY_BLOCKS_H
#define STRATA_ANALYSIS_MEMORY_BLOCKS_H

#include "base/listed.h"
#include "base/progress.h"
#include "text_tables.h"

struct derived;

/*
 * What a block is for, by where it is allocated and what runs until it is freed:
 *
 * weights, cache: by code that makes a model or the KV cache, and alive after it;
 * gradients: in a backward pass, and alive after it;
 * optimizer state: in a step of the optimizer, and alive after it;
 * activations: before a backward pass, alive when it begins and freed in it;
 * communication: in a call that communicates;
 * temporaries: freed before any of these;
 * other: the rest, such as inputs and results that the program keeps;
 * fragmentation: of no block, what the allocator holds besides.
 */
enum memory_category { MEMORY_CATEGORY_ROWS(LISTED) };
const char *memory_category_name(enum memory_category category);

struct memory_block {
	int64_t bytes;
	int64_t from, to; /* INT64_MIN: before all events; INT64_MAX: never freed */
	int32_t device;   /* -1: the host */
	uint32_t source;  /* the event; the stack of a snapshot */
	uint8_t category; /* enum memory_category */
};

struct memory_blocks {
	struct memory_block *items; /* of each device in the order of their allocation */
	size_t count;
};

/* Blocks of the snapshot, else of the memory events, also those that these only free, of no
 * category. False when cancelled; the caller frees. */
bool memory_blocks_find(struct memory_blocks *blocks, const struct derived *derived,
			const struct progress *progress);
/* Likewise of the memory events, all without a category. */
struct profile;
bool memory_blocks_pair(struct memory_blocks *blocks, const struct profile *profile,
			const struct progress *progress);
void memory_blocks_free(struct memory_blocks *blocks);

/* Is the block alive after event AT of its device? */
static inline bool memory_block_is_alive(const struct memory_block *block, int64_t at)
{
	return block->from <= at && at < block->to;
}

/* What a replay of the events lacks without some blocks: sums after each change. */
struct memory_removed {
	struct memory_change {
		int64_t at, bytes;
		int32_t device;
	} * items;
	size_t count;
};

/* Of the blocks that are NAMED, by number, keep a SHARE. The caller frees. */
struct memory_removed memory_blocks_remove(struct memory_blocks *blocks, const uint8_t *named,
					   double share);

/* Bytes left out of what is alive after event AT of DEVICE. */
int64_t memory_removed_at(const struct memory_removed *removed, int32_t device, int64_t at);

#endif
