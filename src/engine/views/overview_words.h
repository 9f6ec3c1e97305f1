/*
 * The facts of the overview in words.
 */
#ifndef STRATA_VIEWS_OVERVIEW_WORDS_H
#define STRATA_VIEWS_OVERVIEW_WORDS_H

struct table;

/* Fill the column fact: the title of the metric's column, or the metric in title case. */
void overview_say_in_words(struct table *table);

#endif
