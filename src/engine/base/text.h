/*
 * Text from files is bytes nobody vouched for.  These functions read it as UTF-8 where it is,
 * measure it in terminal columns and make it safe to show.
 */
#ifndef STRATA_BASE_TEXT_H
#define STRATA_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

/*
 * Decode one code point at TEXT (LENGTH > 0 bytes left).  Returns the number of bytes used; a
 * byte that is not valid UTF-8 is used alone and yields -1 in *POINT.
 */
size_t text_decode(const char *text, size_t length, int32_t *point);

/* Write POINT as UTF-8 into OUT (4 bytes); returns its length. */
size_t text_encode(uint32_t point, char out[4]);

/*
 * True for a code point that must never reach a terminal as it is: C0 and C1 controls, DEL,
 * bidirectional controls, zero-width characters, line separators, the byte order mark,
 * surrogates, noncharacters and tag characters.
 */
bool text_is_unsafe(int32_t point);

/* Columns a code point takes on a terminal: 0 (combining), 1 or 2. */
int text_point_width(int32_t point);

/*
 * Append TEXT to OUT in the form that is safe on a terminal: unsafe code points and invalid bytes
 * become escapes (\n, \t, \x1b, \u202e); everything else is kept.
 */
void text_escape(struct buffer *out, const char *text, size_t length);

/* Columns that safe text (the result of text_escape) takes. */
size_t text_width(const char *text, size_t length);

/*
 * Append safe text cut to at most COLUMNS columns.  A C++ signature that is too long first loses
 * what stands before the function's own name, but never its indentation.  What is still too long
 * loses its middle, in whose place stands "~" (or the ellipsis U+2026 when UNICODE), because the
 * tail of a kernel name matters as much as its head.  Returns the columns used.
 */
size_t text_elide(struct buffer *out, const char *text, size_t length, size_t columns,
		  bool unicode);

/*
 * How many slips of the finger make B of A at least (a letter left out, added, wrong, or two
 * swapped), for "did you mean"; of names up to 63 letters.
 */
size_t text_distance(const char *a, const char *b);

#endif
