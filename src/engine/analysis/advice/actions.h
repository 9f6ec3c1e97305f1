/*
 * The action of a finding, by what the profile is of: framework, kind of file, precision,
 * parallelism, training or inference.
 */
#pragma once

#include "analysis/advice/detect.h"

/* Bits of enum fact (actions.c) that hold for the profile. */
unsigned facts_of(const struct diagnosis *diagnosis);

/* Of a finding that fired: replace its action by the one for FACTS, if there is one. */
void choose_action(struct finding *finding, unsigned facts);
