/*
 * Regular expressions: PCRE2 with its JIT, a match cost limit and smart case (a pattern without
 * capitals ignores case).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct error;
struct pattern;

/* NULL with ERROR_USAGE (message and offset) when TEXT is not a valid expression. */
struct pattern *pattern_new(const char *text, struct error *error);
/*
 * A valid rule of the program for names: compiled to machine code only once it has searched many,
 * since that takes as long as searching thousands. It cannot be shared.
 */
struct pattern *pattern_new_rule(const char *text);
void pattern_free(struct pattern *pattern);
/* Free what its last match took, 20 KB without machine code; NULL is fine. */
void pattern_rest(struct pattern *pattern);
#define AUTO_PATTERN AUTO(pattern_free_local) /* base/mem.h */
static inline void pattern_free_local(struct pattern **pattern)
{
	pattern_free(*pattern);
}
/* A second handle for another thread; a handle is not thread safe. Free it before PATTERN. */
struct pattern *pattern_share(const struct pattern *pattern);

/*
 * Search TEXT; START and END (may be NULL) receive the byte range of the first match. A match that
 * exceeds the cost limit counts as none; see pattern_completed.
 */
bool pattern_match(const struct pattern *pattern, const char *text, size_t length, size_t *start,
		   size_t *end);
/* False when PCRE2 knows that no text of these CHARACTERS alone can match. */
bool pattern_may_match(const struct pattern *pattern, const char *characters);
/* Append an expression that matches exactly these bytes, case-sensitively. */
struct buffer;
void pattern_quote(struct buffer *out, const char *text, size_t length);
/* False with ERROR_LIMIT when a match has exceeded the cost limit. */
bool pattern_completed(const struct pattern *pattern, struct error *error);
void pattern_give_up(const struct pattern *pattern); /* for propagating it from a shared handle */
