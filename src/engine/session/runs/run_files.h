/*
 * Finds the files opened together as ranks of one run, and their rank numbers.
 */
#pragma once

#include "base/mem.h"

struct error;
struct progress;

struct run_file {
	char *path;
	bool optional;   /* from a directory: skipped if it is not a profile */
	uint32_t folder; /* where it was found: in run_files.folder */
	int64_t number;  /* rank according to its header or name, or NO_VALUE; set by
			    run_files_choose */
};

struct run_files {
	GROWING(struct run_file, item, count);
	char **folder; /* "": a file that was named itself; else the last part of the named
			  directory, and the way from there */
	size_t folders;
	uint32_t here;                /* the folder of the files that are added */
	size_t directories, unlisted; /* that were listed, and that could not be */
	size_t left_out;              /* non-profiles dropped by run_files_choose */
	int64_t chosen;               /* the only rank kept; NO_VALUE: all */
	size_t rest;                  /* items after the COUNT kept, of other ranks, ascending */
};

/*
 * Find NAMED files and the files at any depth in NAMED directories. The files from TOGETHER on are
 * each in a folder of their own. A directory that links lead to as well is found once. False with
 * ERROR if a named directory cannot be listed, or cancelled. Free FILES in either case.
 */
bool run_files_find(struct run_files *files, const char *const *named, size_t count,
		    size_t together, const struct progress *progress, struct error *error);
void run_files_free(struct run_files *files);

/*
 * Move the files that are joined to others to APART, unless all are. True if at most one profile is
 * left. Each list is freed.
 */
bool run_files_set_apart(struct run_files *files, struct run_files *apart);

/*
 * Keep only the files of folders for which ANSWERS holds, by their way from the named directory,
 * unless there is none. Returns how many were dropped.
 */
size_t run_files_keep(struct run_files *files, const char *text,
		      bool (*answers)(const char *name, const char *text));

/* Rank in a file name ("rank3", "rank_3", "rank[3]", "rank-3", "worker3"), or NO_VALUE. */
int64_t run_files_number(const char *path);

/*
 * Keep only the file of this rank, and the others as the rest; 0 also means the first. A file's
 * rank comes from its header, otherwise from its name. If one is unknown or two are equal, all
 * files are kept and the contents decide later. False with ERROR_USAGE if all are known and none
 * matches.
 */
bool run_files_choose(struct run_files *files, int64_t rank, struct error *error);
