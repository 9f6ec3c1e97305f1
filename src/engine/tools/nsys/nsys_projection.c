/*
 * GPU projection of NVTX ranges, as in `nsys stats` (nvtx_gpu_proj_sum): from the start of the
 * first activity launched in a range to the end of the last one.
 */
#include "tools/nsys/nsys_views.h"

#include "analysis/summary.h"
#include "base/buffer.h"
#include "base/intern.h"
#include "views/views.h"

/* Activities launched in a range. */
struct projection {
	uint32_t span;
	uint32_t outer;        /* enclosing range, or NO_ROW */
	uint32_t level, inner; /* number of enclosing ranges; of direct children that launch, too */
	int64_t start, end, operations;
};

struct projections {
	const struct selection *selection;
	const struct progress *progress;
	struct projection *item;
	size_t count, capacity;
	uint32_t *of_span; /* by span: its item; NO_ROW: not visited, NO_RANGE */
	struct buffer name;
};

enum { NO_RANGE = NO_ROW - 1 };

/* Poll for cancellation at DONE of TOTAL; nested ranges make rows expensive. */
static bool go_on(const struct projections *projections, uint64_t done, uint64_t total)
{
	enum { WEIGHT = 16 };
	return progress_heavy_row(projections->progress, "summarizing", done, total, WEIGHT);
}

/* Innermost range containing SPAN, created with its enclosing ones on first use; or NO_ROW. */
static uint32_t range_at(struct projections *projections, uint32_t span)
{
	const struct profile *profile = projections->selection->profile;
	bool started;
	for (; span != NO_ROW; span = profile->span_parent[span]) {
		uint32_t *seen = &projections->of_span[span];
		if (*seen == NO_ROW &&
		    !nsys_range_name(profile, span, &projections->name, &started))
			*seen = NO_RANGE;
		if (*seen != NO_RANGE)
			break;
	}
	if (span == NO_ROW)
		return NO_ROW;
	if (projections->of_span[span] == NO_ROW) {
		mem_grow(projections->item, projections->capacity, projections->count + 1);
		projections->item[projections->count] = (struct projection){
			.span = span, .outer = NO_ROW, .start = INT64_MAX, .end = INT64_MIN
		};
		projections->of_span[span] = (uint32_t)projections->count++;
	}
	return projections->of_span[span];
}

/* Ranges nest as spans do: outer ones exist before inner ones. */
static void add_activity(struct projections *projections, uint32_t activity)
{
	const struct profile *profile = projections->selection->profile;
	int64_t start = profile->activity_start[activity];
	int64_t end = start + profile->activity_dur[activity];
	uint32_t launch = profile->activity_launch[activity];
	uint32_t at = launch == NO_ROW ? NO_ROW : range_at(projections, launch);
	while (at != NO_ROW) {
		uint32_t parent = profile->span_parent[projections->item[at].span];
		uint32_t outer = range_at(projections, parent);
		struct projection *item = &projections->item[at];
		item->outer = outer;
		item->start = start < item->start ? start : item->start;
		item->end = end > item->end ? end : item->end;
		item->operations++;
		at = outer;
	}
}

static bool count_levels(struct projections *projections)
{
	for (size_t i = 0; i < projections->count; i++) {
		struct projection *item = &projections->item[i];
		for (uint32_t at = item->outer; at != NO_ROW; at = projections->item[at].outer)
			item->level++;
		if (item->outer != NO_ROW)
			projections->item[item->outer].inner++;
		if (!go_on(projections, i, projections->count))
			return false;
	}
	return true;
}

/* ---- rows ---- */

struct totals {
	int64_t range, operations, level, inner;
};

