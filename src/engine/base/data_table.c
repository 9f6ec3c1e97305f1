#include "base/data_table.h"

#include "base/check.h"
#include "base/embedded.h"
#include "base/error.h"
#include "base/mem.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Where a row goes, and the line of the file. */
struct data_row {
	const struct data_table *table;
	unsigned char *to;
	size_t line; /* its last */
	struct error *error;
};

static bool refuse_row(const struct data_row *row, const char *what, const char *text)
{
	return error_input(row->error, "%s:%zu: %s \"%s\"", row->table->file, row->line, what,
			   text);
}

/* The next bar that follows a blank, or other SEPARATOR. */
static char *next_separator(char *text, char separator)
{
	char *at = strchr(text, separator);
	while (separator == '|' && at && at > text && !isspace((unsigned char)at[-1]))
		at = strchr(at + 1, separator);
	return at;
}

/* The part of *REST before the next SEPARATOR, without blanks around it; NULL after the last. */
static char *next_part(char **rest, char separator)
{
	char *part = *rest;
	if (!part)
		return NULL;
	char *end = next_separator(part, separator);
	*rest = end ? end + 1 : NULL;
	end = end ? end : part + strlen(part);
	while (end > part && isspace((unsigned char)end[-1]))
		end--;
	*end = 0;
	while (isspace((unsigned char)*part))
		part++;
	return part;
}

static bool set_word(const struct data_row *row, const struct data_field *field, const char *text)
{
	unsigned word = 0;
	while (field->words[word] && strcmp(field->words[word], text) != 0)
		word++;
	memcpy(row->to + field->offset, &word, sizeof word);
	return field->words[word] || refuse_row(row, "unknown word", text);
}

static bool set_data_number(const struct data_row *row, const struct data_field *field,
			    const char *text)
{
	char *end = NULL;
	double real = strtod(text, &end);
	int whole = fabs(real) < INT_MAX ? (int)real : 0;
	if (*end || (end == text && field->kind == DATA_INT) ||
	    (field->kind == DATA_INT && whole != real))
		return refuse_row(row, "not a number:", text);
	if (field->kind == DATA_REAL)
		memcpy(row->to + field->offset, &real, sizeof real);
	else
		memcpy(row->to + field->offset, &whole, sizeof whole);
	return true;
}

static bool set_field(const struct data_row *row, const struct data_field *field, const char *text)
{
	const bool present = true;
	switch (field->kind) {
	case DATA_WORD: return set_word(row, field, text);
	case DATA_INT:
	case DATA_REAL: return set_data_number(row, field, text);
	case DATA_LINES:
	case DATA_TEXT:
		if (strchr(text, '\n'))
			return refuse_row(row, "a line without a bar in", text);
		text = *text ? text : NULL;
		memcpy(row->to + field->offset, &text, sizeof(char *));
		return true;
	case DATA_FLAG: memcpy(row->to + field->offset, &present, sizeof present); return true;
	default: return refuse_row(row, "not a field:", text);
	}
}

static bool set_option(const struct data_row *row, char *option, bool *seen)
{
	char *value = option, *name = next_part(&value, '=');
	for (size_t i = 0; i < row->table->field_count; i++) {
		const struct data_field *field = &row->table->fields[i];
		if (!field->option || strcmp(field->option, name) != 0)
			continue;
		if (seen[i] || !value != (field->kind == DATA_FLAG))
			return refuse_row(row, "repeated, or with a value too many or few:", name);
		seen[i] = true;
		return set_field(row, field, value ? value + strspn(value, " ") : "");
	}
	return refuse_row(row, "unknown option", name);
}

static bool set_options(const struct data_row *row, char *options)
{
	AUTO_FREE bool *seen = mem_zalloc(row->table->field_count, sizeof *seen);
	bool good = true;
	options = *options ? options : NULL;
	while (good && options)
		good = set_option(row, next_part(&options, ','), seen);
	return good;
}

/* Put the lines of a cell together. */
static void join_lines(char *cell)
{
	char *end = cell;
	for (size_t line; *cell; cell += line, cell += strspn(cell, "\n\t ")) {
		line = strcspn(cell, "\n");
		memmove(end, cell, line);
		end += line;
	}
	*end = 0;
}

static bool read_row(const struct data_row *row, char *text)
{
	if (isblank((unsigned char)*text))
		return refuse_row(row, "a row that begins with a blank:", text);
	for_each (field, row->table->fields, row->table->field_count) {
		if (field->option)
			continue;
		char *cell = next_part(&text, '|');
		if (!cell)
			return refuse_row(row, "too few cells", "");
		if (field->kind == DATA_LINES)
			join_lines(cell);
		if (!(field->kind == DATA_OPTIONS ? set_options(row, cell)
						  : set_field(row, field, cell)))
			return false;
	}
	if (row->table->finish)
		row->table->finish(row->to);
	return !text || refuse_row(row, "too many cells:", text);
}

/* Cut off the row that *REST begins with, after comments; NULL at the end. */
static char *next_row(char **rest, size_t *line)
{
	char *row = *rest;
	while (*row == '#' || *row == '\n') {
		row += strcspn(row, "\n");
		row += *row == '\n';
		++*line;
	}
	char *end = row + strcspn(row, "\n");
	for (; *end && isblank((unsigned char)end[1]); end += strcspn(end + 1, "\n") + 1)
		++*line;
	*rest = end + (*end == '\n');
	*end = 0;
	return *row ? row : NULL;
}

void *data_table_parse(const struct data_table *table, char *text, struct error *error)
{
	unsigned char *rows = NULL;
	size_t count = 0;
	struct data_row row = { .table = table, .line = 1, .error = error };
	for (char *next; (next = next_row(&text, &row.line)); row.line++) {
		mem_grow(rows, (count + 1) * table->row_size);
		row.to = memset(rows + count++ * table->row_size, 0, table->row_size);
		if (!read_row(&row, next)) {
			mem_free(rows);
			return NULL;
		}
	}
	rows = mem_realloc(rows, count + 1, table->row_size);
	memset(rows + count * table->row_size, 0, table->row_size);
	return rows;
}

const void *data_table_rows(struct data_table *table)
{
	void *rows = __atomic_load_n(&table->rows, __ATOMIC_ACQUIRE), *none = NULL;
	if (rows)
		return rows;
	const struct embedded *file = embedded_find(table->file);
	struct error error = { 0 };
	require(file, "no %s", table->file);
	char *text = mem_strndup((const char *)file->bytes, file->length);
	rows = data_table_parse(table, text, &error);
	require(rows, "%s", error.message);
	if (__atomic_compare_exchange_n(&table->rows, &none, rows, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		mem_keep(rows);
		mem_keep(text);
		return rows;
	}
	mem_free_all(text, rows); /* another thread was faster */
	return none;
}
