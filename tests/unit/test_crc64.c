/*
 * CRC-64 of the format of summaries: both implementations (crc64.c) must agree with the standard.
 */
#include "base/crc64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void test_check_value_of_the_standard(void **state)
{
	assert_int_equal(crc64(0, "", 0), 0);
	assert_true(crc64(0, "123456789", 9) == 0x995dc9bbdf1939fa);
}

/* Bit by bit, as the definition has it. */
static uint64_t by_bits(const unsigned char *data, size_t size)
{
	uint64_t crc = UINT64_MAX;
	for (size_t i = 0; i < size; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xc96c5795d7870f42 : 0);
	}
	return ~crc;
}

static void test_any_length_and_alignment(void **state)
{
	unsigned char data[300];
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (unsigned char)(i * 167 + 13);
	for (size_t from = 0; from < 9; from++)
		for (size_t size = 0; from + size <= sizeof data; size++)
			assert_true(crc64(0, data + from, size) == by_bits(data + from, size));
}

static void test_parts_continue_each_other(void **state)
{
	unsigned char data[100];
	memset(data, 0xa5, sizeof data);
	uint64_t whole = crc64(0, data, sizeof data);
	for (size_t cut = 0; cut <= sizeof data; cut++)
		assert_true(crc64(crc64(0, data, cut), data + cut, sizeof data - cut) == whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check_value_of_the_standard),
		cmocka_unit_test(test_any_length_and_alignment),
		cmocka_unit_test(test_parts_continue_each_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
