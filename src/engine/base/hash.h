/*
 * A multimap from 64-bit keys to row numbers; the values of a key keep insertion order.
 */
#pragma once

#include "base/mem.h"

/* FNV-1a of bytes after others: the same in each session, unlike those of the map. */
#define STABLE_HASH UINT64_C(14695981039346656037)
static inline uint64_t hash_stable(uint64_t hash, const void *bytes, size_t length)
{
	for (const unsigned char *at = bytes, *end = at + length; at < end; at++)
		hash = (hash ^ *at) * UINT64_C(1099511628211);
	return hash;
}

struct hash;

struct hash *hash_new(size_t expected);
void hash_free(struct hash *hash); /* NULL is fine */

#define AUTO_HASH AUTO(hash_free_local) /* base/mem.h */
static inline void hash_free_local(struct hash **hash)
{
	hash_free(*hash);
}
/* Free several. */
void hash_free_each(struct hash *const *hashes, size_t count);
#define hash_free_all(...)                                                                         \
	hash_free_each((struct hash *[]){ __VA_ARGS__ },                                           \
		       sizeof((struct hash *[]){ __VA_ARGS__ }) / sizeof(struct hash *))
void hash_add(struct hash *hash, uint64_t key, uint32_t value);

/* The first value of KEY, or UINT32_MAX; hash_next continues at *CURSOR. */
uint32_t hash_find(const struct hash *hash, uint64_t key, size_t *cursor);
uint32_t hash_next(const struct hash *hash, size_t *cursor);
static inline uint32_t hash_first(const struct hash *hash, uint64_t key)
{
	size_t cursor;
	return hash_find(hash, key, &cursor);
}

/* The first value I of KEY that fulfills CONDITION, or UINT32_MAX. */
#define hash_where(i, hash, key, condition)                                                        \
	({                                                                                         \
		size_t cursor_;                                                                    \
		uint32_t i = hash_find((hash), (key), &cursor_);                                   \
		while (i != UINT32_MAX && !(condition))                                            \
			i = hash_next((hash), &cursor_);                                           \
		i;                                                                                 \
	})

/* The last value added for KEY, or UINT32_MAX. */
uint32_t hash_last(const struct hash *hash, uint64_t key);

/* Combine two numbers into one well-mixed key; seeded per process (base/secret.h). */
uint64_t hash_pair(uint64_t a, uint64_t b);
