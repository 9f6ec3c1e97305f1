/*
 * What a profile says of operators or layers without events: sums over a run, as in a file.
 *
 * Rows are in preorder when they nest. Texts are interned in the profile's strings. Unknown numbers
 * are NO_VALUE and NaN.
 */
#pragma once

#include "base/mem.h"

struct total {
	uint32_t name, kind, shapes; /* 0: none */
	uint32_t parent;             /* row, NO_ROW */
	uint32_t depth, unused;
	int64_t calls;
	int64_t gpu_self_ns, gpu_total_ns; /* without and with the rows below */
	int64_t cpu_total_ns;              /* elapsed on the host, with the rows below */
	double flops, bytes;
};

/* A fact about the file: a number, or a text. */
struct total_fact {
	uint32_t section, metric, text; /* text 0: the number */
	uint32_t unused;
	int64_t number;
};

/* A call that the file lists with the id of its record function; texts as in traces of PyTorch. */
struct recorded_op {
	int64_t record_id;
	uint32_t name, shapes, types, concrete; /* interned, 0: none */
	uint32_t parent;                        /* name of the operator or label around it, 0 */
};

struct totals {
	GROWING(struct total, rows, count);
	GROWING(struct total_fact, facts, fact_count);
	struct recorded_op *calls; /* for joining; not stored in an index */
	size_t call_count;
	int64_t pid;            /* whose calls they are, or NO_VALUE */
	bool operators, layers; /* what the rows are: one or both */
};

struct totals *totals_new(void);
void totals_free(struct totals *totals);         /* NULL is fine */
size_t totals_size(const struct totals *totals); /* bytes held; NULL: 0 */

/* Append a row whose numbers are unknown and which has no parent; its number. */
uint32_t totals_add(struct totals *totals, uint32_t name);
/* After the last row: a row without totals gets its own sums and the totals of the rows below. */
void totals_add_up(struct totals *totals);

struct intern;
void totals_fact(struct totals *totals, struct intern *strings, const char *section,
		 const char *metric, int64_t number);
void totals_fact_text(struct totals *totals, struct intern *strings, const char *section,
		      const char *metric, uint32_t text);
