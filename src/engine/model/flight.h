/*
 * Entries of a flight recorder: the communication operations that a rank began, and how far they
 * came. Texts are interned in the strings of the owner. Times are absolute ns; absent numbers are
 * NO_VALUE.
 */
#pragma once

#include "base/mem.h"

struct flight_entry {
	uint32_t group, name, state; /* state: "scheduled", "started", "completed" */
	uint32_t type;               /* of the elements of its inputs; 0: several, or unknown */
	int64_t sequence;            /* of the group's collectives, or of the pair's transfers */
	int64_t transfer_sequence;
	int64_t created, started, completed;
	int64_t elements; /* of its message: of a gather the output, else the inputs */
	uint64_t pair;    /* 1: between two ranks */
};

struct flight {
	GROWING(struct flight_entry, entries, count);
};

void flight_free(struct flight *flight);         /* NULL is fine */
size_t flight_size(const struct flight *flight); /* bytes held; NULL: 0 */
