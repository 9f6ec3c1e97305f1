/*
 * Rows of words in fewer bytes: what is written is read again, and damaged bytes are refused or
 * stay within the rows.
 */
#include "test.h"

#include "base/narrow.h"

#include <string.h>

enum { WORDS = 3 };

struct rows {
	uint32_t words[NARROW_ROWS * WORDS];
	size_t count;
};

static size_t pack(unsigned char *out, const struct rows *rows)
{
	return (size_t)(narrow_pack(out, rows->words, rows->count, WORDS) - out);
}

static void is_kept(const struct rows *rows, size_t size)
{
	unsigned char bytes[WORDS * NARROW_WORD_MAX];
	struct rows read = { .count = rows->count };
	struct narrow_bounds bounds[WORDS] = { { UINT32_MAX, 0 },
					       { UINT32_MAX, 0 },
					       { UINT32_MAX, 0 } };
	assert_int_equal(pack(bytes, rows), size);
	assert_ptr_equal(narrow_unpack(bytes, bytes + size, read.words, rows->count, WORDS, bounds),
			 bytes + size);
	assert_memory_equal(&read, rows, sizeof read);
	for (size_t i = 0; i < rows->count * WORDS; i++)
		assert_in_range(rows->words[i] + 1, bounds[i % WORDS].least,
				bounds[i % WORDS].most);
	/* of several, one after another, the widest */
	struct narrow_bounds once[WORDS] = { bounds[0], bounds[1], bounds[2] };
	struct narrow_bounds narrow[WORDS] = { { 500, 600 }, { 500, 600 }, { 500, 600 } };
	narrow_unpack(bytes, bytes + size, read.words, rows->count, WORDS, narrow);
	for (size_t i = 0; i < WORDS; i++) {
		assert_int_equal(narrow[i].least, once[i].least < 500 ? once[i].least : 500);
		assert_int_equal(narrow[i].most, once[i].most > 600 ? once[i].most : 600);
	}
	assert_null(narrow_unpack(bytes, bytes + size - 1, read.words, rows->count, WORDS, bounds));
}

/* One word is the same everywhere, one counts, one is far apart by STEP. */
static struct rows rows_of(size_t count, uint32_t step)
{
	struct rows rows = { .count = count };
	for (size_t i = 0; i < count; i++) {
		rows.words[i * WORDS] = UINT32_MAX;
		rows.words[i * WORDS + 1] = 1000000 + (uint32_t)i;
		rows.words[i * WORDS + 2] = (uint32_t)i * step;
	}
	return rows;
}

TEST(widths_fit_the_values)
{
	struct rows rows = rows_of(NARROW_ROWS, 1);
	is_kept(&rows, 3 * NARROW_WORD_MIN + 2 * NARROW_ROWS);
	rows = rows_of(NARROW_ROWS, 257);
	is_kept(&rows, 3 * NARROW_WORD_MIN + 3 * NARROW_ROWS);
	rows = rows_of(NARROW_ROWS, 258);
	is_kept(&rows, 3 * NARROW_WORD_MIN + 5 * NARROW_ROWS);
	rows = rows_of(7, UINT32_MAX / 3);
	is_kept(&rows, 3 * NARROW_WORD_MIN + 5 * 7);
	rows = rows_of(1, 1);
	is_kept(&rows, 3 * NARROW_WORD_MIN);
}

/* No row (all ones) costs no more than one number below the others. */
TEST(all_ones_are_near_small_numbers)
{
	struct rows rows = rows_of(NARROW_ROWS, 0);
	rows.words[2] = UINT32_MAX;
	rows.words[5] = 254;
	is_kept(&rows, 3 * NARROW_WORD_MIN + 2 * NARROW_ROWS);
}

TEST(damaged_bytes_stay_within_bounds)
{
	unsigned char bytes[WORDS * NARROW_WORD_MAX];
	struct rows rows = rows_of(9, 1000), read = { .count = 9 };
	size_t size = pack(bytes, &rows);
	for (size_t i = 0; i < size * 8; i++) {
		struct narrow_bounds bounds[WORDS] = { { UINT32_MAX, 0 },
						       { UINT32_MAX, 0 },
						       { UINT32_MAX, 0 } };
		bytes[i / 8] ^= 1 << i % 8;
		const unsigned char *end =
			narrow_unpack(bytes, bytes + size, read.words, 9, WORDS, bounds);
		assert_true(!end || end <= bytes + size);
		for (size_t j = 0; end && j < 9 * WORDS; j++)
			assert_in_range(read.words[j] + 1, bounds[j % WORDS].least,
					bounds[j % WORDS].most);
		bytes[i / 8] ^= 1 << i % 8;
	}
}
