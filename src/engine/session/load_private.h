/*
 * Loading and evicting of single ranks: interface between the files load*.c, private to them.
 */
#pragma once

#include "session/load.h"
#include "session/runs/run_files.h"

#include <pthread.h>

/*
 * Unused profiles are evicted above this size, least recently used first. A run of one file keeps
 * it, since every request needs it.
 */
#define RESIDENT_MAX ((size_t)512 << 20)

enum rank_state {
	RANK_ABSENT,
	RANK_LOADING, /* one thread loads it; others wait for run_cache.changed */
	RANK_READY,   /* profile and facts are loaded */
};

struct residence {
	enum rank_state state;
	unsigned holds;
	struct run_cache *cache; /* of the run that holds it */
	uint64_t last_use;
	size_t size;
	size_t place; /* in opening order */
	/* of the cache: captures of the graphs that are replayed, and work of other ranks */
	struct launch_records **records;
	size_t record_count;
	unsigned lacks; /* what those record and the rank does not: bits of enum known_work */
};

struct run_cache {
	pthread_mutex_t lock; /* protects state that changes after opening; never held while reading
				 or freeing */
	pthread_cond_t changed; /* signalled when a rank is no longer LOADING */
	struct load_options options;
	struct arena *texts; /* of the options */
	struct index_writer *writer;
	const struct run_prefix *prefix; /* while opening the prefix of a file */
	size_t files;                    /* opened together */
	bool one_profile;                /* at most one of them is a profile */
	struct inputs *inputs;           /* that were found: none of them is written */
	struct run_files reports;        /* of kernels and operators, joined to every rank */
	struct launch_records **records; /* captured graphs, by recording; NULL: none */
	struct launch_records **work;    /* likewise of ranks that record more, by rank */
	size_t record_count, work_count;
	struct hash *blocks;  /* summaries added while opening, by checksum */
	size_t memory_before; /* bytes allocated before the first of them */
	uint64_t operations;  /* collectives of all of them */
	uint64_t clock;
	size_t resident; /* bytes of the ranks that are READY, and charged to any */
};

struct reading {
	const struct run *run;
	struct rank *rank;
	const struct progress *progress; /* for the work after reading */
	bool beside;                     /* while others are read: they are not evicted */
};

/* Where a loaded profile came from. */
struct origin {
	bool keyed, indexed; /* KEY is valid; loaded from the index */
	struct index_key key;
};

/* Load a rank that is a whole file, from the index if possible. An existing summary stays. */
bool load_file(struct reading *reading, struct origin *origin, const struct progress *progress,
	       struct error *error);
/* Extract the rows of this rank from WHOLE and derive its facts. */
bool load_process(const struct run *run, struct rank *rank, const struct profile *whole,
		  const struct progress *progress, struct error *error);
/*
 * Either of these: for a rank that is part of a file, the file is loaded temporarily, unless it is
 * in memory.
 */
bool load_rank(struct reading *reading, const struct progress *progress, struct error *error);

struct rank load_new_rank(const char *path, uint32_t process);
void load_free_rank(struct rank *rank); /* what it owns */
/* The run takes ownership of RANK's contents; its profile stays loaded while there is room. */
void load_add_rank(struct run *run, const struct rank *rank);
/* Add the ranks of a file of summaries, FILES_LEFT before the last file. False with ERROR. */
bool load_summaries(struct run *run, const struct run_file *file, size_t files_left,
		    const struct progress *progress, struct error *error);
/*
 * Load the trace of the requested rank of RUN in place of its summary, if it has one. False with
 * ERROR: the trace is not there, or of several ranks.
 */
bool load_trace(const struct run *run, const struct progress *progress, struct error *error);

/* No longer hold a rank; it may then be evicted. */
void load_release(struct run_cache *cache, struct residence *residence);

void load_drop(struct rank *rank);              /* frees profile and facts; the summary stays */
size_t load_rank_size(const struct rank *rank); /* bytes of profile and facts */
/*
 * Evict unused ranks, least recently used first, until the rest is within MAX bytes. False if there
 * were none.
 */
bool load_make_room(const struct run *run, size_t max);
