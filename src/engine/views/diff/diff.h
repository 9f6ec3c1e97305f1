/*
 * Comparison of two runs: declarations shared by the diff_*.c files.
 *
 * Each side is the table of an ordinary view, so its numbers equal those of the single report. Rows
 * are aligned by name, and changes compared with the variation within each run.
 */
#pragma once

#include "analysis/difference.h"
#include "analysis/matched.h"
#include "views/views.h"

struct step_change;

enum diff_rows {
	DIFF_ALL,     /* all rows of the view */
	DIFF_MODULES, /* layer tree: modules only */
	DIFF_LAYERS,  /* layers that enclose operators, with the work of no inner layer */
};

/* A grouping of the comparison: which columns of a view are compared. A row of groupings.txt. */
struct diff_grouping {
	const char *name;
	enum {
		DIFF_OF_LAYERS,
		DIFF_OF_OPERATORS,
		DIFF_OF_KERNELS,
		DIFF_OF_STEPS,
		DIFF_OF_MEMORY,
		DIFF_OF_FUNCTIONS
	} of;                   /* the view */
	const char *group;      /* of the view; NULL: default */
	const char *kind;       /* constant kind of all rows; NULL: from the view's column */
	const char *kind_above; /* of those that have others below, or NULL */
	const char *calls, *gpu, *cpu, *bytes; /* column ids; NULL: none */
	bool totals;           /* also all time inside; and calls of data loaders and optimizers */
	const char *qualifier; /* column that distinguishes rows of equal name, or NULL */
	enum diff_rows rows;
	bool tree;   /* show as tree */
	bool folded; /* layers of one class below a row of their own */
};

const struct view *diff_view(const struct diff_grouping *grouping);

struct diff_row {
	struct value name, path, kind, qualifier;
	uint32_t parent; /* row; NO_ROW for the root, row 0, which is not shown */
	uint32_t depth;
	bool layer;                     /* encloses operators */
	bool run;                       /* the root of the layer tree */
	bool renamed;                   /* of the new run: its counterpart has another name */
	bool label;                     /* contains calls: its totals are compared */
	int64_t calls, gpu, cpu, bytes; /* NO_VALUE if missing */
	int64_t gpu_total, cpu_total;
	struct ref ref;
};

/* One of the two runs as a table. */
struct diff_side {
	const struct run *run;
	const struct rank *rank; /* acquired */
	struct scope scope;      /* ids of this run */
	bool absent;             /* the scope does not exist in this run */
	struct table *table;     /* NULL if absent; owns the texts of the rows */
	struct table *labels;    /* likewise; or NULL */
	struct diff_row *rows;
	struct align_row *align; /* parallel to rows */
	uint32_t count;

	uint32_t *place_name; /* by layer node: key of its name, equal in both runs */
	uint64_t *place;      /* likewise of its path */
	uint32_t steps;       /* complete steps in scope */
	struct samples gpu_calls, cpu_calls;
	struct extent_times {
		uint32_t *parent;         /* by row, for rows whose times include those below */
		struct spread *gpu, *cpu; /* by row */
	} times[2];
};

/* What of a layer is compared: as the grouping lists it, or less its inner layers. */
enum { EXTENT_LISTED, EXTENT_OWN };

/* What decided about a pair. */
struct decision {
	enum change change;
	bool device; /* device time; otherwise host time */
	bool judged; /* false: no calls correspond */
	bool same;   /* no change, and a notable one is excluded, in its inner layers, too */
	int extent;
};

/* Both sides and their pairs. */
struct comparison {
	const struct diff_grouping *grouping;
	struct diff_side base, new;
	struct pair *pairs;
	size_t count;
	uint32_t steps; /* of both sides together; 0: compare by call */

	struct decision *decisions; /* by pair */

	uint32_t *order; /* the pairs to show, in order */
	size_t shown;
	double *weight; /* by pair: the change, ns or bytes */
};

