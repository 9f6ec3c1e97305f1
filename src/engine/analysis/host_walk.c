#include "analysis/host_walk.h"

#include "base/binary_search.h"
#include "derived/derived.h"

struct span_range {
	uint32_t first, end;
};

struct host_walk_walk {
	const struct intervals *within;
	size_t at; /* first interval that ends after the cursor */
	int64_t cursor;
	host_visitor *visit;
	void *context;
};

/* Visit SPAN from the cursor to END. */
static void advance(struct host_walk_walk *walk, uint32_t span, int64_t end)
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

/*
 * The spans of a thread that may lie in WITHIN, which is not empty, beside those around the first:
 * others that start before it ended before it.
 */
static struct span_range spans_near(const struct profile *profile, const struct track *lane,
				    const struct intervals *within)
{
	const int64_t *start = profile->span_start + lane->first_span;
	struct ascending starts = ASCENDING_ARRAY(start, lane->spans);
	struct span_range rows = { lane->first_span, lane->first_span };
	size_t first = search_between(starts, within->item[0].start + 1, 0, lane->spans);
	int64_t until = within->item[within->count - 1].end;
	rows.end += (uint32_t)search_between(starts, until, first, lane->spans);
	rows.first += first ? (uint32_t)first - 1 : 0;
	return rows;
}

bool host_walk(const struct derived *derived, uint32_t track, const struct intervals *within,
	       host_visitor *visit, void *context, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	const struct track *lane = &profile->tracks[track];
	struct host_walk_walk walk = { within, 0, INT64_MIN, visit, context };
	if (!within->count)
		return progress_update(progress, "walking threads", 0, 0, 0);
	struct span_range rows = spans_near(profile, lane, within);
	/* the innermost; its parents are open too */
	uint32_t open = rows.first < rows.end ? profile->span_parent[rows.first] : NO_ROW;
	for (uint32_t span = rows.first; span <= rows.end; span++) {
		if (!progress_row(progress, "walking threads", span - rows.first, lane->spans))
			return false;
		bool last = span == rows.end;
		uint32_t parent = last ? NO_ROW : profile->span_parent[span];
		int64_t start = last ? INT64_MAX : profile->span_start[span];
		for (; open != parent && open != NO_ROW; open = profile->span_parent[open]) {
			int64_t end = profile_span_end(profile, open);
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
