/*
 * Reports of nsys stats with a row per event: API calls, GPU work, kernels with their launch, MPI
 * calls. Cells are computed on demand.
 */
#include "base/intern.h"
#include "base/sort.h"
#include "tools/nsys/nsys_names.h"
#include "tools/nsys/nsys_pairs.h"
#include "tools/nsys/nsys_views.h"
#include "views/views.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A row: a call, GPU work, or a kernel and its call. */
struct event {
	int64_t start;
	uint32_t activity, call; /* NO_ROW: none */
	uint32_t order;          /* of equal starts */
};

struct events {
	const struct profile *profile;
	struct event *event;
	size_t count, capacity;
	struct value *devices;        /* by track: "NVIDIA A100 (0)" */
	struct value *grids, *blocks; /* by launch configuration */
	struct value *sources,
		*targets; /* by name: memory kinds of copies and sets; filled for them */
};

static void free_events(void *state)
{
	struct events *events = state;
	mem_free(events->event);
	mem_free(events->devices);
	mem_free(events->grids);
	mem_free(events->blocks);
	mem_free(events->sources);
	mem_free(events->targets);
	mem_free(events);
}

typedef struct value cell(const struct events *events, const struct event *event);

/* ---- times ---- */

static struct value clock_of(const struct events *events, int64_t time)
{
	return value_int(events->profile->base_ns + time);
}

static int64_t call_end(const struct events *events, const struct event *event)
{
	const struct profile *profile = events->profile;
	return profile->span_start[event->call] + profile->span_dur[event->call];
}

static struct value event_clock_ns(const struct events *events, const struct event *event)
{
	return clock_of(events, event->start);
}

static struct value event_clock_end_ns(const struct events *events, const struct event *event)
{
	return clock_of(events, call_end(events, event));
}

static struct value event_dur_ns(const struct events *events, const struct event *event)
{
	const struct profile *profile = events->profile;
	return value_int(event->activity != NO_ROW ? profile->activity_dur[event->activity]
						   : profile->span_dur[event->call]);
}

static struct value event_api_clock_ns(const struct events *events, const struct event *event)
{
	return clock_of(events, events->profile->span_start[event->call]);
}

static struct value event_api_dur_ns(const struct events *events, const struct event *event)
{
	return value_int(events->profile->span_dur[event->call]);
}

static struct value event_gpu_clock_ns(const struct events *events, const struct event *event)
{
	return clock_of(events, events->profile->activity_start[event->activity]);
}

/* From the return of the call, when the kernel had not started by then. */
static int64_t queue_of(const struct events *events, const struct event *event)
{
	return events->profile->activity_start[event->activity] - call_end(events, event);
}

static struct value event_queue_clock_ns(const struct events *events, const struct event *event)
{
	return queue_of(events, event) < 0 ? value_missing()
					   : clock_of(events, call_end(events, event));
}

static struct value event_queue_ns(const struct events *events, const struct event *event)
{
	int64_t queue = queue_of(events, event);
	return queue < 0 ? value_missing() : value_int(queue);
}

static struct value event_whole_ns(const struct events *events, const struct event *event)
{
	const struct profile *profile = events->profile;
	int64_t end =
		profile->activity_start[event->activity] + profile->activity_dur[event->activity];
	int64_t returned = call_end(events, event);
	return value_int((end > returned ? end : returned) - profile->span_start[event->call]);
}

/* ---- calls ---- */

static struct value event_api_name(const struct events *events, const struct event *event)
{
	size_t length;
	uint32_t name = nsys_call_name(events->profile, event->call, &length);
	return value_bytes(profile_string(events->profile, name), length);
}

static struct value event_function(const struct events *events, const struct event *event)
{
	return cell_text(events->profile, events->profile->span_name[event->call]);
}

static struct value number(const struct events *events, const struct event *event, const char *key)
{
	return cell_int(nsys_number_of(events->profile,
				       nsys_span_attribute(events->profile, event->call, key)));
}

static struct value event_result(const struct events *events, const struct event *event)
{
	return number(events, event, CALL_RESULT);
}

