/*
 * Static analysis of the letters a regular expression requires.
 */
#pragma once

#include <stdbool.h>

/*
 * True when every match of the expression must contain a run of letters that occurs in none of
 * WORDS (NULL-terminated), ignoring case; false when unsure.
 */
bool pattern_needs_letters(const char *text, const char *const *words);
