/*
 * Atomic file replacement: writes a temporary file beside the target and renames it over it.
 */
#ifndef STRATA_BASE_REPLACE_H
#define STRATA_BASE_REPLACE_H

#include <stdbool.h>

struct error;
struct replace;

/*
 * Start writing PATH. A PATH that is not a regular file (a device, a pipe) is written directly.
 * NULL with ERROR_OUTPUT.
 */
struct replace *replace_begin(const char *path, struct error *error);

int replace_descriptor(const struct replace *replace);   /* open for writing */
const char *replace_path(const struct replace *replace); /* of the file being written */

/* Sync and rename over the target. Frees REPLACE either way. */
bool replace_commit(struct replace *replace, struct error *error);

/* Keep the old file. Frees REPLACE; NULL is fine. */
void replace_discard(struct replace *replace);

#endif
