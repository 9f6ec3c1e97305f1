/*
 * Caches what costs much and several views need: computed on first use by any thread, and freed
 * with the derived data. Concurrent first calls both compute, and one result is kept.
 */
#pragma once

#include "base/progress.h"

struct derived;

/* What the owner of a result defines, static: its address names the result. */
struct derived_slot {
	/* FROM is what the owner passes; NULL when cancelled. */
	void *(*make)(const void *from, const struct progress *progress);
	void (*free)(void *made);
};

/* The result of SLOT, made of FROM unless it is cached; NULL when cancelled. */
const void *derived_cache_get(const struct derived *derived, const struct derived_slot *slot,
			      const void *from, const struct progress *progress);
void derived_cache_free(struct derived *derived); /* later results first */
