/*
 * Files of named arrays: written atomically, read by mmap, checksummed throughout.
 *
 * Arrays have the rows of their in-memory layout, so a file is valid only for the build that wrote
 * it, identified by the stamp. The owner validates the values (stored.h).
 */
#pragma once

#include "base/mem.h"

#include <stdatomic.h>

struct error;
struct store;

enum { STORE_NAME_MAX = 40 }; /* bytes of a section name, NUL included */

struct store_section {
	const char *name;
	const void *data; /* may be NULL when SIZE is 0 */
	size_t size;      /* bytes */
	size_t words;     /* of 32 bits in a row: rows are kept narrow (narrow.h); 0: as they are */
};

/*
 * Write SECTIONS to PATH with a human-readable LABEL, mode 0600. Not synced: a file truncated by a
 * crash fails to open. False with ERROR_OUTPUT, ERROR_LIMIT when the data would exceed MAX bytes,
 * or ERROR_CANCELLED when STOP (may be NULL) became true.
 */
bool store_write(const char *path, uint64_t stamp, const char *label,
		 const struct store_section *sections, size_t count, uint64_t max,
		 const atomic_bool *stop, struct error *error);

/*
 * The label of a file written by any build, cut at its start when too long; "" when there is none.
 */
char *store_label(const char *path); /* the caller frees */

/*
 * Map the file at PATH. NULL with ERROR_INPUT unless it is complete, has this stamp, belongs to
 * this user and every checksum matches. If another program truncates the file while it is mapped,
 * access raises SIGBUS.
 */
struct store *store_open(const char *path, uint64_t stamp, struct error *error);
void store_close(struct store *store); /* NULL is fine */

/* The data of a section, aligned for any type, valid until store_close; NULL when absent. */
const void *store_find(const struct store *store, const char *name, size_t *size);

/*
 * The bounds (narrow.h), by word, of the rows of WORDS words in a section that was found at DATA;
 * NULL when it has no such rows.
 */
struct narrow_bounds;
const struct narrow_bounds *store_bounds(const struct store *store, const void *data, size_t words);
