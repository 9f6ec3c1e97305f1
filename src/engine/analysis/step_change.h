/*
 * Compares the step times of two runs: medians and their significance.
 */
#ifndef STRATA_ANALYSIS_STEP_CHANGE_H
#define STRATA_ANALYSIS_STEP_CHANGE_H

#include "model/run.h"
#include "model/scope.h"
#include "analysis/spread.h"

struct error;
struct progress;

/* Complete steps in scope; without marked steps, one step covers the profile. */
struct step_series {
	uint32_t count;
	double median; /* ns; 0 without steps */
	double spread; /* ns; 1.4826 times the median absolute deviation */
};

struct step_change {
	struct step_series base, new;
	double noise;        /* ns: five standard errors of the difference of medians */
	double single_noise; /* likewise for single steps */
	double least;        /* ns: 3 % of the larger median, 10 % with fewer than three steps */
	bool few;            /* fewer than three steps on a side: a change is likely at most */
};

/* Partial steps are ignored. The ranks are in memory; that of a summary has the times of its steps.
 */
struct step_change step_change_of(const struct rank *base, const struct rank *new,
				  const struct scope *scope);

/* Is the spread of the steps known? Not from a single step. */
bool step_change_known(const struct step_change *change);

/* Compare the medians; and two single steps. */
enum change step_change_verdict(const struct step_change *change);
enum change step_change_single(const struct step_change *change, double base, double new);

#endif
