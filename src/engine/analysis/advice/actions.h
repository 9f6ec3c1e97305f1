/*
 * The action of a finding, by what the profile is of: framework, kind of file, precision,
 * parallelism, training or inference.
 */
#ifndef STRATA_ANALYSIS_ADVICE_ACTIONS_H
#define STRATA_ANALYSIS_ADVICE_ACTIONS_H

#include "analysis/advice/detect.h"

/* Bits of enum fact (actions.c) that hold for the profile. */
unsigned facts_of(const struct diagnosis *diagnosis);

/* Of a finding that fired: replace its action by the one for FACTS, if there is one. */
void choose_action(struct finding *finding, unsigned facts);

#endif
