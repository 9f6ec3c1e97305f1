/*
 * Files of tests: those of the source and of the corpus, and temporary ones.
 */
#pragma once

#include <stddef.h>
#include <string.h>

/* Paths below the source directory and below the corpus, valid until the eighth call after it. */
const char *source_path(const char *name);
const char *corpus_path(const char *name); /* NULL: it is not here */

/* The text of tests/unit/data/NAME, for the rest of the program; DATA: and its length. */
const char *data_text(const char *name);
#define DATA(name) data_text(name), strlen(data_text(name))

/* Each fails the test on error. What is read ends in a NUL; the caller frees it (mem_free). */
char *read_whole(const char *path, size_t *length);
void write_whole(const char *path, const void *bytes, size_t length);
/* One in the folder. */
void write_text_in(const char *folder, const char *name, const char *text);
/* A new file whose path replaces the one that ends in XXXXXX; the caller unlinks it. */
void write_temporary(char *path, const void *bytes, size_t length);

/* For tests/sweep/cases.sh, as the functions above do: a file made of TEXT, and the ranks of one
 * run. */
void keep_written(const char *path, const char *text);
void keep_ranks(const char *const *paths, size_t count);

/* With all that is in it; 0: done. */
int remove_folder(const char *folder);
