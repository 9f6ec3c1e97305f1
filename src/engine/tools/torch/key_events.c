#include "tools/torch/key_events.h"

#include "base/text.h"
#include "base/compare.h"
#include "base/buffer.h"
#include "base/demangle.h"
#include "base/sort.h"

static const char stage[] = "averaging";

enum { ROW_WEIGHT = 4 }; /* rows are expensive */

/* ---- names ---- */

static uint32_t make_name(struct intern *names, const char *text, size_t length)
{
	static const char step[] = "ProfilerStep#";
	if (strncmp(text, step, sizeof step - 1) == 0)
		return intern_add(names, "ProfilerStep*", 13);
	AUTO_BUFFER struct buffer readable = { 0 };
	/* single letters are types to the demangler: "t" would become "unsigned short" */
	return length > 1 && demangle(&readable, text)
		       ? intern_add(names, readable.data, readable.length)
		       : intern_add(names, text, length);
}

static uint32_t key_events_name_of(struct key_events *events, uint32_t string)
{
	const struct profile *profile = events->selection->profile;
	if (events->name_of[string] == NO_ROW)
		events->name_of[string] =
			make_name(events->names, INTERNED(profile->strings, string));
	return events->name_of[string];
}

/* PyTorch omits these; their children move up. */
static bool is_dropped(const char *name)
{
	static const char dropped[] =
		"[memory] [OutOfMemory] profiler::_record_function_enter "
		"profiler::_record_function_enter_new profiler::_record_function_exit "
		"aten::is_leaf aten::output_nr aten::_version";
	return text_is_listed(dropped, name);
}

/* Background communication, which is outside the tree. */
static bool is_named_async(const char *name)
{
	return strncmp(name, "gloo:", 5) == 0 || strncmp(name, "nccl:", 5) == 0 ||
	       strncmp(name, "mpi:", 4) == 0 || strncmp(name, "ucc:", 4) == 0;
}

/* ---- collecting ---- */

static struct key_event *key_events_add_event(struct key_events *events, enum key_kind kind,
					      uint32_t row, int64_t start, int64_t end)
{
	struct key_event *event = mem_push(events->events, events->count);
	*event = (struct key_event){
		.kind = (uint8_t)kind, .row = row, .start = start, .end = end, .parent = NO_ROW
	};
	return event;
}

static void key_events_add_span(struct key_events *events, uint32_t span)
{
	const struct profile *profile = events->selection->profile;
	uint8_t kind = profile->span_kind[span];
	const char *name = profile_string(profile, profile->span_name[span]);
	if ((kind != SPAN_OPERATOR && kind != SPAN_ANNOTATION && kind != SPAN_RUNTIME) ||
	    is_dropped(name))
		return;
	int64_t start = profile->span_start[span];
	struct key_event *event = key_events_add_event(events, KEY_SPAN, span, start,
						       start + profile->span_dur[span]);
	const struct op_ids *ids = profile_op_ids(profile, span);
	const struct call_info *call = profile_call_info(profile, span);
	int64_t order = ids ? ids->external_id : call ? call->external_id : NO_VALUE;
	event->order = order == NO_VALUE && kind == SPAN_RUNTIME ? INT64_MAX : order;
	event->name = key_events_name_of(events, profile->span_name[span]);
	event->async = kind != SPAN_RUNTIME && is_named_async(name);
}

/* By start, then sequence number, then longest first. */
COMPARE_MEMBERS(compare_by_number, struct key_event, UP(start) UP(order) DOWN(end) UP(row))

/* The parent is the innermost event open at the start that ends later. */
static bool make_tree(struct key_events *events, size_t first)
{
	const struct profile *profile = events->selection->profile;
	AUTO_FREE uint32_t *open = mem_alloc((events->count - first) * sizeof *open);
	size_t depth = 0;
	bool ok = true;
	for (size_t i = first; ok && i < events->count; i++) {
		struct key_event *event = &events->events[i];
		ok = progress_heavy_row(events->progress, stage, i, events->count, ROW_WEIGHT);
		if (event->async)
			continue;
		while (depth && event->start >= events->events[open[depth - 1]].end)
			depth--;
		/*
		 * on one thread, only an event that ended on another one overlaps without nesting
		 */
		if (depth && event->end > events->events[open[depth - 1]].end &&
		    profile->span_kind[event->row] != SPAN_RUNTIME) {
			event->async = true;
			continue;
		}
		while (depth && event->end > events->events[open[depth - 1]].end)
			depth--;
		if (depth) {
			event->parent = open[depth - 1];
			events->events[event->parent].children++;
		}
		open[depth++] = (uint32_t)i;
	}
	return ok;
}

