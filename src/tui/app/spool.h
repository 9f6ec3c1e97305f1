/*
 * The first bytes of what is being read, kept so that they can be read once more before the rest
 * has come.  One thread adds, others may look at the same time.
 */
#ifndef STRATA_TUI_APP_SPOOL_H
#define STRATA_TUI_APP_SPOOL_H

#include <stddef.h>

struct spool;

struct spool *spool_new(void);                                 /* NULL: there is no room for one */
void spool_free(struct spool *spool);                          /* NULL is fine */
void spool_add(void *spool, const void *bytes, size_t length); /* what is too much is left out */
const void *spool_bytes(const struct spool *spool, size_t *length); /* stay where they are */

#endif
