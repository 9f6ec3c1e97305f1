/*
 * The Run: the profiles that were opened together, one a rank.
 *
 * A file that holds several processes with kernels of their own holds as many ranks (processes.h).
 * Where it is the only file there is also the whole of it, which is what is looked at as long as
 * nobody has chosen a rank.
 *
 * Of a run of many ranks only some profiles are in memory at a time: hold a rank (session/load.h)
 * before touching its profile or facts, release it afterwards.  Summaries of all ranks stay.
 */
#ifndef STRATA_MODEL_RUN_H
#define STRATA_MODEL_RUN_H

#include "model/profile.h"
#include "model/scope.h"

struct facts;        /* facts/facts.h */
struct rank_summary; /* analysis/rank_summary.h */
struct rank_matches; /* analysis/rank_matches.h */
struct run_cache;    /* session/load_private.h */
struct residence;

struct rank {
	char *path;
	int64_t number;          /* as the job numbers it, else its place; ANY_RANK: the whole */
	uint32_t process;        /* what it is of its file (processes.h); NO_ROW: all of it */
	struct profile *profile; /* NULL while not in memory, as facts */
	struct facts *facts;
	struct rank_summary *summary;
	struct residence *residence;
};

struct run {
	struct rank *ranks; /* by number */
	size_t rank_count, rank_cap;
	struct rank *whole;           /* of the only file, which holds all ranks; else NULL */
	size_t left_out;              /* files of a directory that were no profiles */
	size_t unread;                /* files of other ranks than the one that was asked for */
	struct rank_matches *matches; /* what was compared across ranks; NULL with one rank */
	struct run_cache *cache;
	struct run *base; /* what this one is compared with; NULL */
};

/*
 * The rank with this number; number 0 also means the first.  ANY_RANK is the whole, where there is
 * none the first.  NULL when there is no such rank.
 */
struct rank *run_rank(const struct run *run, int64_t number);

#endif