static struct value event_correlation(const struct events *events, const struct event *event)
{
	const struct profile *profile = events->profile;
	if (event->activity != NO_ROW)
		return cell_int(profile->activity_correlation[event->activity]);
	const struct call_info *info = profile_call_info(profile, event->call);
	return cell_int(info ? info->correlation : NO_VALUE);
}

static struct value event_pid(const struct events *events, const struct event *event)
{
	return nsys_pid(events->profile, events->profile->span_track[event->call]);
}

static struct value event_tid(const struct events *events, const struct event *event)
{
	return nsys_tid(events->profile, events->profile->span_track[event->call]);
}

static const struct track *thread_of(const struct events *events, const struct event *event)
{
	return &events->profile->tracks[events->profile->span_track[event->call]];
}

static struct value event_priority(const struct events *events, const struct event *event)
{
	return cell_int(thread_of(events, event)->priority);
}

static struct value event_thread_name(const struct events *events, const struct event *event)
{
	return cell_text(events->profile, thread_of(events, event)->name);
}

/* ---- messages ---- */

static struct value event_tag(const struct events *events, const struct event *event)
{
	return number(events, event, MPI_TAG);
}

static struct value event_rank(const struct events *events, const struct event *event)
{
	int32_t rank = events->profile->processes[thread_of(events, event)->process].rank;
	return rank < 0 ? value_missing() : value_int(rank);
}

static struct value event_peer_rank(const struct events *events, const struct event *event)
{
	return number(events, event, MPI_PEER);
}

static struct value event_root_rank(const struct events *events, const struct event *event)
{
	return number(events, event, MPI_ROOT);
}

static struct value event_message_bytes(const struct events *events, const struct event *event)
{
	return number(events, event, MPI_SIZE);
}

static struct value event_sent_bytes(const struct events *events, const struct event *event)
{
	return number(events, event, MPI_SENT);
}

static struct value event_received_bytes(const struct events *events, const struct event *event)
{
	return number(events, event, MPI_RECEIVED);
}

/* ---- GPU work ---- */

static struct value event_name(const struct events *events, const struct event *event)
{
	const struct profile *profile = events->profile;
	if (profile->activity_kind[event->activity] != ACTIVITY_KERNEL)
		return value_text(nsys_copy_name(profile, event->activity));
	return cell_text(profile, profile->activity_name[event->activity]);
}

static struct value dimension(const struct events *events, const struct event *event, size_t which)
{
	const struct launch_config *config = profile_config(events->profile, event->activity);
	int32_t size = !config ? -1 : which < 3 ? config->grid[which] : config->block[which - 3];
	return size < 0 ? value_missing() : value_int(size);
}

#define DIMENSION(id, which)                                                                       \
	static struct value event_##id(const struct events *events, const struct event *event)     \
	{                                                                                          \
		return dimension(events, event, which);                                            \
	}
DIMENSION(grid_x, 0)
DIMENSION(grid_y, 1)
DIMENSION(grid_z, 2)
DIMENSION(block_x, 3)
DIMENSION(block_y, 4)
DIMENSION(block_z, 5)

static struct value triple(const struct events *events, const struct event *event,
			   const struct value *texts)
{
	uint32_t config = events->profile->activity_config[event->activity];
	return config == NO_ROW ? value_missing() : texts[config];
}

static struct value event_grid_xyz(const struct events *events, const struct event *event)
{
	return triple(events, event, events->grids);
}

static struct value event_block_xyz(const struct events *events, const struct event *event)
{
	return triple(events, event, events->blocks);
}

static struct value event_regs_per_thread(const struct events *events, const struct event *event)
{
	const struct launch_config *config = profile_config(events->profile, event->activity);
	return !config || config->regs_per_thread < 0 ? value_missing()
						      : value_int(config->regs_per_thread);
}

static int64_t static_of(const struct events *events, const struct event *event)
{
	int64_t bytes = nsys_number_of(
		events->profile,
		nsys_activity_attribute(events->profile, event->activity, ACTIVITY_STATIC_MEMORY));
	return bytes == NO_VALUE ? 0 : bytes;
}

static struct value event_static_bytes(const struct events *events, const struct event *event)
{
	const struct launch_config *config = profile_config(events->profile, event->activity);
	return !config || config->shared_mem_bytes < 0 ? value_missing()
						       : value_int(static_of(events, event));
}

