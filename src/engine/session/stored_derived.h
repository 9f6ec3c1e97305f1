/*
 * Serializes facts and summary as sections of the profile's store.
 */
#pragma once

#include "model/stored_profile.h"

struct derived;
struct rank_summary;

enum { STORED_STEPS = STORED_PROFILE_ROWS, STORED_DERIVED_ROWS(LISTED) STORED_ROWS };

/* Add sections for a profile's facts and summary; all must outlive PACK. */
void stored_derived_add(struct stored_pack *pack, const struct derived *derived,
			const struct rank_summary *summary);

/*
 * Contents of STORE, as if read from PATH. The profile takes ownership of the store, the facts
 * point into it, the summary is copied. False, without taking the store, if anything is invalid.
 */
bool stored_derived_take(struct store *store, const char *path, struct profile **profile,
			 struct derived **derived, struct rank_summary **summary);