static void add_row(struct table *table, const char *key, size_t length,
		    const struct summary *summary, const struct totals *totals)
{
	double count = (double)summary->count;
	size_t row = table_add_row(table, (struct ref){ .kind = REF_NONE });
	table_set(table, row, "name", table_copy_text(table, key + 1, length - 1));
	table_set(table, row, "style", value_text(*key == 's' ? "StartEnd" : "PushPop"));
	table_set(table, row, "total_ns", value_int(summary->total));
	table_set(table, row, "range_ns", value_int(totals->range));
	table_set(table, row, "calls", value_int(summary->count));
	table_set(table, row, "avg_ns", value_real(summary->mean));
	table_set(table, row, "median_ns", value_real(summary->median));
	table_set(table, row, "min_ns", value_int(summary->min));
	table_set(table, row, "max_ns", value_int(summary->max));
	table_set(table, row, "stddev_ns", value_real(summary->deviation));
	table_set(table, row, "gpu_ops", value_int(totals->operations));
	table_set(table, row, "avg_gpu_ops", value_real((double)totals->operations / count));
	table_set(table, row, "avg_level", value_real((double)totals->level / count));
	table_set(table, row, "avg_children", value_real((double)totals->inner / count));
}

/* False when cancelled. */
static bool add_rows(struct table *table, struct projections *projections)
{
	const struct profile *profile = projections->selection->profile;
	struct intern *names = intern_new(); /* style letter and name */
	struct amount *amounts = mem_alloc((projections->count + 1) * sizeof *amounts);
	struct totals *totals = mem_zalloc(projections->count + 1, sizeof *totals);
	struct buffer key = { 0 };
	bool done = true;
	for (size_t i = 0; done && i < projections->count; i++) {
		const struct projection *item = &projections->item[i];
		bool started = false;
		done = go_on(projections, i, projections->count);
		nsys_range_name(profile, item->span, &projections->name, &started);
		buffer_clear(&key);
		buffer_putc(&key, started ? 's' : 'p');
		buffer_add(&key, projections->name.data, projections->name.length);
		amounts[i] = (struct amount){ intern_add(names, key.data, key.length),
					      item->end - item->start };
		struct totals *total = &totals[amounts[i].group];
		total->range += profile->span_dur[item->span];
		total->operations += item->operations;
		total->level += item->level;
		total->inner += item->inner;
	}
	uint32_t groups = intern_count(names);
	struct summary *summaries =
		done ? summary_make(amounts, projections->count, groups, projections->progress)
		     : NULL;
	for (uint32_t i = 0; summaries && i < groups; i++)
		if (summaries[i].count)
			add_row(table, intern_text(names, i), intern_length(names, i),
				&summaries[i], &totals[i]);
	done = summaries != NULL;
	mem_free(summaries);
	mem_free(totals);
	mem_free(amounts);
	intern_free(names);
	buffer_free(&key);
	return done;
}

static bool build_projection(struct table *table, const struct view_query *query)
{
	const struct profile *profile = query->selection->profile;
	bool done = true;
	struct projections projections = {
		.selection = query->selection,
		.progress = query->progress,
		.of_span = mem_alloc(((size_t)profile->spans + 1) * sizeof(uint32_t)),
	};
	for (uint32_t i = 0; i < profile->spans; i++)
		projections.of_span[i] = NO_ROW;
	for (uint32_t i = 0; done && i < profile->activities; i++) {
		if (selection_has_activity(query->selection, i) && profile_is_work(profile, i))
			add_activity(&projections, i);
		done = go_on(&projections, i, profile->activities);
	}
	done = done && count_levels(&projections) && add_rows(table, &projections);
	if (done && !projections.count)
		table_note(table, "No ranges that launched GPU work in this scope.");
	mem_free(projections.of_span);
	mem_free(projections.item);
	buffer_free(&projections.name);
	return done;
}

#define COLUMNS                                                                                    \
	"name,style,total_ns,range_ns,calls,avg_ns,median_ns,min_ns,max_ns,stddev_ns,gpu_ops,"     \
	"avg_gpu_ops,avg_level,avg_children"

const struct view view_nsys_projection = {
	.name = "nsys-nvtx_gpu_proj_sum",
	.title = "nvtx_gpu_proj_sum",
	.row = "a range",
	.summary = "nsys stats: GPU work launched in each range.",
	.columns = COLUMNS,
	.default_columns = COLUMNS,
	.default_sort = "total_ns:desc,calls:asc,name:asc",
	.build = build_projection,
};
