/*
 * Lines, words and numbers of printed text.
 */
#ifndef STRATA_INPUT_TEXT_LINES_H
#define STRATA_INPUT_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Removes the next line from TEXT, without its newline; false at the end. */
bool text_line(const char **text, const char *end, const char **line, size_t *length);

/* A part of a line; nothing is copied. */
struct word {
	const char *text;
	size_t length;
};

/* WORD without blanks and tabs around it. */
struct word word_trim(struct word word);
bool word_is(struct word word, const char *text);
bool word_begins(struct word word, const char *text);
bool word_ends(struct word word, const char *text);
/* Where TEXT is first in WORD, or NULL. */
const char *word_find(struct word word, const char *text);

/* Removes from LINE, after blanks, the characters up to the next blank; empty at the end. */
struct word word_next(struct word *line);

/* All of WORD is a decimal number; false also beyond the type. */
bool word_count(struct word word, int64_t *value);
bool word_real(struct word word, double *value);

#endif
