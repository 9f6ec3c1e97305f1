/*
 * Lines, words and numbers of printed text.
 */
#pragma once

#include "base/text_slice.h"

#include <stdint.h>

/* Removes the next line from TEXT, without its newline; false at the end. */
bool text_line(const char **text, const char *end, const char **line, size_t *length);

/* WORD without blanks and tabs around it. */
struct text_slice slice_trim(struct text_slice word);

/* The parts of WORD before and from AT, a place in it. */
struct text_slice slice_until(struct text_slice word, const char *at);
struct text_slice slice_from(struct text_slice word, const char *at);
/* Removes TEXT from WORD, which then begins after it; false unless WORD begins with it. */
bool slice_skip(struct text_slice *word, const char *text);

/* Removes from LINE, after blanks, the characters up to the next blank; empty at the end. */
struct text_slice slice_next(struct text_slice *line);
/* Likewise those after the last blank. */
struct text_slice slice_last(struct text_slice *line);
/* Likewise a cell, which ends at two blanks or a tab. */
struct text_slice slice_cell(struct text_slice *line);

/* All of WORD is a decimal number; false also beyond the type. */
bool slice_count(struct text_slice word, int64_t *value);
bool slice_real(struct text_slice word, double *value);
/* Likewise with commas between thousands: "1,575,151.5". */
bool slice_commas(struct text_slice word, double *value);

struct text_unit {
	const char *suffix; /* NULL ends a list */
	double factor;
};

/* All of WORD is a number with one of UNITS, the first that WORD ends with: "1.5ms", "1.5 ms". */
bool slice_scaled(struct text_slice word, const struct text_unit *units, double *value);
