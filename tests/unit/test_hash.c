/*
 * The multimap keeps the values of a key in the order in which they were added, however many keys
 * have one value or several. The map of ids keeps the first row of each. Keys of bytes are numbered
 * in order of first use.
 */
#include "test.h"

#include "base/hash.h"
#include "base/intern.h"
#include "base/id_map.h"
#include "base/keyed.h"
#include "base/mem.h"

/* Keys 0 to KEYS; key K gets K % 4 values: K, K + KEYS, K + 2 KEYS. */
enum { KEYS = 5000 };

static struct hash *fill(void)
{
	struct hash *hash = hash_new(0);
	for (uint32_t round = 0; round < 3; round++)
		for (uint32_t key = 0; key < KEYS; key++)
			if (key % 4 > round)
				hash_add(hash, key * UINT64_C(0x100000001), key + round * KEYS);
	return hash;
}

TEST(values_come_in_the_order_added)
{
	struct hash *hash = fill();
	for (uint32_t key = 0; key < KEYS; key++) {
		size_t cursor;
		uint64_t id = key * UINT64_C(0x100000001);
		uint32_t count = 0, value = hash_find(hash, id, &cursor);
		for (; value != UINT32_MAX; value = hash_next(hash, &cursor))
			assert_int_equal(value, key + count++ * KEYS);
		assert_int_equal(count, key % 4);
		assert_int_equal(hash_last(hash, id),
				 count ? key + (count - 1) * KEYS : UINT32_MAX);
	}
	hash_free(hash);
}

TEST(an_unknown_key_has_no_value)
{
	size_t cursor;
	struct hash *hash = fill();
	assert_int_equal(hash_find(hash, KEYS, &cursor), UINT32_MAX);
	assert_int_equal(hash_last(hash, KEYS), UINT32_MAX);
	hash_free(hash);
	hash_free(NULL);
}

/* ---- ids ---- */

/* Add ids, each twice: the row is its place among them. Every one is found, others are not. */
static void check_ids(const int64_t *ids, size_t count)
{
	struct id_map map = { 0 };
	assert_int_equal(id_map_find(&map, ids[0]), UINT32_MAX);
	for (size_t i = 0; i < 2 * count; i++)
		id_map_add(&map, ids[i % count], (uint32_t)i);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(id_map_find(&map, ids[i]), i);
		assert_int_equal(id_map_find(&map, ids[i] ^ INT64_C(1) << 40), UINT32_MAX);
	}
	id_map_clear(&map);
	assert_int_equal(id_map_find(&map, ids[0]), UINT32_MAX);
}

TEST(ids_have_their_first_row)
{
	static int64_t ids[KEYS];
	static const int64_t any[] = { 0, -1, INT64_MAX, INT64_MIN, 7, 30000, 255, 256, 1 };
	for (size_t i = 0; i < KEYS; i++)
		ids[i] = (int64_t)i + 1;
	check_ids(ids, KEYS);
	for (size_t i = 0; i < KEYS; i++)
		ids[i] = (int64_t)(KEYS - i) * 100; /* first without a place, later with one */
	check_ids(ids, KEYS);
	check_ids(any, sizeof any / sizeof *any);
}

/* An id too large for the array keeps its row when the array has come to have a place for it. */
TEST(an_id_keeps_its_row_when_ids_become_dense)
{
	struct id_map map = { 0 };
	id_map_add(&map, KEYS, KEYS + 1);
	for (uint32_t id = 0; id < 2 * KEYS; id++)
		id_map_add(&map, id, id);
	for (uint32_t id = 0; id < 2 * KEYS; id++)
		assert_int_equal(id_map_find(&map, id), id == KEYS ? KEYS + 1 : id);
	assert_true(map.places >= KEYS);
	id_map_clear(&map);
}

/* ---- keys of bytes ---- */

struct pair_count {
	uint32_t seen;
};

TEST(keys_are_numbered_in_order_of_first_use)
{
	struct keyed keyed = { 0 };
	struct pair_count *items = NULL;
	const uint32_t none[2] = { 1, 0 };
	assert_int_equal(keyed_find(&keyed, none, sizeof none), UINT32_MAX);
	for (uint32_t i = 0; i < 3 * KEYS; i++) {
		const uint32_t key[2] = { i % KEYS, UINT32_MAX - i % KEYS };
		struct pair_count *item = keyed_item(&keyed, items, &key);
		assert_int_equal(item->seen++, i / KEYS);
		assert_int_equal(keyed_add(&keyed, key, sizeof key), i % KEYS);
		assert_int_equal(keyed_find(&keyed, key, sizeof key), i % KEYS);
	}
	assert_int_equal(keyed.count, KEYS);
	for (uint32_t i = 0; i < KEYS; i++) {
		const uint32_t *key = keyed_key(&keyed, i);
		assert_int_equal(key[0], i);
		assert_int_equal(key[1], UINT32_MAX - i);
		assert_int_equal(items[i].seen, 3);
	}
	assert_int_equal(keyed_find(&keyed, none, sizeof none), UINT32_MAX);
	mem_free(items);
	keyed_clear(&keyed);
	assert_int_equal(keyed.count, 0);
	keyed_clear(&keyed);
}

/* Of any length, and wherever the byte is. */
TEST(texts_that_differ_in_a_byte_are_two)
{
	char text[100], other[sizeof text];
	struct intern *intern = intern_new();
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)('a' + i % 23);
	for (size_t length = 1; length < sizeof text; length++) {
		uint32_t id = intern_add(intern, text, length);
		assert_int_equal(intern_add(intern, text, length), id);
		assert_true(intern_is(intern, id, text, length));
		assert_false(intern_is(intern, id, text, length - 1));
		for (size_t i = 0; i < length; i++) {
			memcpy(other, text, length);
			other[i] ^= 1;
			assert_false(intern_is(intern, id, other, length));
			assert_int_not_equal(intern_add(intern, other, length), id);
		}
		assert_int_equal(intern_find(intern, text, length), id);
	}
	intern_free(intern);
}
