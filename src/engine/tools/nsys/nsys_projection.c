/*
 * GPU projection of NVTX ranges, and its summary by name, as in `nsys stats` (nvtx_gpu_proj_sum).
 */
#include "tools/nsys/nsys_projection.h"

#include "analysis/summary.h"
#include "base/intern.h"
#include "base/sort.h"
#include "tools/nsys/nsys_names.h"
#include "tools/nsys/nsys_views.h"
#include "views/views.h"

/* ---- projecting ---- */

struct launch { /* a correlation id seen in a projection, without padding */
	int64_t correlation;
	uint32_t projection, space;
};

struct projecting {
	const struct selection *selection;
	struct nsys_pair *pairs;
	size_t pair_count;
	uint8_t *in_range;               /* by pair */
	struct nsys_projection *outside; /* item 0; a range has item 1 + its index */
	struct intern *launches;
};

static void nsys_projection_add_work(struct projecting *projecting, const struct nsys_pair *pair,
				     uint32_t at)
{
	const struct profile *profile = projecting->selection->profile;
	struct nsys_projection *item = &projecting->outside[at];
	int64_t start = profile->activity_start[pair->activity];
	int64_t end = start + profile->activity_dur[pair->activity];
	uint32_t track = profile->span_track[pair->call];
	const struct call_info *info = profile_call_info(profile, pair->call);
	struct launch launch = { .correlation = info ? info->correlation : pair->call,
				 .projection = at,
				 .space = info ? 0 : 1 };
	uint32_t known = intern_count(projecting->launches);
	item->start = start < item->start ? start : item->start;
	if (end > item->end)
		item->track = track;
	item->end = end > item->end ? end : item->end;
	item->operations +=
		intern_add(projecting->launches, (const char *)&launch, sizeof launch) >= known;
}

static void parse_range(void *context, const struct nsys_interval *call, uint32_t range)
{
	struct projecting *projecting = context;
	projecting->in_range[call->id] = 1;
	nsys_projection_add_work(projecting, &projecting->pairs[call->id], range + 1);
}

static bool project(struct projecting *projecting, const struct nsys_ranges *ranges,
		    const struct progress *progress)
{
	const struct profile *profile = projecting->selection->profile;
	struct nsys_interval *calls = mem_alloc((projecting->pair_count + 1) * sizeof *calls);
	size_t count = 0;
	for (size_t i = 0; i < projecting->pair_count; i++) {
		uint32_t call = projecting->pairs[i].call;
		if (call == NO_ROW)
			continue;
		int64_t start = profile->span_start[call];
		calls[count++] = (struct nsys_interval){ start, start + profile->span_dur[call],
							 profile->span_track[call], (uint32_t)i };
	}
	bool ok = nsys_ranges_around(ranges, calls, count, parse_range, projecting, progress);
	mem_free(calls);
	for (size_t i = 0; i < projecting->pair_count && ok; i++) {
		ok = progress_row(progress, "summarizing", i, projecting->pair_count);
		if (!projecting->in_range[i] && projecting->pairs[i].call != NO_ROW)
			nsys_projection_add_work(projecting, &projecting->pairs[i], 0);
	}
	return ok;
}

/* ---- items ---- */

struct nsys_projection_order {
	uint32_t record, at;
};

static int compare_orders(const void *a, const void *b)
{
	const struct nsys_projection_order *x = a, *y = b;
	return (x->record > y->record) - (x->record < y->record);
}

static void count_children(const struct nsys_ranges *ranges, struct nsys_projection *items)
{
	for (size_t i = 0; i < ranges->count; i++) {
		uint32_t parent = ranges->range[i].parent;
		if (parent != NO_ROW && items[i + 1].end != INT64_MIN)
			items[parent + 1].children++;
	}
}

/* Keep the items with work, in the order of their row numbers. */
static bool keep_items(struct nsys_projections *projections, struct nsys_projection *items,
		       const struct progress *progress)
{
	size_t all = projections->ranges.count + 1;
	struct nsys_projection_order *orders = mem_alloc(all * sizeof *orders);
	size_t count = 0;
	for (size_t i = 0; i < all; i++)
		if (items[i].end != INT64_MIN)
			orders[count++] = (struct nsys_projection_order){
				i ? projections->ranges.range[i - 1].time.id : 0, (uint32_t)i
			};
	bool ok = sort_runs(orders, count, sizeof *orders, compare_orders, progress);
	projections->item = mem_alloc((count + 1) * sizeof *projections->item);
	for (size_t i = 0; i < count; i++)
		projections->item[i] = items[orders[i].at];
	projections->count = count;
	mem_free(orders);
	return ok;
}

bool nsys_projections_make(struct nsys_projections *projections, const struct selection *selection,
			   const struct progress *progress)
{
	enum { WORK = 1 << ACTIVITY_KERNEL | 1 << ACTIVITY_MEMCPY | 1 << ACTIVITY_MEMSET };
	struct projecting projecting = { .selection = selection, .launches = intern_new() };
	*projections = (struct nsys_projections){ 0 };
	projecting.pairs = nsys_pairs(selection, WORK, &projecting.pair_count, progress);
	bool ok = projecting.pairs &&
		  nsys_ranges_make(&projections->ranges, selection, NSYS_ALL_STYLES, progress);
	size_t all = projections->ranges.count + 1;
	projecting.in_range = mem_zalloc(projecting.pair_count + 1, 1);
	projecting.outside = mem_alloc(all * sizeof *projecting.outside);
	for (size_t i = 0; i < all; i++)
		projecting.outside[i] =
			(struct nsys_projection){ .range = i ? (uint32_t)i - 1 : NO_ROW,
						  .track = NO_ROW,
						  .start = INT64_MAX,
						  .end = INT64_MIN };
	ok = ok && project(&projecting, &projections->ranges, progress);
	count_children(&projections->ranges, projecting.outside);
	ok = ok && keep_items(projections, projecting.outside, progress);
	intern_free(projecting.launches);
	mem_free(projecting.pairs);
	mem_free(projecting.in_range);
	mem_free(projecting.outside);
	if (!ok)
		nsys_projections_free(projections);
	return ok;
}

