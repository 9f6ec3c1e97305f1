/*
 * Files a person writes (configuration, themes, scripts, rates of devices), read whole.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct buffer;
struct error;

/*
 * Read FILE, a WHAT ("theme") at PATH, to its end. False with ERROR if it cannot be read or is
 * larger than the limit.
 */
bool small_file_read(struct buffer *text, FILE *file, const char *what, const char *path,
		     struct error *error);

/* The line of TEXT at *AT, without its newline; NULL at the end. Advances *AT. */
char *small_file_line(struct buffer *text, size_t *at, size_t *length);
