/*
 * Keeps the first bytes of a stream being read, so that its prefix can be parsed for a preview. One
 * writer thread; others may read concurrently.
 */
#pragma once

#include <stddef.h>

struct spool;

struct spool *spool_new(void);        /* NULL: out of memory */
void spool_free(struct spool *spool); /* NULL is allowed */
void spool_add(void *spool, const void *bytes,
	       size_t length); /* bytes beyond the limit are dropped */
const void *spool_bytes(const struct spool *spool,
			size_t *length); /* their address does not change */
