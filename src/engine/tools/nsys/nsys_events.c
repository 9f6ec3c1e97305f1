/*
 * Reports of nsys stats with a row per event: API calls, GPU work, kernels with their launch, MPI
 * calls; and the tables of events that the other reports query. Cells are computed on demand.
 */
#include "base/check.h"
#include "base/compare.h"
#include "base/sort.h"
#include "base/text_slice.h"
#include "tools/nsys/nsys_names.h"
#include "tools/nsys/nsys_projection.h"
#include "tools/nsys/nsys_ranges.h"
#include "tools/nsys/nsys_reports.h"
#include "views/views.h"

/* A row: a call, GPU work, or a kernel with its call and perhaps a range around it. */
struct nsys_event {
	int64_t start;
	uint32_t activity, call, range; /* NO_ROW: none */
	uint32_t order;                 /* of equal starts */
};

struct nsys_events {
	const struct profile *profile;
	GROWING(struct nsys_event, event, count);
	size_t cell[VIEW_COLUMNS_MAX]; /* by column: nsys_event_column */
	struct nsys_ranges ranges;
	bool (*wanted)(const struct profile *profile, uint32_t span); /* of tables of spans */
	struct value *devices;        /* by track: "NVIDIA A100 (0)" */
	struct value *grids, *blocks; /* by launch configuration */
	struct value *sources,
		*targets; /* by name: memory kinds of copies and sets; filled for them */
};

/* ---- cells ---- */

#define ATTRIBUTE_KEY(id, key) key,
#define COLUMN_ID(id, ...) #id,
#define CALL_CELL(id) CALL_##id,
#define WORK_CELL(id) WORK_##id,
#define EVENT_CELL(id) EVENT_##id,
enum call_cell { CALL_CELLS(CALL_CELL) CALL_COUNT };
enum work_cell { WORK_CELLS(WORK_CELL) WORK_COUNT };
enum event_cell { EVENT_CELLS(EVENT_CELL) EVENT_COUNT };

static const char *const keys[] = { ATTRIBUTE_CELLS(ATTRIBUTE_KEY) };
static const char *const columns[] = { ATTRIBUTE_CELLS(COLUMN_ID) CALL_CELLS(COLUMN_ID)
					       WORK_CELLS(COLUMN_ID) EVENT_CELLS(COLUMN_ID) };
enum { ATTRIBUTE_TEXTS = 3, ATTRIBUTE_COUNT = sizeof keys / sizeof *keys };

/* What computes the column with this id, and a cell of it. */
static size_t nsys_event_column(const char *id)
{
	size_t at = 0;
	while (at < sizeof columns / sizeof *columns && strcmp(columns[at], id) != 0)
		at++;
	require(at < sizeof columns / sizeof *columns, "no cell for column '%s'", id);
	return at;
}

static uint32_t attribute(const struct profile *profile, const struct nsys_event *event,
			  const char *key)
{
	uint32_t name = profile_find(profile, key);
	return event->activity != NO_ROW
		       ? profile_activity_attribute(profile, event->activity, name)
		       : profile_span_attribute(profile, event->call, name);
}

/* ---- calls ---- */

/* From the return of the call, when the kernel had not started by then. */
static struct value queue_cell(const struct profile *profile, const struct nsys_event *event,
			       int64_t returned, bool clock)
{
	int64_t queue = profile->activity_start[event->activity] - returned;
	return queue < 0 ? value_missing() : value_int(clock ? profile->base_ns + returned : queue);
}

static int64_t whole_time(const struct profile *profile, const struct nsys_event *event,
			  int64_t returned)
{
	int64_t end =
		profile->activity_start[event->activity] + profile->activity_dur[event->activity];
	return (end > returned ? end : returned) - profile->span_start[event->call];
}

static struct value call_cell(const struct profile *profile, const struct nsys_event *event,
			      enum call_cell cell)
{
	uint32_t call = event->call, thread = profile->span_track[call];
	const struct track *track = &profile->tracks[thread];
	int32_t rank = profile->processes[track->process].rank;
	bool runtime = profile->span_kind[call] == SPAN_RUNTIME;
	int64_t start = profile->span_start[call], end = start + profile->span_dur[call];
	size_t length;
	uint32_t name;
	switch (cell) {
		RECORDED_CALL_CELLS(LISTED_CASE)
	case CALL_api_name:
		name = nsys_call_name(profile, call, &length);
		return value_bytes(profile_string(profile, name), length);
	case CALL_seq: /* two versions of a function have rows of their own */
		return value_int(runtime ? nsys_call_name(profile, call, &length)
					 : profile->span_name[call]);
	default: return value_missing();
	}
}

