#include "trace_case.h"
#include "file_case.h"

#include "base/buffer.h"
#include "input/open.h"
#include "picture/timeline/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct profile *trace_open_bytes(const void *bytes, size_t length, struct error *error)
{
	char path[] = "trace-case-XXXXXX";

	write_temporary(path, bytes, length);
	struct profile *profile = profile_open(path, NULL, error);
	unlink(path);
	return profile;
}

struct profile *trace_open(const char *text)
{
	struct error error = { 0 };
	struct profile *profile = trace_open_bytes(text, strlen(text), &error);

	if (!profile)
		fail_msg("refused: %s", error.message);
	return profile;
}

struct run *trace_run_bytes(const void *bytes, size_t length)
{
	char path[] = "trace-case-XXXXXX";
	const char *paths[] = { path };
	struct error error = { 0 };

	write_temporary(path, bytes, length);
	struct run *run = run_open(paths, 1, NULL, NULL, &error);
	unlink(path);
	if (!run)
		fail_msg("refused: %s", error.message);
	return run;
}

struct run *trace_run(const char *text)
{
	return trace_run_bytes(text, strlen(text));
}

struct table *trace_view(const struct run *run, const char *name, const struct scope *scope,
			 const char *group)
{
	struct scope whole;
	struct error error = { 0 };
	const struct view *view = view_find(name);

	assert_non_null(view);
	scope_init(&whole);
	struct table *table = view_build(view, run, scope ? scope : &whole, group, NULL, &error);
	if (!table)
		fail_msg("%s: %s", name, error.message);
	return table;
}

int64_t table_number(const struct table *table, size_t row, const char *id)
{
	struct value value = table_cell(table, row, id);

	assert_true(value.kind == VALUE_INT || value.kind == VALUE_MISSING);
	return value.kind == VALUE_INT ? value.integer : 0;
}

const char *table_text(const struct table *table, size_t row, const char *column)
{
	struct value value = table_cell(table, row, column);
	return value.kind == VALUE_TEXT ? value.text : "";
}

bool same_cell(struct value a, struct value b)
{
	if (a.kind == VALUE_TEXT || b.kind == VALUE_TEXT)
		return a.kind == b.kind && a.length == b.length &&
		       !memcmp(a.text, b.text, a.length);
	if (a.kind == VALUE_MISSING || b.kind == VALUE_MISSING)
		return a.kind == b.kind;
	return value_number(a, 0) == value_number(b, 0);
}

static void print_cell(struct buffer *out, struct value value)
{
	if (value.kind == VALUE_INT)
		buffer_printf(out, "%" PRId64, value.integer);
	else if (value.kind == VALUE_REAL)
		buffer_printf(out, "%.6g", value.real);
	else if (value.kind == VALUE_TEXT)
		buffer_add(out, value.text, value.length);
}

void assert_rows(const struct run *run, const char *view, const struct scope *scope,
		 const char *group, const char *columns, const char *rows)
{
	struct table *table = trace_view(run, view, scope, group);
	struct buffer text = { 0 };

	for (size_t row = 0; row < table->rows; row++) {
		for (const char *id = columns; id;
		     id = strchr(id, ',') ? strchr(id, ',') + 1 : NULL) {
			char name[64];
			snprintf(name, sizeof name, "%.*s", (int)strcspn(id, ","), id);
			if (id != columns)
				buffer_putc(&text, ',');
			print_cell(&text, table_cell(table, row, name));
		}
		buffer_putc(&text, '\n');
	}
	if (strcmp(buffer_text(&text), rows) != 0)
		fail_msg("%s of %s:\n%sinstead of\n%s", columns, view, buffer_text(&text), rows);
	buffer_free(&text);
	table_free(table);
}

bool cell_is(const struct table *table, size_t row, const char *column, const char *text)
{
	struct value value = table_cell(table, row, column);
	return value.kind == VALUE_TEXT
		       ? value.length == strlen(text) && memcmp(value.text, text, value.length) == 0
		       : !*text && value.kind == VALUE_MISSING;
}

size_t row_with(const struct table *table, const char *column, const char *text)
{
	size_t found = SIZE_MAX;
	for (size_t row = 0; row < table->rows; row++)
		if (cell_is(table, row, column, text)) {
			assert_int_equal(found, SIZE_MAX);
			found = row;
		}
	assert_int_not_equal(found, SIZE_MAX);
	return found;
}

void assert_cell(const struct table *table, size_t row, const char *column, const char *text)
{
	struct value value = table_cell(table, row, column);
	if (!cell_is(table, row, column, text))
		fail_msg("%s of row %zu: %s instead of %s", column, row,
			 value.kind == VALUE_TEXT ? value.text : "a number", text);
}

char *trace_generate(const char *options, size_t *length)
{
	struct buffer text = { 0 };
	char command[256], block[65536];
	size_t got;

	snprintf(command, sizeof command, "./tracegen %s", options);
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	while ((got = fread(block, 1, sizeof block, pipe)) > 0)
		buffer_add(&text, block, got);
	assert_int_equal(pclose(pipe), 0);
	if (length)
		*length = text.length;
	return text.data;
}

void assert_refused(const void *bytes, size_t length)
{
	struct error error = { 0 };
	struct profile *profile = trace_open_bytes(bytes, length, &error);

	assert_null(profile);
	assert_int_equal(error.code, ERROR_INPUT);
	assert_true(strlen(error.message) > 5);
	print_message("%s\n", error.message);
	assert_null(strchr(error.message, '\n'));
}

static void open_or_refuse(const struct buffer *bytes, size_t length)
{
	struct error error = { 0 };
	struct profile *profile = trace_open_bytes(bytes->data, length, &error);
	assert_true(profile || strlen(error.message) > 5);
	profile_free(profile);
}

void assert_survives_damage(struct buffer *bytes, size_t least)
{
	for (size_t length = least; length < bytes->length; length++)
		open_or_refuse(bytes, length);
	for (size_t at = 0; at < bytes->length; at++) {
		char right = bytes->data[at];
		bytes->data[at] = (char)(at % 3 == 0 ? 0xff : right ^ (1 << at % 8));
		open_or_refuse(bytes, bytes->length);
		bytes->data[at] = right;
	}
}

uint32_t span_named(const struct profile *profile, const char *name)
{
	for (uint32_t i = 0; i < profile->spans; i++)
		if (!strcmp(span_text(profile, i), name))
			return i;
	fail_msg("no span named %s", name);
	return NO_ROW;
}

uint32_t activity_named(const struct profile *profile, const char *name)
{
	for (uint32_t i = 0; i < profile->activities; i++)
		if (!strcmp(profile_string(profile, profile->activity_name[i]), name))
			return i;
	fail_msg("no activity named %s", name);
	return NO_ROW;
}

const char *span_text(const struct profile *profile, uint32_t span)
{
	return profile_string(profile, profile->span_name[span]);
}

uint64_t damage_count(const struct profile *profile, const char *cause)
{
	uint64_t count = 0;

	for (size_t i = 0; i < profile->damage_count; i++)
		if (!cause || !strcmp(profile->damages[i].cause, cause))
			count += profile->damages[i].count;
	return count;
}

struct timeline *timeline_whole(const struct run *run)
{
	struct error error = { 0 };
	struct scope scope;
	scope_init(&scope);
	struct timeline *timeline = timeline_new(run, &scope, NULL, &error);
	assert_non_null(timeline);
	return timeline;
}
