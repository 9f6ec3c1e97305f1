/*
 * The multimap keeps the values of a key in the order in which they were added, however many keys
 * have one value or several.
 */
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

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

static void test_values_come_in_the_order_added(void **unused)
{
	(void)unused;
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

static void test_an_unknown_key_has_no_value(void **unused)
{
	(void)unused;
	size_t cursor;
	struct hash *hash = fill();
	assert_int_equal(hash_find(hash, KEYS, &cursor), UINT32_MAX);
	assert_int_equal(hash_last(hash, KEYS), UINT32_MAX);
	hash_free(hash);
	hash_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_come_in_the_order_added),
		cmocka_unit_test(test_an_unknown_key_has_no_value),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
