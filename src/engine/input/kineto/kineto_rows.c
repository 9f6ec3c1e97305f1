#include "input/kineto/kineto_rows_private.h"

#include "base/text_slice.h"

#include <inttypes.h>

struct rows *rows_new(struct profile *profile, struct builder *builder)
{
	struct rows *rows = mem_cleared(1, sizeof *rows);
	rows->profile = profile;
	rows->builder = builder;
	rows->raw = intern_new();
	rows->configs = intern_new();
	rows->async_open = hash_new(16);
	return rows;
}

void rows_mark_part(struct rows *rows)
{
	rows->is_part = true;
}

bool rows_need_names(const struct rows *rows)
{
	return rows->has_lanes;
}

FREE_OBJECT(rows_free, struct rows,
	    OWN_BY(intern_free, raw) OWN_BY(intern_free, configs) OWN(config)
		    OWN_BY(hash_free, async_open) OWN(normalized) OWN(names) OWN(open)
			    OWN(open_below) OWN(top) OWN(apart) OWN(queued) OWN(called)
				    OWN_IN(buffer_free, scratch))

/* ---- phases ---- */

static const struct category *look_up_category(struct rows *rows, const struct event *event)
{
	const struct json_slice *cat = &event->cat;
	size_t slots = sizeof rows->category_cache / sizeof *rows->category_cache;
	size_t sum = cat->length + 3 * (size_t)*cat->text + (size_t)cat->text[cat->length / 2];
	struct known_category *known = &rows->category_cache[sum % slots];
	if (known->text && !cat->escaped && known->length == cat->length &&
	    memcmp(known->text, cat->text, cat->length) == 0)
		return known->category;
	const struct intern *strings = rows->profile->strings;
	uint32_t id = rows_keep_text(rows, cat);
	const char *name = intern_text(strings, id);
	const struct category *category = category_find(name, intern_length(strings, id));
	if (cat->type == JSON_STRING && !cat->escaped)
		*known = (struct known_category){ name, cat->length, category };
	return category;
}

const struct process_lane *rows_lane(struct rows *rows, const struct event *event)
{
	int64_t pid, tid;
	uint32_t pid_label, tid_label;
	if (!rows->has_lanes || !event->pid.text || !event->tid.text)
		return NULL;
	rows_identity(rows, &event->pid, &pid, &pid_label);
	rows_identity(rows, &event->tid, &tid, &tid_label);
	return rows_named_lane(rows, pid, pid_label, tid);
}

/* Without a category of its own an event has that of its process, where its name tells one. */
static const struct category *category_of_process(struct rows *rows, const struct event *event)
{
	const struct process_lane *lane = rows_lane(rows, event);
	return lane && lane->category->of_op == event->has_cat ? lane->category : NULL;
}

const struct category *rows_category(struct rows *rows, const struct event *event)
{
	struct event_memo *memo = event->memo;
	const struct category *category;
	if (!event->has_cat)
		return category_of_process(rows, event);
	if (!memo) {
		category = look_up_category(rows, event);
	} else {
		if (!memo->has_category) {
			memo->category = look_up_category(rows, event);
			memo->has_category = true;
		}
		category = memo->category;
	}
	if (category && category->lane == LANE_OF_PROCESS)
		return category_of_process(rows, event);
	if (rows->has_lanes && category && category->lane == LANE_SPAN &&
	    category->kind == SPAN_OPERATOR) {
		const struct process_lane *lane = rows_lane(rows, event);
		if (lane && lane->category->of_operators)
			return lane->category;
	}
	return category;
}

/* The oldest traces have no categories; their processes imply them. */
static const struct category *legacy_category(const struct event *event)
{
	if (event->has_cat || event->pid.type != JSON_STRING || !event->pid.text)
		return NULL;
	if (json_equal(&event->pid, "CPU functions") || json_equal(&event->pid, "CPU Functions"))
		return category_find("cpu_op", 6);
	if (json_equal(&event->pid, LEGACY_CUDA) || json_equal(&event->pid, LEGACY_GPU))
		return category_find("kernel", 6);
	return NULL;
}

