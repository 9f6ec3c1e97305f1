/*
 * A look at the text of a regular expression.
 */
#ifndef STRATA_BASE_PATTERN_WORDS_H
#define STRATA_BASE_PATTERN_WORDS_H

#include <stdbool.h>

/*
 * Does every text that matches the expression hold letters next to each other that none of WORDS
 * (NULL behind the last) holds so, in either case?  False also where that is not plain to see.
 */
bool pattern_needs_letters(const char *text, const char *const *words);

#endif
