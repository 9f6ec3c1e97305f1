/*
 * The comparison of two runs: what its files share.
 *
 * Each side is the table of a single view, so that its numbers are those of the single report; the
 * rows of both are aligned by name, and judged by how much they vary within each run.
 */
#ifndef STRATA_VIEWS_DIFF_H
#define STRATA_VIEWS_DIFF_H

#include "analysis/align.h"
#include "analysis/spread.h"
#include "views/views.h"

struct step_change;

enum diff_rows {
	DIFF_ALL,     /* every row of the view */
	DIFF_MODULES, /* of the layer tree only the modules */
	DIFF_LAYERS,  /* only what encloses operators, with what is in no layer further in */
};

/* What a grouping compares: the columns of a single view that are its numbers. */
struct diff_grouping {
	const char *name;
	const struct view *view;
	const char *group;                     /* of the view; NULL: its first */
	const char *kind;                      /* of every row; NULL: the view's own column says */
	const char *calls, *gpu, *cpu, *bytes; /* column ids; NULL: it has none */
	const char *qualifier; /* a column that tells rows of one name apart, or NULL */
	enum diff_rows rows;
	bool tree; /* shown as a tree */
};

struct diff_row {
	struct value name, path, kind, qualifier;
	uint32_t parent; /* row; NO_ROW of the root, row 0, which is not shown */
	uint32_t depth;
	bool layer;                     /* encloses operators */
	int64_t calls, gpu, cpu, bytes; /* NO_VALUE where there is none */
	struct ref ref;
};

/* One of the two runs, seen through a view. */
struct diff_side {
	const struct run *run;
	const struct rank *rank; /* held */
	struct scope scope;      /* in the names of this run */
	bool absent;             /* it has nothing of the scope */
	struct table *table;     /* NULL when absent; the rows' texts are its */
	struct diff_row *rows;
	struct align_row *align; /* parallel to rows */
	uint32_t count;

	struct spread *gpu, *cpu; /* by row */
	uint32_t steps;           /* whole steps in scope */
};

/* Build one side; SCOPE is that of FROM's rank.  False with ERROR.  The caller frees either way. */
bool diff_side_build(struct diff_side *side, const struct diff_grouping *grouping,
		     const struct rank *from, const struct scope *scope, struct intern *keys,
		     const struct progress *progress, struct error *error);
void diff_side_free(struct diff_side *side);

/* Fill steps, and then gpu and cpu: by step when BY_STEP, else by call.  False with ERROR. */
uint32_t diff_count_steps(const struct diff_side *side);
bool diff_measure(struct diff_side *side, const struct diff_grouping *grouping, bool by_step,
		  const struct progress *progress, struct error *error);

/* The rows of the grouping "steps". */
void diff_add_steps(struct table *table, const struct diff_side *base, const struct diff_side *new);

/* BASE, NEW and NEW less BASE of "gpu", "cpu" or "bytes"; NO_VALUE on both sides sets nothing. */
void diff_set(struct table *table, size_t row, const char *const columns[3], int64_t base,
	      int64_t new);
extern const char *const diff_gpu_columns[3], *const diff_cpu_columns[3],
						      *const diff_bytes_columns[3];

/* How the steps of RUN differ from those of its base (analysis/step_change.h).  False with ERROR.
 */
bool step_change_of_run(const struct run *run, const struct scope *scope,
			struct step_change *change, const struct progress *progress,
			struct error *error);

#endif
