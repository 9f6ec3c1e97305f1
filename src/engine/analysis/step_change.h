/*
 * Compares the step times of two runs: medians and their significance.
 */
#pragma once

#include "model/run.h"
#include "analysis/difference.h"

/* Complete steps in scope; without marked steps, one step covers the profile. */
struct step_series {
	uint32_t count;
	double median; /* ns; 0 without steps */
	double spread; /* ns; 1.4826 times the median absolute deviation, of few steps at least
			the standard deviation */
};

struct step_change {
	struct step_series base, new;
	double paired; /* ns^2: variance of the mean difference of steps in order; INFINITY */
};

/* Partial steps are ignored. The ranks are in memory; that of a summary has the times of its steps.
 */
struct step_change step_change_of(const struct rank *base, const struct rank *new,
				  const struct scope *scope);

/* Likewise of other times of complete steps, ns, which are reordered. */
struct step_change step_change_between(double *before, uint32_t base_count, double *after,
				       uint32_t new_count);

/*
 * Of the medians; and of two single steps. Not known if a run has a single step. Steps that vary
 * alike in both runs, such as long and short ones in turn, are compared in pairs.
 */
struct difference step_change_evidence(const struct step_change *change);
struct difference step_change_single(const struct step_change *change, double base, double new);
