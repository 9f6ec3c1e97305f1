/*
 * A map from 64-bit keys to row numbers.  A key may be added more than once; all its values are
 * found, in the order they were added.
 */
#ifndef STRATA_BASE_HASH_H
#define STRATA_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash;

struct hash *hash_new(size_t expected);
void hash_free(struct hash *hash); /* NULL is fine */
void hash_add(struct hash *hash, uint64_t key, uint32_t value);

/*
 * The first value of KEY, or UINT32_MAX; *CURSOR then leads hash_next to the following ones.
 */
uint32_t hash_find(const struct hash *hash, uint64_t key, size_t *cursor);
uint32_t hash_next(const struct hash *hash, size_t *cursor);

/* The value of KEY that was added last, or UINT32_MAX. */
uint32_t hash_last(const struct hash *hash, uint64_t key);

/* One well-mixed key out of two numbers; another in every run (base/secret.h). */
uint64_t hash_pair(uint64_t a, uint64_t b);

#endif
