/*
 * What a summary keeps of a trace: tables of its views, computed when it was made, and where the
 * trace is.
 */
#ifndef STRATA_MODEL_KEPT_H
#define STRATA_MODEL_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kept_kind { KEPT_MISSING, KEPT_INT, KEPT_REAL, KEPT_TEXT, KEPT_KINDS };

struct kept_cell {
	uint8_t kind; /* enum kept_kind */
	union {
		int64_t integer;
		double real;
		uint32_t text; /* interned in the profile's strings */
	};
};

/* Texts of the table itself are interned in the profile's strings, too; 0: none. */
struct kept_table {
	uint32_t view, group; /* group 0: the view's default */
	uint32_t note;
	bool is_tree;     /* rows are in preorder */
	uint64_t rows_of; /* the rows that the trace gives; more than ROWS when the table is cut */
	uint32_t rows, columns;
	uint32_t *column;        /* ids */
	struct kept_cell *cells; /* by column, then row */
	uint32_t *depth;         /* by row; NULL unless a tree */
};

struct kept {
	uint32_t trace;       /* interned path */
	uint32_t made;        /* interned: what wrote the summary, with its options */
	uint64_t trace_bytes; /* its size and checksums, for telling whether it has changed */
	uint64_t trace_head, trace_tail;
	int64_t base_ns, end_ns; /* as in struct profile */
	struct kept_table *tables;
	size_t count;
};

struct kept *kept_new(void);
void kept_free(struct kept *kept);         /* NULL is fine */
size_t kept_size(const struct kept *kept); /* bytes held; NULL: 0 */

#endif
