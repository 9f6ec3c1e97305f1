#include "input/kineto/lane_names.h"

#include "base/hash.h"

void lane_names_add(struct lane_names *names, const struct lane_name *name)
{
	*mem_push(names->items, names->count) = *name;
}

CLEAR_MEMBERS(lane_names_clear, struct lane_names, OWN(items))

static uint64_t lane_key(uint32_t process, int64_t tid, uint32_t label)
{
	return hash_pair(hash_pair(process, (uint64_t)tid), label);
}

/* The last name wins. */
static void name_lane(const struct lane_names *names, const struct hash *by_lane,
		      struct track *track)
{
	size_t cursor;
	uint64_t key = lane_key(track->process, track->tid, track->label);
	for (uint32_t i = hash_find(by_lane, key, &cursor); i != NO_ROW;
	     i = hash_next(by_lane, &cursor)) {
		if (names->items[i].sort_index != NO_VALUE)
			track->sort_index = names->items[i].sort_index;
		else
			track->name = names->items[i].text;
	}
}

void lane_names_apply(const struct lane_names *names, struct profile *profile)
{
	AUTO_HASH struct hash *by_lane = hash_new(names->count);
	for (size_t i = 0; i < names->count; i++) {
		const struct lane_name *name = &names->items[i];
		if (name->tid == NO_VALUE && !name->tid_label)
			profile->processes[name->process].name = name->text;
		else
			hash_add(by_lane, lane_key(name->process, name->tid, name->tid_label),
				 (uint32_t)i);
	}
	for (size_t t = 0; t < profile->track_count; t++)
		name_lane(names, by_lane, &profile->tracks[t]);
}
