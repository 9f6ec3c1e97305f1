/*
 * Compares the flight recorders of the ranks of a run: which collectives a rank has not begun.
 */
#pragma once

#include "base/progress.h"
#include "model/run.h"

struct flight_entry;

/* A collective that RANK has not begun; ENTRY is that of OTHER, which has (indexes of ranks). */
struct flight_gap {
	uint32_t rank, other, entry;
};

struct flight_gaps {
	GROWING(struct flight_gap, items, count); /* by rank, each by sequence number */
};

/*
 * Collectives of a group are matched by sequence number. A rank is a member of the groups of which
 * it has entries; what precedes its first one there was overwritten, since the recorder is a ring.
 * False when cancelled; free GAPS with mem_free(gaps->items) either way.
 */
bool flight_gaps_find(struct flight_gaps *gaps, const struct run *run,
		      const struct progress *progress);

const struct flight_entry *flight_gap_entry(const struct run *run, const struct flight_gap *gap);
const char *flight_text(const struct run *run, size_t rank, uint32_t text);
