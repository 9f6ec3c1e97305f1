/*
 * Operators and layers of replayed kernels, inferred from traces in which their graphs were
 * captured.
 *
 * The kernels of a graph launch match a capture when their names are, in the order of their starts,
 * those of its launches or of a part of them. Where several captures match, only what they agree in
 * is inferred. Nothing inferred enters what is measured: totals of operators stay as recorded.
 */
#ifndef STRATA_FACTS_INFERENCES_H
#define STRATA_FACTS_INFERENCES_H

#include "facts/launch_records.h"

struct facts;

/* Texts are interned in the profile; 0: unknown, or the captures differ. */
struct inference {
	uint32_t operator_name, shapes, types;
	uint32_t place; /* among the inferences' places; NO_ROW: unknown */
	bool backward;
};

struct inferences {
	struct inference *items;
	size_t count, capacity;
	struct launch_place *places; /* names are interned in the profile */
	size_t place_count, place_cap;
	uint32_t *activity; /* by activity: index of an item, or NO_ROW */
};

/*
 * Fill facts->inferred from COUNT records, which need not outlive it; NULL if nothing matches.
 * STRINGS are the profile's. False when cancelled.
 */
bool inferences_find(struct facts *facts, struct intern *strings,
		     struct launch_records *const *records, size_t count,
		     const struct progress *progress);
void inferences_free(struct inferences *inferences); /* NULL is fine */

#endif
