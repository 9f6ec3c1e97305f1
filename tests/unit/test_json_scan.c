/*
 * The fast forms of scans and numbers agree with reading byte by byte, at every length and beside
 * every byte. Texts end with their block, so that a checker of memory finds what reads on.
 */
#include "test.h"

#include "base/mem.h"
#include "input/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

/* Bytes that numbers are made of, before LENGTH others, each byte in turn the first of them. */
TEST(numbers_end_at_any_byte)
{
	enum { BEHIND = 16 };
	for (unsigned ending = 0; ending < 256; ending++)
		for (size_t length = 0; length < 40; length++) {
			char *text = mem_alloc(length + BEHIND);
			for (size_t i = 0; i < length; i++)
				text[i] = (char)('-' + random_below(&state, '9' - '-' + 1));
			for (size_t i = 0; i < BEHIND; i++)
				text[length + i] = (char)(i ? random_below(&state, 256) : ending);
			size_t end = length;
			while (end < length + BEHIND && text[end] >= '-' && text[end] <= '9')
				end++;
			assert_ptr_equal(scan_number(text, text + length + BEHIND), text + end);
			assert_ptr_equal(scan_number_near(text, text + length + BEHIND),
					 text + end);
			mem_free(text);
		}
}

/* All forms that this processor has, each beside the plain one. */
static void check_quote(const char *text, size_t length, const char *expected)
{
	assert_ptr_equal(scan_quote(text, text + length), expected);
	assert_ptr_equal(scan_quote_far(text, text + length), expected);
#if defined __x86_64__ && defined __GNUC__
	if (scan_has_avx2() && length >= 2 * SCAN_MASKED)
		assert_ptr_equal(scan_quote_near_avx2(text, text + length), expected);
#endif
}

TEST(strings_end_at_any_byte)
{
	for (size_t length = 1; length < 200; length++)
		for (size_t at = 0; at <= length; at++) {
			char *text = mem_alloc(length);
			for (size_t i = 0; i < length; i++)
				text[i] = (char)('a' + random_below(&state, 26));
			if (at < length)
				text[at] = random_below(&state, 2) ? '"' : '\\';
			check_quote(text, length, text + at);
			mem_free(text);
		}
}

static bool is_equal_masked(const char *a, const char *b, uint32_t mask)
{
	bool equal = scan_equal_masked(a, b, mask);
#if defined __x86_64__ && defined __GNUC__
	if (scan_has_avx2())
		assert_int_equal(scan_equal_masked_avx2(a, b, mask), equal);
#endif
	return equal;
}

TEST(masked_bytes_differ)
{
	char one[SCAN_MASKED], other[SCAN_MASKED];
	memset(one, 'x', sizeof one);
	memset(other, 'x', sizeof other);
	for (unsigned at = 0; at < SCAN_MASKED; at++) {
		other[at] = (char)0x87;
		for (unsigned length = 0; length < SCAN_MASKED; length++)
			assert_int_equal(is_equal_masked(one, other, (UINT32_C(1) << length) - 1),
					 at >= length);
		assert_false(is_equal_masked(one, other, UINT32_MAX));
		assert_true(is_equal_masked(one, other, ~(UINT32_C(1) << at)));
		other[at] = 'x';
		assert_true(is_equal_masked(one, other, UINT32_MAX));
	}
}

/* ---- hashes of arrays ---- */

static scan_hash_form *const hash_forms[] = {
	scan_hash,
#if defined __x86_64__ && defined __GNUC__
	scan_hash_avx2,
#endif
};

static size_t usable_hash_forms(void)
{
#if defined __x86_64__ && defined __GNUC__
	return scan_has_avx2() ? 2 : 1;
#else
	return 1;
#endif
}

/* An array of LENGTH bytes with some inside it; returns where other bytes may stand. */
static size_t make_array(char *text, size_t length)
{
	size_t inner = length > 12 ? random_below(&state, (unsigned)length / 4) : 0,
	       from = inner * 2 + 1;
	memset(text, '[', inner + 1);
	memset(text + inner + 1, ']', inner);
	for (size_t i = from; i + 1 < length; i++)
		text[i] = (char)('0' + random_below(&state, 10));
	text[length - 1] = ']';
	return from;
}

