/*
 * What the parts of the program rows share.
 */
#pragma once

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct run;
struct scope;
struct table;
struct view;

enum { ROWS = 30 }; /* of a table */

/* At most SEED_MAX bytes, with room for a NUL behind them; the caller frees. These abort on
 * failure. */
void *sweep_read(const char *path, size_t *length);
void sweep_write(const char *path, const void *bytes, size_t length);
FILE *sweep_open(const char *file, const char *ending);

/* The last two parts of the path, joined by '-'. */
void sweep_name(const char *path, char *name, size_t size);
bool sweep_is_directory(const char *path);

void sweep_row(FILE *out, const struct table *table, size_t row);
bool sweep_lists(const struct view *view); /* does the program print it? */
void sweep_scope(FILE *out, const struct run *run, const char *title, const struct scope *scope);

/* altered.c: BYTES in OUT, with others instead of the LENGTH_OLD at PLACE */
void sweep_alter(struct buffer *out, const char *bytes, size_t length, size_t place,
		 size_t length_old, const char *text, size_t length_new);

/* altered.c: length of the number or word that begins at AT; 0: none does */
size_t sweep_part_at(const char *bytes, size_t length, size_t at, bool words);

/* altered.c: the place of number or word NUMBER, from 0; their count past the last */
size_t sweep_find_part(const char *bytes, size_t length, bool words, size_t number, size_t *place);

/* altered.c: BYTES in OUT, with PERCENT of the values of members or columns exchanged for those
 * that others of the name have; the count of values */
size_t sweep_exchange(struct buffer *out, const char *bytes, size_t length, uint64_t random,
		      uint32_t percent);

/* altered.c: what the views say that show what was read, or all */
void sweep_print_read(FILE *out, const char *file, bool all);

/* altered.c: what is said of the seed at PATH with other values, with more rows, of the damaged
 * profile FILE */
void print_altered(const char *file, const char *path);
void print_grown(const char *file, const char *path);
void print_damages(const char *file);

/* rich.c: a random trace with more in it; the caller frees it */
struct buffer rich_trace(uint64_t seed);

/* queued.c: a random trace of work in queues; the caller frees it */
struct buffer queued_trace(uint64_t seed);

/* rich.c: the trace as rank NUMBER of three, with some kernels and calls shorter or longer; LESS:
 * without operators */
struct buffer rich_repeated(const struct buffer *trace, uint64_t seed, int number, bool less);

/* rich.c: the rows of the trace FILE when it is opened with options */
void print_opened(const char *file);

/* rich.c: the rows of the trace FILE at the times that are predicted under edits */
void print_edited(const char *file);

/* dumped.c */
void print_database(const char *path);

/* decided.c */
void print_advice(const char *path);
