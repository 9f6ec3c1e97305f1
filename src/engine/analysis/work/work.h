/*
 * FLOP and byte estimates of operator calls from the shapes and types of their arguments.
 *
 * A multiply-add counts as two FLOPs; bytes are the minimum that must be read and written. Counts
 * match PyProf's where those are correct; in addition matrix products include the batch, each
 * operand counts with its own type, and gradients count the data they must move.
 */
#pragma once

#include "base/marks.h"
#include "base/progress.h"
#include "model/profile.h"

struct derived;

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
	const char *kernel;   /* a kernel of the call: tells the type of tensors in a list */
};

/*
 * False without a model for the operator or with insufficient arguments; else FLOPs, bytes or both
 * are known.
 */
bool work_of_call(const struct work_call *call, struct work *work);

/*
 * Work of a profile. A kernel belongs to the innermost call with a model around its launch, and the
 * kernels of a call share its work by duration, so that a kernel has the rates of its call. A call
 * around others counts what they leave of its work: aten::linear around aten::addmm counts nothing.
 * A copy or set with a recorded size has that size, not an estimate. A backward function without
 * arguments uses those of its forward operator. Without kernels the innermost calls count.
 */
struct counted_call {
	uint32_t span;
	uint32_t sharers : 31; /* activities sharing its work, and their total duration */
	uint32_t counts : 1;   /* has own work */
	int64_t share_ns;
	struct work own; /* what calls and copies inside leave; NaN unless it counts */
};

struct work_counts {
	struct counted_call *calls; /* calls with known work, by span */
	uint32_t count;
	uint32_t *call_of;     /* by activity: its call, NO_ROW; NULL: none has one */
	struct work *measured; /* by activity (measured.h); NULL: nothing was measured */
	bool on_device;        /* there are kernels: calls without any do not count */
};

/* The call whose work an activity shares, an index, or NO_ROW. */
static inline uint32_t work_call_of(const struct work_counts *counts, uint32_t activity)
{
	return counts->call_of ? counts->call_of[activity] : NO_ROW;
}

/* Of the whole profile, cached with DERIVED; NULL when cancelled. */
const struct work_counts *derived_work(const struct derived *derived,
				       const struct progress *progress);

/* What was measured of an activity; else its share. */
struct work work_of_activity(const struct work_counts *counts, const struct profile *profile,
			     uint32_t activity);

/* Are the bytes of an activity, if known, its share of an estimate? */
bool work_is_estimate(const struct work_counts *counts, uint32_t activity);

/* Were the FLOPs or bytes of an activity measured, not estimated? */
bool work_is_measured(const struct work_counts *counts, uint32_t activity);

/* ---- sums: work_sum.c ---- */

/* A sum over activities or calls, and of how many of them it is known. */
struct work_known {
	long double flops, bytes; /* exact for 64-bit sums */
	uint32_t with_flops, without_flops, with_bytes, without_bytes;
	uint32_t estimated_bytes; /* of those with bytes: by a model, neither recorded nor measured
				   */
};

struct work_sum {
	struct work_known known;
	int64_t kernel_ns, flops_ns, bytes_ns; /* of kernels: all, and with known FLOPs, bytes */
};

void work_sum_activity(struct work_sum *sum, const struct work_counts *counts,
		       const struct profile *profile, uint32_t activity);
void work_sum_call(struct work_sum *sum, struct work work);
void work_sum_add(struct work_sum *to, const struct work_sum *from);

/*
 * The known part of a sum; NaN if nothing is known. Zero stands only if it is known of everything:
 * a region that computes in unknown kernels and copies in known ones does not compute nothing.
 */
struct work work_sum_value(const struct work_sum *sum);

/* Sums over ranges of spans. */
struct work_prefixes {
	struct marks spans;       /* that launch device work or count as calls */
	struct work_known *entry; /* by such span: sums of the spans before it; at last of all */
};

/* Of the whole profile, cached with DERIVED; NULL when cancelled. */
const struct work_prefixes *derived_work_prefixes(const struct derived *derived,
						  const struct progress *progress);
void work_sum_spans(struct work_sum *sum, const struct work_prefixes *prefixes, uint32_t first,
		    uint32_t size); /* leaves the times */
