/*
 * What the fuzz targets share.  A target is one file with one function, which libFuzzer calls with
 * bytes of its making (make fuzz) and tests/fuzz/files.c with the bytes of files (the suite).
 */
#ifndef STRATA_TESTS_FUZZ_H
#define STRATA_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The path of a file that holds these bytes, until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* The bytes as a text that ends in a NUL, until the next call; NULs inside become blanks. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Build some views of a run in every grouping and look at their cells. */
void fuzz_look_at(const struct run *run);
void fuzz_look(const char *path); /* of the run of a file, when it is one */

/* A small run for targets that need one: the same every time. */
const struct run *fuzz_run(void);
const char *fuzz_trace(void); /* the path of its file */

/*
 * The path of a database made from lines of text:
 *     TABLE column=value column=value ...
 * A value is an integer, a real, a 'text' (\n, \', \\ and \xHH inside), x'68656c6c6f', @N (a text
 * or blob of N bytes) or nothing.  What begins as a database is taken as it is.
 */
const char *fuzz_database(const uint8_t *data, size_t size);

#endif
