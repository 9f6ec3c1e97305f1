#include "tui/core/pane_search.h"

#include "base/mem.h"

bool search_set(struct search *search, const char *text, struct error *error)
{
	static unsigned
		serial; /* only increases, so that matches are never attributed to another search */
	struct pattern *pattern = *text ? pattern_new(text, error) : NULL;
	if (*text && !pattern)
		return false;
	search_clear(search);
	*search = (struct search){ mem_strdup(text), pattern, ++serial };
	return true;
}

void search_clear(struct search *search)
{
	mem_free(search->text);
	pattern_free(search->pattern);
	*search = (struct search){ 0 };
}
