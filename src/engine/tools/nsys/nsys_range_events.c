/*
 * Reports of nsys stats with a row per NVTX range: push/pop ranges on their thread
 * (nvtx_pushpop_trace), and all ranges projected to the GPU (nvtx_gpu_proj_trace).
 */
#include "base/intern.h"
#include "base/sort.h"
#include "tools/nsys/nsys_names.h"
#include "tools/nsys/nsys_projection.h"
#include "tools/nsys/nsys_views.h"
#include "views/views.h"

#include <inttypes.h>
#include <math.h>

/* Arrays by range, and the rows. */
struct nsys_range_events_state {
	const struct profile *profile;
	struct nsys_projections projections; /* its ranges; items of the projection */
	uint32_t *rows;                      /* ranges, or items */
	size_t count;
	struct intern *texts;
	uint32_t *name, *stack, *tree; /* by range: texts */
	uint32_t *children;
	int64_t *inner; /* time of direct children */
};

static void free_state(void *pointer)
{
	struct nsys_range_events_state *state = pointer;
	nsys_projections_free(&state->projections);
	mem_free(state->rows);
	mem_free(state->name);
	mem_free(state->stack);
	mem_free(state->tree);
	mem_free(state->children);
	mem_free(state->inner);
	intern_free(state->texts);
	mem_free(state);
}

/* ITEM is NULL in the trace of push/pop ranges; RANGE outside of all ranges. */
typedef struct value cell(const struct nsys_range_events_state *state,
			  const struct nsys_range *range, const struct nsys_projection *item);

#define RANGE_CELL(id)                                                                             \
	static struct value range_##id(const struct nsys_range_events_state *state,                \
				       const struct nsys_range *range,                             \
				       const struct nsys_projection *item)

static uint32_t index_of(const struct nsys_range_events_state *state,
			 const struct nsys_range *range)
{
	return (uint32_t)(range - state->projections.ranges.range);
}

static struct value text(const struct nsys_range_events_state *state, const uint32_t *texts,
			 const struct nsys_range *range)
{
	uint32_t id = range ? texts[index_of(state, range)] : NO_ROW;
	return id == NO_ROW ? value_missing()
			    : value_bytes(intern_text(state->texts, id),
					  intern_length(state->texts, id));
}

static int64_t length_of(const struct nsys_range *range)
{
	return range->time.end - range->time.start;
}

RANGE_CELL(name)
{
	return text(state, state->name, range);
}

RANGE_CELL(range_stack)
{
	return text(state, state->stack, range);
}

RANGE_CELL(name_tree)
{
	return text(state, state->tree, range);
}

RANGE_CELL(clock_ns)
{
	return range ? value_int(state->profile->base_ns + range->time.start) : value_missing();
}

RANGE_CELL(clock_end_ns)
{
	return range ? value_int(state->profile->base_ns + range->time.end) : value_missing();
}

RANGE_CELL(dur_ns)
{
	(void)state, (void)item;
	return range ? value_int(length_of(range)) : value_missing();
}

RANGE_CELL(children_ns)
{
	return value_int(state->inner[index_of(state, range)]);
}

RANGE_CELL(self_ns)
{
	return value_int(length_of(range) - state->inner[index_of(state, range)]);
}

RANGE_CELL(gpu_clock_ns)
{
	return value_int(state->profile->base_ns + item->start);
}

RANGE_CELL(gpu_span_ns)
{
	(void)state, (void)range;
	return value_int(item->end - item->start);
}

RANGE_CELL(gpu_ops)
{
	(void)state, (void)range;
	return value_int(item->operations);
}

RANGE_CELL(style)
{
	(void)state, (void)item;
	return range ? value_text(range->started ? "StartEnd" : "PushPop") : value_missing();
}

RANGE_CELL(pid)
{
	return nsys_pid(state->profile, item ? item->track : range->time.thread);
}

RANGE_CELL(tid)
{
	return nsys_tid(state->profile, item ? item->track : range->time.thread);
}

RANGE_CELL(level)
{
	(void)state, (void)item;
	return range && range->level != NO_ROW ? value_int(range->level) : value_missing();
}

RANGE_CELL(range_children)
{
	return value_int(item ? item->children : state->children[index_of(state, range)]);
}

