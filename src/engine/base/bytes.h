/*
 * Bounds-checked little-endian reader.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	const unsigned char *from;
	size_t at, length;
};

/* Consume COUNT bytes and return them; NULL, consuming nothing, when fewer are left. */
const unsigned char *bytes_read(struct bytes *bytes, size_t count);

/* Consume a WIDTH-byte number, keeping its low 64 bits; false when fewer bytes are left. */
bool bytes_read_number(struct bytes *bytes, size_t width, uint64_t *value);

/* Sign-extend a number of WIDTH bytes (at most eight). */
int64_t bytes_sign_extend(uint64_t value, size_t width);
