/*
 * Reports of nsys stats with a row per NVTX range: push/pop ranges on their thread
 * (nvtx_pushpop_trace), and all ranges projected to the GPU (nvtx_gpu_proj_trace); and the tables
 * of ranges that the sums query.
 */
#include "base/check.h"
#include "base/intern.h"
#include "base/sort.h"
#include "tools/nsys/nsys_names.h"
#include "tools/nsys/nsys_projection.h"
#include "tools/nsys/nsys_reports.h"
#include "views/views.h"

#include <inttypes.h>
#include <string.h>

struct nsys_range_events;
typedef struct value nsys_range_cell(const struct nsys_range_events *events,
				     const struct nsys_range *range,
				     const struct nsys_projection *item);

struct nsys_range_events {
	const struct profile *profile;
	struct nsys_projections projections; /* its ranges; items of the projection */
	uint32_t *rows;                      /* by row: the range; NULL: rows are items */
	size_t count;
	uint32_t *stack, *tree; /* by range: texts; NULL without the column */
	struct intern *texts;
	nsys_range_cell *cell[VIEW_COLUMNS_MAX]; /* by column */
};

static void free_range_events(void *pointer)
{
	struct nsys_range_events *events = pointer;
	nsys_projections_free(&events->projections);
	mem_free(events->rows);
	mem_free(events->stack);
	mem_free(events->tree);
	intern_free(events->texts);
	mem_free(events);
}

/* ITEM is NULL where rows are ranges; RANGE of work outside of all ranges. */
#define RANGE_CELL(id)                                                                             \
	static struct value range_##id(const struct nsys_range_events *events,                     \
				       const struct nsys_range *range,                             \
				       const struct nsys_projection *item)

static int64_t nsys_range_events_length_of(const struct nsys_range *range)
{
	return range->time.end - range->time.start;
}

RANGE_CELL(name)
{
	const struct intern *names = events->projections.ranges.names;
	return range ? value_bytes(intern_text(names, range->name),
				   intern_length(names, range->name))
		     : value_missing();
}

static struct value text(const struct nsys_range_events *events, const uint32_t *texts,
			 const struct nsys_range *range)
{
	uint32_t id = range ? texts[range - events->projections.ranges.range] : NO_ROW;
	return id == NO_ROW ? value_missing()
			    : value_bytes(intern_text(events->texts, id),
					  intern_length(events->texts, id));
}

RANGE_CELL(range_stack)
{
	return text(events, events->stack, range);
}

RANGE_CELL(name_tree)
{
	return text(events, events->tree, range);
}

RANGE_CELL(clock_ns)
{
	return range ? value_int(events->profile->base_ns + range->time.start) : value_missing();
}

RANGE_CELL(clock_end_ns)
{
	return range ? value_int(events->profile->base_ns + range->time.end) : value_missing();
}

RANGE_CELL(dur_ns)
{
	return range ? value_int(nsys_range_events_length_of(range)) : value_missing();
}

RANGE_CELL(children_ns)
{
	return value_int(range->children_ns);
}

RANGE_CELL(self_ns)
{
	return value_int(nsys_range_events_length_of(range) - range->children_ns);
}

RANGE_CELL(gpu_clock_ns)
{
	return value_int(events->profile->base_ns + item->start);
}

RANGE_CELL(gpu_span_ns)
{
	return value_int(item->end - item->start);
}

RANGE_CELL(gpu_ops)
{
	return value_int(item->operations);
}

RANGE_CELL(style)
{
	return range ? value_text(nsys_style_name(range)) : value_missing();
}

RANGE_CELL(pid)
{
	return nsys_pid(events->profile, item ? item->track : range->time.thread);
}

RANGE_CELL(tid)
{
	return nsys_tid(events->profile, item ? item->track : range->time.thread);
}

RANGE_CELL(level)
{
	return range && range->level != NO_ROW ? value_int(range->level) : value_missing();
}

RANGE_CELL(range_children)
{
	return value_int(item ? item->children : range->children);
}

RANGE_CELL(range_id)
{
	return range ? value_int(range->time.id) : value_missing();
}

RANGE_CELL(parent_id)
{
	return !range || range->level == NO_ROW || range->parent == NO_ROW
		       ? value_missing()
		       : value_int(events->projections.ranges.range[range->parent].time.id);
}

RANGE_CELL(id)
{
	return range ? nsys_event_id(REF_CALL, range->span) : value_missing();
}

#define CELL(id)                                                                                   \
	{                                                                                          \
		range_##id, #id                                                                    \
	}
