#include "analysis/causes.h"

#include "facts/facts.h"

struct walk {
	const struct intervals *within;
	size_t at; /* first interval that ends after the cursor */
	int64_t cursor;
	host_visitor *visit;
	void *context;
};

/* Visit SPAN from the cursor to END. */
static void advance(struct walk *walk, uint32_t span, int64_t end)
{
	const struct intervals *within = walk->within;
	if (end <= walk->cursor)
		return;
	while (walk->at < within->count && within->item[walk->at].end <= walk->cursor)
		walk->at++;
	for (size_t i = walk->at; i < within->count && within->item[i].start < end; i++) {
		int64_t from = within->item[i].start, to = within->item[i].end;
		from = from < walk->cursor ? walk->cursor : from;
		to = to > end ? end : to;
		if (from < to)
			walk->visit(walk->context, span, from, to);
	}
	walk->cursor = end;
}

bool host_walk(const struct facts *facts, uint32_t track, const struct intervals *within,
	       host_visitor *visit, void *context, const struct progress *progress)
{
	const struct profile *profile = facts->profile;
	const struct track *lane = &profile->tracks[track];
	struct walk walk = { within, 0, INT64_MIN, visit, context };
	uint32_t open = NO_ROW; /* innermost; its parents are open too */
	for (uint32_t i = 0; i <= lane->spans; i++) {
		if (!progress_row(progress, "walking threads", i, lane->spans))
			return false;
		uint32_t span = lane->first_span + i;
		bool last = i == lane->spans;
		uint32_t parent = last ? NO_ROW : profile->span_parent[span];
		int64_t start = last ? INT64_MAX : profile->span_start[span];
		for (; open != parent && open != NO_ROW; open = profile->span_parent[open]) {
			int64_t end = profile->span_start[open] + profile->span_dur[open];
			advance(&walk, open, end < start ? end : start);
		}
		if (open != NO_ROW)
			advance(&walk, open, start);
		else if (walk.cursor < start)
			walk.cursor = start;
		open = span;
	}
	return true;
}
