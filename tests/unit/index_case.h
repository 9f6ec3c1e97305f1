/*
 * A directory of indexes for a test program, and profiles that get one.
 */
#pragma once

#include "database_case.h"

extern char index_directory[];
extern struct load_options index_options; /* that write to it */

/* For cmocka_run_group_tests. */
int index_make_directory(void **state);
int index_remove_directory(void **state);

/* Back-date the file: recently changed files are not indexed. */
void index_age_file(const char *path, int seconds);
void index_write_text(const char *path, const char *text, size_t length);
void index_generate(const char *path, const char *how); /* a trace (trace_generate) */

/* Open PATH and write its index; NULL if it is not a profile. *INDEXED: loaded from an index. */
struct run *index_open(const char *path, bool *indexed);

size_t index_count(void);
void index_clear_all(void);
