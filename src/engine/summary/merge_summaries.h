/*
 * Merges files of summaries: the union of their blocks, by rank. Any grouping and order of the same
 * summaries gives the same bytes. Of many ranks only the key ranks keep the rows of their views
 * (key_ranks.c), the others are reduced to statistics.
 */
#pragma once

#include "input/summary_file/summary_file.h"

struct rank_summary;

/* Above this, a merge keeps the rows of the key ranks only. */
enum { KEY_RANKS_ABOVE = 4096 };

struct key_claim {
	uint32_t kind;   /* enum in key_ranks.c */
	uint32_t unused; /* padding */
	uint64_t place;  /* of the kind */
	int64_t number, rank;
};

struct key_claims {
	GROWING(struct key_claim, items, count);
	size_t settled; /* how many were left when they were settled last */
};

/* What RANK claims. */
void key_claims_add(struct key_claims *claims, int64_t rank, const struct rank_summary *summary);
/* Those of another process. */
void key_claims_join(struct key_claims *claims, const struct key_claim *items, size_t count);
/* Leave the claims that have their place, in order. */
void key_claims_settle(struct key_claims *claims);
void key_claims_free(struct key_claims *claims);

/* A block of a file. */
struct merge_block {
	struct summary_file_part part;
	uint64_t offset;
	uint64_t reduced_size, reduced_checksum; /* of the block without rows */
	uint32_t path;                           /* index of the file */
	uint32_t owner;                          /* the process that reads it (src/mpi); 0 */
	uint64_t reduce;                         /* 1: to be written without rows */
};

struct merge {
	const char *const *paths; /* of all files; they outlive the merge */
	GROWING(struct merge_block, blocks, count);
	struct key_claims claims; /* of the ranks of the blocks */
	uint64_t memory_max;      /* largest summary that is read, bytes; 0: no limit */
	bool all_ranks;           /* keep the rows of all ranks */
	size_t rows_max;          /* of more ranks, only those of key ranks; 0: KEY_RANKS_ABOVE */
};

/*
 * Read file PATH (an index), verify every block and add them. False with ERROR, and nothing is
 * added, when it is damaged.
 */
bool merge_add_file(struct merge *merge, uint32_t path, const struct progress *progress,
		    struct error *error);
/* Add COUNT blocks that another merge found in the same files. */
void merge_add_blocks(struct merge *merge, const struct merge_block *blocks, size_t count);

/*
 * Order the blocks and decide which are reduced; the same block counts once, with rows if it is
 * there with rows. False with ERROR_INPUT if a rank has two different
 * summaries, the ranks are of different worlds, or there is no block.
 */
bool merge_settle(struct merge *merge, struct error *error);
void merge_free(struct merge *merge);

/* Append block BLOCK, reduced if it is to be, in order of the settled merge, to BYTES. False with
 * ERROR. */
typedef bool merge_fetch(void *context, const struct merge_block *block, struct buffer *bytes,
			 struct error *error);
/* Write the settled blocks to OUTPUT, atomically, one in memory at a time. False with ERROR. */
bool merge_write(const struct merge *merge, const char *output, bool force, merge_fetch *fetch,
		 void *context, const struct progress *progress, struct error *error);
/* From its file; CONTEXT is a struct merge_files, all zero at first and closed at the end. */
struct merge_files {
	const struct merge *merge;
	int descriptor; /* of the file that was read last */
	uint32_t path;  /* and its index, from 1 */
};
bool merge_fetch_file(void *context, const struct merge_block *block, struct buffer *bytes,
		      struct error *error);
void merge_files_close(struct merge_files *files);

/*
 * Append "ranks merged: 5; missing: 3, 5..7", those that the world has and the merge lacks, and of
 * how many the rows are kept.
 */
void merge_describe(const struct merge *merge, struct buffer *out);
