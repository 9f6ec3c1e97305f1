/*
 * Writes to descriptors that may take a part, or be interrupted.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

/* False with errno. */
static inline bool write_all(int descriptor, const void *data, size_t length)
{
	for (const char *at = data; length;) {
		ssize_t written = write(descriptor, at, length);
		if (written < 0 && errno != EINTR)
			return false;
		at += written > 0 ? written : 0;
		length -= written > 0 ? (size_t)written : 0;
	}
	return true;
}
