#include "model/frames.h"

#include "base/hash.h"

void frames_init(struct frames *frames)
{
	*frames = (struct frames){ .by_pair = hash_new(256) };
}

CLEAR_MEMBERS(frames_clear, struct frames, OWN_BY(hash_free, by_pair) OWN(frames))

uint32_t frames_add(struct frames *frames, uint32_t name, uint32_t caller)
{
	uint64_t key = hash_pair(name, caller);
	uint32_t known =
		hash_where(at, frames->by_pair, key,
			   frames->frames[at].name == name && frames->frames[at].caller == caller);
	if (known != NO_ROW)
		return known;
	uint32_t depth = caller == NO_ROW ? 0 : frames->frames[caller].depth + 1;
	hash_add(frames->by_pair, key, (uint32_t)frames->count);
	*mem_push(frames->frames, frames->count) = (struct frame){ name, caller, depth };
	return (uint32_t)frames->count - 1;
}