static bool collect_track(struct key_events *events, const struct track *track)
{
	size_t first = events->count;
	bool numbered = true;
	for (uint32_t i = 0; i < track->spans; i++) {
		key_events_add_span(events, track->first_span + i);
		if (!progress_heavy_row(events->progress, stage, i, track->spans, ROW_WEIGHT))
			return false;
	}
	for (size_t i = first; i < events->count; i++)
		numbered &= events->events[i].order != NO_VALUE;
	for (size_t i = first; i < events->count && !numbered; i++)
		events->events[i].order = 0;
	return events->count == first ||
	       (sort_runs(events->events + first, events->count - first, sizeof *events->events,
			  compare_by_number, events->progress) &&
		make_tree(events, first));
}

/* Was the time of an operator recorded, rather than a kernel? Readers' own ids are below -1. */
static bool is_of_operator(const struct profile *profile, uint32_t activity)
{
	return profile->activity_launch[activity] == NO_ROW &&
	       profile->activity_external[activity] < -1 &&
	       profile->activity_external[activity] != NO_VALUE;
}

static bool collect_activities(struct key_events *events)
{
	const struct profile *profile = events->selection->profile;
	bool ok = true;
	for_heavy_rows (ok, i, profile->activities, events->progress, stage, ROW_WEIGHT) {
		if (!profile_is_work(profile, i) || is_of_operator(profile, i))
			continue;
		int64_t start = profile->activity_start[i];
		struct key_event *event = key_events_add_event(events, KEY_ACTIVITY, i, start,
							       start + profile->activity_dur[i]);
		event->name = key_events_name_of(events, profile->activity_name[i]);
		event->gpu_self = event->gpu_total = profile->activity_dur[i];
	}
	return ok;
}

/* ---- device time ---- */

/* The operator enclosing the call: PyTorch does not attribute device events to annotations. */
static uint32_t launching_operator(const struct key_events *events, uint32_t event)
{
	const struct profile *profile = events->selection->profile;
	while (event != NO_ROW && profile->span_kind[events->events[event].row] != SPAN_OPERATOR)
		event = events->events[event].parent;
	return event;
}

static bool give_device_time(struct key_events *events)
{
	const struct profile *profile = events->selection->profile;
	AUTO_FREE uint32_t *event_of = mem_no_rows((size_t)profile->spans + 1);
	for (size_t i = 0; i < events->count; i++)
		if (events->events[i].kind == KEY_SPAN)
			event_of[events->events[i].row] = (uint32_t)i;
	bool ok = true;
	for_heavy_rows (ok, i, profile->activities, events->progress, stage, ROW_WEIGHT) {
		uint32_t launch = is_of_operator(profile, i)
					  ? events->selection->derived->activity_operator[i]
					  : profile->activity_launch[i];
		if (launch == NO_ROW || !profile_is_work(profile, i) ||
		    !selection_has_activity(events->selection, i))
			continue;
		uint32_t by = launching_operator(events, event_of[launch]);
		if (by != NO_ROW && !events->events[by].async)
			events->events[by].gpu_self += profile->activity_dur[i];
	}
	return ok;
}

/* ---- memory ---- */

/* First record at or after TIME. */
static size_t record_at(const struct profile *profile, int64_t time)
{
	size_t count = profile->memory_count;
	return search_between(ASCENDING(profile->memory_events, time, count), time, 0, count);
}

/* CPU, MKLDNN and IDEEP, by PyTorch's device type numbers. */
static bool is_host_memory(const struct memory_event *record)
{
	return record->device_type == 0 || record->device_type == 2 || record->device_type == 5;
}

/* Prefix sums of both kinds of bytes; may wrap. */
static void sum_records(const struct profile *profile, uint64_t *host, uint64_t *device)
{
	host[0] = device[0] = 0;
	for (size_t i = 0; i < profile->memory_count; i++) {
		const struct memory_event *record = &profile->memory_events[i];
		bool is_host = is_host_memory(record);
		host[i + 1] = host[i] + (is_host ? (uint64_t)record->bytes : 0);
		device[i + 1] = device[i] + (is_host ? 0 : (uint64_t)record->bytes);
	}
}

