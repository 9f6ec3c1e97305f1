/*
 * What a summary keeps of a trace: tables of its views, computed when it was made, and where the
 * trace is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum summary_cell_kind {
	SUMMARY_CELL_MISSING,
	SUMMARY_CELL_INT,
	SUMMARY_CELL_REAL,
	SUMMARY_CELL_TEXT,
	SUMMARY_CELL_KINDS
};

struct summary_cell {
	uint8_t kind; /* enum summary_cell_kind */
	union {
		int64_t integer;
		double real;
		uint32_t text; /* interned in the profile's strings */
	};
};

/* Texts of the table itself are interned in the profile's strings, too; 0: none. */
struct summary_table {
	uint32_t view, group; /* group 0: the view's default */
	uint32_t note;
	bool is_tree;     /* rows are in preorder */
	uint64_t rows_of; /* the rows that the trace gives; more than ROWS when the table is cut */
	uint32_t rows, columns;
	uint32_t *column;           /* ids */
	struct summary_cell *cells; /* by column, then row */
	uint32_t *depth;            /* by row; NULL unless a tree */
};

struct summary_tables {
	const char *trace;       /* its path; in the profile's strings, like MADE */
	const char *made;        /* what wrote the summary, with its options */
	uint64_t trace_bytes;    /* its size, for telling whether it has changed */
	int64_t base_ns, end_ns; /* as in struct profile */
	struct summary_table *items;
	size_t count;
};

struct summary_tables *summary_tables_new(void);
void summary_tables_free(struct summary_tables *tables);         /* NULL is fine */
size_t summary_tables_size(const struct summary_tables *tables); /* bytes held; NULL: 0 */
