/*
 * Allocations of a recording.
 */
#include "base/compare.h"
#include "base/sort.h"
#include "input/cuda/cuda_memory.h"
#include "input/rocm/rocpd_private.h"

struct allocation {
	int64_t time, address, bytes; /* bytes -1: a release */
	int64_t device;               /* -1: host memory */
	uint32_t track;
};

struct allocations {
	GROWING(struct allocation, item, count);
};

COMPARE_MEMBERS(rocpd_memory_compare_times, struct allocation,
		UP(time) UP(bytes)) /* releases first */

static void rocpd_memory_read_rows(struct rocpd *rocpd, struct allocations *all)
{
	enum { TYPE = PLACE_COLUMNS, LEVEL, START, ADDRESS, SIZE, COLUMNS };
	rocpd_each (rows, rocpd, "memory_allocate",
		    ROCPD_PLACE " type:text! level:text start! address size", COLUMNS) {
		size_t length;
		const char *type = sqlite_text(rows, TYPE, &length);
		const char *level = sqlite_text(rows, LEVEL, &length);
		bool release = type && sqlite3_stricmp(type, "FREE") == 0;
		bool begin = type && sqlite3_stricmp(type, "ALLOC") == 0;
		/* a reserved range of addresses is no memory */
		if (!(release || begin) || (level && sqlite3_stricmp(level, "VIRTUAL") == 0)) {
			profile_skip(rocpd->profile, "memory event that is no allocation");
			continue;
		}
		struct rocpd_lane place = rocpd_place(rocpd, rows);
		const struct rocpd_agent *agent = id_table_find(&rocpd->agents, place.agent);
		int64_t size = sqlite_int(rows, SIZE);
		*mem_push(all->item, all->count) = (struct allocation){
			.time = sqlite_int(rows, START),
			.address = sqlite_int(rows, ADDRESS),
			.bytes = release    ? -1
				 : size < 0 ? 0
					    : size,
			.device = agent ? agent->device : 0,
			.track = rocpd_thread(rocpd, &place),
		};
	}
}

static void rocpd_memory_add(struct rocpd *rocpd, const struct allocation *at,
			     const struct allocation *start)
{
	enum { HOST = 1, DEVICE = 3 }; /* kinds of memory, counted from 1 */
	struct cuda_allocation event = {
		.time = at->time,
		.address = start->address,
		.bytes = start->bytes,
		.kind = start->device < 0 ? HOST : DEVICE,
		.numbering = CUDA_MEMORY_FROM_1,
		.device = start->device,
		.track = at->track,
		.release = at != start,
	};
	cuda_memory_add(rocpd->builder, rocpd->profile, &event);
}

/* A release has neither size nor agent: they are those of the allocation at its address. */
void rocpd_read_memory(struct rocpd *rocpd)
{
	struct allocations all = { 0 };
	rocpd_memory_read_rows(rocpd, &all);
	sort_items(all.item, all.count, rocpd_memory_compare_times);
	AUTO_HASH struct hash *live = hash_new(all.count);
	for (size_t i = 0; i < all.count; i++) {
		struct allocation *item = &all.item[i];
		if (item->bytes >= 0) {
			rocpd_memory_add(rocpd, item, item);
			hash_add(live, (uint64_t)item->address, (uint32_t)i);
			continue;
		}
		uint32_t start = hash_last(live, (uint64_t)item->address);
		if (start == NO_ROW || all.item[start].bytes < 0) {
			profile_skip(rocpd->profile,
				     "release of memory that was not allocated here");
			continue;
		}
		rocpd_memory_add(rocpd, item, &all.item[start]);
		all.item[start].bytes = -1; /* released */
	}
	mem_free(all.item);
}
