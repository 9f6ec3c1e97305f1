/*
 * Files of source code that a profile names, wherever the name leads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct error;

/*
 * Append a regular file to TEXT, of larger ones the first CODE_FILE_MAX bytes. Never blocks. False
 * with ERROR if it is none, or cannot be read.
 */
bool code_file_read(struct buffer *text, const char *path, struct error *error);

/*
 * Likewise the Python file PATH, relative to here or else to the folder of the file BESIDE. Files
 * without a suffix of Python are left alone, whatever a profile says.
 */
bool code_file_python(struct buffer *text, const char *path, const char *beside);

/* Start of line NUMBER (from 1) of TEXT; LENGTH if it has fewer. */
size_t code_line_start(const char *text, size_t length, size_t number);

enum { CODE_FILE_MAX = 16 << 20 }; /* limit: bytes of a file of source code that are read */
