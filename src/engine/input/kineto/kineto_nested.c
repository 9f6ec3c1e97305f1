/*
 * GPU time of operators as PyTorch up to 1.7 recorded it: an interval for each operator, from CUDA
 * event to CUDA event, around those of the operators that it calls. What an interval has of its own
 * becomes device work, so that each moment counts once.
 */
#include "base/compare.h"
#include "input/kineto/kineto_rows_private.h"

#include <stdlib.h>

struct nested {
	uint32_t track, row;
	int64_t start, end;
	int64_t own;  /* from here on the time is its own */
	bool settled; /* its row has the first part of that */
};

/* An interval comes before those inside of it. */
COMPARE_MEMBERS(compare_nested, struct nested, UP(track) UP(start) DOWN(end) UP(row))

static bool is_of_operators(const struct profile *profile, uint32_t track)
{
	const struct process *process = &profile->processes[profile->tracks[track].process];
	const char *label = profile_string(profile, process->label);
	return strcmp(label, LEGACY_CUDA) == 0 || strcmp(label, LEGACY_GPU) == 0;
}

static struct nested *collect_nested(const struct profile *profile, size_t *count)
{
	struct nested *items = NULL;
	for (uint32_t i = 0; i < profile->activities; i++) {
		int64_t start = profile->activity_start[i];
		if (!is_of_operators(profile, profile->activity_track[i]))
			continue;
		*mem_push(items, *count) = (struct nested){ .track = profile->activity_track[i],
							    .row = i,
							    .start = start,
							    .end = start + profile->activity_dur[i],
							    .own = start };
	}
	return items;
}

/* The time up to END is the interval's own. */
static void add_own_time(struct rows *rows, struct nested *item, int64_t end)
{
	struct profile *profile = rows->profile;
	struct activity part = {
		.kind = (enum activity_kind)profile->activity_kind[item->row],
		.track = item->track,
		.name = profile->activity_name[item->row],
		.config = NO_ROW,
		.start = item->own,
		.dur = end - item->own,
		.correlation = NO_VALUE,
		.external = profile->activity_external[item->row],
		.bytes = NO_VALUE,
	};
	if (item->settled && part.dur > 0)
		builder_activity(rows->builder, &part);
	if (item->settled || (part.dur <= 0 && end < item->end))
		return;
	profile->activity_start[item->row] = part.start;
	profile->activity_dur[item->row] = part.dur;
	item->settled = true;
}

/* End the intervals of a stack that are over before ITEM starts; NULL: all. */
static size_t end_before(struct rows *rows, struct nested **open, size_t count,
			 const struct nested *item)
{
	while (count) {
		struct nested *top = open[count - 1];
		if (item && item->track == top->track && item->start < top->end)
			break;
		add_own_time(rows, top, top->end);
		count--;
	}
	return count;
}

void rows_separate_nested(struct rows *rows)
{
	size_t count = 0, open_count = 0;
	AUTO_FREE struct nested *items = collect_nested(rows->profile, &count);
	AUTO_FREE struct nested **open = mem_alloc((count + 1) * sizeof *open);
	if (count)
		qsort(items, count, sizeof *items, compare_nested);
	for (size_t i = 0; i < count; i++) {
		struct nested *item = &items[i];
		open_count = end_before(rows, open, open_count, item);
		struct nested *around = open_count ? open[open_count - 1] : NULL;
		if (around && item->end <= around->end) {
			add_own_time(rows, around, item->start);
			around->own = item->end;
		}
		open[open_count++] = item;
	}
	end_before(rows, open, open_count, NULL);
}
