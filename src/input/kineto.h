/*
 * PyTorch (Kineto) traces and other Chrome traces: JSON in all the forms that are found, damaged ones
 * included.
 */
#ifndef STRATA_INPUT_KINETO_H
#define STRATA_INPUT_KINETO_H

#include "base/progress.h"
#include "input/source.h"
#include "model/builder.h"

/*
 * Read all of SOURCE into the profile behind BUILDER.  Damage is counted in the profile.  False with
 * ERROR when there is no trace in it, when it cannot be read, or when cancelled.
 */
bool kineto_read(struct source *source, struct profile *profile, struct builder *builder,
		 const struct progress *progress, struct error *error);

#endif
