/*
 * Shared by the parts of the reader of Ascend databases.
 */
#pragma once

#include "input/id_table.h"
#include "input/timeline_rows.h"
#include "input/sqlite/sqlite_table.h"
#include "model/device_label.h"

/* What a compute task runs. */
struct ascend_compute {
	uint32_t name, type, core, shapes; /* interned; 0: none */
	int64_t blocks;
};

/* A call of an operator, to find whose allocation it is. */
struct ascend_call {
	int64_t start, end;
	uint32_t name, track;
};

struct ascend {
	struct sqlite_database *database;
	struct profile *profile;
	struct builder *builder;
	struct hash *strings;     /* id → interned */
	struct hash *tasks;       /* global task id → activity */
	struct hash *operators;   /* connection id → what connects the operator's calls */
	struct id_table computes; /* by global task id: ascend_compute */
	struct id_table
		copies; /* by global task id of a communication task: its size, an int64_t */
	GROWING(struct ascend_call, calls, call_count);
	uint32_t process; /* of what has none: the first one */
	int64_t device;   /* likewise: its number, that of a task */
};

/* The device of a number in the file; that of a wrong number is the first. */
static inline int32_t ascend_npu(int64_t number)
{
	return device_of_kind(DEVICE_NPU,
			      number >= 0 && number < DEVICE_NUMBER_MAX ? (int32_t)number : 0);
}

/* The text with this id, interned; 0: none. */
static inline uint32_t ascend_string(const struct ascend *ascend, int64_t id)
{
	return id_string(ascend->profile, ascend->strings, id);
}

/* A thread by its global id; NO_VALUE: a track of the process without a thread. */
uint32_t ascend_thread(struct ascend *ascend, int64_t global);
uint32_t ascend_process(struct ascend *ascend); /* of rows that do not name one */
/* A connection id; NO_VALUE for those that stand for none. */
int64_t ascend_connection(int64_t id);

void ascend_read_host(struct ascend *ascend);   /* ascend_host.c */
void ascend_read_device(struct ascend *ascend); /* ascend_device.c */
void ascend_read_memory(struct ascend *ascend); /* ascend_memory.c */
/* Once all memory is read: components beside a sum ("PTA+GE") are parts of the whole. */
void ascend_mark_parts(struct profile *profile);
void ascend_read_counters(struct ascend *ascend); /* ascend_counters.c: of devices and tasks */
