/*
 * A part of a text that lives elsewhere.
 */
#ifndef STRATA_BASE_TEXT_SLICE_H
#define STRATA_BASE_TEXT_SLICE_H

#include <stddef.h>

/* LENGTH bytes from TEXT, without a terminating NUL; length 0: none, or unknown. */
struct text_slice {
	const char *text;
	size_t length;
};

#endif