RANGE_CELL(range_id)
{
	(void)state, (void)item;
	return range ? value_int(range->time.id) : value_missing();
}

RANGE_CELL(parent_id)
{
	return !range || range->level == NO_ROW || range->parent == NO_ROW
		       ? value_missing()
		       : value_int(state->projections.ranges.range[range->parent].time.id);
}

#define PUSHED_COLUMNS(_)                                                                          \
	_(clock_ns)                                                                                \
	_(clock_end_ns)                                                                            \
	_(dur_ns)                                                                                  \
	_(children_ns)                                                                             \
	_(self_ns)                                                                                 \
	_(name)                                                                                    \
	_(pid)                                                                                     \
	_(tid)                                                                                     \
	_(level)                                                                                   \
	_(range_children)                                                                          \
	_(range_id)                                                                                \
	_(parent_id)                                                                               \
	_(range_stack)                                                                             \
	_(name_tree)

#define PROJECTION_COLUMNS(_)                                                                      \
	_(name)                                                                                    \
	_(gpu_clock_ns)                                                                            \
	_(gpu_span_ns)                                                                             \
	_(clock_ns)                                                                                \
	_(dur_ns)                                                                                  \
	_(style)                                                                                   \
	_(pid)                                                                                     \
	_(tid)                                                                                     \
	_(gpu_ops)                                                                                 \
	_(level)                                                                                   \
	_(range_children)                                                                          \
	_(range_id)                                                                                \
	_(parent_id)                                                                               \
	_(range_stack)

#define CELL(id) range_##id,
static cell *const pushed_cells[] = { PUSHED_COLUMNS(CELL) };
static cell *const projection_cells[] = { PROJECTION_COLUMNS(CELL) };

static struct value compute_range(const struct table *table, size_t row, size_t column)
{
	const struct nsys_range_events_state *state = table->state;
	const struct nsys_ranges *ranges = &state->projections.ranges;
	if (table->view == &view_nsys_pushed_events)
		return pushed_cells[column](state, &ranges->range[state->rows[row]], NULL);
	const struct nsys_projection *item = &state->projections.item[row];
	return projection_cells[column](
		state, item->range == NO_ROW ? NULL : &ranges->range[item->range], item);
}

static struct ref range_ref(const struct table *table, size_t row)
{
	const struct nsys_range_events_state *state = table->state;
	uint32_t at = table->view == &view_nsys_pushed_events ? state->rows[row]
							      : state->projections.item[row].range;
	return at == NO_ROW
		       ? (struct ref){ .kind = REF_NONE }
		       : (struct ref){ REF_CALL, state->projections.ranges.range[at].span, 0, 0 };
}

/* ---- texts ---- */

enum { STACK_MAX = 1024 }; /* limit: levels written */

/* ":2:19:20", outermost range first. */
static uint32_t stack_text(struct nsys_range_events_state *state, struct buffer *buffer,
			   uint32_t at)
{
	const struct nsys_ranges *ranges = &state->projections.ranges;
	uint32_t path[STACK_MAX], depth = 0;
	buffer_clear(buffer);
	if (ranges->range[at].level == NO_ROW)
		return NO_ROW;
	for (; at != NO_ROW && depth < STACK_MAX; at = ranges->range[at].parent)
		path[depth++] = ranges->range[at].time.id;
	while (depth)
		buffer_printf(buffer, ":%" PRIu32, path[--depth]);
	return intern_add(state->texts, buffer_text(buffer), buffer->length);
}

/* "--" per level. */
static uint32_t tree_text(struct nsys_range_events_state *state, struct buffer *buffer, uint32_t at)
{
	uint32_t level = state->projections.ranges.range[at].level;
	buffer_clear(buffer);
	for (uint32_t i = 0; level != NO_ROW && i < level && i < STACK_MAX; i++)
		buffer_puts(buffer, "--");
	buffer_add(buffer, intern_text(state->texts, state->name[at]),
		   intern_length(state->texts, state->name[at]));
	return intern_add(state->texts, buffer_text(buffer), buffer->length);
}

