/*
 * The rows of a Profile out of what DLProf knows of a run.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_SPANS_H
#define STRATA_TOOLS_DLPROF_DLPROF_SPANS_H

#include "tools/dlprof/dlprof.h"
#include "model/profile.h"

struct builder;

/*
 * Instances become operators, named by their type, inside the functions or scopes of their paths;
 * CUDA calls become runtime calls and device work; the iterations of the newest aggregation become
 * steps.  PROFILE->dlprof is what is read.
 */
void dlprof_add_spans(struct profile *profile, struct builder *builder);

#endif
