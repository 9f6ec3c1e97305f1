/*
 * The tables that the reader of printed text knows, line by line.
 */
#pragma once

#include "input/text_format.h"
#include "model/python_stats.h"

enum {
	PRINTED_COLUMNS_MAX = 32, /* limit: columns of a printed table */
};

/* What a text is, most specific first. */
enum printed_kind { PRINTED_KIND_ROWS(LISTED) PRINTED_KINDS };

struct printed_table;

/* What is printed below a table of torch. */
enum torch_total { TORCH_CPU_SELF, TORCH_GPU_SELF, TORCH_GPU_TOTAL, TORCH_TOTALS };

struct torch_table {
	size_t from;                   /* its first operator; it ends with the next table's */
	uint32_t section;              /* of its rows, interned; 0: none */
	bool shaped;                   /* rows are by input shapes, too */
	double totals_s[TORCH_TOTALS]; /* NaN: not printed */
};

struct printed {
	struct text_reading text;
	struct python_stats *stats;        /* of the profile */
	const struct printed_table *table; /* that the last line was in; NULL: none */
	uint32_t section;                  /* of rows that follow, interned; 0: none */
	bool seen[PRINTED_KINDS];

	/* pstats */
	uint32_t summary;   /* the last "N function calls" line, interned */
	uint32_t summaries; /* different ones in this section */
	bool summary_read;  /* rows of it were read */
	uint32_t whole;     /* the summary whose functions all were printed; 0: none yet */
	bool reduced;       /* the table that follows has not all functions */
	bool again;         /* the table has those of another, perhaps in other words */
	double stated_s;    /* the time that it states, until its first table; 0: none */
	uint32_t subject;   /* function of a table of callers or callees; NO_ROW */
	bool callees;       /* the table lists what functions call */

	/* line_profiler */
	double unit_s, total_s;  /* of its times; of the function that follows; 0: not told yet */
	uint32_t name, function; /* of the table that follows, and that being read */
	int64_t defined;         /* line where it is */
	size_t contents;         /* column of the source */

	/* memory_profiler, line_profiler */
	uint32_t file; /* of the table that follows */
	bool counted;  /* lines say how often they were executed */

	/* tables with a heading: the meaning of each column */
	uint8_t meaning[PRINTED_COLUMNS_MAX];
	size_t columns;
	size_t from[PRINTED_COLUMNS_MAX],
		to[PRINTED_COLUMNS_MAX]; /* of torch's rule, code points */
	size_t ruled;                    /* columns in it */
	bool after_heading;              /* the rule below the heading was read */
	double flops_scale;              /* of the column's numbers */
	bool stacked;                    /* rows continue with their stack */
	bool row_read;                   /* the last line with an operator became a row */
	uint32_t device;                 /* what torch calls it, but for CUDA; 0: that, or none */
	GROWING(struct torch_table, torch, torch_count);
};

struct printed_table {
	/* Is LINE, trimmed, a heading or another line of this kind? Then take note of it. */
	bool (*begin)(struct printed *printed, struct text_slice line, struct text_slice whole);
	/* Take a line after a heading; false: the table ended before it. */
	bool (*row)(struct printed *printed, struct text_slice line, struct text_slice whole);
};

extern const struct printed_table pstats_functions, pstats_edges, lightning_actions, memory_lines,
	traced_lines, profiled_lines, torch_operators;

void torch_table_add(struct printed *printed, bool shaped);
/*
 * After the last line: tell tables of several profiles apart, leave out rows that were printed
 * again in another order, and tell which rows are of GPU work.
 */
void torch_tell_rows(struct printed *printed);

/* Count a line that looks like a row, but is none. */
void printed_damage(struct printed *printed);
/* Name of the current section, for a fact; OTHERWISE (static) without one. */
const char *printed_section(const struct printed *printed, const char *otherwise);
/* LINE has a '-' or more, and nothing else but blanks and '|'. */
bool printed_rule(struct text_slice line);
