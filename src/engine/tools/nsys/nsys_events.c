/*
 * Reports of nsys stats with a row per event: API calls, GPU work, kernels with their launch, MPI
 * calls; and the tables of events that the other reports query. Cells are computed on demand.
 */
#include "base/check.h"
#include "base/compare.h"
#include "base/sort.h"
#include "base/text_slice.h"
#include "tools/nsys/nsys_event_cells.h"
#include "tools/nsys/nsys_names.h"
#include "tools/nsys/nsys_projection.h"
#include "tools/nsys/nsys_reports.h"

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
		      bool (*wanted)(const struct profile *profile, uint32_t span),
		      const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage)
		if (wanted(profile, i) && selection_has_span(selection, i))
			nsys_events_add(events,
					&(struct nsys_event){ profile->span_start[i], NO_ROW, i,
							      NO_ROW, nsys_record(profile, i) });
	return ok;
}

static bool nsys_events_add_calls(struct nsys_events *events, const struct selection *selection,
				  const struct progress *progress)
{
	return add_spans(events, selection, is_api_call, progress);
}

static bool add_host_events(struct nsys_events *events, const struct selection *selection,
			    const struct progress *progress)
{
	return add_spans(events, selection, is_host_event, progress);
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
	if (!add_spans(events, selection, is_message, progress))
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