/*
 * Without a category, by the name: a call and its work have the id that joins them, kernels a grid,
 * or a stream and the name of a function; waits on a stream have titles.
 */
static const struct category *category_of_name(struct rows *rows, const struct event *event)
{
	if (event->has_cat || !event->has_name)
		return NULL;
	const char *name = profile_string(rows->profile, rows_keep_text(rows, &event->name));
	const struct json_slice *blocks = event_argument(event, ARGUMENT_GRID);
	bool grid = blocks && blocks->type != JSON_STRING; /* of generated operators a text */
	if (text_begins_one(name, "aten::|autograd::"))
		return category_find("cpu_op", 6);
	if (text_begins_one(name, "ProfilerStep#"))
		return category_find("user_annotation", 15);
	if (!grid && argument_int(event, ARGUMENT_CORRELATION) == NO_VALUE)
		return NULL;
	if (text_begins_one(name, "cuda|hip|cuLaunch|cuMem|cuStream|cuEvent|cuCtx|ze") &&
	    !strpbrk(name, "<(: "))
		return category_find("runtime", 7);
	if (strcasestr(name, "memcpy"))
		return category_find("memcpy", 6);
	if (strcasestr(name, "memset"))
		return category_find("memset", 6);
	bool function = event_argument(event, ARGUMENT_STREAM) && !strchr(name, ' ');
	return grid || function || strchr(name, '<') || strcasestr(name, "kernel")
		       ? category_find("kernel", 6)
		       : NULL;
}

static int64_t kineto_rows_duration_of(struct rows *rows, const struct event *event,
				       uint64_t offset)
{
	int64_t dur;
	if (!event->has_dur) {
		profile_damage(rows->profile, "missing duration", "set to 0", offset);
		return 0;
	}
	if (!json_time_ns(&event->dur, &dur)) {
		profile_damage(rows->profile, "duration not a number", "set to 0", offset);
		return 0;
	}
	if (dur < 0) {
		profile_damage(rows->profile, "negative duration", "set to 0", offset);
		return 0;
	}
	return dur;
}

/* Was this excluded on request? */
static bool is_left_out(const struct rows *rows, const struct event *event,
			const struct category *category)
{
	return rows->profile->no_python && category->kind == SPAN_PYTHON &&
	       rows_refine_kind(event, SPAN_PYTHON) == SPAN_PYTHON;
}

static bool is_survey(const struct rows *rows)
{
	return rows->profile->filter && rows->profile->filter->survey;
}

/* The numeric arguments of an event, as counters. */
static void add_values(struct rows *rows, const struct event *event, uint32_t track, int64_t time,
		       uint64_t offset)
{
	if (is_survey(rows))
		return;
	struct counter counter = {
		.time = time,
		.track = track,
		.name = rows_event_name(rows, event, offset),
	};
	for (size_t i = 0; i < event->others; i++) {
		if (!json_real(&event->other_value[i], &counter.value))
			continue;
		counter.series = rows_keep_text(rows, &event->other_key[i]);
		builder_counter(rows->builder, &counter);
	}
}

static void add_complete(struct rows *rows, const struct event *event, int64_t start,
			 uint64_t offset)
{
	const struct category *category = rows_category(rows, event);
	if (!category)
		category = legacy_category(event) ?: category_of_name(rows, event);
	int64_t dur = kineto_rows_duration_of(rows, event, offset);
	if (!event->has_name)
		profile_damage(rows->profile, "missing name", "kept without a name", offset);
	if (category && category->lane == LANE_ACTIVITY)
		rows_filter_activity(rows, event,
				     category->has_tasks ? rows_task_kind(event, category)
							 : (enum activity_kind)category->kind,
				     start, dur, offset);
	else if (!category || category->lane != LANE_SPAN)
		rows_filter_span(rows, event, SPAN_OTHER, start, dur, offset);
	else if (!is_left_out(rows, event, category))
		rows_filter_span(rows, event, (enum span_kind)category->kind, start, dur, offset);
	if (category && category->metrics)
		add_values(rows, event, rows_device_track(rows, event), start, offset);
}

