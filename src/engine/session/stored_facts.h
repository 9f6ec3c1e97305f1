/*
 * The facts and the summary of a profile as sections of the store that holds the profile, and back.
 */
#ifndef STRATA_SESSION_STORED_FACTS_H
#define STRATA_SESSION_STORED_FACTS_H

#include "model/stored_profile.h"

struct facts;
struct rank_summary;

enum {
	STORED_STEPS = STORED_PROFILE_ROWS,
	STORED_LINKS,
	STORED_NODES,
	STORED_TENSOR_USES,
	STORED_LAYER_KINDS,
	STORED_LAYER_PASSES,
	STORED_ROWS
};

/* The profile, its facts and its summary; all must outlive PACK. */
void stored_facts_add(struct stored_pack *pack, const struct facts *facts,
		      const struct rank_summary *summary);

/*
 * What STORE holds, as read from PATH.  The profile owns the store then, the facts lie in it, the
 * summary is copied out.  False, with the store still the caller's, when anything does not fit.
 */
bool stored_facts_take(struct store *store, const char *path, struct profile **profile,
		       struct facts **facts, struct rank_summary **summary);

#endif
