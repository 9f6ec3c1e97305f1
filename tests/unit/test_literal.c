#include "test.h"

#include "base/buffer.h"
#include "base/literal.h"
#include "base/mem.h"

#include <string.h>

static struct arena *arena;

static int make_arena(void **state)
{
	arena = arena_new();
	return 0;
}

static int free_arena(void **state)
{
	arena_free(arena);
	return 0;
}

static const struct literal *parse(const char *text)
{
	const struct literal *literal = literal_parse(arena, text, strlen(text));
	if (!literal)
		fail_msg("refused: %s", text);
	return literal;
}

static void assert_repr(const char *text, const char *expected)
{
	struct buffer out = { 0 };
	literal_repr(&out, parse(text));
	assert_string_equal(buffer_text(&out), expected);
	buffer_free(&out);
}

TEST_AROUND(repr_round_trips, make_arena, free_arena)
{
	static const char *const texts[] = {
		"None",
		"True",
		"False",
		"0",
		"-7",
		"9223372036854775807",
		"1e-05",
		"2.0",
		"1e+16",
		"-0.5",
		"1234567.25",
		"18446744073709551616",
		"''",
		"'it\"s'",
		"\"it's\"",
		"'both \\' and \"'",
		"'a\\nb\\tc\\\\d'",
		"'\\x00'",
		"'h\xc3\xa9'",
		"'\\u202e'",
		"b'\\x00\\xffz'",
		"()",
		"(5,)",
		"(1, 2)",
		"[]",
		"[[], [1]]",
		"{}",
		"{'a': (1, [None]), 'b': {'c': 'd'}}",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_repr(texts[i], texts[i]);
}

TEST_AROUND(all_notations_are_read, make_arena, free_arena)
{
	assert_repr(" [ 1 , 2 , ] ", "[1, 2]");
	assert_repr("(1)", "1");
	assert_repr("1_000", "1000");
	assert_repr("+3", "3");
	assert_repr(".5", "0.5");
	assert_repr("5.", "5.0");
	assert_repr("1E3", "1000.0");
	assert_repr("u'x'", "'x'");
	assert_repr("r'\\d'", "'\\\\d'");
	assert_repr("'\\101\\x42\\u0043\\U00000044\\q'", "'ABCD\\\\q'");
	assert_repr("'\\ud83d'", "'\xef\xbf\xbd'");
	assert_repr("'\\ud83d\\u0058'", "'\xef\xbf\xbdX'");
	assert_repr("'\\ud83d\\ude00'", "'\xf0\x9f\x98\x80'"); /* as JSON writes it */
}

TEST_AROUND(members_are_found, make_arena, free_arena)
{
	int64_t value;
	const struct literal *dict = parse("{'n': 3, 'list': [1, 'x\\x00y'], 'n': 4, 5: 6}");
	assert_true(literal_int(literal_get(dict, "n"), &value));
	assert_int_equal(value, 4);
	assert_null(literal_get(dict, "absent"));
	assert_null(literal_get(literal_get(dict, "n"), "n"));
	const struct literal *text = literal_item(literal_get(dict, "list"), 1);
	assert_int_equal(text->count, 3);
	assert_memory_equal(text->text, "x\0y", 4);
	assert_null(literal_item(literal_get(dict, "list"), 2));
	assert_null(literal_item(NULL, 0));
	assert_false(literal_int(parse("True"), &value));
	assert_false(literal_int(parse("2.0"), &value));
	assert_false(literal_is_text(NULL, ""));
}

static void assert_wrong(const char *text)
{
	if (literal_parse(arena, text, strlen(text)))
		fail_msg("accepted: %s", text);
}

TEST_AROUND(non_literals_are_refused, make_arena, free_arena)
{
	static const char *const texts[] = { "",
					     " ",
					     "nan",
					     "os",
					     "f(1)",
					     "1 + 2",
					     "1 2",
					     "[1",
					     "[1 2]",
					     "[,]",
					     "(1,",
					     "{1}",
					     "{1:",
					     "{1: 2",
					     "]",
					     "'",
					     "'a",
					     "'a\\",
					     "'a\nb'",
					     "'\\x4'",
					     "'\\u12'",
					     "'\\U00110000'",
					     "b'\\x4'",
					     "-",
					     ".",
					     "1.2.3",
					     "1e",
					     "1e5e5",
					     "--1",
					     "1-2",
					     "None1",
					     "a.b",
					     "'a' b",
					     "lambda: 0",
					     "[x for x in []]",
					     "__import__('os')",
					     "\xff",
					     "b",
					     "br" };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_wrong(texts[i]);
}

/*
 * Every prefix of a valid text, in a block of exactly its size so that sanitizers detect overreads.
 */
TEST_AROUND(prefixes_do_not_overread, make_arena, free_arena)
{
	static const char text[] = "{'a': (1, -2.5e-3, [None, True]), \"b'\\x41\\n\": b'\\xff'}";
	for (size_t length = 0; length < sizeof text - 1; length++) {
		char *copy = mem_alloc(length);
		memcpy(copy, text, length);
		assert_null(literal_parse(arena, copy, length));
		mem_free(copy);
	}
	parse(text);
}

TEST_AROUND(limits_are_refused, make_arena, free_arena)
{
	struct buffer deep = { 0 };
	for (int i = 0; i < LITERAL_DEPTH_MAX; i++)
		buffer_putc(&deep, "([{"[i % 2]);
	for (int i = LITERAL_DEPTH_MAX; i-- > 0;)
		buffer_puts(&deep, i % 2 ? "]" : ",)" + (i == LITERAL_DEPTH_MAX));
	parse(buffer_text(&deep));
	buffer_clear(&deep);
	for (int i = 0; i < 100000; i++)
		buffer_putc(&deep, '[');
	assert_wrong(buffer_text(&deep));
	buffer_free(&deep);
}

TEST(reals_match_python_repr)
{
	char out[NUMBER_MAX];
	assert_string_equal(literal_real(out, 973440.0), "973440.0");
	assert_string_equal(literal_real(out, 2.758454771764429e+16), "2.758454771764429e+16");
	assert_string_equal(literal_real(out, 294821.3333333333), "294821.3333333333");
	assert_string_equal(literal_real(out, 9999999999999998.0), "9999999999999998.0");
	assert_string_equal(literal_real(out, 0.0001), "0.0001");
	assert_string_equal(literal_real(out, 0), "0.0");
	assert_string_equal(literal_real(out, -1e100), "-1e+100");
	assert_string_equal(literal_real(out, 5e-324), "5e-324");
}
