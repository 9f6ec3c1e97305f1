/*
 * What names mean: one table of rules over operator, annotation, runtime and kernel names.
 */
#ifndef STRATA_FACTS_ROLES_H
#define STRATA_FACTS_ROLES_H

#include "model/profile.h"

struct error;
struct facts_options;
struct progress;

/* By string id, enum name_role bits (facts.h); the caller frees.  NULL with ERROR: bad --step-name,
 * cancelled. */
uint16_t *roles_of_names(const struct profile *profile, const struct facts_options *options,
			 const struct progress *progress, struct error *error);

/* Is this the name of a step, without --step-name? */
bool roles_is_step(const char *name, size_t length);

#endif
