/*
 * Launches that a trace captured into CUDA graphs, with the operators and layers around them.
 *
 * Standalone: they outlive the trace, of which they keep only what inferences.h may need.
 */
#ifndef STRATA_FACTS_LAUNCH_RECORDS_H
#define STRATA_FACTS_LAUNCH_RECORDS_H

#include "base/intern.h"
#include "base/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct facts;

/* A node of the layer tree around launches. */
struct launch_place {
	uint32_t parent; /* index of a place before this one, NO_ROW for the run */
	uint32_t name;   /* interned */
	uint8_t kind, pass;
	uint16_t unused;
};

/* Texts are interned in the records' strings; 0: none. */
struct launch_record {
	uint32_t kernel;
	uint32_t operator_name; /* innermost operator around the launch */
	uint32_t shapes, types; /* of its inputs */
	uint32_t place;         /* innermost node around the launch; NO_ROW: the run */
	uint32_t capture;       /* number of the capture it is in */
	bool backward;          /* of a backward pass */
};

struct launch_records {
	char *path;
	struct intern *strings;
	struct launch_place *places;
	size_t place_count, place_cap;
	struct launch_record *items; /* by capture, then by launch */
	size_t count, capacity;
};

/* NULL when cancelled. The caller frees. */
struct launch_records *launch_records_new(const struct facts *facts,
					  const struct progress *progress);
void launch_records_free(struct launch_records *records); /* NULL is fine */

#endif
