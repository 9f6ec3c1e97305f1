#include "test.h"

#include "base/error.h"
#include "base/text.h"
#include "report/format.h"
#include "fake_views.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Print rows of "things"; the caller frees the buffer. */
static struct buffer print(const char *format, const char *columns, const char *sort, size_t limit,
			   struct style style)
{
	struct table *table = fake_table("things");
	const struct format *form = format_find(format);
	struct extract_options options = { columns, sort, limit, form->all_columns };
	struct extract extract;
	struct output output = { .descriptor = -1 };
	assert_true(extract_make(&extract, table, &options, NULL, NULL));
	assert_true(form->write(&output, &extract, &style, NULL, NULL));
	extract_clear(&extract);
	table_free(table);
	return output.text;
}

static void check(const char *format, const char *columns, const char *sort, size_t limit,
		  struct style style, const char *expected)
{
	struct buffer text = print(format, columns, sort, limit, style);
	assert_string_equal(buffer_text(&text), expected);
	buffer_free(&text);
}

static const struct style plain = { 0 };

TEST(csv_quotes_where_required)
{
	check("csv", "name,calls,stack", "calls:asc", 1, plain,
	      "name,calls,stack\r\n"
	      "\"\x1b[2Jevil, \"\"q\"\" a|b <i>\n\xe2\x80\xae\xff*_x_\",1,\r\n");
	check("csv", "gpu_self_ns,tc_self_pct,tc_eligible", "gpu_self_ns", SIZE_MAX, plain,
	      "gpu_self_ns,tc_self_pct,tc_eligible\r\n9223372036854775807,,0\r\n"
	      "142310000,0.30000000000000004,1\r\n1500,25.1,0\r\n7,12.5,0\r\n");
}

TEST(json_is_exact_and_escaped)
{
	check("json", "name,calls,stack", "calls:asc", 1, plain,
	      "[\n {\"name\": \"\\u001b[2Jevil, \\\"q\\\" a|b <i>\\n\\u202e\\ufffd*_x_\", "
	      "\"calls\": 1, \"stack\": null}\n]\n");
	check("json", "tc_self_pct,tc_eligible", "gpu_self_ns", 2, plain,
	      "[\n {\"tc_self_pct\": null, \"tc_eligible\": false},\n"
	      " {\"tc_self_pct\": 0.30000000000000004, \"tc_eligible\": true}\n]\n");
	check("json", "name", NULL, 0, plain, "[]\n");
	check("ndjson", "calls", "calls,name", 2, plain, "{\"calls\": 10}\n{\"calls\": 3}\n");
	struct buffer all = print("json", NULL, NULL, 1, plain);
	assert_non_null(strstr(buffer_text(&all), "\"tc_eligible\""));
	buffer_free(&all);
}

/* Characters that change what is around them are numbers, in two halves beyond 16 bits. */
TEST(json_hides_no_character)
{
	static const char *const texts[][2] = {
		{ "a\xc3\xa9\xf0\x9f\x98\x80", "\"a\xc3\xa9\xf0\x9f\x98\x80\"" },
		{ "\xf3\xa0\x80\x81x", "\"\\udb40\\udc01x\"" }, /* a tag */
		{ "\xf0\x9d\x85\xb3", "\"\\ud834\\udd73\"" },   /* begins a beam of music */
		{ "\xef\xbb\xbf\t\x7f", "\"\\ufeff\\t\\u007f\"" },
		{ "\\\"", "\"\\\\\\\"\"" },
		{ "", "\"\"" },
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct buffer text = { 0 };
		format_json_string(&text, texts[i][0]);
		assert_string_equal(buffer_text(&text), texts[i][1]);
		buffer_free(&text);
	}
}

TEST(markdown_escapes_markup)
{
	check("markdown", "name,calls", "calls:asc", 1, plain,
	      "| Name | Calls |\n| --- | ---: |\n"
	      "| \\\\x1b\\[2Jevil, \"q\" a\\|b \\<i>\\\\n\\\\u202e\\\\xff\\*\\_x\\_ | 1 |\n");
}

