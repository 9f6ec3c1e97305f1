/*
 * The last search.  Panes compare SERIAL to know whether their hits are still right.
 */
#ifndef STRATA_TUI_CORE_SEARCH_H
#define STRATA_TUI_CORE_SEARCH_H

#include "base/pattern.h"

#include <stdbool.h>

struct error;

struct search {
	char *text;
	struct pattern *pattern; /* NULL: none */
	unsigned serial;
};

/* Make TEXT the search ("": none).  False: not a valid expression; SEARCH is as it was. */
bool search_set(struct search *search, const char *text, struct error *error);
void search_clear(struct search *search);

#endif
