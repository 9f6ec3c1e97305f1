/*
 * Numbers keys in the order of their first use: what is grouped by a key lies in an array beside
 * them.
 *
 * A key is bytes, and equal bytes are the same key. Use an array of one integer type, or a
 * structure without padding (static_assert its size).
 */
#pragma once

#include "base/mem.h"

#include <assert.h>

/* Zeroed it holds no keys. */
struct keyed {
	struct intern *keys;
	uint32_t count;
};

void keyed_clear(struct keyed *keyed);
#define AUTO_KEYED AUTO(keyed_clear) /* base/mem.h */

/* The index of a key, added unless it is known: then it is what keyed->count was. Copies KEY. */
uint32_t keyed_add(struct keyed *keyed, const void *key, size_t size);

/* The index of a key, or UINT32_MAX. */
uint32_t keyed_find(const struct keyed *keyed, const void *key, size_t size);

/* The bytes of a key, aligned for any integer, valid until keyed_clear. */
const void *keyed_key(const struct keyed *keyed, uint32_t at);

/*
 * A pointer to the element of KEY (a pointer to its bytes) in ITEMS, an array that grows with the
 * keys and that the caller frees. A new element is zero. Valid until the next keyed_item.
 */
#define keyed_item(keyed, items, key)                                                              \
	({                                                                                         \
		uint32_t keyed_at_ = keyed_add((keyed), (key), sizeof *(key));                     \
		mem_grow_filled(items, (keyed)->count, 0);                                         \
		&(items)[keyed_at_];                                                               \
	})
