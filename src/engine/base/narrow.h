/*
 * Rows of 32-bit words in fewer bytes: word by word, the least value of a block of rows, and the
 * distances from it in 0, 1, 2 or 4 bytes. All ones, which stand for no row, count as less than 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NARROW_ROWS = 256,                     /* of a block, except of the last */
	NARROW_WORD_MIN = 5,                   /* bytes of a word of a block: the least… */
	NARROW_WORD_MAX = 5 + 4 * NARROW_ROWS, /* …and the most */
};

/*
 * Write the COUNT rows, at most a block, of WORDS words each to OUT, at most NARROW_WORD_MAX bytes
 * a word; returns where they end.
 */
unsigned char *narrow_pack(unsigned char *out, const uint32_t *rows, size_t count, size_t words);

/* Of the values of a word, each plus 1: there are all ones where LEAST is 0. */
struct narrow_bounds {
	uint32_t least, most;
};

/*
 * Fill ROWS from AT, and extend the bounds of each word; returns where that ended, or NULL when it
 * is damaged or ends before.
 */
const unsigned char *narrow_unpack(const unsigned char *at, const unsigned char *end,
				   uint32_t *rows, size_t count, size_t words,
				   struct narrow_bounds *bounds);
