/*
 * State and helpers shared by the parts of the rocpd reader; private to them.
 *
 * A file holds one or more recordings, each a set of tables with a suffix of its own; ids are only
 * valid inside one.
 */
#pragma once

#include "input/id_table.h"
#include "input/nvtx/nvtx.h"
#include "input/rocm/rocm.h"
#include "input/sqlite/sqlite_table.h"

/* The event of a row: what kind of call it is, and which call it belongs to. */
struct rocpd_event {
	int64_t id;
	int64_t stack;     /* correlation id of the call */
	uint32_t category; /* interned */
	uint32_t message;  /* interned; of markers */
	uint32_t activity; /* handle of the kernel, NO_ROW */
	uint32_t sample;   /* index into samples, NO_ROW */
};

struct rocpd_agent {
	int64_t id, index; /* index: order among all agents of the machine */
	int32_t device;    /* order among GPUs; -1: no GPU */
	uint32_t name;     /* interned */
	bool known;        /* is it said to be a CPU or GPU? */
};

struct rocpd_symbol {
	uint32_t name; /* interned */
	int64_t registers;
};

/* A track of schema 4, whose rows name it in place of its parts. */
struct rocpd_lane {
	int64_t node, process, thread, agent, queue, stream;
	uint32_t name; /* interned */
};

struct rocpd_sample {
	int64_t time;
	uint32_t event; /* index, NO_ROW */
	uint32_t track, name;
	bool counted; /* it has values of counters */
};

struct rocpd_thread {
	int64_t process, tid;
	uint32_t name;
};

struct rocpd_pmc {
	uint32_t name, unit; /* interned */
	int64_t agent;
};

/* One recording. */
struct rocpd {
	struct sqlite_database *database;
	struct profile *profile;
	struct builder *builder;
	struct nvtx *nvtx;
	const char *suffix;
	int64_t first_node; /* hash of the machine of the file's first recording; NO_VALUE */
	uint32_t machine;   /* interned name, 0: that machine */
	struct hash *strings, *categories, *processes;
	GROWING(struct rocpd_event, events, event_count);               /* by id */
	struct id_table agents, symbols, lanes, samples, threads, pmcs; /* of rocpd_agent, … */
};

/* Rows of the recording's table ("rocpd_" NAME suffix). */
struct sqlite_rows *rocpd_open(struct rocpd *rocpd, const char *name, const char *columns,
			       size_t count);
#define rocpd_each(rows, ...)                                                                      \
	for (struct sqlite_rows *rows = rocpd_open(__VA_ARGS__); sqlite_rows_next(&(rows));)

static inline uint32_t rocpd_string(const struct rocpd *rocpd, int64_t id)
{
	return id_string(rocpd->profile, rocpd->strings, id);
}

struct rocpd_event *rocpd_event(const struct rocpd *rocpd, int64_t id); /* or NULL */

/* Where a row belongs: from its own columns, or from the track that it names. */
struct rocpd_lane rocpd_place(const struct rocpd *rocpd, const struct sqlite_rows *rows);
/* The columns that rocpd_place reads. */
enum { ROCPD_PLACE_COLUMNS(SQLITE_PLACE) PLACE_COLUMNS };
#define ROCPD_PLACE ROCPD_PLACE_COLUMNS(SQLITE_COLUMN)

uint32_t rocpd_process(const struct rocpd *rocpd, int64_t process);
uint32_t rocpd_thread(const struct rocpd *rocpd, const struct rocpd_lane *place);

void rocpd_read_info(struct rocpd *rocpd);     /* rocpd_info.c */
void rocpd_read_events(struct rocpd *rocpd);   /* rocpd_events.c */
void rocpd_read_host(struct rocpd *rocpd);     /* rocpd_host.c: regions and samples */
void rocpd_read_device(struct rocpd *rocpd);   /* rocpd_device.c: kernels, copies */
void rocpd_read_memory(struct rocpd *rocpd);   /* rocpd_memory.c */
void rocpd_read_counters(struct rocpd *rocpd); /* rocpd_counters.c */
