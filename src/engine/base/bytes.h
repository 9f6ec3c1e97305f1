/*
 * Bytes taken one behind the other: numbers with their lowest byte first, never beyond the end.
 */
#ifndef STRATA_BASE_BYTES_H
#define STRATA_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	const unsigned char *from;
	size_t at, length;
};

/* The next COUNT of them; NULL, with none taken, when fewer are left. */
const unsigned char *bytes_take(struct bytes *bytes, size_t count);

/* The number in the next WIDTH bytes, of which the first eight count; false when fewer are left. */
bool bytes_take_number(struct bytes *bytes, size_t width, uint64_t *value);

/* A number of WIDTH bytes (at most eight) whose highest bit is its sign. */
int64_t bytes_signed(uint64_t value, size_t width);

#endif
