/*
 * The key node: an op, named as in DLProf's reports (dlprof_derive.h), that is executed once per
 * iteration. If one is selected, its iterations (dlprof_aggregate.h) replace the steps in all
 * views.
 */
#pragma once

#include "model/profile.h"

struct derived;
struct progress;

/*
 * Replace the steps by the iterations of the op with this id or name, and set facts->key_node to
 * its id. STRINGS are the profile's. False with ERROR_USAGE (no such op) or ERROR_CANCELLED.
 */
bool key_node_cut(struct derived *derived, struct intern *strings, const char *key,
		  const struct progress *progress, struct error *error);

/* Set ID to the id of the op that a host span is or lies in; false if there is none. */
bool key_node_of_span(const struct derived *derived, uint32_t span, struct buffer *id);
