/*
 * What a server does in the host gap of an iteration: from the GPU's end in one to its start in the
 * next it schedules, launches, samples, turns tokens into text, and waits for other ranks.
 */
#pragma once

#include "analysis/gaps.h"

/* Follow the causes of enum time_cause, one of which it is otherwise. */
enum cycle_cause {
	CYCLE_SCHEDULER = TIME_CAUSES,
	CYCLE_SAMPLING,
	CYCLE_DETOKENIZATION,
	CYCLE_ALL_REDUCE, /* waits for other ranks */
	CYCLE_CAUSES
};

/*
 * The owner of a part of a gap: work of the server where the innermost function or range that is
 * named after it, or whose file is, holds no iteration as a whole and none that the part is in,
 * else the part's own cause, as where launched work waits for other work.
 * WORDS has a byte for each name, zero at first: what names say is looked up once.
 */
unsigned cycle_cause_of(const struct derived *derived, uint8_t *words, const struct gap *gap,
			const struct gap_part *part);

const char *cycle_cause_name(unsigned cause);
