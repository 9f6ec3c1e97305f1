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

/* altered.c: what is said of the seed at PATH with other values, with more rows, of the damaged
 * profile FILE */
void print_altered(const char *file, const char *path);
void print_grown(const char *file, const char *path);
void print_damages(const char *file);

/* rich.c: a random trace with more in it; the caller frees it */
struct buffer rich_trace(uint64_t seed);

/* rich.c: the rows of the trace FILE when it is opened with options */
void print_opened(const char *file);

/* decided.c */
void print_advice(const char *path);
