/*
 * Stores a finished profile in a store and restores it.
 */
#pragma once

#include "base/stored.h"
#include "model/profile.h"

#define STORED_COUNT_OF(type, rows, prefix, counter) STORED_##counter,

/* Row counts and index limits; derived data continue the enum at its end. */
enum stored_rows {
	STORED_STRINGS,
	STORED_NAMES, /* strings used by the profile; higher ids belong to derived data */
	STORED_SPANS,
	STORED_ACTIVITIES,
	STORED_SPAN_RECORDS,
	PROFILE_TABLES(STORED_COUNT_OF) PROFILE_LISTS(STORED_COUNT_OF) STORED_DAMAGES,
	STORED_SPAN_KINDS,
	STORED_ACTIVITY_KINDS,
	STORED_FLOW_KINDS,
	STORED_THREAD_STATES,
	STORED_FLAGS,
	STORED_ROWS_MAX,
	STORED_PROFILE_ROWS
};

/* False for profiles with DLProf or Python profiler data, which is not stored. */
bool stored_profile_possible(const struct profile *profile);

/*
 * Add the profile's sections to PACK and fill COUNTS up to STORED_PROFILE_ROWS. PROFILE must
 * outlive PACK.
 */
void stored_profile_add(struct stored_pack *pack, const struct profile *profile, uint64_t *counts);

/*
 * The profile in STORE, as if read from PATH; it maps the store's columns and owns the store. All
 * rows, strings and ranges are validated, so a corrupt store cannot cause out-of-bounds access.
 * COUNTS has STORED_NAMES set and is filled. NULL when anything is invalid; the caller then keeps
 * the store.
 */
struct profile *stored_profile_load(struct store *store, const char *path, uint64_t *counts);

/* Free such a profile but return its store to the caller. */
void stored_profile_drop(struct profile *profile);
