/*
 * Classifies operator, annotation, runtime and kernel names by tables of rules.
 */
#pragma once

#include "model/profile.h"

struct derived;
struct derived_options;
struct progress;

/*
 * Bits of enum name_role (derived.h) by string id; the caller frees. NULL with ERROR for an invalid
 * --step-name or when cancelled.
 */
uint16_t *roles_of_names(const struct profile *profile, const struct derived_options *options,
			 const struct progress *progress, struct error *error);

/* Adds NAME_COMMUNICATION_KERNEL to derived->role. False when cancelled. */
bool roles_find_communication(struct derived *derived, const struct progress *progress);

/* May an operator of this name mark steps, without --step-name? */
bool roles_may_be_step(const char *name, size_t length);
