/*
 * Stable LSD radix sort of row numbers by 64-bit keys.
 */
#pragma once

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

/* Map values to unsigned keys of the same order; -0 equals 0, NaN is not allowed. */
uint64_t key_of_int(int64_t value);
int64_t int_of_key(uint64_t key);
uint64_t key_of_real(double value);

/* Ascending and stable, in linear time. False when cancelled: the order is then unspecified. */
bool radix_sort(struct keys *keys, const struct progress *progress);
