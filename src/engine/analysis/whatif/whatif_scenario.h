/*
 * A recording as it would be under edits: the same rows at the times that a replay predicts, to be
 * compared with the recorded one.
 */
#pragma once

#include "base/progress.h"

struct derived;
struct error;
struct profile;

/* Metadata of such a profile: its step time with the range, in words. */
#define WHATIF_SCENARIO "predicted under edits"

/*
 * Move the rows of PROFILE, of which DERIVED is, to their times under EDITS, a text with semicolons
 * between edits; DERIVED is of the old times afterwards. What no replay moves follows the thread
 * with most calls. False with ERROR: no such edit, nothing is predicted, cancelled.
 */
bool whatif_scenario(struct profile *profile, const struct derived *derived, const char *edits,
		     const struct progress *progress, struct error *error);
