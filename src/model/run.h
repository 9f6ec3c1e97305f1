/*
 * The Run: the profiles that were opened together, one a rank, each with the facts derived from it.
 */
#ifndef STRATA_MODEL_RUN_H
#define STRATA_MODEL_RUN_H

#include "model/profile.h"

struct facts;			/* analysis/facts.h */

struct rank {
	struct profile *profile;
	struct facts *facts;
};

struct run {
	struct rank *ranks;
	size_t rank_count;
};

#endif