/* The hash depends on the array, not on what follows; another byte makes another. */
static void check_hash(scan_hash_form *find_hash, size_t length)
{
	enum { BEHIND = SCAN_MASKED };
	char *text = mem_alloc(length + BEHIND);
	size_t from = make_array(text, length);
	uint64_t first = 0, again = 0;
	memset(text + length, ']', BEHIND);
	const char *close = length <= SCAN_HASHED - SCAN_MASKED ? text + length : NULL;
	if (close)
		assert_ptr_equal(find_hash(text, text + length + BEHIND, &first), close);
	else if (length > SCAN_HASHED)
		assert_null(find_hash(text, text + length + BEHIND, &first));
	memset(text + length, '[', BEHIND);
	if (close && length > from + 1) {
		assert_ptr_equal(find_hash(text, text + length + BEHIND, &again), close);
		assert_int_equal(again, first);
		text[from + random_below(&state, (unsigned)(length - 1 - from))] = 'x';
		assert_ptr_equal(find_hash(text, text + length + BEHIND, &again), close);
		assert_int_not_equal(again, first);
	}
	text[length - 1] = ','; /* never closed */
	assert_null(find_hash(text, text + length + BEHIND, &first));
	mem_free(text);
}

TEST(hash_of_arrays)
{
	for (size_t form = 0; form < usable_hash_forms(); form++)
		for (size_t length = 2; length < SCAN_HASHED + 70; length++)
			for (int round = 0; round < 8; round++)
				check_hash(hash_forms[form], length);
}

/* ---- numbers ---- */

/* TEXT as microseconds with up to three decimals, or as an integer, without any fast path. */
static bool read_plainly(const char *text, size_t length, unsigned decimals_max, int64_t *value)
{
	size_t at = 0, decimals = 0;
	int64_t sum = 0;
	while (at < length && text[at] >= '0' && text[at] <= '9')
		sum = sum * 10 + (text[at++] - '0');
	if (at == 0)
		return false;
	if (at < length && text[at] == '.' && decimals_max)
		for (at++; at < length && text[at] >= '0' && text[at] <= '9'; at++)
			if (decimals < decimals_max) {
				sum = sum * 10 + (text[at] - '0');
				decimals++;
			}
	for (; decimals < decimals_max; decimals++)
		sum *= 10;
	*value = sum;
	return at == length;
}

static void check_number(const char *digits, size_t length)
{
	char *text = mem_alloc(length + !length);
	memcpy(text, digits, length);
	struct json_slice slice = { .text = text, .length = length, .type = JSON_NUMBER };
	int64_t expected, actual;
	if (read_plainly(text, length, 3, &expected)) {
		assert_true(json_time_ns(&slice, &actual));
		assert_int_equal(actual, expected);
	}
	if (read_plainly(text, length, 0, &expected)) {
		assert_true(json_int(&slice, &actual));
		assert_int_equal(actual, expected);
	}
	mem_free(text);
}

TEST(numbers_of_any_length)
{
	for (int round = 0; round < 200; round++)
		for (int whole = 0; whole <= 15; whole++)
			for (int decimals = -1; decimals <= 5; decimals++) {
				char text[32];
				int length = 0;
				for (int i = 0; i < whole; i++)
					text[length++] = (char)('0' + random_below(&state, 10));
				if (decimals >= 0)
					text[length++] = '.';
				for (int i = 0; i < decimals; i++)
					text[length++] = (char)('0' + random_below(&state, 10));
				check_number(text, (size_t)length);
			}
}

/* A byte that is no digit, in every place, is no number, and no number is read past its end. */
TEST(other_bytes_are_no_time)
{
	static const char usual[] = "1234567890123.456";
	static const char others[] = { '/', ':', ' ', '"', 'a', ',', '\0', (char)0xb0, '[' };
	for (size_t from = 0; from + 5 < sizeof usual; from++)
		for (size_t at = from; at + 1 < sizeof usual; at++)
			for (size_t i = 0; i < sizeof others; i++) {
				size_t length = sizeof usual - 1 - from;
				char *text = mem_alloc(length);
				int64_t ns;
				memcpy(text, usual + from, length);
				text[at - from] = others[i];
				struct json_slice slice = { .text = text,
							    .length = length,
							    .type = JSON_NUMBER };
				assert_false(json_time_ns(&slice, &ns));
				mem_free(text);
			}
}

/* What a document begins with, whatever blanks are around each bracket. */
TEST(documents_begin_with_brackets)
{
	static const struct {
		const char *head, *open, *after;
	} heads[] = {
		{ "{\"a\"", "{", "\"a\"" }, { "\xef\xbb\xbf \t[\r\n {  1", "[{", "1" },
		{ "[[1", "[[", "1" },       { "[ [ [1", "[[", "[1" },
		{ " x", "", "x" },          { "{1", "[", NULL },
		{ "[1", "[[", NULL },       { "", "[", NULL },
		{ "[", "[{", NULL },        { "\xef\xbb[", "[", NULL },
	};
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		const char *after = json_after(heads[i].head, heads[i].open);
		if (heads[i].after)
			assert_string_equal(after, heads[i].after);
		else
			assert_null(after);
	}
}
