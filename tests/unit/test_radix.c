/*
 * Sorting by keys: ascending and stable, whatever room keys and places need.
 */
#include "test.h"

#include "base/mem.h"
#include "base/radix.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	uint64_t key;
	size_t at; /* in the input */
};

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static int compare_keys(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return (x->key > y->key) - (x->key < y->key);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Sort COUNT keys LEAST + a random number within MASK, with places that are no row numbers. */
static void check_sort(size_t count, uint64_t least, uint64_t mask, uint32_t place_mask)
{
	uint64_t state = 88172645463325252u + count;
	struct entry *expected = mem_alloc(count * sizeof *expected);
	uint32_t *place = mem_alloc(count * sizeof *place);
	struct keys keys = keys_new(count);
	for (size_t i = 0; i < count; i++) {
		expected[i] = (struct entry){ least + (next_random(&state) & mask), i };
		place[i] = (uint32_t)next_random(&state) & place_mask;
		keys_add(&keys, expected[i].key, place[i]);
	}
	qsort(expected, count, sizeof *expected, compare);
	assert_true(radix_sort(&keys, NULL));
	assert_int_equal(keys.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_true(keys.key[i] == expected[i].key);
		assert_int_equal(keys.place[i], place[expected[i].at]);
	}
	keys_free(&keys);
	mem_free(place);
	mem_free(expected);
}

TEST(sorts_keys_of_any_width)
{
	static const size_t counts[] = { 1, 2, 3, 1000, 200000 };
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		check_sort(counts[i], 0, 1, UINT32_MAX);
		check_sort(counts[i], 1000, 0x10000, 0xffff);
		check_sort(counts[i], (uint64_t)1 << 63, 0xffffffff, UINT32_MAX);
		check_sort(counts[i], 0, 0x1ffffffff, UINT32_MAX); /* a bit too wide for one word */
		check_sort(counts[i], 0, UINT64_MAX, 0xff);
	}
}

/* Times from zero on are keys with the highest bit set. */
TEST(keys_keep_the_order_of_numbers)
{
	static const int64_t ints[] = { INT64_MIN, -5, 0, 5, INT64_MAX };
	static const double reals[] = { -1e300, -0.5, 0, 1e-300, 1, 1e300 };
	for (size_t i = 1; i < sizeof ints / sizeof *ints; i++) {
		assert_true(key_of_int(ints[i - 1]) < key_of_int(ints[i]));
		assert_true(int_of_key(key_of_int(ints[i])) == ints[i]);
	}
	for (size_t i = 1; i < sizeof reals / sizeof *reals; i++)
		assert_true(key_of_real(reals[i - 1]) < key_of_real(reals[i]));
	assert_true(key_of_real(-0.0) == key_of_real(0.0));
}

/* Sorts what it is given, stable, and nothing before or after, whatever runs are in there. */
TEST(runs_end_where_the_items_do)
{
	enum { ITEMS = 40, AROUND = 2 };
	uint64_t state = 88172645463325252;
	for (int pass = 0; pass < 2000; pass++) {
		struct entry items[ITEMS + 2 * AROUND];
		size_t count = next_random(&state) % (ITEMS + 1);
		uint64_t key = 1000;
		int way = 0;
		for (size_t i = 0; i < count + 2 * AROUND; i++) {
			if (next_random(&state) % 6 == 0)
				way = (int)(next_random(&state) % 3) - 1;
			key += (uint64_t)way;
			items[i] = (struct entry){ key, i };
		}
		struct entry before[ITEMS + 2 * AROUND], *first = items + AROUND;
		memcpy(before, items, sizeof before);
		assert_true(sort_runs(first, count, sizeof *first, compare_keys, NULL));
		for (size_t i = 1; i < count; i++)
			assert_true(compare(&first[i - 1], &first[i]) < 0);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(first[i].key, before[first[i].at].key);
		for (size_t i = 0; i < AROUND; i++) {
			assert_int_equal(items[i].at, i);
			assert_int_equal(first[count + i].at, AROUND + count + i);
		}
	}
}
