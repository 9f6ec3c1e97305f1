/*
 * What builder.c collects and finish.c puts in order.  Nobody else includes this.
 */
#ifndef STRATA_MODEL_BUILDER_PRIVATE_H
#define STRATA_MODEL_BUILDER_PRIVATE_H

#include "base/hash.h"
#include "model/builder.h"

#define OPEN_DURATION (-1)	/* a span whose end has not been seen */

struct builder {
	struct profile *profile;
	size_t span_caps[6], activity_caps[9];	/* one a column, in the order they are grown */
	struct hash *processes, *tracks, *configs;
};

#endif
