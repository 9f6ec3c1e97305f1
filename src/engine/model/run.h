/*
 * The Run: the profiles opened together, one per rank. Other recordings of the same workers, and
 * other runs, are listed but not compared.
 *
 * A file with several processes that have kernels provides several ranks (processes.h). If it is
 * the only file, its whole is available too, and shown until a rank is chosen.
 *
 * Only some ranks are in memory at a time: acquire a rank (session/load.h) before using its profile
 * or derived data and release it afterwards. Summaries of all ranks stay.
 */
#pragma once

#include "model/scope.h"

struct derived;      /* derived/derived.h */
struct rank_summary; /* analysis/rank_summary.h */
struct rank_matches; /* analysis/rank_matches.h */
struct run_cache;    /* session/load_private.h */
struct residence;

struct rank {
	char *path;
	int64_t number;          /* rank number in the job, else position; ANY_RANK: the whole */
	uint32_t run, span;      /* which recording it is (session/runs/recordings.h), from 1 */
	uint32_t worker;         /* the process: recordings with the same one are its spans */
	uint32_t folder;         /* where its file was found: in run->folders */
	bool totals;             /* it has no timeline */
	bool companion;          /* it is beside the files of ranks, and none of them */
	bool captures, replays;  /* it captures graphs; it launches some */
	bool only_captures;      /* nearly all that it launches is captured */
	bool works;              /* it has device work */
	uint8_t known;           /* what is known of that: bits (derived/launch_records.h) */
	uint32_t tool;           /* that wrote it: in tools (model/tool.h) */
	uint32_t process;        /* process of the file (processes.h); NO_ROW: all of it */
	uint32_t part;           /* of a file of summaries: which, from 1; 0: it is none */
	uint64_t block;          /* checksum of that part, with rows */
	bool statistics;         /* a merge left its rows out */
	struct profile *profile; /* NULL while not in memory, like derived */
	struct derived *derived;
	struct rank_summary *summary;
	struct residence *residence;
};

struct lost_file {
	char *path;
	char *why; /* it cannot be read; names the file */
	int64_t number;
	uint32_t folder; /* where it was found: in run->folders */
};

struct run {
	struct rank *ranks;
	size_t rank_count, rank_cap; /* sorted by number */
	struct rank *whole;          /* all ranks of the only file; NULL otherwise */
	struct rank *others; /* recordings of other runs and spans, which are not ranks; unloaded */
	size_t other_count;
	size_t runs, spans; /* of separate runs; of spans in the shown run */
	char **names;       /* of the runs (session/runs/runs.h) */
	char **folders;     /* where files were found; "": named themselves */
	size_t folder_count;
	size_t unlisted;              /* directories that could not be listed */
	size_t left_out;              /* files of a directory that are not profiles */
	size_t unread;                /* files of ranks that were not requested */
	struct lost_file *lost;       /* of those left out, the ones named as further ranks */
	size_t lost_count;            /* sorted by number */
	struct rank_matches *matches; /* comparison across ranks; NULL with one rank */
	struct run_cache *cache;
	struct run *base;    /* the run to compare with; NULL */
	const char *history; /* directory of the summaries of earlier runs; NULL */
};

/*
 * The rank with this number; 0 also means the first, ANY_RANK the whole or else the first that has
 * rows. NULL when there is no such rank.
 */
struct rank *run_rank(const struct run *run, int64_t number);

/* Recording I: first the ranks, then the others. */
static inline const struct rank *run_recording(const struct run *run, size_t i)
{
	return i < run->rank_count ? &run->ranks[i] : &run->others[i - run->rank_count];
}