static const struct nsys_named_range_cell {
	nsys_range_cell *cell;
	const char *column;
} cells[] = {
	CELL(name),        CELL(style),          CELL(clock_ns), CELL(clock_end_ns),
	CELL(dur_ns),      CELL(children_ns),    CELL(self_ns),  CELL(gpu_clock_ns),
	CELL(gpu_span_ns), CELL(gpu_ops),        CELL(pid),      CELL(tid),
	CELL(level),       CELL(range_children), CELL(range_id), CELL(parent_id),
	CELL(range_stack), CELL(name_tree),      CELL(id),
};

static nsys_range_cell *range_cell_of(const char *column)
{
	size_t at = 0;
	while (at < sizeof cells / sizeof *cells && strcmp(cells[at].column, column) != 0)
		at++;
	require(at < sizeof cells / sizeof *cells, "no cell for column '%s'", column);
	return cells[at].cell;
}

static const struct nsys_projection *item_at(const struct nsys_range_events *events, size_t row)
{
	return events->rows ? NULL : &events->projections.item[row];
}

static const struct nsys_range *range_at(const struct nsys_range_events *events, size_t row)
{
	uint32_t at = events->rows ? events->rows[row] : events->projections.item[row].range;
	return at == NO_ROW ? NULL : &events->projections.ranges.range[at];
}

static struct value compute_range(const struct table *table, size_t row, size_t column)
{
	const struct nsys_range_events *events = table->state;
	return events->cell[column](events, range_at(events, row), item_at(events, row));
}

static struct ref range_ref(const struct table *table, size_t row)
{
	const struct nsys_range *range = range_at(table->state, row);
	return range ? (struct ref){ REF_CALL, range->span, 0, 0 }
		     : (struct ref){ .kind = REF_NONE };
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
	return intern_add(events->texts, buffer_text(buffer), buffer->length);
}

/* "--" per level. */
static uint32_t tree_text(struct nsys_range_events *events, struct buffer *buffer, uint32_t at)
{
	const struct nsys_ranges *ranges = &events->projections.ranges;
	const struct nsys_range *range = &ranges->range[at];
	buffer_clear(buffer);
	for (uint32_t i = 0; range->level != NO_ROW && i < range->level && i < STACK_MAX; i++)
		buffer_puts(buffer, "--");
	buffer_add(buffer, intern_text(ranges->names, range->name),
		   intern_length(ranges->names, range->name));
	return intern_add(events->texts, buffer_text(buffer), buffer->length);
}

/* The texts of the columns that TABLE has. False when cancelled. */
static bool nsys_range_events_make_texts(struct nsys_range_events *events,
					 const struct table *table, const struct progress *progress)
{
	size_t count = events->projections.ranges.count;
	struct buffer buffer = { 0 };
	bool ok = true;
	events->texts = intern_new();
	if (table_column(table, "range_stack") >= 0)
		events->stack = mem_alloc((count + 1) * sizeof *events->stack);
	if (table_column(table, "name_tree") >= 0)
		events->tree = mem_alloc((count + 1) * sizeof *events->tree);
	for (uint32_t i = 0; i < count && ok; i++) {
		ok = progress_heavy_row(progress, "naming ranges", i, count, 16);
		if (events->stack)
			events->stack[i] = stack_text(events, &buffer, i);
		if (events->tree)
			events->tree[i] = tree_text(events, &buffer, i);
	}
	buffer_free(&buffer);
	return ok;
}

/* ---- building ---- */

struct nsys_range_events_row {
	int64_t start, dur;
	uint32_t record, range;
};

static int nsys_range_events_compare_rows(const void *a, const void *b)
{
	const struct nsys_range_events_row *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->dur != y->dur)
		return x->dur < y->dur ? -1 : 1;
	return (x->record > y->record) - (x->record < y->record);
}

/* Of equal ranges each contains the other: nsys stats finds no root for them and leaves them out.
 */
static bool order_pushed(struct nsys_range_events *events, const struct progress *progress)
{
	const struct nsys_ranges *ranges = &events->projections.ranges;
	struct nsys_range_events_row *rows = mem_alloc((ranges->count + 1) * sizeof *rows);
	for (uint32_t i = 0; i < ranges->count; i++) {
		const struct nsys_range *range = &ranges->range[i];
		if (range->level != NO_ROW)
			rows[events->count++] =
				(struct nsys_range_events_row){ range->time.start,
								nsys_range_events_length_of(range),
								range->time.id, i };
	}
	bool ok = sort_runs(rows, events->count, sizeof *rows, nsys_range_events_compare_rows,
			    progress);
	events->rows = mem_alloc((events->count + 1) * sizeof *events->rows);
	for (size_t i = 0; i < events->count; i++)
		events->rows[i] = rows[i].range;
	mem_free(rows);
	return ok;
}

