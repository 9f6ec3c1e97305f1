/*
 * Recorded CUDA events: which record a wait for an event refers to.
 */
#ifndef STRATA_INPUT_CUDA_CUDA_RECORDS_H
#define STRATA_INPUT_CUDA_CUDA_RECORDS_H

#include "input/sqlite/sqlite_table.h"

/* A call that recorded an event. Numbers are NO_VALUE where they are not stored. */
struct cuda_record {
	int64_t process, event;
	int64_t correlation; /* of the call; calls of a process count up */
	int64_t sync;        /* of this record and the waits for it */
	int64_t stream;
};

struct cuda_records {
	struct cuda_record *items; /* by process, event and correlation */
	size_t count, capacity;
};

/* Read the records, if the table exists; free them with mem_free(items). */
void cuda_records_read(struct cuda_records *records, struct sqlite_database *database);

/* The record that WAIT (all but its stream) waits for: the last before it; NULL. */
const struct cuda_record *cuda_records_find(const struct cuda_records *records,
					    const struct cuda_record *wait);

#endif