/* ---- GPU work ---- */

static struct value config_cell(const struct nsys_events *events, uint32_t index,
				enum work_cell cell, int64_t fixed)
{
	const struct launch_config *config = &events->profile->configs[index];
	int32_t shared = config->shared_mem_bytes;
	if (cell == WORK_grid_xyz || cell == WORK_block_xyz)
		return cell == WORK_grid_xyz ? events->grids[index] : events->blocks[index];
	if (cell == WORK_static_bytes || cell == WORK_dynamic_bytes)
		return shared < 0 ? value_missing()
				  : value_int(cell == WORK_static_bytes ? fixed : shared - fixed);
	int32_t number = cell == WORK_regs_per_thread ? config->regs_per_thread
			 : cell < WORK_block_x        ? config->grid[cell - WORK_grid_x]
						      : config->block[cell - WORK_block_x];
	return number < 0 ? value_missing() : value_int(number);
}

/* nsys stats divides integers. */
static int64_t rate_of(int64_t bytes, int64_t dur)
{
	int64_t rate;
	return bytes == NO_VALUE || dur <= 0 ||
			       __builtin_mul_overflow(bytes, INT64_C(1000000000) / dur, &rate)
		       ? NO_VALUE
		       : rate;
}

static struct value work_cell(const struct nsys_events *events, const struct nsys_event *event,
			      enum work_cell cell)
{
	const struct profile *profile = events->profile;
	uint32_t activity = event->activity, config = profile->activity_config[activity];
	int64_t fixed = 0;
	switch (cell) {
	case WORK_gpu_clock_ns:
		return value_int(profile->base_ns + profile->activity_start[activity]);
	case WORK_bytes: return cell_int(profile->activity_bytes[activity]);
	case WORK_bytes_per_s:
		return cell_int(rate_of(profile->activity_bytes[activity],
					profile->activity_dur[activity]));
	case WORK_source_memory: return events->sources[profile->activity_name[activity]];
	case WORK_target_memory: return events->targets[profile->activity_name[activity]];
	case WORK_gpu_name: return events->devices[profile->activity_track[activity]];
	case WORK_device_id: return value_int(profile_activity_device(profile, activity));
	case WORK_stream: return cell_int(profile->tracks[profile->activity_track[activity]].tid);
	case WORK_static_bytes:
	case WORK_dynamic_bytes:
		fixed = nsys_number_of(profile, attribute(profile, event, ACTIVITY_STATIC_MEMORY));
		fixed = fixed == NO_VALUE ? 0 : fixed;
		/* fall through */
	default: /* of the launch */
		return config == NO_ROW ? value_missing()
					: config_cell(events, config, cell, fixed);
	}
}

/* ---- both, and the range around ---- */

static struct value range_cell(const struct nsys_events *events, uint32_t index,
			       enum event_cell cell)
{
	const struct nsys_range *range = &events->ranges.range[index];
	const struct intern *names = events->ranges.names;
	if (cell == EVENT_range_id)
		return value_int(index);
	return cell == EVENT_style ? value_text(nsys_style_name(range))
				   : value_bytes(INTERNED(names, range->name));
}

static struct value event_cell(const struct nsys_events *events, const struct nsys_event *event,
			       enum event_cell cell)
{
	const struct profile *profile = events->profile;
	uint32_t activity = event->activity, call = event->call;
	bool work = activity != NO_ROW;
	const struct call_info *info;
	switch (cell) {
	case EVENT_clock_ns: return value_int(profile->base_ns + event->start);
	case EVENT_dur_ns:
		return value_int(work ? profile->activity_dur[activity] : profile->span_dur[call]);
	case EVENT_kind:
		return value_text(
			work ? activity_kind_name(
				       (enum activity_kind)profile->activity_kind[activity])
			     : span_kind_name((enum span_kind)profile->span_kind[call]));
	case EVENT_correlation:
		if (work)
			return cell_int(profile->activity_correlation[activity]);
		info = profile_call_info(profile, call);
		return cell_int(info ? info->correlation : NO_VALUE);
	case EVENT_name:
		if (!work)
			return cell_text(profile, profile->span_name[call]);
		return profile->activity_kind[activity] != ACTIVITY_KERNEL
			       ? value_text(nsys_copy_name(profile, activity))
			       : cell_text(profile, profile->activity_name[activity]);
	case EVENT_range:
	case EVENT_style:
	case EVENT_range_id:
		return event->range == NO_ROW ? value_missing()
					      : range_cell(events, event->range, cell);
	case EVENT_id:
		return work ? nsys_event_id(REF_LAUNCH, activity) : nsys_event_id(REF_CALL, call);
	default: return value_missing();
	}
}

