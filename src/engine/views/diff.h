/*
 * Comparison of two runs: declarations shared by the diff_*.c files.
 *
 * Each side is the table of an ordinary view, so its numbers equal those of the single report. Rows
 * are aligned by name, and changes compared with the variation within each run.
 */
#ifndef STRATA_VIEWS_DIFF_H
#define STRATA_VIEWS_DIFF_H

#include "analysis/align.h"
#include "analysis/spread.h"
#include "views/views.h"

struct step_change;

enum diff_rows {
	DIFF_ALL,     /* all rows of the view */
	DIFF_MODULES, /* layer tree: modules only */
	DIFF_LAYERS,  /* layers that enclose operators, with the work of no inner layer */
};

/* A grouping of the comparison: which columns of a view are compared. */
struct diff_grouping {
	const char *name;
	const struct view *view;
	const char *group; /* of the view; NULL: default */
	const char *kind;  /* constant kind of all rows; NULL: from the view's column */
	const char *calls, *gpu, *cpu, *bytes; /* column ids; NULL: none */
	const char *qualifier; /* column that distinguishes rows of equal name, or NULL */
	enum diff_rows rows;
	bool tree; /* show as tree */
};

struct diff_row {
	struct value name, path, kind, qualifier;
	uint32_t parent; /* row; NO_ROW for the root, row 0, which is not shown */
	uint32_t depth;
	bool layer;                     /* encloses operators */
	int64_t calls, gpu, cpu, bytes; /* NO_VALUE if missing */
	struct ref ref;
};

/* One of the two runs as a table. */
struct diff_side {
	const struct run *run;
	const struct rank *rank; /* acquired */
	struct scope scope;      /* ids of this run */
	bool absent;             /* the scope does not exist in this run */
	struct table *table;     /* NULL if absent; owns the texts of the rows */
	struct diff_row *rows;
	struct align_row *align; /* parallel to rows */
	uint32_t count;

	struct spread *gpu, *cpu; /* by row */
	uint32_t steps;           /* complete steps in scope */
};

/* Build one side; SCOPE uses FROM's ids. False with ERROR. The caller frees SIDE in either case. */
bool diff_side_build(struct diff_side *side, const struct diff_grouping *grouping,
		     const struct rank *from, const struct scope *scope, struct intern *keys,
		     const struct progress *progress, struct error *error);
void diff_side_free(struct diff_side *side);

/* Set steps, then gpu and cpu: per step if BY_STEP, otherwise per call. False with ERROR. */
uint32_t diff_count_steps(const struct diff_side *side);
bool diff_measure(struct diff_side *side, const struct diff_grouping *grouping, bool by_step,
		  const struct progress *progress, struct error *error);

/* Rows of the "steps" grouping. */
void diff_add_steps(struct table *table, const struct diff_side *base, const struct diff_side *new);

/* Set base, new and delta columns of "gpu", "cpu" or "bytes"; nothing if both are NO_VALUE. */
void diff_set(struct table *table, size_t row, const char *const columns[3], int64_t base,
	      int64_t new);
extern const char *const diff_gpu_columns[3], *const diff_cpu_columns[3],
						      *const diff_bytes_columns[3];

/* Change of RUN's steps relative to its base (analysis/step_change.h). False with ERROR. */
bool step_change_of_run(const struct run *run, const struct scope *scope,
			struct step_change *change, const struct progress *progress,
			struct error *error);

#endif
