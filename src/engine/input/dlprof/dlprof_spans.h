/*
 * Converts DLProf's data into rows of a profile.
 */
#ifndef STRATA_INPUT_DLPROF_DLPROF_SPANS_H
#define STRATA_INPUT_DLPROF_DLPROF_SPANS_H

#include "input/dlprof/dlprof.h"
#include "model/profile.h"

struct builder;

/*
 * Instances become operators, named by type, inside the functions or scopes of their paths; CUDA
 * calls become runtime calls and device activities; iterations of the most recent aggregation
 * become steps. Reads PROFILE's struct dlprof.
 */
void dlprof_add_spans(struct profile *profile, struct builder *builder);

#endif
