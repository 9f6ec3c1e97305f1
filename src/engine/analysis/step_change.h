/*
 * How the steps of two runs differ: by their medians, against their spread.
 */
#ifndef STRATA_ANALYSIS_STEP_CHANGE_H
#define STRATA_ANALYSIS_STEP_CHANGE_H

#include "model/run.h"
#include "model/scope.h"

struct error;
struct facts;
struct progress;

/* Of the whole steps in scope; where the profile marks none, one step stands for all of it. */
struct step_series {
	uint32_t count;
	double median; /* ns; 0 of no steps */
	double spread; /* ns; 1.4826 times the median distance from the median */
};

struct step_change {
	struct step_series base, new;
	double noise;        /* ns: four standard errors of the difference of the medians */
	double single_noise; /* the same of one step against one step */
	double least;        /* ns that a verdict asks for at least: 3 % of the larger median,
				10 % when a side has fewer than three steps */
};

/* Steps that are not whole are left out. */
struct step_change step_change_of(const struct facts *base, const struct facts *new,
				  const struct scope *scope);

#endif
