/*
 * Reports of nsys stats with a row per NVTX range: push/pop ranges on their thread
 * (nvtx_pushpop_trace), and all ranges projected to the GPU (nvtx_gpu_proj_trace); and the tables
 * of ranges that the sums query.
 */
#include "base/check.h"
#include "base/compare.h"
#include "base/sort.h"
#include "tools/nsys/nsys_names.h"
#include "tools/nsys/nsys_projection.h"
#include "tools/nsys/nsys_reports.h"

#include <inttypes.h>

#define RANGE_CELL(id) RANGE_##id,
#define COLUMN_ID(id) #id,
enum range_cell { NSYS_RANGE_CELLS(RANGE_CELL) RANGE_CELL_COUNT };
static const char *const columns[] = { NSYS_RANGE_CELLS(COLUMN_ID) };

struct nsys_range_events {
	const struct profile *profile;
	struct nsys_projections projections; /* its ranges; items of the projection */
	bool projected;                      /* rows are items; otherwise ranges */
	uint32_t *stack, *tree;              /* by range: texts; NULL without the column */
	struct intern *texts;
	enum range_cell cell[VIEW_COLUMNS_MAX]; /* by column */
};

static void free_range_events(void *pointer)
{
	struct nsys_range_events *events = pointer;
	nsys_projections_free(&events->projections);
	mem_free_all(events->stack, events->tree);
	intern_free(events->texts);
}

static enum range_cell range_cell_of(const char *column)
{
	int at = 0;
	while (at < RANGE_CELL_COUNT && strcmp(columns[at], column) != 0)
		at++;
	require(at < RANGE_CELL_COUNT, "no cell for column '%s'", column);
	return (enum range_cell)at;
}

static struct value text_cell(const struct intern *texts, uint32_t id)
{
	return id == NO_ROW ? value_missing() : value_bytes(INTERNED(texts, id));
}

/* A cell of the range that an item or a row is. */
static struct value range_cell(const struct nsys_range_events *events, uint32_t index,
			       enum range_cell cell)
{
	const struct nsys_ranges *ranges = &events->projections.ranges;
	const struct nsys_range *range = &ranges->range[index];
	int64_t base = events->profile->base_ns, length = range->time.end - range->time.start;
	bool nested = range->level != NO_ROW;
	switch (cell) {
		RECORDED_RANGE_CELLS(LISTED_CASE)
	default: return value_missing(); /* of what the GPU does */
	}
}

static struct value item_cell(const struct nsys_range_events *events,
			      const struct nsys_projection *item, enum range_cell cell)
{
	switch (cell) {
	case RANGE_gpu_clock_ns: return value_int(events->profile->base_ns + item->start);
	case RANGE_gpu_span_ns: return value_int(item->end - item->start);
	case RANGE_gpu_ops: return value_int(item->operations);
	case RANGE_pid: return nsys_pid(events->profile, item->track);
	case RANGE_tid: return nsys_tid(events->profile, item->track);
	case RANGE_range_children: return value_int(item->children);
	default: /* work outside of all ranges has none */
		return item->range == NO_ROW ? value_missing()
					     : range_cell(events, item->range, cell);
	}
}

static struct value compute_range(const struct table *table, size_t row, size_t column)
{
	const struct nsys_range_events *events = table->state;
	enum range_cell cell = events->cell[column];
	return events->projected ? item_cell(events, &events->projections.item[row], cell)
				 : range_cell(events, (uint32_t)row, cell);
}

static struct ref range_ref(const struct table *table, size_t row)
{
	const struct nsys_range_events *events = table->state;
	const struct nsys_projections *projections = &events->projections;
	uint32_t at = events->projected ? projections->item[row].range : (uint32_t)row;
	return at == NO_ROW ? NO_REF
			    : (struct ref){ REF_CALL, projections->ranges.range[at].span, 0, 0 };
}

/* ---- texts ---- */

enum { STACK_MAX = 1024 }; /* limit: levels written */

/* ":2:19:20", outermost range first. */
static uint32_t stack_text(struct nsys_range_events *events, struct buffer *buffer, uint32_t at)
{
	const struct nsys_ranges *ranges = &events->projections.ranges;
	uint32_t path[STACK_MAX], depth = 0;
	buffer_clear(buffer);
	if (ranges->range[at].level == NO_ROW)
		return NO_ROW;
	for (; at != NO_ROW && depth < STACK_MAX; at = ranges->range[at].parent)
		path[depth++] = ranges->range[at].time.id;
	while (depth)
		buffer_printf(buffer, ":%" PRIu32, path[--depth]);
	return intern_add(events->texts, BUFFERED(buffer));
}

