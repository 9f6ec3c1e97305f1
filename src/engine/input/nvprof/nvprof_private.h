/*
 * State and helpers shared by the parts of the nvprof reader; private to them.
 */
#pragma once

#include "input/id_table.h"
#include "input/timeline_rows.h"
#include "input/readers.h"
#include "input/sqlite/sqlite_table.h"

struct nvprof {
	struct sqlite_database *database;
	struct profile *profile;
	struct builder *builder;
	struct hash *strings;  /* StringTable._id_ → profile string */
	struct hash *devices;  /* context → device ordinal */
	struct hash *readable; /* kernel symbol → demangled name, both interned */
	int64_t pid;           /* of the calls (device records have none), or NO_VALUE */
};

/* The string with this id; 0 for none. */
static inline uint32_t nvprof_string(const struct nvprof *nvprof, int64_t id)
{
	uint32_t string = id_find(nvprof->strings, id);
	return string == NO_ROW ? 0 : string;
}

void nvprof_read_activities(struct nvprof *nvprof); /* nvprof_device.c */
void nvprof_read_memory(struct nvprof *nvprof);     /* nvprof_memory.c */
