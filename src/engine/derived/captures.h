/*
 * Finds the launches that were captured into graphs: they name a kernel but did not run it, or a
 * node of the graph that they made.
 */
#pragma once

#include "base/progress.h"
#include "model/profile.h"

#define CALL_KERNEL "kernel" /* attribute of a launch call: what it launches */

struct captured_launch {
	uint32_t call;    /* span */
	uint32_t kernel;  /* interned name; 0: the call does not name it */
	uint32_t capture; /* number of the capture it is in */
	uint32_t node;    /* interned id of the node it made; 0: unknown */
};

struct captures {
	GROWING(struct captured_launch, launches, count); /* by capture, then by time */
};

/* Does a runtime call of this name start a capture? */
bool captures_begins(const char *name);

/* Does a call of PROFILE name the node of a graph that it made? */
bool captures_have_nodes(const struct profile *profile);

/* The launches in all captures of PROFILE. False when cancelled. Free CAPTURES in either case. */
bool captures_find(const struct profile *profile, struct captures *captures,
		   const struct progress *progress);
void captures_free(struct captures *captures);

/* Is nearly all that was launched captured, so that it did not run? False when cancelled. */
bool captures_prevail(const struct profile *profile, bool *prevail,
		      const struct progress *progress);