static struct value event_dynamic_bytes(const struct events *events, const struct event *event)
{
	const struct launch_config *config = profile_config(events->profile, event->activity);
	return !config || config->shared_mem_bytes < 0
		       ? value_missing()
		       : value_int(config->shared_mem_bytes - static_of(events, event));
}

static struct value event_bytes(const struct events *events, const struct event *event)
{
	return cell_int(events->profile->activity_bytes[event->activity]);
}

/* nsys stats divides integers. */
static struct value event_bytes_per_s(const struct events *events, const struct event *event)
{
	int64_t bytes = events->profile->activity_bytes[event->activity];
	int64_t dur = events->profile->activity_dur[event->activity], rate;
	if (bytes == NO_VALUE || dur <= 0 ||
	    __builtin_mul_overflow(bytes, INT64_C(1000000000) / dur, &rate))
		return value_missing();
	return value_int(rate);
}

static struct value event_source_memory(const struct events *events, const struct event *event)
{
	return events->sources[events->profile->activity_name[event->activity]];
}

static struct value event_target_memory(const struct events *events, const struct event *event)
{
	return events->targets[events->profile->activity_name[event->activity]];
}

static struct value event_gpu_name(const struct events *events, const struct event *event)
{
	return events->devices[events->profile->activity_track[event->activity]];
}

static struct value event_device_id(const struct events *events, const struct event *event)
{
	return value_int(profile_activity_device(events->profile, event->activity));
}

static struct value event_stream(const struct events *events, const struct event *event)
{
	return cell_int(
		events->profile->tracks[events->profile->activity_track[event->activity]].tid);
}

static struct value context(const struct events *events, const struct event *event, const char *key)
{
	return cell_int(nsys_number_of(
		events->profile, nsys_activity_attribute(events->profile, event->activity, key)));
}

static struct value event_context(const struct events *events, const struct event *event)
{
	return context(events, event, ACTIVITY_CONTEXT);
}

static struct value event_green_context(const struct events *events, const struct event *event)
{
	return context(events, event, ACTIVITY_GREEN_CONTEXT);
}

/* ---- reports ---- */

#define API_COLUMNS(_)                                                                             \
	_(clock_ns)                                                                                \
	_(dur_ns)                                                                                  \
	_(api_name)                                                                                \
	_(result)                                                                                  \
	_(correlation)                                                                             \
	_(pid)                                                                                     \
	_(tid)                                                                                     \
	_(priority)                                                                                \
	_(thread_name)

#define GPU_COLUMNS(_)                                                                             \
	_(clock_ns)                                                                                \
	_(dur_ns)                                                                                  \
	_(correlation)                                                                             \
	_(grid_x)                                                                                  \
	_(grid_y)                                                                                  \
	_(grid_z)                                                                                  \
	_(block_x)                                                                                 \
	_(block_y)                                                                                 \
	_(block_z)                                                                                 \
	_(regs_per_thread)                                                                         \
	_(static_bytes)                                                                            \
	_(dynamic_bytes)                                                                           \
	_(bytes)                                                                                   \
	_(bytes_per_s)                                                                             \
	_(source_memory)                                                                           \
	_(target_memory)                                                                           \
	_(gpu_name)                                                                                \
	_(context)                                                                                 \
	_(green_context)                                                                           \
	_(stream)                                                                                  \
	_(name)

#define EXEC_COLUMNS(_)                                                                            \
	_(api_clock_ns)                                                                            \
	_(api_dur_ns)                                                                              \
	_(queue_clock_ns)                                                                          \
	_(queue_ns)                                                                                \
	_(gpu_clock_ns)                                                                            \
	_(dur_ns)                                                                                  \
	_(whole_ns)                                                                                \
	_(pid)                                                                                     \
	_(tid)                                                                                     \
	_(device_id)                                                                               \
	_(api_name)                                                                                \
	_(grid_xyz)                                                                                \
	_(block_xyz)                                                                               \
	_(name)

