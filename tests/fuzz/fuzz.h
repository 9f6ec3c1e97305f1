/*
 * Helpers of the fuzz targets. A target is a file with one function, called by libFuzzer with
 * generated input (make fuzz) and by tests/fuzz/files.c with the contents of files (the suite).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Path of a file with these bytes, valid until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* The bytes as a NUL-terminated string, valid until the next call; NULs inside become blanks. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Build some views of a run in every grouping and format their cells. */
void fuzz_look_at(const struct run *run);
void fuzz_look(const char *path); /* opens the file; if it is a profile, views its run */

/* A small constant run. */
const struct run *fuzz_run(void);
const char *fuzz_trace(void); /* path of its file */

/*
 * Path of a database made from lines of text:
 *     TABLE column=value column=value ...
 * A value is an integer, a real, a 'text' (\n, \', \\ and \xHH inside), x'68656c6c6f', @N (a text
 * or blob of N bytes) or empty. Input that starts as a database is used as is.
 */
const char *fuzz_database(const uint8_t *data, size_t size);

/* Do the bytes begin like a row of it? */
bool fuzz_is_database(const uint8_t *data, size_t size);

/* fuzz_database of such rows, fuzz_file of others, as of printed text. */
const char *fuzz_profile(const uint8_t *data, size_t size);
