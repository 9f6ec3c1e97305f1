#include "base/keyed.h"

#include "base/intern.h"

/* The interner's id 0 is the empty string: keys count from 1 there. */

CLEAR_MEMBERS(keyed_clear, struct keyed, OWN_BY(intern_free, keys))

uint32_t keyed_add(struct keyed *keyed, const void *key, size_t size)
{
	keyed->keys = keyed->keys ?: intern_new();
	uint32_t id = intern_add(keyed->keys, key, size);
	keyed->count = id > keyed->count ? id : keyed->count;
	return id - 1;
}

uint32_t keyed_find(const struct keyed *keyed, const void *key, size_t size)
{
	uint32_t id = keyed->keys ? intern_find(keyed->keys, key, size) : UINT32_MAX;
	return id == UINT32_MAX ? UINT32_MAX : id - 1;
}

const void *keyed_key(const struct keyed *keyed, uint32_t at)
{
	return intern_text(keyed->keys, at + 1);
}