static void add_instant(struct rows *rows, const struct event *event, int64_t time, uint64_t offset)
{
	bool is_memory = event->has_name && json_equal(&event->name, "[memory]");
	bool is_sample = event->has_cat && json_equal(&event->cat, CATEGORY_SAMPLE);
	if (is_memory && !is_survey(rows))
		rows_add_memory(rows, event, time);
	else if (is_sample && !is_survey(rows))
		rows_add_sample(rows, event, time);
	else if (!is_memory && !is_sample)
		rows_filter_span(rows, event, SPAN_INSTANT, time, 0, offset);
}

static enum span_kind category_span_kind(struct rows *rows, const struct event *event)
{
	const struct category *category = rows_category(rows, event);
	return category && category->lane == LANE_SPAN ? (enum span_kind)category->kind
						       : SPAN_OTHER;
}

/* ---- flows, counters, names ---- */

static void add_flow(struct rows *rows, const struct event *event, int64_t time)
{
	const struct category *category = rows_category(rows, event);
	struct flow flow = {
		.time = time,
		.kind = category && category->lane == LANE_FLOW ? (uint8_t)category->kind
								: FLOW_OTHER,
		.start = event->phase == 's',
		.track = NO_ROW,
	};
	if (flow.kind == FLOW_QUEUED)
		rows_add_queued(rows, event, time);
	if (flow.kind == FLOW_CALLED)
		rows_add_called(rows, event, time);
	/*
	 * Launches are linked by correlation id; their arrows, the most common flows, add nothing.
	 */
	if (flow.kind == FLOW_LAUNCH || flow.kind == FLOW_QUEUED || flow.kind == FLOW_CALLED ||
	    !event->has_id)
		return;
	if (!json_id(&event->id, &flow.id)) {
		flow.id = rows_keep_text(rows, &event->id);
		rows->refused |= rows->is_part; /* a text has another id in the whole */
	}
	flow.track = rows_host_track(rows, event);
	const struct read_filter *filter = rows->profile->filter;
	if (!filter || (time >= filter->host_from && time <= filter->host_to))
		builder_flow(rows->builder, &flow);
}

static void add_counter(struct rows *rows, const struct event *event, int64_t time, uint64_t offset)
{
	const struct category *category = rows_category(rows, event);
	bool on_device = category && category->lane == LANE_COUNTER;
	uint32_t track = on_device ? rows_counter_track(rows, event) : rows_host_track(rows, event);
	add_values(rows, event, track, time, offset);
}

static void add_naming(struct rows *rows, const struct event *event)
{
	bool is_process = json_equal(&event->name, "process_name");
	bool is_thread = json_equal(&event->name, "thread_name");
	bool is_order = json_equal(&event->name, "thread_sort_index");
	if (!is_process && !is_thread && !is_order)
		return;
	int64_t pid, tid;
	uint32_t pid_label, tid_label;
	rows_identity(rows, &event->pid, &pid, &pid_label);
	rows_identity(rows, &event->tid, &tid, &tid_label);
	struct lane_name name = {
		.process = builder_process(rows->builder, pid, pid_label),
		.tid = is_process ? NO_VALUE : tid,
		.tid_label = is_process ? 0 : tid_label,
		.text = argument_text(rows, event, ARGUMENT_NAME),
		.sort_index = is_order ? argument_int(event, ARGUMENT_SORT_INDEX) : NO_VALUE,
	};
	if (is_order && name.sort_index == NO_VALUE)
		return;
	rows_name_lane(rows, &name);
}

/* ---- entry points ---- */

