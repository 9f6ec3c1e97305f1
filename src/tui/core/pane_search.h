/*
 * The current search. Panes compare SERIAL to detect outdated matches.
 */
#ifndef STRATA_TUI_CORE_PANE_SEARCH_H
#define STRATA_TUI_CORE_PANE_SEARCH_H

#include "base/pattern.h"

#include <stdbool.h>

struct error;

struct search {
	char *text;
	struct pattern *pattern; /* NULL: none */
	unsigned serial;
};

/* Set the search to TEXT ("": none). False if the expression is invalid; SEARCH is unchanged. */
bool search_set(struct search *search, const char *text, struct error *error);
void search_clear(struct search *search);

#endif
