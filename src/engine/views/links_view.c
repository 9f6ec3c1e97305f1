/*
 * The links view: forward–backward pairs.
 */
#include "views/views.h"

static void add_link(struct table *table, const struct selection *selection,
		     const struct link *link, const struct value *paths)
{
	const struct profile *profile = selection->profile;
	const struct derived *derived = selection->derived;
	size_t row =
		table_add_row(table, (struct ref){ REF_LINK, link->forward, link->backward, 0 });
	LINK_CELLS(table_set);
}

bool build_links(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	const struct link_table *links = &selection->derived->links;
	struct value *paths = layer_path_cells(table, selection->derived);
	bool ok = true;
	for_heavy_rows (ok, i, links->count, query->progress, "listing links", 8)
		if (selection_has_span(selection, links->by_forward[i].forward) ||
		    selection_has_span(selection, links->by_forward[i].backward))
			add_link(table, selection, &links->by_forward[i], paths);
	if (!links->count)
		table_note(
			table,
			"No backward operator is linked to a forward operator: the profile has no backward pass, or neither sequence numbers nor fwdbwd flows.");
	return ok;
}
