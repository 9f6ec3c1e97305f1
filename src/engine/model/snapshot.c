#include "model/snapshot.h"

#include "model/profile.h"

struct snapshot *snapshot_new(void)
{
	return mem_zalloc(1, sizeof(struct snapshot));
}

FREE_OBJECT(snapshot_free, struct snapshot,
	    OWN(frames) OWN(calls) OWN(stacks) OWN(blocks) OWN(allocations) OWN(points) OWN(steps)
		    OWN(ooms) OWN(devices))

size_t snapshot_size(const struct snapshot *snapshot)
{
	return snapshot ? sizeof *snapshot + mem_rows(snapshot->frames, snapshot->frame_count) +
				  mem_rows(snapshot->calls, snapshot->call_count) +
				  mem_rows(snapshot->stacks, snapshot->stack_count) +
				  mem_rows(snapshot->blocks, snapshot->block_count) +
				  mem_rows(snapshot->allocations, snapshot->allocation_count) +
				  mem_rows(snapshot->points, snapshot->point_count) +
				  mem_rows(snapshot->steps, snapshot->step_count) +
				  mem_rows(snapshot->ooms, snapshot->oom_count) +
				  mem_rows(snapshot->devices, snapshot->device_count)
			: 0;
}

size_t snapshot_points(const struct snapshot *snapshot)
{
	return snapshot->point_count + 2 * snapshot->step_count;
}

struct snapshot_point snapshot_point(const struct snapshot *snapshot, size_t index)
{
	if (index < snapshot->point_count)
		return snapshot->points[index];
	index -= snapshot->point_count;
	const struct snapshot_step *step = &snapshot->steps[index / 2];
	return (struct snapshot_point){
		.time = step->time,
		.allocated = index % 2 ? step->own : step->total,
		.active = NO_VALUE,
		.reserved = NO_VALUE,
		.entry = step->entry,
		.category = index % 2 ? step->category : 0,
	};
}
