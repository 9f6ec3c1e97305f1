#include "base/hash.h"

#include "base/secret.h"

/*
 * One cell per distinct key. Several values of a key form a chain, so a file whose ids are all
 * equal costs no more than one whose ids differ.
 */
struct hash_cell {
	uint64_t key;
	uint32_t first; /* the value if it is alone, else index of its link */
	uint32_t last;  /* index of a link, ALONE or FREE */
};

#define FREE UINT32_MAX
#define ALONE (UINT32_MAX - 1)

struct hash_link {
	uint32_t value, next; /* next UINT32_MAX: end of the chain */
};

struct hash {
	struct hash_cell *cells;
	size_t mask, used;
	struct hash_link *links;
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

static struct hash_cell *new_cells(size_t count)
{
	struct hash_cell *cells = mem_alloc(count * sizeof *cells);
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

FREE_OBJECT(hash_free, struct hash, OWN(cells) OWN(links))

void hash_free_each(struct hash *const *hashes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash_free(hashes[i]);
}

/*
 * The home cell of KEY. Seeded: input cannot force collisions. Sixteen consecutive ids share a
 * neighbourhood, so lookups in id order hit the cache.
 */
static size_t hash_place(const struct hash *hash, uint64_t key)
{
	return (scramble((key >> 4 ^ secret.a) * secret.b) << 4 | (key & 15)) & hash->mask;
}

/* The cell of KEY, or the free one to insert it into. */
static struct hash_cell *find_cell(const struct hash *hash, uint64_t key)
{
	for (size_t at = hash_place(hash, key);; at = (at + 1) & hash->mask) {
		struct hash_cell *cell = &hash->cells[at];
		if (cell->last == FREE || cell->key == key)
			return cell;
	}
}

static void double_cells(struct hash *hash)
{
	AUTO_FREE struct hash_cell *old = hash->cells;
	size_t size = hash->mask + 1;
	hash->cells = new_cells(size * 2);
	hash->mask = size * 2 - 1;
	for (size_t i = 0; i < size; i++)
		if (old[i].last != FREE)
			*find_cell(hash, old[i].key) = old[i];
}

static uint32_t add_link(struct hash *hash, uint32_t value)
{
	mem_grow_to(hash->links, hash->capacity, hash->count + 1);
	hash->links[hash->count] = (struct hash_link){ .value = value, .next = UINT32_MAX };
	return (uint32_t)hash->count++;
}

void hash_add(struct hash *hash, uint64_t key, uint32_t value)
{
	struct hash_cell *cell = find_cell(hash, key);
	if (cell->last == FREE) {
		*cell = (struct hash_cell){ .key = key, .first = value, .last = ALONE };
		if (++hash->used * 2 > hash->mask)
			double_cells(hash);
		return;
	}
	if (cell->last == ALONE)
		cell->first = cell->last = add_link(hash, cell->first);
	uint32_t link = add_link(hash, value);
	hash->links[cell->last].next = link;
	cell->last = link;
}

uint32_t hash_find(const struct hash *hash, uint64_t key, size_t *cursor)
{
	const struct hash_cell *cell = find_cell(hash, key);
	*cursor = cell->first;
	if (cell->last == FREE)
		return UINT32_MAX;
	if (cell->last != ALONE)
		return hash->links[cell->first].value;
	*cursor = SIZE_MAX;
	return cell->first;
}

uint32_t hash_next(const struct hash *hash, size_t *cursor)
{
	uint32_t at = *cursor == SIZE_MAX ? UINT32_MAX : hash->links[*cursor].next;
	if (at == UINT32_MAX)
		return UINT32_MAX;
	*cursor = at;
	return hash->links[at].value;
}

uint32_t hash_last(const struct hash *hash, uint64_t key)
{
	const struct hash_cell *cell = find_cell(hash, key);
	return cell->last == FREE    ? UINT32_MAX
	       : cell->last == ALONE ? cell->first
				     : hash->links[cell->last].value;
}
