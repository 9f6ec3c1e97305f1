/*
 * How much work a call of an operator is, from the shapes and types of its arguments:
 * floating-point operations (a multiply-add is two) and bytes that must be read and written at
 * least once.
 *
 * The counts are PyProf's where it counts an operator and is right; those of matrix products
 * include the batch, every operand counts in its own type, and a gradient moves what it must.
 */
#ifndef STRATA_ANALYSIS_WORK_WORK_H
#define STRATA_ANALYSIS_WORK_WORK_H

#include "base/progress.h"
#include "model/profile.h"

struct facts;

struct work {
	double flops, bytes;
}; /* NaN: not known */

/* What a call's arguments are, as texts; NULL or "": not recorded. */
struct work_call {
	const char *name;     /* "aten::mm", "mm" */
	const char *shapes;   /* "[[2,3],[]]" */
	const char *types;    /* "[\"float\",\"\"]", Kineto's words or PyProf's */
	const char *concrete; /* "[\"\",\"[1, 1]\"]" */
	const char *gradient; /* shapes of the backward call: the first is that of the output */
	bool backward;        /* the gradient of this call is asked for, not the call */
};

/* False when the operator has no model or its arguments do not say enough. */
bool work_of_call(const struct work_call *call, struct work *work);

/*
 * The work of a profile.  A call counts once, at the innermost operator that has a model and
 * kernels; a backward function without arguments counts by its forward operator's.  Its kernels
 * share it by their durations, so that the rates of a kernel are those of its call.
 */
struct counted_call {
	uint32_t span;
	uint32_t kernels; /* that share its work, and their durations together */
	int64_t kernel_ns;
	struct work work;
	bool counts; /* else what it is inside of or what is inside of it does */
};

struct work_counts {
	struct counted_call *calls; /* those whose work is known, by span */
	uint32_t count;
	uint32_t *call_of;                   /* by activity: of which it is a part, NO_ROW */
	uint32_t *calls_before;              /* [spans + 1]: how many lie at smaller spans */
	double *flops_prefix, *bytes_prefix; /* [count + 1]: of those that count, summed */
	uint32_t *counts_prefix;             /* the same: how many count */
};

/* NULL when cancelled; the caller frees with work_free.  See also shared_work (shared.h). */
struct work_counts *work_count(const struct facts *facts, const struct progress *progress);
void work_free(struct work_counts *counts); /* NULL is fine */

/* The share of an activity; NaN where it is not known. */
struct work work_of_activity(const struct work_counts *counts, const struct profile *profile,
			     uint32_t activity);

/* What counts at SIZE spans from FIRST on, summed; false when nothing does. */
bool work_of_spans(const struct work_counts *counts, uint32_t first, uint32_t size,
		   struct work *sum);

/* Bytes of an element of this type; 0 when it is not known. */
int work_type_size(const char *type);

#endif
