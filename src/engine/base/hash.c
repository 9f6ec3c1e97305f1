#include "base/hash.h"

#include "base/mem.h"
#include "base/secret.h"

#include <string.h>

/*
 * One cell per distinct key. The values of a key form a chain, so a file whose ids are all equal
 * costs no more than one whose ids differ.
 */
struct cell {
	uint64_t key;
	uint32_t first, last; /* indexes of values; first UINT32_MAX: free */
};

struct link {
	uint32_t value, next; /* next UINT32_MAX: end of the chain */
};

struct hash {
	struct cell *cells;
	size_t mask, used;
	struct link *values;
	size_t count, capacity;
};

static uint64_t scramble(uint64_t key)
{
	key ^= key >> 32;
	key *= 0x9fb21c651e98df25ull;
	key ^= key >> 32;
	key *= 0x9fb21c651e98df25ull;
	return key ^ key >> 29;
}

uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return scramble(a ^ secret.a) * secret.b + b;
}

static struct cell *new_cells(size_t count)
{
	struct cell *cells = mem_alloc(count * sizeof *cells);
	memset(cells, 0xff, count * sizeof *cells);
	return cells;
}

struct hash *hash_new(size_t expected)
{
	struct hash *hash = mem_zalloc(1, sizeof *hash);
	size_t size = 16;
	while (size < expected * 2)
		size *= 2;
	hash->cells = new_cells(size);
	hash->mask = size - 1;
	return hash;
}

void hash_free(struct hash *hash)
{
	if (!hash)
		return;
	mem_free(hash->cells);
	mem_free(hash->values);
	mem_free(hash);
}

/*
 * The home cell of KEY. Seeded: input cannot force collisions. Sixteen consecutive ids share a
 * neighbourhood, so lookups in id order hit the cache.
 */
static size_t place(const struct hash *hash, uint64_t key)
{
	return (scramble((key >> 4 ^ secret.a) * secret.b) << 4 | (key & 15)) & hash->mask;
}

/* The cell of KEY, or the free one to insert it into. */
static struct cell *find_cell(const struct hash *hash, uint64_t key)
{
	for (size_t at = place(hash, key);; at = (at + 1) & hash->mask) {
		struct cell *cell = &hash->cells[at];
		if (cell->first == UINT32_MAX || cell->key == key)
			return cell;
	}
}

static void double_cells(struct hash *hash)
{
	struct cell *old = hash->cells;
	size_t size = hash->mask + 1;
	hash->cells = new_cells(size * 2);
	hash->mask = size * 2 - 1;
	for (size_t i = 0; i < size; i++)
		if (old[i].first != UINT32_MAX)
			*find_cell(hash, old[i].key) = old[i];
	mem_free(old);
}

void hash_add(struct hash *hash, uint64_t key, uint32_t value)
{
	uint32_t at = (uint32_t)hash->count++;
	mem_grow(hash->values, hash->capacity, hash->count);
	hash->values[at] = (struct link){ .value = value, .next = UINT32_MAX };
	struct cell *cell = find_cell(hash, key);
	if (cell->first != UINT32_MAX) {
		hash->values[cell->last].next = at;
		cell->last = at;
		return;
	}
	*cell = (struct cell){ .key = key, .first = at, .last = at };
	if (++hash->used * 2 > hash->mask)
		double_cells(hash);
}

uint32_t hash_find(const struct hash *hash, uint64_t key, size_t *cursor)
{
	uint32_t at = find_cell(hash, key)->first;
	if (at == UINT32_MAX)
		return UINT32_MAX;
	*cursor = at;
	return hash->values[at].value;
}

uint32_t hash_next(const struct hash *hash, size_t *cursor)
{
	uint32_t at = hash->values[*cursor].next;
	if (at == UINT32_MAX)
		return UINT32_MAX;
	*cursor = at;
	return hash->values[at].value;
}

uint32_t hash_last(const struct hash *hash, uint64_t key)
{
	const struct cell *cell = find_cell(hash, key);
	return cell->first == UINT32_MAX ? UINT32_MAX : hash->values[cell->last].value;
}
