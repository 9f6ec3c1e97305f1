/*
 * What processes send each other: paths, the blocks they found, and the bytes of blocks.
 */
#pragma once

#include "summary/batch.h"

struct processes {
	int rank, count; /* this one, and how many there are; 0 is the root */
};

struct processes processes_start(int *argc, char ***argv);
void processes_end(void);
void processes_abort(int status); /* all of them */

/* Is FILE one of those that this process reads? */
static inline bool is_mine(struct processes here, size_t file)
{
	return file % (size_t)here.count == (size_t)here.rank;
}

/* Give all processes what the root has: true or false, with the number and the paths. */
bool share_success(bool success);
void share_paths(struct processes here, struct batch *batch);
/* The sum over all processes, on all. */
uint64_t sum_over_processes(uint64_t number);

/* Join the blocks and claims of all processes on the root, each in a tree. */
void join_blocks(struct processes here, struct merge *merge);
/* Give all processes the settled blocks of the root. */
void share_blocks(struct processes here, struct merge *merge);

/*
 * Write the settled blocks on the root: each process reads those it owns and sends them when it is
 * their turn. False on the root with ERROR.
 */
bool write_together(struct processes here, const struct merge *merge, const char *output,
		    bool force, struct error *error);