TEST(tables_align_and_report_omitted_rows)
{
	check("table", NULL, NULL, 2, plain,
	      "Name          Calls         GPU Self\n"
	      "------------  -----  ---------------\n"
	      "aten::add         3  9223372036.85 s\n"
	      "aten::conv2d     10        142.31 ms\n"
	      "(2 more rows)\n");
	check("table", "tc_self_pct,name", "calls,name:desc", 2, (struct style){ .width = 17 },
	      "TC Self  Name\n"
	      "-------  --------\n"
	      "   0.3%  aten~v2d\n"
	      "  25.1%  aten~mul\n"
	      "(2 more rows)\n");
	check("table", "calls,gpu_self_ns", NULL, 1, (struct style){ .raw = true, .width = 20 },
	      "Calls\n-----\n    3\n(3 more rows)\n(columns that do not fit: gpu_self_ns)\n");
	/* names keep 24 columns, leave out what is to their right, and take its room */
	check("table", "name,calls,gpu_self_ns", NULL, SIZE_MAX, (struct style){ .width = 40 },
	      "Name                               Calls\n"
	      "---------------------------------  -----\n"
	      "aten::add                              3\n"
	      "aten::conv2d                          10\n"
	      "aten::mul                              3\n"
	      "\\x1b[2Jevil, \"q\"~\\n\\u202e\\xff*_x_      1\n"
	      "(columns that do not fit: gpu_self_ns)\n");
}

TEST(lines_fit_width)
{
	for (size_t width = 1; width < 120; width++) {
		struct buffer text = print("table", "name,calls,gpu_self_ns,tc_self_pct,stack",
					   NULL, SIZE_MAX, (struct style){ .width = width });
		char *rest = text.data;
		for (char *line = strtok_r(rest, "\n", &rest); line;
		     line = strtok_r(rest, "\n", &rest)) {
			if (*line != '(')
				assert_true(text_width(line, strlen(line)) <= width);
			assert_null(strchr(line, '\x1b'));
		}
		buffer_free(&text);
	}
}

static void check_refused(const char *columns, const char *sort, const char *says)
{
	struct extract_options options = { columns, sort, SIZE_MAX, false };
	struct error error = { 0 };
	assert_false(extract_check(view_at(0), &options, &error));
	assert_int_equal(error.code, ERROR_USAGE);
	assert_non_null(strstr(error.message, says));
}

TEST(unknown_names_are_reported)
{
	check_refused("name,nothing", NULL, "\"nothing\"");
	check_refused("+", NULL, "no column");
	check_refused(NULL, "calls:up", "\"up\"");
	check_refused(NULL, "device", "\"device\"");
	struct extract_options good = { "+stack,name", "calls:asc,name", 3, false };
	assert_true(extract_check(view_at(0), &good, NULL));
}

TEST(plus_adds_to_the_default_columns)
{
	check("csv", "+stack", "calls:asc", 0, plain,
	      "name,calls,gpu_self_ns,tc_self_pct,tc_eligible,stack\r\n");
	check("markdown", "+stack,calls", "calls:asc", 0, plain,
	      "| Name | Calls | GPU Self | Stack |\n| --- | ---: | ---: | --- |\n");
}

static char *file_text(const char *path)
{
	static char text[64];
	int file = open(path, O_RDONLY);
	if (file < 0)
		return NULL;
	ssize_t length = read(file, text, sizeof text - 1);
	close(file);
	text[length > 0 ? length : 0] = 0;
	return text;
}

TEST(files_are_replaced_atomically)
{
	char directory[] = "report-test-XXXXXX", path[64];
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof path, "%s/out", directory);
	struct output output;
	assert_true(output_open(&output, path, -1, false, NULL));
	buffer_puts(&output.text, "first");
	assert_null(file_text(path));
	assert_true(output_commit(&output, NULL));
	assert_string_equal(file_text(path), "first");
	assert_int_equal(chmod(path, 0600), 0);

	assert_true(output_open(&output, path, -1, false, NULL));
	buffer_puts(&output.text, "second");
	output_discard(&output);
	assert_string_equal(file_text(path), "first");

	assert_true(output_open(&output, path, -1, false, NULL));
	buffer_puts(&output.text, "third");
	assert_true(output_commit(&output, NULL));
	assert_string_equal(file_text(path), "third");
	struct stat status;
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);

	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(directory), 0); /* so it is empty */
}

TEST(full_disk_is_reported)
{
	if (access("/dev/full", W_OK) != 0)
		skip();
	struct output output;
	struct error error = { 0 };
	assert_true(output_open(&output, "/dev/full", -1, false, NULL));
	buffer_puts(&output.text, "text");
	assert_false(output_commit(&output, &error));
	assert_int_equal(error.code, ERROR_OUTPUT);
	assert_false(output_open(&output, "no/such/directory/file", -1, false, &error));
	assert_int_equal(error.code, ERROR_OUTPUT);
}
