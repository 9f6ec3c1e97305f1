/* Skipping nested JSON values: all forms of the scan agree with reading byte by byte. */
#include "test.h"

#include "base/mem.h"
#include "input/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What reading byte by byte finds: the length of the value, or why there is none. */
struct outcome {
	enum json_status status;
	size_t length;
};

/* From AT with DEPTH brackets open, outside of strings; START is where the value starts. */
static struct outcome skip_bytewise(const char *start, const char *at, const char *end,
				    size_t depth)
{
	struct json_cursor cursor = { .at = at, .end = end };
	while (cursor.at < end) {
		char c = *cursor.at;
		if (c == '"') {
			struct json_slice string;
			enum json_status status = json_string(&cursor, &string);
			if (status != JSON_OK)
				return (struct outcome){ status, 0 };
			if (json_next(&cursor, &c) == JSON_OK && !strchr(",:]}", c))
				return (struct outcome){ JSON_BAD, 0 };
			continue;
		}
		cursor.at++;
		depth += c == '[' || c == '{';
		if ((c == ']' || c == '}') && --depth == 0)
			return (struct outcome){ JSON_OK, (size_t)(cursor.at - start) };
	}
	return (struct outcome){ JSON_MORE, 0 };
}

static void assert_outcome(const char *form, const char *text, size_t length,
			   struct outcome expected, struct outcome actual)
{
	if (actual.status != expected.status || actual.length != expected.length)
		fail_msg("%s: status %d, length %zu, expected %d, %zu: %.*s", form, actual.status,
			 actual.length, expected.status, expected.length, (int)length, text);
}

/* TEXT starts with a bracket. It is copied to the end of a block, so that a form that reads on is
 * found by a checker of memory. */
static void check(const char *text, size_t length)
{
	char *copy = mem_alloc(length);
	memcpy(copy, text, length);
	struct outcome expected = skip_bytewise(copy, copy, copy + length, 0);
	for (size_t i = 0; i < scan_form_count; i++) {
		size_t depth = 0;
		if (!scan_forms[i].is_usable())
			continue;
		const char *at = scan_forms[i].scan(copy, copy + length, &depth);
		bool ended = depth == 0 && at > copy;
		assert_true(at >= copy && at <= copy + length);
		assert_outcome(scan_forms[i].name, text, length, expected,
			       ended ? (struct outcome){ JSON_OK, (size_t)(at - copy) }
				     : skip_bytewise(copy, at, copy + length, depth));
	}
	struct json_cursor cursor = { .at = copy, .end = copy + length };
	struct json_slice slice = { 0 };
	enum json_status status = json_value(&cursor, &slice);
	assert_outcome("json_value", text, length, expected,
		       (struct outcome){ status, status == JSON_OK ? slice.length : 0 });
	mem_free(copy);
}

static uint64_t state = 1;

/* Pieces of which some are likely, some break a string or a value. */
static const char *const pieces[] = {
	"[",      "]",        "{",    "}",           "\"",      "\",",
	",",      ":",        " ",    "\n",          "64, ",    "[]",
	"[[],[]", "{}",       "\\\"", "\\\\",        "\\u12",   "\\u00e9",
	"\\x",    "\"a]b\":", "\"\"", "\"float\", ", "\"[{\"]", "0123456789012345678901234567"
};

TEST(forms_agree_on_random_text)
{
	for (unsigned round = 0; round < 60000; round++) {
		char text[512];
		/* Few pieces at first, so that long stretches are plain. */
		unsigned kinds = 10 + random_below(&state, sizeof pieces / sizeof *pieces - 9);
		size_t length = 1, wanted = 1 + random_below(&state, 400);
		text[0] = random_below(&state, 2) ? '[' : '{';
		while (length < wanted) {
			const char *piece = pieces[random_below(&state, kinds)];
			size_t size = strlen(piece);
			memcpy(text + length, piece, size);
			length += size;
		}
		if (test_sampled(round, 3))
			check(text, length);
	}
}

/* Append a well-formed value. */
static size_t put_value(char *text, size_t at, size_t max, unsigned levels)
{
	static const char *const leaves[] = {
		"1",    "-2.5",     "\"\"",     "\"a\"", "\"a long name with ] and {\"",
		"null", "\"\\\\\"", "\"\\\"\"", "[]",    "{}"
	};
	unsigned count = random_below(&state, 6);
	if (!levels || at + 64 > max) {
		const char *leaf = leaves[random_below(&state, sizeof leaves / sizeof *leaves)];
		memcpy(text + at, leaf, strlen(leaf));
		return at + strlen(leaf);
	}
	bool is_array = random_below(&state, 2);
	text[at++] = is_array ? '[' : '{';
	for (unsigned i = 0; i < count && at + 64 < max; i++) {
		if (i)
			at += (size_t)sprintf(text + at, random_below(&state, 2) ? ", " : ",");
		if (!is_array)
			at += (size_t)sprintf(text + at,
					      "\"%u\":", (unsigned)random_below(&state, 1000000));
		at = put_value(text, at, max, levels - 1);
	}
	text[at++] = is_array ? ']' : '}';
	return at;
}

TEST(values_end_at_their_bracket)
{
	for (unsigned round = 0; round < 20000; round++) {
		char text[2048];
		size_t length = put_value(text, 0, 1024, 1 + random_below(&state, 6));
		if ((*text != '[' && *text != '{') || !test_sampled(round, 3))
			continue;
		struct json_cursor cursor = { .at = text, .end = text + length };
		struct json_slice slice;
		assert_int_equal(json_value(&cursor, &slice), JSON_OK);
		assert_int_equal(slice.length, length);
		for (size_t cut = 1; cut <= length; cut += 1 + random_below(&state, 16))
			check(text, cut); /* a window may end anywhere */
	}
}

/* What goes on after one block: brackets in strings, quotes at the borders of blocks. */
TEST(borders_of_blocks)
{
	static const char *const tails[] = { "\"]\"]", "\"a\"b]", "\"\\\"\"]", "\"a\" ]",
					     "]]",     "\"]",     "\"\":]",    "{\"]\":[]}]" };
	for (size_t tail = 0; tail < sizeof tails / sizeof *tails; tail++)
		for (size_t blanks = 0; blanks < 100; blanks++)
			for (size_t more = 0; more < 70; more += 23) {
				char text[256];
				int length = sprintf(text, "[%*s%s%*s", (int)blanks, "",
						     tails[tail], (int)more, "");
				check(text, (size_t)length);
			}
}

TEST(the_best_form_is_usable)
{
	assert_true(scan_form_count >= 1);
	assert_string_equal(scan_forms[scan_form_count - 1].name, "plain");
	assert_true(scan_forms[scan_form_count - 1].is_usable());
}

/* At every length, a difference of any one byte is seen; on each machine by its own loads. */
TEST(texts_differ_at_any_byte)
{
	char one[80], other[80];
	for (size_t length = 0; length < sizeof one; length++) {
		memset(one, 'x', sizeof one);
		memset(other, 'x', sizeof other);
		assert_true(scan_equal(one, other, length));
		for (size_t at = 0; at < sizeof other; at++) {
			other[at] = 'y';
			assert_int_equal(scan_equal(one, other, length), at >= length);
			other[at] = 'x';
		}
	}
	memset(other, 'x', sizeof other);
	for (unsigned at = 0; at < SCAN_MASKED; at++) {
		other[at] = 'y';
		assert_false(scan_equal_masked(one, other, UINT32_C(1) << at));
		assert_true(scan_equal_masked(one, other, ~(UINT32_C(1) << at)));
		other[at] = 'x';
	}
}