/* ROW of a side, or a row without values for NO_ROW. */
const struct diff_row *diff_row_of(const struct diff_side *side, uint32_t row);
/* The row from which a pair takes its name: of the new run, else of the base. */
const struct diff_row *diff_named_row(const struct comparison *comparison, const struct pair *pair);
/* Is it the kind of these nodes of the layer tree? */
bool diff_is_kind(struct value kind, enum layer_kind layer);
/* The time that is compared; NO_VALUE if missing. */
int64_t diff_time(const struct diff_row *row, bool device);
/* NEW minus BASE; NO_VALUE counts as 0. */
int64_t diff_difference(int64_t base, int64_t new);

/* Build one side; SCOPE uses FROM's ids. False with ERROR. The caller frees SIDE in either case. */
bool diff_side_build(struct diff_side *side, const struct diff_grouping *grouping,
		     const struct rank *from, const struct scope *scope, struct intern *keys,
		     const struct progress *progress, struct error *error);
void diff_side_free(struct diff_side *side);

/* How many are compared: the first, or both. */
int diff_extents(const struct diff_grouping *grouping);
/* Number the complete, typical steps, over which means are taken, in SLOT, unless it is NULL. */
uint32_t diff_number_steps(const struct diff_side *side, uint32_t *slot);
/* Set the calls and times: per step if BY_STEP, otherwise per call. False with ERROR. */
bool diff_measure(struct diff_side *side, const struct diff_grouping *grouping, bool by_step,
		  const struct progress *progress, struct error *error);

/* Compute the keys of paths from those of names. */
void diff_set_places(struct diff_side *side);

/* Give layers with other names, but the same contents, the keys of their counterparts. */
void diff_pair_layers(struct comparison *comparison);

/* Pair kernels that took each other's place; the superfluous pair has no row on either side. */
void diff_pair_renamed(struct comparison *comparison);

/* Does the pair have different names? */
bool diff_is_renamed(const struct comparison *comparison, size_t index);

/* By the names of their first devices; false where one is unknown. */
bool diff_devices_differ(const struct comparison *comparison);

/* Set how far the runs can be compared, and why not; and note it. */
void diff_note_comparable(struct table *table, const struct comparison *comparison);

/* Put layers of one class below a row of their own. False with ERROR when cancelled. */
bool diff_fold_repeats(struct comparison *comparison, struct table *table,
		       const struct progress *progress, struct error *error);

/* Set the pairs' decisions from the measured sides. False with ERROR. */
bool diff_decide(struct comparison *comparison, const struct progress *progress,
		 struct error *error);
/* The cells "verdict" and "compared" of a pair; NULL: empty. */
const char *diff_verdict(const struct comparison *comparison, size_t index);
const char *diff_compared(const struct comparison *comparison, size_t index);
/* Is it a verdict that finds no sure change? */
bool diff_is_noise(struct value verdict);
/* Does a cell "compared" name this, "GPU" or "CPU"? */
bool diff_is_of(struct value compared, const char *resource);
/* SAME: a notable change is excluded. */
const char *diff_change_name(enum change change, bool same);
const struct spread *diff_spread_at(const struct diff_side *side, int extent, bool device,
				    uint32_t row);

/* Rows of the "steps" grouping. */
void diff_add_steps(struct table *table, const struct diff_side *base, const struct diff_side *new);
void diff_add_phases(struct table *table, const struct diff_side *base,
		     const struct diff_side *new);

/* Set base, new and delta columns of "gpu", "cpu" or "bytes"; nothing if both are NO_VALUE. */
void diff_set(struct table *table, size_t row, const char *const columns[3], int64_t base,
	      int64_t new);
extern const char *const diff_gpu_columns[3], *const diff_cpu_columns[3],
						      *const diff_bytes_columns[3];

/* Change of RUN's steps relative to its base (analysis/step_change.h). False with ERROR. */
bool step_change_of_run(const struct run *run, const struct scope *scope,
			struct step_change *change, const struct progress *progress,
			struct error *error);
