/*
 * The key node: an op, as DLProf's reports name it (dlprof_derive.h), that runs once in every
 * iteration.  Where one is chosen the steps of all views are its iterations (dlprof_iterations.h).
 */
#ifndef STRATA_TOOLS_DLPROF_KEY_NODE_H
#define STRATA_TOOLS_DLPROF_KEY_NODE_H

#include "model/profile.h"

struct buffer;
struct error;
struct facts;
struct progress;

/*
 * Put the iterations of the op with this id or name in the place of the steps; facts->key_node is
 * its id.  STRINGS are the profile's.  False with ERROR_USAGE when there is no such op, or
 * ERROR_CANCELLED.
 */
bool key_node_cut(struct facts *facts, struct intern *strings, const char *key,
		  const struct progress *progress, struct error *error);

/* The id of the op that a host span is or lies in, into ID; false when it lies in none. */
bool key_node_of_span(const struct facts *facts, uint32_t span, struct buffer *id);

#endif
