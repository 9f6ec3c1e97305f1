/*
 * Atomic file replacement: writes a temporary file beside the target and renames it over it. What
 * a killed process leaves is removed with the next write of that file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct error;
struct replace;

/*
 * Start writing PATH. A PATH that is not a regular file (a device, a pipe) is written directly, and
 * so is a file in a directory that cannot be written (replace_is_atomic). A file that is read
 * (base/inputs.h) is refused, and a read-only one without FORCE. NULL with ERROR_OUTPUT.
 */
struct replace *replace_begin(const char *path, bool force, struct error *error);

int replace_descriptor(const struct replace *replace); /* open for writing */

/* The path of the file being written, for others to open. NULL with ERROR_OUTPUT. */
const char *replace_path(struct replace *replace, struct error *error);

/* False if PATH is a file that would be written in place, because its directory admits no file. */
bool replace_is_atomic(const char *path);

/* Append LENGTH bytes to the file being written. False with ERROR_OUTPUT. */
bool replace_write(struct replace *replace, const void *data, size_t length, struct error *error);

/* Sync and rename over the target. Frees REPLACE either way. */
bool replace_commit(struct replace *replace, struct error *error);

/* Commit if DONE, else discard; true when both succeed. */
bool replace_end(struct replace *replace, bool done, struct error *error);

/* Keep the old file; one that is written in place ends up empty. Frees REPLACE; NULL is fine. */
void replace_discard(struct replace *replace);
