/*
 * Regular expressions: PCRE2 with its JIT, limits on what a match may cost, smart case (a pattern
 * without capital letters ignores case).
 */
#ifndef STRATA_BASE_PATTERN_H
#define STRATA_BASE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct pattern;

/* NULL with ERROR_USAGE (message and offset of the fault) when TEXT is not a valid expression. */
struct pattern *pattern_new(const char *text, struct error *error);
void pattern_free(struct pattern *pattern);
/*
 * The same expression for another thread: a pattern is used by one at a time.  It must be freed
 * before PATTERN is.  NULL: out of memory.
 */
struct pattern *pattern_share(const struct pattern *pattern);

/*
 * Does TEXT match anywhere?  START and END (may be NULL) receive the byte range of the first match.
 * A match that passes the cost limit counts as none and sets pattern_gave_up.
 */
bool pattern_match(const struct pattern *pattern, const char *text, size_t length, size_t *start,
		   size_t *end);
/*
 * May a text match that has these characters alone, and letters next to each other only as one of
 * WORDS (NULL behind the last) has them, in either case?  False only when none can.
 */
bool pattern_may_match(const struct pattern *pattern, const char *characters,
		       const char *const *words);
/* Append an expression that matches just these bytes, capitals told apart. */
struct buffer;
void pattern_quote(struct buffer *out, const char *text, size_t length);
bool pattern_gave_up(const struct pattern *pattern);
void pattern_give_up(const struct pattern *pattern); /* set it, for a shared one that did */

#endif
