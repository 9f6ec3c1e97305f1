/*
 * State and helpers shared by the parts of the Nsight Systems reader; private to them.
 */
#pragma once

#include "input/id_table.h"
#include "input/readers.h"
#include "input/sqlite/sqlite_table.h"
#include "input/call_chains.h"

struct nsys_graphs;

/*
 * Global thread ids: hardware, machine, process and thread in 8 + 8 + 24 + 24 bits; thread 0 is the
 * process.
 */
#define NSYS_THREAD_BITS INT64_C(0xffffff)

/* A row of the string table; interned on first use, as most are never shown. */
struct nsys_text {
	const char *text; /* in the arena, NUL-terminated */
	size_t length;
	uint32_t string, call_name; /* the second without version suffixes; NO_ROW: not interned */
	uint32_t file_name;         /* base name of a path, "[libcuda.so]"; likewise */
};

struct nsys_thread {
	int64_t global;
	uint32_t track;
};

struct nsys_pid {
	int64_t pid;
	uint32_t name;
};

struct nsys {
	struct sqlite_database *database;
	struct profile *profile;
	struct builder *builder;
	struct arena *arena;
	struct id_table texts;       /* of StringIds: nsys_text */
	struct nsys_text *last_text; /* the one found last; NULL: none */
	int64_t last_text_id;
	struct id_table pids;      /* by global process: nsys_pid, for pids above 24 bits */
	struct hash *processes;    /* global process → process */
	struct hash *ranks;        /* global process → MPI rank */
	struct hash *devices;      /* (pid, its ordinal) → GPU, when ordinals differ by process */
	struct hash *contexts;     /* (process, CUDA context) → GPU of its kernels and copies */
	uint64_t last_context;     /* the key found last */
	struct hash *threads;      /* global thread → index into thread */
	struct hash *thread_names; /* global thread → profile string */
	struct hash *priorities;   /* global thread → priority */
	GROWING(struct nsys_thread, thread, thread_count);
	int64_t machine;     /* upper bits of the first process; -1: none yet */
	struct hash *others; /* upper bits of another machine → its number, from 1 */
	struct hash *hosts;  /* process of another machine → that number */
	uint32_t other_count;
	int64_t last_thread; /* cache: consecutive calls are mostly on one thread */
	uint32_t last_track;
	struct nsys_graphs *graphs; /* nodes of CUDA graphs */
};

/* The text with this id (NO_VALUE: none); NULL, counted as damage, when missing. */
struct nsys_text *nsys_text(struct nsys *nsys, int64_t id);
uint32_t nsys_string(struct nsys *nsys, int64_t id); /* interned; 0 for none */

uint32_t nsys_process(struct nsys *nsys, int64_t global); /* from a global process or thread id */
uint32_t nsys_thread(struct nsys *nsys, int64_t global);  /* its track */
/* The profile-wide ordinal of a process's DEVICE; those of other machines begin at 64, 128… */
int64_t nsys_device(const struct nsys *nsys, uint32_t process, int64_t device);
/* A track of a process that is not a thread. */
uint32_t nsys_lane(struct nsys *nsys, int64_t global, const char *label);

/*
 * Start and duration of the current row; *DUR is -1 without an end. False, counted as damage,
 * without a usable start.
 */
bool nsys_times(struct nsys *nsys, const struct sqlite_rows *rows, size_t start_column,
		size_t end_column, int64_t *start, int64_t *dur);

void nsys_read_activities(struct nsys *nsys); /* nsys_device.c */
void nsys_read_calls(struct nsys *nsys);      /* nsys_host.c */
void nsys_read_ranges(struct nsys *nsys);     /* nsys_nvtx.c */
void nsys_read_target(struct nsys *nsys);     /* nsys_target.c */
void nsys_read_samples(struct nsys *nsys);    /* nsys_samples.c: memory events and metrics */
void nsys_read_unified(struct nsys *nsys);    /* nsys_unified.c: page faults */
void nsys_read_threads(struct nsys *nsys);    /* nsys_threads.c: samples and scheduling */

/* ---- call chains ---- */

/* The chains of TABLE, empty when it is missing; the caller clears them. */
struct call_chains nsys_chains_read(struct nsys *nsys, const char *table);

/*
 * ---- graphs ----
 *
 * Which call made a node, and of which node another is the clone. Kernels of a graph launch name
 * the clone that the executable graph has.
 */

/* Of all tables of graph nodes. */
struct nsys_graphs *nsys_graphs_read(struct nsys *nsys);
void nsys_graphs_free(struct nsys_graphs *graphs); /* NULL is fine */

/* The node that NODE of process GLOBAL was cloned from first, or itself; NO_VALUE: unknown. */
int64_t nsys_graphs_original(const struct nsys_graphs *graphs, int64_t global, int64_t node);

/* Add to SPAN, a call of THREAD, the ids of the nodes that were made during it, and of clones. */
void nsys_graphs_keep(struct nsys *nsys, uint32_t span, int64_t thread, int64_t start, int64_t dur);
