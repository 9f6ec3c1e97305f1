/*
 * Tables in text: cells, options, continued rows; each kind of mistake is refused with its line.
 */
#include "test.h"

#include "analysis/work/device_peaks.h"
#include "analysis/work/work.h"
#include "base/data_table.h"
#include "base/embedded.h"
#include "base/error.h"
#include "base/mem.h"
#include "table/table.h"

#include <stdio.h>
#include <string.h>

enum size { SMALL, LARGE };

struct item {
	const char *name;
	enum size size;
	int count;
	double rate;
	bool old;
	const char *note;
};

static const char *const sizes[] = { "small", "large", NULL };
static const struct data_field item_fields[] = {
	{ NULL, DATA_TEXT, offsetof(struct item, name) },
	{ NULL, DATA_WORD, offsetof(struct item, size), sizes },
	{ NULL, DATA_INT, offsetof(struct item, count) },
	{ NULL, DATA_OPTIONS },
	{ NULL, DATA_REAL, offsetof(struct item, rate) },
	{ "old", DATA_FLAG, offsetof(struct item, old) },
	{ "note", DATA_TEXT, offsetof(struct item, note) },
};
static const struct data_table items = DATA_TABLE("items.txt", item_fields, struct item);

TEST(rows_are_read)
{
	char text[] = "# heading | with a bar\n\n"
		      "one | small | -3 | | 2.5\n"
		      "# between\n"
		      "the|second | large | 4\n"
		      "\t| note=a=b c, old\n"
		      "\t|\n";
	struct error error = { 0 };
	AUTO_FREE struct item *rows = data_table_parse(&items, text, &error);
	assert_non_null(rows);
	assert_string_equal(rows[0].name, "one");
	assert_int_equal(rows[0].size, SMALL);
	assert_int_equal(rows[0].count, -3);
	assert_true(rows[0].rate == 2.5);
	assert_false(rows[0].old);
	assert_null(rows[0].note);
	assert_string_equal(rows[1].name, "the|second");
	assert_int_equal(rows[1].size, LARGE);
	assert_int_equal(rows[1].count, 4);
	assert_true(rows[1].rate == 0);
	assert_true(rows[1].old);
	assert_string_equal(rows[1].note, "a=b c");
	assert_null(rows[2].name);
}

TEST(lines_of_a_cell_are_put_together)
{
	static const struct data_field fields[] = { { NULL, DATA_LINES, 0 },
						    { NULL, DATA_LINES, sizeof(char *) } };
	static const struct data_table pairs = DATA_TABLE("pairs.txt", fields, char *[2]);
	char text[] = "a |\n  x|\n\t (y|\n  z)\nb | one line\nc |\n";
	struct error error = { 0 };
	AUTO_FREE char **rows = data_table_parse(&pairs, text, &error);
	assert_non_null(rows);
	assert_string_equal(rows[0], "a");
	assert_string_equal(rows[1], "x|(y|z)");
	assert_string_equal(rows[3], "one line");
	assert_string_equal(rows[4], "c");
	assert_null(rows[5]);
}

TEST(mistakes_are_refused)
{
	static const struct {
		const char *row, *message;
	} cases[] = {
		{ "a | small | 1 |", "items.txt:2: too few cells" },
		{ "a | small | 1 | | 2 | 3", "items.txt:2: too many cells: \" 3\"" },
		{ "a | tiny | 1 | | 2", "items.txt:2: unknown word \"tiny\"" },
		{ "a | | 1 | | 2", "items.txt:2: unknown word \"\"" },
		{ "a | small | | | 2", "items.txt:2: not a number: \"\"" },
		{ "a | small | 1.5 | | 2", "items.txt:2: not a number: \"1.5\"" },
		{ "a | small | 1 | | 2x", "items.txt:2: not a number: \"2x\"" },
		{ "a | small | 99999999999 | | 2", "items.txt:2: not a number: \"99999999999\"" },
		{ "a | small | nan | | 2", "items.txt:2: not a number: \"nan\"" },
		{ "a | small | 1 | new | 2", "items.txt:2: unknown option \"new\"" },
		{ "a | small | 1 | old, old | 2", "items.txt:2: repeated" },
		{ "a | small | 1 | old=1 | 2", "items.txt:2: repeated" },
		{ "a | small | 1 | note | 2", "items.txt:2: repeated" },
		{ "a | small | 1 | old, | 2", "items.txt:2: unknown option \"\"" },
		{ "a\n\tb | small | 1 | | 2", "items.txt:3: a line without a bar" },
		{ " a | small | 1 | | 2", "items.txt:2: a row that begins with a blank" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct error error = { 0 };
		char text[200];
		snprintf(text, sizeof text, "# first\n%s\n", cases[i].row);
		if (data_table_parse(&items, text, &error))
			fail_msg("not refused: %s", cases[i].row);
		if (strncmp(error.message, cases[i].message, strlen(cases[i].message)) != 0)
			fail_msg("%s: %s", cases[i].row, error.message);
	}
}

TEST(no_rows_are_a_table)
{
	char text[] = "# nothing\n";
	AUTO_FREE struct item *rows = data_table_parse(&items, text, NULL);
	assert_non_null(rows);
	assert_null(rows[0].name);
}

/* Rows of an embedded file in which each takes one line. */
static size_t count_lines(const char *name)
{
	size_t count = 0;
	const struct embedded *file = embedded_find(name);
	assert_non_null(file);
	const char *line = (const char *)file->bytes, *end = line + file->length;
	for (; line < end; line = memchr(line, '\n', (size_t)(end - line)), line++)
		count += *line != '#' && *line != '\n';
	return count;
}

/* A malformed one stops the program. */
TEST(tables_of_the_program_are_read)
{
	size_t columns = 0, devices = 0;
	struct work work;
	const struct work_call call = { .name = "no_such_operator", .shapes = "[[1]]" };
	assert_false(work_of_call(&call, &work));
	while (column_at(columns))
		columns++;
	while (device_peaks_name(devices))
		devices++;
	assert_int_equal(columns, count_lines("columns.txt"));
	assert_int_equal(devices, count_lines("device_peaks.txt"));
}