static struct value nsys_event_cell(const struct nsys_events *events,
				    const struct nsys_event *event, size_t column)
{
	const struct profile *profile = events->profile;
	if (column < ATTRIBUTE_TEXTS)
		return cell_text(profile, attribute(profile, event, keys[column]));
	if (column < ATTRIBUTE_COUNT)
		return cell_int(nsys_number_of(profile, attribute(profile, event, keys[column])));
	column -= ATTRIBUTE_COUNT;
	if (column < CALL_COUNT)
		return event->call == NO_ROW ? value_missing()
					     : call_cell(profile, event, (enum call_cell)column);
	column -= CALL_COUNT;
	if (column < WORK_COUNT)
		return work_cell(events, event, (enum work_cell)column);
	return event_cell(events, event, (enum event_cell)(column - WORK_COUNT));
}

/* ---- rows ---- */

static void free_events(void *state)
{
	struct nsys_events *events = state;
	mem_free(events->event);
	nsys_ranges_free(&events->ranges);
}

/* ---- collecting ---- */

static const char stage[] = "finding events";

static void nsys_events_add(struct nsys_events *events, const struct nsys_event *event)
{
	*mem_push(events->event, events->count) = *event;
}

static bool is_api_call(const struct profile *profile, uint32_t span)
{
	return profile->span_kind[span] == SPAN_RUNTIME;
}

static bool is_host_event(const struct profile *profile, uint32_t span)
{
	enum span_kind kind = (enum span_kind)profile->span_kind[span];
	return kind == SPAN_RUNTIME || kind == SPAN_OTHER || kind == SPAN_INSTANT;
}

static bool is_message(const struct profile *profile, uint32_t span)
{
	return profile->span_kind[span] == SPAN_OTHER &&
	       strcmp(profile_string(profile, profile->span_info[span]), CATEGORY_MPI) == 0;
}

static bool add_spans(struct nsys_events *events, const struct selection *selection,
		      const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage)
		if (events->wanted(profile, i) && selection_has_span(selection, i))
			nsys_events_add(events,
					&(struct nsys_event){ profile->span_start[i], NO_ROW, i,
							      NO_ROW, nsys_record(profile, i) });
	return ok;
}

/* Calls of the four tables follow each other where they start at once. */
static uint32_t message_order(const struct profile *profile, uint32_t span)
{
	const char *class = profile_string(profile, nsys_span_attribute(profile, span, MPI_CLASS));
	int order = text_choice(class, strlen(class), "p2p|start-wait|other|collectives");
	return order < 0 ? 4 : (uint32_t)order;
}

static bool add_messages(struct nsys_events *events, const struct selection *selection,
			 const struct progress *progress)
{
	if (!add_spans(events, selection, progress))
		return false;
	for (size_t i = 0; i < events->count; i++)
		events->event[i].order = message_order(events->profile, events->event[i].call);
	return true;
}

static bool add_activities(struct nsys_events *events, const struct selection *selection,
			   const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage)
		if (profile_is_work(profile, i) && selection_has_activity(selection, i))
			nsys_events_add(events,
					&(struct nsys_event){ profile->activity_start[i], i, NO_ROW,
							      NO_ROW, profile->activity_order[i] });
	return ok;
}

static bool add_launches(struct nsys_events *events, const struct selection *selection,
			 const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	size_t count;
	AUTO_FREE struct nsys_pair *pairs =
		nsys_pairs(selection, 1U << ACTIVITY_KERNEL, &count, progress);
	for (size_t i = 0; pairs && i < count; i++)
		if (pairs[i].call != NO_ROW)
			nsys_events_add(events,
					&(struct nsys_event){ profile->span_start[pairs[i].call],
							      pairs[i].activity, pairs[i].call,
							      NO_ROW, (uint32_t)i });
	return pairs != NULL;
}

static void parse_range_kernel(void *context, const struct nsys_pair *pair, uint32_t range)
{
	nsys_events_add(context, &(struct nsys_event){ 0, pair->activity, pair->call, range, 0 });
}

