/*
 * Reads the rows of a large table ahead of their reader, in a thread of its own.
 */
#ifndef STRATA_INPUT_SQLITE_SQLITE_AHEAD_H
#define STRATA_INPUT_SQLITE_SQLITE_AHEAD_H

#include "input/sqlite/sqlite_pages.h"

struct sqlite_ahead;

/* Owns PAGES, of which all columns are named. LIST: all that are open; it must outlive them. */
struct sqlite_ahead *sqlite_ahead_new(struct sqlite_pages *pages, struct sqlite_ahead **list);
void sqlite_ahead_free(struct sqlite_ahead *ahead); /* NULL is fine */
void sqlite_ahead_free_all(struct sqlite_ahead **list);

/* The next rows, valid until the next call; none after a batch that PAGES_ROW does not follow. */
const struct page_batch *sqlite_ahead_next(struct sqlite_ahead *ahead);

#endif