#define MPI_COLUMNS(_)                                                                             \
	_(clock_ns)                                                                                \
	_(clock_end_ns)                                                                            \
	_(dur_ns)                                                                                  \
	_(function)                                                                                \
	_(pid)                                                                                     \
	_(tid)                                                                                     \
	_(tag)                                                                                     \
	_(rank)                                                                                    \
	_(peer_rank)                                                                               \
	_(root_rank)                                                                               \
	_(message_bytes)                                                                           \
	_(sent_bytes)                                                                              \
	_(received_bytes)

#define CELL(id) event_##id,
static cell *const api_cells[] = { API_COLUMNS(CELL) };
static cell *const gpu_cells[] = { GPU_COLUMNS(CELL) };
static cell *const exec_cells[] = { EXEC_COLUMNS(CELL) };
static cell *const mpi_cells[] = { MPI_COLUMNS(CELL) };

/* ---- collecting ---- */

static const char stage[] = "finding events";

static void add(struct events *events, int64_t start, uint32_t activity, uint32_t call,
		uint32_t order)
{
	mem_grow(events->event, events->capacity, events->count + 1);
	events->event[events->count++] = (struct event){ start, activity, call, order };
}

static bool is_api_call(const struct profile *profile, uint32_t span)
{
	return profile->span_kind[span] == SPAN_RUNTIME;
}

static bool is_message(const struct profile *profile, uint32_t span)
{
	return profile->span_kind[span] == SPAN_OTHER &&
	       strcmp(profile_string(profile, profile->span_info[span]), CATEGORY_MPI) == 0;
}

static bool add_spans(struct events *events, const struct selection *selection,
		      bool (*wanted)(const struct profile *profile, uint32_t span),
		      const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	for (uint32_t i = 0; i < profile->spans; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		if (wanted(profile, i) && selection_has_span(selection, i))
			add(events, profile->span_start[i], NO_ROW, i, nsys_record(profile, i));
	}
	return true;
}

static bool add_calls(struct events *events, const struct selection *selection,
		      const struct progress *progress)
{
	return add_spans(events, selection, is_api_call, progress);
}

/* Calls of the four tables follow each other where they start at once. */
static uint32_t message_order(const struct profile *profile, uint32_t span)
{
	static const char *const classes[] = { "p2p", "start-wait", "other", "collectives" };
	const char *class = profile_string(profile, nsys_span_attribute(profile, span, MPI_CLASS));
	uint32_t order = 0;
	while (order < 4 && strcmp(classes[order], class) != 0)
		order++;
	return order;
}

static bool add_messages(struct events *events, const struct selection *selection,
			 const struct progress *progress)
{
	if (!add_spans(events, selection, is_message, progress))
		return false;
	for (size_t i = 0; i < events->count; i++)
		events->event[i].order = message_order(events->profile, events->event[i].call);
	return true;
}

static bool add_activities(struct events *events, const struct selection *selection,
			   const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	for (uint32_t i = 0; i < profile->activities; i++) {
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		if (profile_is_work(profile, i) && selection_has_activity(selection, i))
			add(events, profile->activity_start[i], i, NO_ROW,
			    profile->activity_order[i]);
	}
	return true;
}

static bool add_launches(struct events *events, const struct selection *selection,
			 const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	size_t count;
	struct nsys_pair *pairs = nsys_pairs(selection, 1U << ACTIVITY_KERNEL, &count, progress);
	for (size_t i = 0; pairs && i < count; i++)
		if (pairs[i].call != NO_ROW)
			add(events, profile->span_start[pairs[i].call], pairs[i].activity,
			    pairs[i].call, (uint32_t)i);
	mem_free(pairs);
	return pairs != NULL;
}

static const struct report {
	const struct view *view;
	cell *const *cells;
	bool (*add)(struct events *events, const struct selection *selection,
		    const struct progress *progress);
	const char *empty;
} reports[] = {
	{ &view_nsys_call_events, api_cells, add_calls,
	  "No runtime or driver calls in this scope." },
	{ &view_nsys_work_events, gpu_cells, add_activities,
	  "No kernels, copies or memsets in this scope." },
	{ &view_nsys_launch_events, exec_cells, add_launches,
	  "No kernels with a recorded launch in this scope." },
	{ &view_nsys_message_events, mpi_cells, add_messages,
	  "No MPI calls in this scope; record them with nsys profile -t mpi." },
};