/* Records outside all events become events. */
static void add_records(struct key_events *events, const int32_t *cover)
{
	const struct profile *profile = events->selection->profile;
	uint32_t name = intern_add(events->names, "[memory]", 8);
	int32_t open = 0;
	for (size_t i = 0; i < profile->memory_count; i++) {
		const struct memory_event *record = &profile->memory_events[i];
		open += cover[i];
		if (open)
			continue;
		struct key_event *event = key_events_add_event(events, KEY_MEMORY, (uint32_t)i,
							       record->time, record->time);
		event->name = name;
		if (is_host_memory(record))
			event->cpu_memory = event->cpu_self_memory = record->bytes;
		else
			event->gpu_memory = event->gpu_self_memory = record->bytes;
	}
}

/* Events are charged with the records of all threads during them. */
static bool give_memory(struct key_events *events)
{
	const struct profile *profile = events->selection->profile;
	size_t size = profile->memory_count + 1;
	AUTO_FREE uint64_t *host = mem_alloc(size * sizeof *host),
			   *device = mem_alloc(size * sizeof *device);
	AUTO_FREE int32_t *cover = mem_zalloc(size, sizeof *cover);
	sum_records(profile, host, device);
	bool ok = true;
	for_heavy_rows (ok, i, events->count, events->progress, stage, ROW_WEIGHT) {
		struct key_event *event = &events->events[i];
		if (event->kind != KEY_SPAN)
			continue;
		size_t first = record_at(profile, event->start);
		size_t end = record_at(profile,
				       event->end > event->start ? event->end : event->start + 1);
		event->cpu_memory = (int64_t)(host[end] - host[first]);
		event->gpu_memory = (int64_t)(device[end] - device[first]);
		cover[first]++;
		cover[end]--;
	}
	add_records(events, cover);
	return ok;
}

/* ---- folding and sums ---- */

/* An only child with its parent's name is merged into it. */
static bool fold_repeats(struct key_events *events)
{
	bool ok = true;
	for_heavy_rows (ok, i, events->count, events->progress, stage, ROW_WEIGHT) {
		struct key_event *event = &events->events[i];
		while (event->parent != NO_ROW && events->events[event->parent].deleted)
			event->parent = events->events[event->parent].parent;
		if (event->parent == NO_ROW)
			continue;
		struct key_event *parent = &events->events[event->parent];
		if (parent->name != event->name || parent->children != 1)
			continue;
		parent->children = event->children;
		parent->gpu_self = event->gpu_self;
		event->deleted = true;
	}
	return ok;
}

static int64_t less(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static void parse_from_parent(struct key_event *parent, const struct key_event *event)
{
	parent->cpu_self -= event->end - event->start;
	parent->gpu_total += event->gpu_total;
	parent->cpu_self_memory = less(parent->cpu_self_memory, event->cpu_memory);
	parent->gpu_self_memory = less(parent->gpu_self_memory, event->gpu_memory);
}

static bool sum_up(struct key_events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		struct key_event *event = &events->events[i];
		if (!progress_heavy_row(events->progress, stage, i, events->count, ROW_WEIGHT))
			return false;
		if (event->kind != KEY_SPAN || event->async)
			continue;
		event->cpu_self = event->end - event->start;
		event->gpu_total = event->gpu_self;
		event->cpu_self_memory = event->cpu_memory;
		event->gpu_self_memory = event->gpu_memory;
	}
	for (size_t i = events->count; i-- > 0;) {
		const struct key_event *event = &events->events[i];
		if (event->parent != NO_ROW && !event->deleted)
			parse_from_parent(&events->events[event->parent], event);
		if (!progress_heavy_row(events->progress, stage, i, events->count, ROW_WEIGHT))
			return false;
	}
	return true;
}

bool key_event_counts(const struct key_events *events, const struct key_event *event)
{
	const struct selection *selection = events->selection;
	if (event->deleted)
		return false;
	if (event->kind == KEY_SPAN)
		return selection_has_span(selection, event->row);
	if (event->kind == KEY_ACTIVITY)
		return selection_has_activity(selection, event->row);
	const struct scope *scope = selection->scope;
	return !selection->span || (scope->has_time && event->start >= scope->time_first &&
				    event->start < scope->time_last);
}

bool key_events_make(struct key_events *events, const struct selection *selection,
		     struct intern *names, const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	bool ok = true;
	*events =
		(struct key_events){ .selection = selection, .names = names, .progress = progress };
	events->name_of = mem_no_rows((size_t)intern_count(profile->strings) + 1);
	for (size_t i = 0; ok && i < profile->track_count; i++)
		ok = collect_track(events, &profile->tracks[i]);
	return ok && give_device_time(events) && collect_activities(events) &&
	       give_memory(events) && fold_repeats(events) && sum_up(events);
}

FREE_MEMBERS(key_events_clear, struct key_events, OWN(events) OWN(name_of))
