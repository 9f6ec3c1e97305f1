/*
 * Tables that a person edits as text, compiled into the program (base/embedded.h).
 *
 * A row is a line of cells with bars between them (after a blank: a|b is one cell), which lines
 * that begin with a blank continue;
 * '#' begins a line of comment. The cell of options lists fields that few rows set:
 *
 * step_ns | Step | ns | device, kind=mean
 *         | Mean duration of a step.
 */
#pragma once

#include "text_tables.h"

#include <stddef.h>

struct error;

enum data_kind { DATA_KIND_ROWS(_) };

/* A member of the structure of a row. */
struct data_field {
	const char *option; /* "device"; NULL: the next cell */
	enum data_kind kind;
	size_t offset;
	const char *const *words; /* end in NULL */
};

struct data_table {
	const char *file; /* "columns.txt" */
	const struct data_field *fields;
	size_t field_count, row_size;
	void *rows;                /* once read */
	void (*finish)(void *row); /* sets what its cells imply, once they are read; or NULL */
};

/* One of a file, with an array of fields and the structure that a row is; perhaps .finish. */
#define DATA_TABLE(file, fields, structure, ...)                                                   \
	{                                                                                          \
		file, fields, sizeof(fields) / sizeof *(fields), sizeof(structure), NULL,          \
			__VA_ARGS__                                                                \
	}

/*
 * The rows of TABLE, then one of zeros; they and their texts live as long as the program. Any
 * thread may call it. A malformed table is a bug (base/check.h).
 */
const void *data_table_rows(struct data_table *table);

/* Those of a table that is only there; in its FIELDS, AT is the offset of a member. */
#define DATA_ROWS(file, structure, fields, ...)                                                    \
	({                                                                                         \
		typedef structure data_row;                                                        \
		static const struct data_field data_fields[] = { fields };                         \
		static struct data_table data_table =                                              \
			DATA_TABLE(file, data_fields, structure, __VA_ARGS__);                     \
		(const structure *)data_table_rows(&data_table);                                   \
	})
#define AT(member) offsetof(data_row, member)

/*
 * Read TEXT, which the rows keep parts of, as one that is in TABLE's file; the caller frees the
 * rows. NULL with ERROR_INPUT, which names the line, for a row with too few or many cells, an
 * unknown or repeated option, a word that is none of the field's, or no number.
 */
void *data_table_parse(const struct data_table *table, char *text, struct error *error);
