/*
 * A stable sort of places by 64-bit keys, in time linear in their number.
 */
#ifndef STRATA_BASE_RADIX_H
#define STRATA_BASE_RADIX_H

#include "base/progress.h"

struct keys {
	uint64_t *key;
	uint32_t *place;
	size_t count;
};

struct keys keys_new(size_t room);
void keys_free(struct keys *keys);

static inline void keys_add(struct keys *keys, uint64_t key, uint32_t place)
{
	keys->key[keys->count] = key;
	keys->place[keys->count++] = place;
}

/* Numbers whose order as unsigned is that of the value; -0 is 0, NaN has no place. */
uint64_t key_of_int(int64_t value);
int64_t int_of_key(uint64_t key);
uint64_t key_of_real(double value);

/* By key, ascending; places of the same key stay in their order.  False when cancelled: in any
 * order. */
bool radix_sort(struct keys *keys, const struct progress *progress);

#endif
