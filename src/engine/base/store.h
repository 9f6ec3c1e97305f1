/*
 * Named arrays in a file that only this program reads again: written whole or not at all, mapped to
 * be read, and every byte of it under a checksum.
 *
 * The arrays lie in the file as they lie in memory, so a file is good for the build that wrote it
 * alone; the stamp says which.  What the numbers in them mean is for the owner to check (stored.h).
 */
#ifndef STRATA_BASE_STORE_H
#define STRATA_BASE_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct store;

enum { STORE_NAME = 40 }; /* bytes of a name, its NUL included */

struct store_section {
	const char *name;
	const void *data; /* may be NULL when SIZE is 0 */
	size_t size;      /* bytes */
};

/* Bytes of the file that holds these sections. */
uint64_t store_size(const struct store_section *sections, size_t count);

/*
 * Write them to PATH under a LABEL for people, readable for the owner alone.  Not made durable: a
 * file that a crash has cut does not open again.  False with ERROR_OUTPUT, or ERROR_CANCELLED when
 * STOP (may be NULL) became true.
 */
bool store_write(const char *path, uint64_t stamp, const char *label,
		 const struct store_section *sections, size_t count, const atomic_bool *stop,
		 struct error *error);

/* The label of a file of any build, or "" when there is none; the end of it when it was long. */
char *store_label(const char *path); /* the caller frees */

/*
 * Map the file at PATH.  NULL with ERROR_INPUT unless it is a whole file of this stamp, of this
 * user's own, in which every checksum holds.  Should another program shorten the file while it is
 * mapped, touching what is gone raises SIGBUS.
 */
struct store *store_open(const char *path, uint64_t stamp, struct error *error);
void store_close(struct store *store); /* NULL is fine */

/* The bytes of a section, 64-byte aligned, valid until store_close; NULL when there is none. */
const void *store_find(const struct store *store, const char *name, size_t *size);

/* What a stamp and keys are made with. */
uint64_t store_checksum(uint64_t before, const void *data, size_t size);

#endif
