/*
 * A finished profile as sections of a store, and back.
 */
#ifndef STRATA_MODEL_STORED_PROFILE_H
#define STRATA_MODEL_STORED_PROFILE_H

#include "base/stored.h"
#include "model/profile.h"

/* What rows and limits are counted by; whoever stores more about a profile counts on from the end.
 */
enum stored_rows {
	STORED_STRINGS,
	STORED_NAMES, /* strings that rows of the profile use; those above are of facts */
	STORED_SPANS,
	STORED_ACTIVITIES,
	STORED_OP_INFOS,
	STORED_CALL_INFOS,
	STORED_CONFIGS,
	STORED_SPAN_ATTRIBUTES,
	STORED_ACTIVITY_ATTRIBUTES,
	STORED_MEMORY,
	STORED_FLOWS,
	STORED_COUNTERS,
	STORED_FRAMES,
	STORED_SAMPLES,
	STORED_RUNS,
	STORED_PROCESSES,
	STORED_TRACKS,
	STORED_DEVICES,
	STORED_METADATA,
	STORED_DAMAGES,
	STORED_SPAN_KINDS,
	STORED_ACTIVITY_KINDS,
	STORED_FLOW_KINDS,
	STORED_THREAD_STATES,
	STORED_FLAGS,
	STORED_ROWS_MAX,
	STORED_PROFILE_ROWS
};

/* Can it be stored?  What DLProf and the profilers of Python keep of their own is not. */
bool stored_profile_possible(const struct profile *profile);

/* The profile's sections; COUNTS is filled up to STORED_PROFILE_ROWS.  PROFILE must outlive PACK.
 */
void stored_profile_add(struct stored_pack *pack, const struct profile *profile, uint64_t *counts);

/*
 * The profile that STORE holds, as if read from PATH: its columns lie in the store, which is the
 * profile's from then on.  Whatever the store holds, no row, string or range of the profile leads
 * outside.  COUNTS has STORED_NAMES set and is filled.  NULL, with the store still the caller's,
 * when anything does not fit.
 */
struct profile *stored_profile_take(struct store *store, const char *path, uint64_t *counts);

/* Free a profile that was taken, but not its store, which is the caller's again. */
void stored_profile_drop(struct profile *profile);

#endif
