/*
 * How one rank comes into memory, and goes: what load.c, which keeps a run of them, needs of
 * load_rank.c. Nobody else includes this.
 */
#ifndef STRATA_SESSION_LOAD_PRIVATE_H
#define STRATA_SESSION_LOAD_PRIVATE_H

#include "facts/facts.h"
#include "session/index_writer.h"
#include "session/load.h"

#include <pthread.h>

/*
 * Profiles that nobody holds are dropped, the longest unused first, above this.  A run of one file
 * keeps it: whatever is asked next needs it again, if only to take a rank out of it.
 */
#define RESIDENT_MAX ((size_t)512 << 20)

enum rank_state {
	RANK_ABSENT,
	RANK_LOADING, /* one thread reads it; whoever else wants it waits for run_cache.changed */
	RANK_READY,   /* it has its profile and facts */
};

struct residence {
	enum rank_state state;
	unsigned holds;
	uint64_t last_use;
	size_t size;
	size_t charged; /* what was derived from it elsewhere */
	size_t place;   /* in the order in which ranks were opened */
};

struct run_cache {
	pthread_mutex_t
		lock; /* of what changes once the run is open; never held to read or to free */
	pthread_cond_t changed; /* a rank is no longer LOADING */
	struct load_options options;
	char *step_name, *key_node, *index_directory;
	struct index_writer *writer;
	const struct run_begin *begin; /* while such a run is opened */
	size_t files;                  /* that are opened together */
	uint64_t clock;
};

struct reading {
	const struct run *run;
	struct rank *rank;
	const struct progress *progress; /* of what follows the reading */
};

/* What is known of a file that was read. */
struct origin {
	bool keyed, indexed; /* it has KEY; it came from the index */
	struct index_key key;
};

/* Fill the rank, which is a file, from its index when there is one.  A summary that is there stays.
 */
bool load_file(struct reading *reading, struct origin *origin, const struct progress *progress,
	       struct error *error);
/* The rows of WHOLE that are of this rank, and what they tell. */
bool load_process(const struct run *run, struct rank *rank, const struct profile *whole,
		  const struct progress *progress, struct error *error);
/* Either: of a rank that is not all of its file the whole is read for a moment, unless it is there.
 */
bool load_rank(struct reading *reading, const struct progress *progress, struct error *error);

void load_drop(struct rank *rank);              /* the profile and its facts; the summary stays */
size_t load_rank_size(const struct rank *rank); /* bytes that its profile and facts hold */
/*
 * Drop ranks that nobody holds, least recently used first, until the rest is within MAX bytes.
 * False: there were none to drop.
 */
bool load_make_room(const struct run *run, size_t max);

#endif