void nsys_projections_free(struct nsys_projections *projections)
{
	nsys_ranges_free(&projections->ranges);
	mem_free(projections->item);
	*projections = (struct nsys_projections){ 0 };
}

/* ---- the summary ---- */

struct nsys_projection_line {
	const char *key; /* style letter and name */
	size_t length;
	struct summary time;
	int64_t range, operations, children;
	int64_t level, levels; /* their sum, and how many ranges have one */
	uint32_t name;         /* of their events */
};

/* Ties of total keep the order of names. */
static int nsys_projection_compare_lines(const void *a, const void *b)
{
	const struct nsys_projection_line *x = a, *y = b;
	if (x->time.total != y->time.total)
		return x->time.total > y->time.total ? -1 : 1;
	int order = nsys_compare_texts(x->key + 1, x->length - 1, y->key + 1, y->length - 1);
	return order ? order : (*x->key > *y->key) - (*x->key < *y->key);
}

static void nsys_projection_add_row(struct table *table, const struct nsys_projection_line *line)
{
	const struct summary *time = &line->time;
	double count = (double)time->count;
	size_t row = table_add_row(table, (struct ref){ REF_EVENTS, line->name, 0, 0 });
	table_set(table, row, "name", table_copy_text(table, line->key + 1, line->length - 1));
	table_set(table, row, "style", value_text(*line->key == 's' ? "StartEnd" : "PushPop"));
	table_set(table, row, "total_ns", value_int(time->total));
	table_set(table, row, "range_ns", value_int(line->range));
	table_set(table, row, "calls", value_int(time->count));
	table_set(table, row, "avg_ns", value_real(time->mean));
	table_set(table, row, "median_ns", value_real(time->median));
	table_set(table, row, "min_ns", value_int(time->min));
	table_set(table, row, "max_ns", value_int(time->max));
	table_set(table, row, "stddev_ns", value_real(time->deviation));
	table_set(table, row, "gpu_ops", value_int(line->operations));
	table_set(table, row, "avg_gpu_ops", value_real((double)line->operations / count));
	if (line->levels)
		table_set(table, row, "avg_level",
			  value_real((double)line->level / (double)line->levels));
	table_set(table, row, "avg_children", value_real((double)line->children / count));
}

static void add_item(struct nsys_projection_line *line, const struct nsys_range *range,
		     const struct nsys_projection *item)
{
	line->range += range->time.end - range->time.start;
	line->operations += item->operations;
	line->children += item->children;
	line->levels += range->level != NO_ROW;
	line->level += range->level == NO_ROW ? 0 : range->level;
}

/* False when cancelled. */
static bool nsys_projection_add_rows(struct table *table, const struct profile *profile,
				     const struct nsys_projections *projections,
				     const struct progress *progress)
{
	struct intern *names = intern_new();
	struct amount *amounts = mem_alloc((projections->count + 1) * sizeof *amounts);
	struct nsys_projection_line *lines = mem_zalloc(projections->count + 1, sizeof *lines);
	struct buffer name = { 0 }, key = { 0 };
	size_t count = 0, kept = 0;
	bool ok = true;
	for (size_t i = 0; ok && i < projections->count; i++) {
		const struct nsys_projection *item = &projections->item[i];
		bool started = false;
		ok = progress_heavy_row(progress, "summarizing", i, projections->count, 16);
		if (item->range == NO_ROW)
			continue;
		const struct nsys_range *range = &projections->ranges.range[item->range];
		nsys_range_name(profile, range->span, &name, &started);
		buffer_clear(&key);
		buffer_putc(&key, started ? 's' : 'p');
		buffer_add(&key, name.data, name.length);
		amounts[count] = (struct amount){ intern_add(names, key.data, key.length) - 1,
						  item->end - item->start };
		lines[amounts[count].group].name = profile->span_name[range->span];
		add_item(&lines[amounts[count++].group], range, item);
	}
	uint32_t groups = intern_count(names) - 1; /* id 0 is the empty string */
	struct summary *times = ok ? summary_make(amounts, count, groups, progress) : NULL;
	for (uint32_t i = 0; times && i < groups; i++) {
		lines[i].key = intern_text(names, i + 1);
		lines[i].length = intern_length(names, i + 1);
		lines[i].time = times[i];
		kept++;
	}
	ok = times &&
	     sort_runs(lines, kept, sizeof *lines, nsys_projection_compare_lines, progress);
	for (size_t i = 0; ok && i < kept; i++)
		nsys_projection_add_row(table, &lines[i]);
	mem_free(times);
	mem_free(lines);
	mem_free(amounts);
	intern_free(names);
	buffer_free(&name);
	buffer_free(&key);
	return ok;
}

static bool build_projection(struct table *table, const struct view_query *query)
{
	struct nsys_projections projections;
	if (!nsys_projections_make(&projections, query->selection, query->progress))
		return false;
	bool done = nsys_projection_add_rows(table, query->selection->profile, &projections,
					     query->progress);
	if (done && !table->rows)
		table_note(table, "No ranges that launched GPU work in this scope.");
	nsys_projections_free(&projections);
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
	.default_sort = "total_ns:desc",
	.build = build_projection,
};