/* Each kernel with each range around its call, or with none. */
static bool add_range_kernels(struct nsys_events *events, const struct selection *selection,
			      const struct progress *progress)
{
	size_t count;
	AUTO_FREE struct nsys_pair *pairs =
		nsys_pairs(selection, 1U << ACTIVITY_KERNEL, &count, progress);
	return pairs && nsys_ranges_make(&events->ranges, selection, NSYS_ALL_STYLES, progress) &&
	       nsys_pairs_by_range(selection->profile, &events->ranges, pairs, count,
				   parse_range_kernel, events, progress);
}

static const struct nsys_events_source {
	const struct view *view;
	bool (*add)(struct nsys_events *events, const struct selection *selection,
		    const struct progress *progress);
	const char *empty; /* NULL: for queries, which take rows in any order */
	bool (*wanted)(const struct profile *profile, uint32_t span); /* NULL: not of spans */
} sources[] = { NSYS_EVENT_ROWS };

/* ---- building ---- */

COMPARE_MEMBERS(nsys_events_compare_events, struct nsys_event, UP(start) UP(order))

static struct value compute_event(const struct table *table, size_t row, size_t column)
{
	const struct nsys_events *events = table->state;
	return nsys_event_cell(events, &events->event[row], events->cell[column]);
}

static struct ref event_ref(const struct table *table, size_t row)
{
	const struct nsys_events *events = table->state;
	const struct nsys_event *event = &events->event[row];
	return event->activity != NO_ROW ? (struct ref){ REF_LAUNCH, event->activity, 0, 0 }
					 : (struct ref){ REF_CALL, event->call, 0, 0 };
}

/* "Memcpy HtoD (Pinned -> Device)", "Memset (Device)" */
static void set_memories(struct nsys_events *events, struct table *table, uint32_t activity)
{
	uint32_t id = events->profile->activity_name[activity];
	const char *name = profile_string(events->profile, id), *from = strchr(name, '(');
	const char *to = from ? strstr(from, " -> ") : NULL, *end = from ? strchr(from, ')') : NULL;
	if (!end || events->sources[id].kind != VALUE_MISSING)
		return;
	if (to)
		events->targets[id] = table_copy_text(table, to + 4, (size_t)(end - to - 4));
	events->sources[id] =
		table_copy_text(table, from + 1, (size_t)((to ? to : end) - from - 1));
}

static struct value gpu_name(struct table *table, const struct profile *profile, int32_t id)
{
	const struct device *device = profile_device(profile, id);
	return table_printf(table, "%s (%d)", device ? profile_string(profile, device->name) : "",
			    id);
}

static void nsys_events_make_texts(struct nsys_events *events, struct table *table)
{
	const struct profile *profile = events->profile;
	size_t names = intern_count(profile->strings);
	events->devices = table_values(table, profile->track_count);
	events->grids = table_values(table, profile->config_count);
	events->blocks = table_values(table, profile->config_count);
	events->sources = table_values(table, names);
	events->targets = table_values(table, names);
	for (size_t i = 0; i < names; i++)
		events->sources[i] = events->targets[i] = value_missing();
	for (size_t i = 0; i < profile->track_count; i++)
		events->devices[i] = profile->tracks[i].device < 0
					     ? value_missing()
					     : gpu_name(table, profile, profile->tracks[i].device);
	for (size_t i = 0; i < profile->config_count; i++) {
		events->grids[i] = nsys_triple(table, profile->configs[i].grid);
		events->blocks[i] = nsys_triple(table, profile->configs[i].block);
	}
	for (size_t i = 0; i < events->count; i++) {
		uint32_t activity = events->event[i].activity;
		if (activity != NO_ROW && profile->activity_kind[activity] != ACTIVITY_KERNEL)
			set_memories(events, table, activity);
	}
}

static const struct nsys_events_source *source_of(const struct view *view)
{
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
		if (sources[i].view == view)
			return &sources[i];
	check_fail(__func__, "%s: not a table of events", view->name);
}

bool nsys_build_events(struct table *table, const struct view_query *query)
{
	const struct nsys_events_source *source = source_of(table->view);
	struct nsys_events *events = table_new_state(table, sizeof *events, free_events);
	events->profile = query->selection->profile;
	for (size_t i = 0; i < table->columns; i++)
		events->cell[i] = nsys_event_column(table->column[i]->id);
	events->wanted = source->wanted;
	if (!source->add(events, query->selection, query->progress) ||
	    (source->empty && !sort_runs(events->event, events->count, sizeof *events->event,
					 nsys_events_compare_events, query->progress)))
		return false;
	nsys_events_make_texts(events, table);
	table->rows = events->count;
	table->compute = compute_event;
	table->compute_ref = event_ref;
	return table_note_none(table, source->empty);
}
