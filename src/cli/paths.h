/*
 * The files that a word of the command line stands for.
 */
#ifndef STRATA_CLI_PATHS_H
#define STRATA_CLI_PATHS_H

#include <stdbool.h>
#include <stddef.h>

struct error;

/*
 * Append PATH to *PATHS, or when it is a directory the traces in it: its *.json, *.json.gz and
 * *.json.zst, or all its files when there are none of those, in the order of their numbers.  The
 * caller frees names and list.  False with ERROR_INPUT.
 */
bool paths_add(const char *path, char ***paths, size_t *count, struct error *error);

#endif
