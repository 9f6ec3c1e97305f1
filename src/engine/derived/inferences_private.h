/*
 * Inferring from the records of other traces: interface between inferences.c, replays.c and
 * rank_inferences.c, private to them.
 */
#pragma once

#include "base/keyed.h"
#include "derived/derived.h"
#include "derived/inferences.h"

struct inferring {
	struct derived *derived;
	struct intern *strings; /* of the profile */
	struct launch_records *const *records;
	size_t count;
	unsigned lacks; /* bits of enum known_work: what the profile has of no work */
	struct inferences *inferences;
	uint32_t **text;  /* by source and its string: the profile's, NO_ROW: not interned yet */
	uint32_t **place; /* by source and place: among the inferences' */
	struct keyed by_place; /* (parent, name, kind, pass) → place */
};

/* The profile's string for a string of SOURCE. */
uint32_t inferring_text(struct inferring *inferring, uint32_t source, uint32_t id);
/* What a record of SOURCE says. */
struct inference inferring_from(struct inferring *inferring, uint32_t source, size_t record);
/* Keep of an inference what OTHER says, too. */
void inferring_agree(struct inference *inference, const struct inference *other);
/* Unless it says nothing, or something is inferred of the activity already. */
void inferring_set(struct inferring *inferring, uint32_t activity,
		   const struct inference *inference);

/* From all records of captures, what is replayed. False when cancelled, as below. */
bool replays_infer(struct inferring *inferring, const struct progress *progress);
/* From the records of a rank, SOURCE among them, what the profile lacks. */
bool rank_infer(struct inferring *inferring, uint32_t source, const struct progress *progress);
