/*
 * How much work a call of an operator is, from the shapes and types of its arguments:
 * floating-point operations (a multiply-add is two) and bytes that must be read and written at
 * least once.
 *
 * The counts are PyProf's where it counts an operator and is right; those of matrix products
 * include the batch, every operand counts in its own type, and a gradient moves what it must.
 */
#ifndef STRATA_ANALYSIS_WORK_H
#define STRATA_ANALYSIS_WORK_H

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
struct work_counts {
	struct work *activity; /* by activity; NaN: not known */
	struct work *span;     /* by span: what counts at this one; 0 where nothing does */
	double *flops_prefix, *bytes_prefix; /* [spans + 1]: of span, summed */
	uint8_t *known;                      /* by span: work is known at it */
	uint32_t *known_prefix;              /* [spans + 1]: calls whose work is known, summed */
};

void work_count(struct work_counts *counts, const struct facts *facts);
void work_free(struct work_counts *counts);

/* Bytes of an element of this type; 0 when it is not known. */
int work_type_size(const char *type);

#endif
