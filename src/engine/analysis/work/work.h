/*
 * FLOP and byte estimates of operator calls from the shapes and types of their arguments.
 *
 * A multiply-add counts as two FLOPs; bytes are the minimum that must be read and written. Counts
 * match PyProf's where those are correct; in addition matrix products include the batch, each
 * operand counts with its own type, and gradients count the data they must move.
 */
#ifndef STRATA_ANALYSIS_WORK_WORK_H
#define STRATA_ANALYSIS_WORK_WORK_H

#include "base/progress.h"
#include "model/profile.h"

struct facts;

struct work {
	double flops, bytes;
}; /* NaN: unknown */

/* Arguments of a call, as text; NULL or "": not recorded. */
struct work_call {
	const char *name;     /* "aten::mm", "mm" */
	const char *shapes;   /* "[[2,3],[]]" */
	const char *types;    /* "[\"float\",\"\"]", Kineto or PyProf spelling */
	const char *concrete; /* "[\"\",\"[1, 1]\"]" */
	const char *gradient; /* shapes of the backward call, the output's gradient first */
	bool backward;        /* estimate the call's gradient instead of the call */
};

/* False without a model for the operator or with insufficient arguments. */
bool work_of_call(const struct work_call *call, struct work *work);

/*
 * Work of a profile. Each call is counted once, at the innermost operator with a model and kernels;
 * a backward function without arguments uses those of its forward operator. Kernels share a call's
 * work by duration, so a kernel has the rates of its call.
 */
struct counted_call {
	uint32_t span;
	uint32_t kernels; /* kernels sharing its work, and their total duration */
	int64_t kernel_ns;
	struct work work;
	bool counts; /* false when an enclosing or nested call counts */
};

struct work_counts {
	struct counted_call *calls; /* calls with known work, by span */
	uint32_t count;
	uint32_t *call_of;                   /* by activity: its call, NO_ROW */
	uint32_t *calls_before;              /* [spans + 1]: number of calls at smaller spans */
	double *flops_prefix, *bytes_prefix; /* [count + 1]: prefix sums over calls that count */
	uint32_t *counts_prefix;             /* [count + 1]: prefix counts of calls that count */
};

/* NULL when cancelled; the caller frees with work_free. See also shared_work (shared.h). */
struct work_counts *work_count(const struct facts *facts, const struct progress *progress);
void work_free(struct work_counts *counts); /* NULL is fine */

/* An activity's share; NaN when unknown. */
struct work work_of_activity(const struct work_counts *counts, const struct profile *profile,
			     uint32_t activity);

/* Sum over SIZE spans from FIRST; false when none counts. */
bool work_of_spans(const struct work_counts *counts, uint32_t first, uint32_t size,
		   struct work *sum);

/* Bytes per element of a type; 0 when unknown. */
int work_type_size(const char *type);

#endif