static bool nsys_range_events_make_texts(struct nsys_range_events_state *state, bool trees,
					 const struct progress *progress)
{
	const struct nsys_ranges *ranges = &state->projections.ranges;
	struct buffer buffer = { 0 };
	bool ok = true, started;
	state->texts = intern_new();
	state->name = mem_alloc((ranges->count + 1) * sizeof *state->name);
	state->stack = mem_alloc((ranges->count + 1) * sizeof *state->stack);
	state->tree = mem_alloc((ranges->count + 1) * sizeof *state->tree);
	for (uint32_t i = 0; i < ranges->count && ok; i++) {
		ok = progress_heavy_row(progress, "naming ranges", i, ranges->count, 16);
		nsys_range_name(state->profile, ranges->range[i].span, &buffer, &started);
		state->name[i] = intern_add(state->texts, buffer_text(&buffer), buffer.length);
		state->stack[i] = stack_text(state, &buffer, i);
		state->tree[i] = trees ? tree_text(state, &buffer, i) : NO_ROW;
	}
	buffer_free(&buffer);
	return ok;
}

/* ---- building ---- */

static void add_children(struct nsys_range_events_state *state)
{
	const struct nsys_ranges *ranges = &state->projections.ranges;
	state->children = mem_zalloc(ranges->count + 1, sizeof *state->children);
	state->inner = mem_zalloc(ranges->count + 1, sizeof *state->inner);
	for (size_t i = 0; i < ranges->count; i++) {
		uint32_t parent = ranges->range[i].parent;
		if (parent == NO_ROW)
			continue;
		state->children[parent]++;
		state->inner[parent] += length_of(&ranges->range[i]);
	}
}

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
static bool order_pushed(struct nsys_range_events_state *state, const struct progress *progress)
{
	const struct nsys_ranges *ranges = &state->projections.ranges;
	struct nsys_range_events_row *rows = mem_alloc((ranges->count + 1) * sizeof *rows);
	for (uint32_t i = 0; i < ranges->count; i++) {
		const struct nsys_range *range = &ranges->range[i];
		if (range->level != NO_ROW)
			rows[state->count++] =
				(struct nsys_range_events_row){ range->time.start, length_of(range),
								range->time.id, i };
	}
	bool ok = sort_runs(rows, state->count, sizeof *rows, nsys_range_events_compare_rows,
			    progress);
	state->rows = mem_alloc((state->count + 1) * sizeof *state->rows);
	for (size_t i = 0; i < state->count; i++)
		state->rows[i] = rows[i].range;
	mem_free(rows);
	return ok;
}

static bool build_ranges(struct table *table, const struct view_query *query)
{
	struct nsys_range_events_state *state = mem_zalloc(1, sizeof *state);
	bool pushed = table->view == &view_nsys_pushed_events;
	table->state = state;
	table->free_state = free_state;
	state->profile = query->selection->profile;
	if (pushed ? !nsys_ranges_make(&state->projections.ranges, query->selection, NSYS_PUSHED,
				       query->progress)
		   : !nsys_projections_make(&state->projections, query->selection, query->progress))
		return false;
	add_children(state);
	if (!nsys_range_events_make_texts(state, pushed, query->progress) ||
	    (pushed && !order_pushed(state, query->progress)))
		return false;
	table->rows = pushed ? state->count : state->projections.count;
	table->compute = compute_range;
	table->compute_ref = range_ref;
	table->used = UINT64_MAX;
	if (!table->rows)
		table_note(table, pushed ? "No push/pop ranges in this scope."
					 : "No GPU work with a recorded launch in this scope.");
	return true;
}

const struct view view_nsys_pushed_events = {
	.name = "nsys-nvtx_pushpop_trace",
	.title = "nvtx_pushpop_trace",
	.row = "one push/pop range",
	.summary = "nsys stats: push/pop ranges in order of time, with their nesting.",
	.columns = COLUMN_LIST(PUSHED_COLUMNS),
	.default_columns = COLUMN_LIST(PUSHED_COLUMNS),
	.default_sort = "",
	.build = build_ranges,
};

const struct view view_nsys_projection_events = {
	.name = "nsys-nvtx_gpu_proj_trace",
	.title = "nvtx_gpu_proj_trace",
	.row = "one range that launched GPU work",
	.summary = "nsys stats: each range with the time of the GPU work it launched; first the "
		   "work launched outside of ranges.",
	.columns = COLUMN_LIST(PROJECTION_COLUMNS),
	.default_columns = COLUMN_LIST(PROJECTION_COLUMNS),
	.default_sort = "",
	.build = build_ranges,
};
