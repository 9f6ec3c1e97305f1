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
 * Does TEXT match anywhere?  START and END (may be NULL) receive the byte range of the first match.
 * A match that passes the cost limit counts as none and sets pattern_gave_up.
 */
bool pattern_match(const struct pattern *pattern, const char *text, size_t length, size_t *start,
		   size_t *end);
/* May a text that has these characters alone match?  False only when none can. */
bool pattern_may_match(const struct pattern *pattern, const char *characters);
/* Append an expression that matches just these bytes, capitals told apart. */
struct buffer;
void pattern_quote(struct buffer *out, const char *text, size_t length);
bool pattern_gave_up(const struct pattern *pattern);

#endif