/* "--" per level. */
static uint32_t tree_text(struct nsys_range_events *events, struct buffer *buffer, uint32_t at)
{
	const struct nsys_ranges *ranges = &events->projections.ranges;
	const struct nsys_range *range = &ranges->range[at];
	buffer_clear(buffer);
	for (uint32_t i = 0; range->level != NO_ROW && i < range->level && i < STACK_MAX; i++)
		buffer_puts(buffer, "--");
	buffer_add(buffer, INTERNED(ranges->names, range->name));
	return intern_add(events->texts, BUFFERED(buffer));
}

/* The texts of the columns that TABLE has. False when cancelled. */
static bool nsys_range_events_make_texts(struct nsys_range_events *events,
					 const struct table *table, const struct progress *progress)
{
	size_t count = events->projections.ranges.count;
	AUTO_BUFFER struct buffer buffer = { 0 };
	bool ok = true;
	events->texts = intern_new();
	if (table_column(table, "range_stack") >= 0)
		events->stack = mem_alloc((count + 1) * sizeof *events->stack);
	if (table_column(table, "name_tree") >= 0)
		events->tree = mem_alloc((count + 1) * sizeof *events->tree);
	for_heavy_rows (ok, i, count, progress, "naming ranges", 16) {
		if (events->stack)
			events->stack[i] = stack_text(events, &buffer, i);
		if (events->tree)
			events->tree[i] = tree_text(events, &buffer, i);
	}
	return ok;
}

/* ---- building ---- */

struct nsys_range_events_row {
	int64_t start, dur;
	uint32_t record, range;
};

COMPARE_MEMBERS(nsys_range_events_compare_rows, struct nsys_range_events_row,
		UP(start) UP(dur) UP(record))

/* Of equal ranges each contains the other: nsys stats finds no root for them and leaves them out.
 */
static bool order_pushed(struct table *table, const struct nsys_ranges *ranges,
			 const struct progress *progress)
{
	AUTO_FREE struct nsys_range_events_row *rows =
		mem_alloc((ranges->count + 1) * sizeof *rows);
	size_t count = 0;
	for (uint32_t i = 0; i < ranges->count; i++) {
		const struct nsys_range *range = &ranges->range[i];
		if (range->level != NO_ROW)
			rows[count++] =
				(struct nsys_range_events_row){ range->time.start,
								range->time.end - range->time.start,
								range->time.id, i };
	}
	bool ok = sort_runs(rows, count, sizeof *rows, nsys_range_events_compare_rows, progress);
	for (size_t i = 0; i < count; i++)
		table_add_computed(table, rows[i].range);
	return ok;
}

static struct nsys_range_events *begin_range_events(struct table *table,
						    const struct view_query *query)
{
	struct nsys_range_events *events =
		table_new_state(table, sizeof *events, free_range_events);
	events->profile = query->selection->profile;
	for (size_t i = 0; i < table->columns; i++)
		events->cell[i] = range_cell_of(table->column[i]->id);
	return events;
}

/* Once the ranges and rows are there; EMPTY: note of a table without rows. */
static bool finish_range_events(struct table *table, struct nsys_range_events *events,
				const struct progress *progress, const char *empty)
{
	if (!nsys_range_events_make_texts(events, table, progress))
		return false;
	table->compute = compute_range;
	table->compute_ref = range_ref;
	return table_note_none(table, empty);
}

bool nsys_build_ranges(struct table *table, const struct view_query *query)
{
	bool all = table->view == &nsys_table_ranges;
	struct nsys_range_events *events = begin_range_events(table, query);
	struct nsys_ranges *ranges = &events->projections.ranges;
	if (!nsys_ranges_make(ranges, query->selection, all ? NSYS_FLAT : NSYS_PUSHED,
			      query->progress))
		return false;
	if (all)
		table->rows = ranges->count;
	else if (!order_pushed(table, ranges, query->progress))
		return false;
	return finish_range_events(table, events, query->progress,
				   "No push/pop ranges in this scope.");
}

bool nsys_build_projected(struct table *table, const struct view_query *query)
{
	struct nsys_range_events *events = begin_range_events(table, query);
	events->projected = true;
	if (!nsys_projections_make(&events->projections, query->selection, query->progress))
		return false;
	table->rows = events->projections.count;
	return finish_range_events(table, events, query->progress,
				   "No GPU work with a recorded launch in this scope.");
}
