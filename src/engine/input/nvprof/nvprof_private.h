/*
 * What the parts of the nvprof reader share.  Nobody else includes this.
 */
#ifndef STRATA_INPUT_NVPROF_NVPROF_PRIVATE_H
#define STRATA_INPUT_NVPROF_NVPROF_PRIVATE_H

#include "base/hash.h"
#include "input/nvprof/nvprof.h"
#include "input/sqlite/sqlite_table.h"

struct nvprof {
	struct sqlite_database *database;
	struct profile *profile;
	struct builder *builder;
	struct hash *strings;  /* StringTable._id_ → our string */
	struct hash *devices;  /* context → device ordinal */
	struct hash *readable; /* kernel's symbol, interned → its readable form */
	int64_t pid;           /* of the calls, as device records have none; or NO_VALUE */
};

/* The string a row names by id; 0 when there is none. */
uint32_t nvprof_string(const struct nvprof *nvprof, int64_t id);

/*
 * Start and duration of a row.  False, counted, when it has no place in time: rows of zeros stand
 * for what was not measured.
 */
bool nvprof_times(struct nvprof *nvprof, int64_t start, int64_t end, int64_t *dur);

/* The lane of a thread; the upper half of its number is not always filled. */
uint32_t nvprof_thread(struct nvprof *nvprof, int64_t pid, int64_t tid);

/*
 * The process and thread that an object's bytes name.  False when it is neither (a device, a
 * stream); *TID is NO_VALUE for a process.
 */
bool nvprof_object(const struct sqlite_rows *rows, size_t kind_column, size_t id_column,
		   int64_t *pid, int64_t *tid);

void nvprof_read_activities(struct nvprof *nvprof); /* nvprof_device.c */
void nvprof_read_memory(struct nvprof *nvprof);     /* nvprof_memory.c */

#endif
