#include "model/snapshot.h"

#include "base/mem.h"

struct snapshot *snapshot_new(void)
{
	return mem_zalloc(1, sizeof(struct snapshot));
}

void snapshot_free(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	mem_free(snapshot->frames);
	mem_free(snapshot->calls);
	mem_free(snapshot->stacks);
	mem_free(snapshot->blocks);
	mem_free(snapshot->allocations);
	mem_free(snapshot->points);
	mem_free(snapshot->ooms);
	mem_free(snapshot->devices);
	mem_free(snapshot);
}

size_t snapshot_size(const struct snapshot *snapshot)
{
#define HELD(array, cap) snapshot->cap * sizeof *snapshot->array
	return snapshot ? sizeof *snapshot + HELD(frames, frame_cap) + HELD(calls, call_cap) +
				  HELD(stacks, stack_cap) + HELD(blocks, block_cap) +
				  HELD(allocations, allocation_cap) + HELD(points, point_cap) +
				  HELD(ooms, oom_cap) + HELD(devices, device_cap)
			: 0;
#undef HELD
}
