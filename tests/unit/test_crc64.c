/*
 * CRC-64 of the format of summaries: both implementations (crc64.c) must agree with the standard.
 */
#include "test.h"

#include "base/crc64.h"

#include <string.h>

TEST(check_value_of_the_standard)
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

TEST(any_length_and_alignment)
{
	unsigned char data[300];
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (unsigned char)(i * 167 + 13);
	for (size_t from = 0; from < 9; from++)
		for (size_t size = 0; from + size <= sizeof data; size++)
			assert_true(crc64(0, data + from, size) == by_bits(data + from, size));
}

TEST(parts_continue_each_other)
{
	unsigned char data[100];
	memset(data, 0xa5, sizeof data);
	uint64_t whole = crc64(0, data, sizeof data);
	for (size_t cut = 0; cut <= sizeof data; cut++)
		assert_true(crc64(crc64(0, data, cut), data + cut, sizeof data - cut) == whole);
}