static void count_damage(struct rows *rows, const struct event *event, uint64_t offset)
{
	if (event->duplicates)
		profile_damage_many(rows->profile, "duplicate key in an event", "last one kept",
				    offset, event->duplicates);
	if (event->bare_word)
		profile_damage(rows->profile, "bare word instead of a value", "treated as missing",
			       offset);
	if (event->args_not_object)
		profile_damage(rows->profile, "args not an object", "skipped", offset);
}

/* Work on a device if its process says so; the category alone makes it none (chrome_trace.c). */
static void kineto_rows_begin(struct rows *rows, const struct event *event, int64_t time,
			      uint64_t offset)
{
	const struct category *category = rows_category(rows, event);
	if (category && category->lane == LANE_ACTIVITY && category->of_op)
		rows_begin_activity(rows, event, rows_task_kind(event, category), time, offset);
	else
		rows_begin_span(rows, event, category_span_kind(rows, event), time, offset);
}

static void add_by_phase(struct rows *rows, const struct event *event, int64_t time,
			 uint64_t offset)
{
	switch (event->phase) {
	case 'X': add_complete(rows, event, time, offset); break;
	case 'i':
	case 'I':
	case 'R': add_instant(rows, event, time, offset); break;
	case 'n': rows_async_instant(rows, event, time, offset); break;
	case 'B': kineto_rows_begin(rows, event, time, offset); break;
	case 'E': rows_end_span(rows, event, time, offset); break;
	case 'b':
	case 'S':
		rows_begin_async(rows, event, category_span_kind(rows, event), time, offset);
		break;
	case 'e':
	case 'F': rows_end_async(rows, event, time, offset); break;
	case 's':
	case 'f': add_flow(rows, event, time); break;
	case 'C': add_counter(rows, event, time, offset); break;
	case 'M': add_naming(rows, event); break;
	case 't':
	case 'T':
	case 'P':
	case 'N':
	case 'O':
	case 'D':
	case 'v':
	case 'c': break;
	default: profile_damage(rows->profile, "unknown phase", "skipped", offset);
	}
}

/* Pairs and track names need the whole. */
static bool needs_others(char phase)
{
	return phase == 'n' || phase == 'B' || phase == 'E' || phase == 'b' || phase == 'e' ||
	       phase == 'S' || phase == 'F' || phase == 'M';
}

/* Is it {}? Writers begin or end with it, not to care about commas; viewers skip it silently. */
static bool is_empty(const struct event *event)
{
	return !event->phase && !event->has_cat && !event->has_pid && !event->has_tid &&
	       !event->has_name && !event->has_ts && !event->has_dur && !event->has_id &&
	       !event->has_args;
}

bool rows_add_event(struct rows *rows, const struct event *event, uint64_t offset)
{
	int64_t time = 0;
	if (!event->phase && is_empty(event)) {
		rows->empty++;
		rows->refused |= rows->is_part; /* counted once, in the whole */
		return !rows->refused;
	}
	rows->refused |= rows->is_part && needs_others(event->phase);
	if (rows->refused)
		return false;
	rows->profile->events++;
	count_damage(rows, event, offset);
	if (!event->phase)
		profile_damage(rows->profile, "event without a phase", "skipped", offset);
	else if (event->phase != 'M' && event->phase != 0 &&
		 (!event->has_ts || !json_time_ns(&event->ts, &time)))
		profile_damage(rows->profile, "event without a valid time", "skipped", offset);
	else
		add_by_phase(rows, event, time, offset);
	return !rows->refused;
}

void rows_finish(struct rows *rows)
{
	rows_link_queued(rows);
	rows_separate_nested(rows);
	rows_link_called(rows);
	rows_link_external(rows);
	rows_place_async(rows);
	rows_place_annotations(rows);
	rows_apply_names(rows);
	rows_tell_listed_again(rows);
	if (rows->empty)
		builder_fact(rows->builder, "empty events",
			     profile_print(rows->profile, "%" PRIu64, rows->empty));
	if (rows->open_work)
		profile_damage_many(rows->profile, "begin without end", "without duration",
				    UINT64_MAX, rows->open_work);
}
