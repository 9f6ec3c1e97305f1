/*
 * The texts of a table's name column, numbered: an expression is matched with each distinct text
 * once, and rows are then found by number.
 */
#pragma once

#include "table/table_work.h"

/* Without a text in the name column. */
enum { NOT_A_TEXT = UINT32_MAX };

struct table_names {
	uint32_t *number; /* by row, or NOT_A_TEXT */
	struct value *texts;
	size_t count;
};

/*
 * The names of all rows, numbered when first asked for and kept until the rows change or the table
 * is freed. NULL with ERROR when cancelled.
 */
const struct table_names *table_names_of(const struct table *table, const struct progress *progress,
					 struct error *error);
void table_names_free(struct table_names *names); /* NULL is fine */

/*
 * By number: does PATTERN match the text? NULL with ERROR when cancelled; the caller frees it. A
 * match that takes too long counts as none, see pattern_completed.
 */
bool *table_names_match(const struct table_names *names, const struct pattern *pattern,
			const struct progress *progress, struct error *error);
