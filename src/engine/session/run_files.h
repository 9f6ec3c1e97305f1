/*
 * The files that are opened together as the ranks of one run, and which of them is whose.
 */
#ifndef STRATA_SESSION_RUN_FILES_H
#define STRATA_SESSION_RUN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct run_file {
	char *path;
	bool optional;  /* from a directory: left out when it is no profile */
	int64_t number; /* the rank it says it is of, NO_VALUE; set by run_files_choose */
};

struct run_files {
	struct run_file *item;
	size_t count, capacity;
	size_t left_out; /* that were no profiles, by run_files_choose */
	int64_t chosen;  /* the rank that alone is left; NO_VALUE: all are there */
};

/*
 * NAMED files, and those of NAMED directories.  False with ERROR when a directory cannot be listed.
 * Free FILES in any case.
 */
bool run_files_find(struct run_files *files, const char *const *named, size_t count,
		    struct error *error);
void run_files_free(struct run_files *files);

/* The rank a file's name tells ("rank3", "rank_3", "rank[3]", "rank-3", "worker3"), or NO_VALUE. */
int64_t run_files_number(const char *path);

/*
 * Leave only the file of this rank; 0 also means the first.  Each file is asked by its head, then
 * by its name.  When one of them does not tell, or two say the same, all stay: what is in them
 * decides then.  False with ERROR_USAGE when all tell and none is of this rank.
 */
bool run_files_choose(struct run_files *files, int64_t rank, struct error *error);

#endif