static bool add_pushed(struct nsys_range_events *events, const struct selection *selection,
		       const struct progress *progress)
{
	return nsys_ranges_make(&events->projections.ranges, selection, NSYS_PUSHED, progress) &&
	       order_pushed(events, progress);
}

static bool add_all(struct nsys_range_events *events, const struct selection *selection,
		    const struct progress *progress)
{
	if (!nsys_ranges_make(&events->projections.ranges, selection, NSYS_FLAT, progress))
		return false;
	events->count = events->projections.ranges.count;
	events->rows = mem_alloc((events->count + 1) * sizeof *events->rows);
	for (size_t i = 0; i < events->count; i++)
		events->rows[i] = (uint32_t)i;
	return true;
}

static bool add_projected(struct nsys_range_events *events, const struct selection *selection,
			  const struct progress *progress)
{
	bool ok = nsys_projections_make(&events->projections, selection, progress);
	events->count = events->projections.count;
	return ok;
}

/* ADD makes the ranges and the order of rows; EMPTY: note of a table without rows, or NULL. */
static bool build_range_events(struct table *table, const struct view_query *query,
			       bool (*add)(struct nsys_range_events *events,
					   const struct selection *selection,
					   const struct progress *progress),
			       const char *empty)
{
	struct nsys_range_events *events = mem_zalloc(1, sizeof *events);
	table->state = events;
	table->free_state = free_range_events;
	events->profile = query->selection->profile;
	for (size_t i = 0; i < table->columns; i++)
		events->cell[i] = range_cell_of(table->column[i]->id);
	if (!add(events, query->selection, query->progress) ||
	    !nsys_range_events_make_texts(events, table, query->progress))
		return false;
	table->rows = events->count;
	table->compute = compute_range;
	table->compute_ref = range_ref;
	table->used = UINT64_MAX;
	if (!table->rows && empty)
		table_note(table, "%s", empty);
	return true;
}

static bool build_pushed(struct table *table, const struct view_query *query)
{
	return build_range_events(table, query, add_pushed, "No push/pop ranges in this scope.");
}

static bool build_all(struct table *table, const struct view_query *query)
{
	return build_range_events(table, query, add_all, NULL);
}

static bool build_projected(struct table *table, const struct view_query *query)
{
	return build_range_events(table, query, add_projected,
				  "No GPU work with a recorded launch in this scope.");
}

#define RANGES(id, what, line, about, list, builder, head, names)                                  \
	const struct nsys_report nsys_report_##id = {                                              \
		.view = { .name = "nsys-" what,                                                    \
			  .title = what,                                                           \
			  .row = line,                                                             \
			  .summary = "nsys stats: " about ".",                                     \
			  .columns = list,                                                         \
			  .default_columns = list,                                                 \
			  .default_sort = "",                                                      \
			  .build = builder },                                                      \
		.heading = head,                                                                   \
		.titles = names,                                                                   \
	}

RANGES(pushed_events, "nvtx_pushpop_trace", "one push/pop range",
       "push/pop ranges in order of time, with their nesting",
       "clock_ns,clock_end_ns,dur_ns,children_ns,self_ns,name,pid,tid,level,range_children,"
       "range_id,parent_id,range_stack,name_tree",
       build_pushed, "NVTX Push/Pop Range Trace",
       "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,"
       "NumChild,RangeId,ParentId,RangeStack,NameTree");
RANGES(projection_events, "nvtx_gpu_proj_trace", "one range that launched GPU work",
       "each range with the time of the GPU work it launched; first the work launched outside of "
       "ranges",
       "name,gpu_clock_ns,gpu_span_ns,clock_ns,dur_ns,style,pid,tid,gpu_ops,level,range_children,"
       "range_id,parent_id,range_stack",
       build_projected, "NVTX GPU Projection Trace",
       "Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),Orig Duration (ns),"
       "Style,PID,TID,NumGPUOps,Lvl,NumChild,RangeId,ParentId,RangeStack");

const struct view nsys_table_ranges = {
	.name = "nsys-ranges",
	.title = "ranges",
	.columns = "name,style,dur_ns,id",
	.build = build_all,
};

const struct view nsys_table_projected = {
	.name = "nsys-projected",
	.title = "projected",
	.columns = "name,style,gpu_span_ns,dur_ns,gpu_ops,level,range_children,range_id,id",
	.build = build_projected,
};