static const struct report *report_of(const struct table *table)
{
	const struct report *report = reports;
	while (report->view != table->view)
		report++;
	return report;
}

/* ---- building ---- */

static int compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static struct value compute_event(const struct table *table, size_t row, size_t column)
{
	const struct events *events = table->state;
	return report_of(table)->cells[column](events, &events->event[row]);
}

static struct ref event_ref(const struct table *table, size_t row)
{
	const struct events *events = table->state;
	const struct event *event = &events->event[row];
	return event->activity != NO_ROW ? (struct ref){ REF_LAUNCH, event->activity, 0, 0 }
					 : (struct ref){ REF_CALL, event->call, 0, 0 };
}

static struct value copy_triple(struct table *table, const int32_t triple[3])
{
	char text[48];
	nsys_triple(text, triple);
	return table_copy_text(table, text, strlen(text));
}

/* "Memcpy HtoD (Pinned -> Device)", "Memset (Device)" */
static void set_memories(struct events *events, struct table *table, uint32_t activity)
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
	struct buffer text = { 0 };
	buffer_printf(&text, "%s (%d)", device ? profile_string(profile, device->name) : "", id);
	struct value name = table_copy_text(table, buffer_text(&text), text.length);
	buffer_free(&text);
	return name;
}

static void make_texts(struct events *events, struct table *table)
{
	const struct profile *profile = events->profile;
	size_t names = intern_count(profile->strings);
	events->devices = mem_zalloc(profile->track_count + 1, sizeof(struct value));
	events->grids = mem_zalloc(profile->config_count + 1, sizeof(struct value));
	events->blocks = mem_zalloc(profile->config_count + 1, sizeof(struct value));
	events->sources = mem_zalloc(names + 1, sizeof(struct value));
	events->targets = mem_zalloc(names + 1, sizeof(struct value));
	for (size_t i = 0; i < profile->track_count; i++)
		if (profile->tracks[i].device >= 0)
			events->devices[i] = gpu_name(table, profile, profile->tracks[i].device);
	for (size_t i = 0; i < profile->config_count; i++) {
		events->grids[i] = copy_triple(table, profile->configs[i].grid);
		events->blocks[i] = copy_triple(table, profile->configs[i].block);
	}
	for (size_t i = 0; i < events->count; i++) {
		uint32_t activity = events->event[i].activity;
		if (activity != NO_ROW && profile->activity_kind[activity] != ACTIVITY_KERNEL)
			set_memories(events, table, activity);
	}
}

static bool build_events(struct table *table, const struct view_query *query)
{
	const struct report *report = report_of(table);
	struct events *events = mem_zalloc(1, sizeof *events);
	table->state = events;
	table->free_state = free_events;
	events->profile = query->selection->profile;
	if (!report->add(events, query->selection, query->progress) ||
	    !sort_runs(events->event, events->count, sizeof *events->event, compare_events,
		       query->progress))
		return false;
	make_texts(events, table);
	table->rows = events->count;
	table->compute = compute_event;
	table->compute_ref = event_ref;
	table->used = UINT64_MAX;
	if (!events->count)
		table_note(table, "%s", report->empty);
	return true;
}

#define EVENTS(id, what, line, about, list)                                                        \
	const struct view view_nsys_##id = {                                                       \
		.name = "nsys-" what,                                                              \
		.title = what,                                                                     \
		.row = line,                                                                       \
		.summary = "nsys stats: " about ".",                                               \
		.columns = COLUMN_LIST(list),                                                      \
		.default_columns = COLUMN_LIST(list),                                              \
		.default_sort = "",                                                                \
		.build = build_events,                                                             \
	}

EVENTS(call_events, "cuda_api_trace", "one runtime or driver call",
       "CUDA API calls in order of time", API_COLUMNS);
EVENTS(work_events, "cuda_gpu_trace", "one kernel, copy or memset",
       "kernels, copies and memsets in order of time", GPU_COLUMNS);
EVENTS(launch_events, "cuda_kern_exec_trace", "one kernel and its launch call",
       "kernels with the calls that launched them", EXEC_COLUMNS);
EVENTS(message_events, "mpi_event_trace", "one MPI call", "MPI calls in order of time",
       MPI_COLUMNS);
