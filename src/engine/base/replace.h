/*
 * A file that appears whole or not at all: it is written beside its place under another name and
 * takes the place at the end.
 */
#ifndef STRATA_BASE_REPLACE_H
#define STRATA_BASE_REPLACE_H

#include <stdbool.h>

struct error;
struct replace;

/*
 * Begin to write PATH.  What PATH names and is no regular file (a device, a pipe) is written
 * directly.  NULL with ERROR_OUTPUT when it cannot be.
 */
struct replace *replace_begin(const char *path, struct error *error);

int replace_descriptor(const struct replace *replace);   /* open for writing */
const char *replace_path(const struct replace *replace); /* where it is being written */

/* Make it durable and put it in its place.  Frees REPLACE either way. */
bool replace_commit(struct replace *replace, struct error *error);

/* Leave what was there before.  Frees REPLACE; NULL is fine. */
void replace_discard(struct replace *replace);

#endif
