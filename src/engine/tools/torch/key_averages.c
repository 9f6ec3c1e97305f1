#include "tools/torch/key_averages.h"

#include "tools/torch/key_events.h"
#include "base/any_of.h"
#include "base/compare.h"
#include "base/hash.h"
#include "base/keyed.h"
#include "base/number.h"
#include "base/sort.h"

struct key_averages_build {
	struct key_events events;
	struct key_averages *averages;
	bool by_shapes;
	uint32_t stack_depth;
	uint32_t *order;      /* events in PyTorch's order */
	uint32_t *backward;   /* by event: its backward function or the enclosing one */
	struct hash *forward; /* (sequence, track) → first forward event */
	struct keyed keys;    /* struct key → row */
};

struct key {
	uint32_t name, shapes, stack, on_device;
};
static_assert(sizeof(struct key) == 16, "a key has no padding");

static const char stage[] = "averaging";

/* ---- order ---- */

struct key_averages_place {
	int64_t start, end;
	uint32_t event;
};

COMPARE_MEMBERS(key_averages_compare_places, struct key_averages_place,
		UP(start) DOWN(end) UP(event))

static bool put_in_order(struct key_averages_build *build)
{
	const struct key_events *events = &build->events;
	AUTO_FREE struct key_averages_place *places = mem_alloc(events->count * sizeof *places);
	build->order = mem_alloc(events->count * sizeof *build->order);
	for (uint32_t i = 0; i < events->count; i++)
		places[i] = (struct key_averages_place){ events->events[i].start,
							 events->events[i].end, i };
	bool ok = sort_runs(places, events->count, sizeof *places, key_averages_compare_places,
			    events->progress);
	for (size_t i = 0; i < events->count; i++)
		build->order[i] = places[i].event;
	return ok;
}

/* ---- stacks: backward events have those of their forward events ---- */

/* By name: 1 if evaluated by the autograd engine. The caller frees it. */
static uint8_t *find_backward_names(const struct key_averages_build *build)
{
	static const char prefix[] = "autograd::engine::evaluate_function: ";
	const struct intern *names = build->averages->texts;
	uint32_t count = intern_count(names);
	uint8_t *is_backward = mem_zalloc((size_t)count + 1, 1);
	for (uint32_t i = 0; i < count; i++) {
		const char *text = intern_text(names, i);
		if (strncmp(text, prefix, sizeof prefix - 1) != 0)
			continue;
		text += sizeof prefix - 1;
		uint32_t name = intern_find(names, text, strlen(text));
		if (name != NO_ROW)
			is_backward[name] = 1;
	}
	return is_backward;
}

/* Parents precede their children. */
static bool find_backward_events(struct key_averages_build *build)
{
	AUTO_FREE uint8_t *is_backward = find_backward_names(build);
	build->backward = mem_alloc(build->events.count * sizeof *build->backward);
	bool ok = true;
	for_rows (ok, i, build->events.count, build->events.progress, stage) {
		const struct key_event *event = &build->events.events[i];
		build->backward[i] = is_backward[event->name]  ? i
				     : event->parent == NO_ROW ? NO_ROW
							       : build->backward[event->parent];
	}
	return ok;
}

static const struct op_info *key_averages_info_of(const struct key_averages_build *build,
						  uint32_t event)
{
	const struct key_event *at = &build->events.events[event];
	return at->kind == KEY_SPAN ? profile_op_info(build->events.selection->profile, at->row)
				    : NULL;
}

static uint64_t forward_key(const struct key_averages_build *build, int64_t sequence, uint32_t span)
{
	return hash_pair((uint64_t)sequence, build->events.selection->profile->span_track[span]);
}

static bool find_forward_events(struct key_averages_build *build)
{
	const struct profile *profile = build->events.selection->profile;
	build->forward = hash_new(1024);
	bool ok = true;
	for_rows (ok, i, build->events.count, build->events.progress, stage) {
		uint32_t event = build->order[i];
		const struct key_event *at = &build->events.events[event];
		int64_t sequence = at->kind == KEY_SPAN ? profile_sequence(profile, at->row) : -1;
		if (at->deleted || sequence < 0 || build->backward[event] != NO_ROW)
			continue;
		uint64_t key = forward_key(build, sequence, at->row);
		if (hash_first(build->forward, key) == NO_ROW)
			hash_add(build->forward, key, event);
	}
	return ok;
}

/* Event whose call stack applies, or NO_ROW. */
static uint32_t stack_owner(const struct key_averages_build *build, uint32_t event)
{
	uint32_t backward = build->backward[event], count;
	if (backward == NO_ROW)
		return event;
	uint32_t span = build->events.events[backward].row;
	int64_t sequence = profile_sequence(build->events.selection->profile, span);
	if (sequence < 0)
		return NO_ROW;
	/* Kineto has its own thread numbers; the link knows the forward thread */
	const struct link *link = links_of(build->events.selection->derived, span, false, &count);
	return count ? hash_first(build->forward, forward_key(build, sequence, link->forward))
		     : NO_ROW;
}

static bool contains(const char *text, size_t length, const char *part)
{
	return memmem(text, length, part, strlen(part)) != NULL;
}

/* Entries of the profiler and autograd, which PyTorch hides. */
static bool is_hidden(const char *text, size_t length)
{
	static const struct {
		const char *file, *function;
	} hidden[] = { HIDDEN_FRAME_ROWS };
	return any_of(i, sizeof hidden / sizeof *hidden,
		      contains(text, length, hidden[i].file) &&
			      contains(text, length, hidden[i].function));
}

/* First entries of an event's stack, joined. */
static uint32_t stack_text(struct key_averages_build *build, uint32_t event)
{
	uint32_t owner = stack_owner(build, event), entries = 0;
	const struct op_info *info = owner == NO_ROW ? NULL : key_averages_info_of(build, owner);
	if (!info)
		return 0;
	AUTO_BUFFER struct buffer text = { 0 };
	const char *at = profile_string(build->events.selection->profile, info->stack);
	while (*at && entries < build->stack_depth) {
		size_t length = strcspn(at, ";");
		if (!is_hidden(at, length)) {
			if (entries++)
				buffer_putc(&text, ';');
			buffer_add(&text, at, length);
		}
		at += length + (at[length] == ';');
	}
	return intern_add(build->averages->texts, BUFFERED(&text));
}

/* ---- rows ---- */

static uint32_t shapes_text(struct key_averages_build *build, uint32_t event)
{
	const struct op_info *info = key_averages_info_of(build, event);
	const char *text = info && info->shapes
				   ? profile_string(build->events.selection->profile, info->shapes)
				   : "[]";
	return intern_add(build->averages->texts, text, strlen(text));
}

static const char *kind_name(const struct key_averages_build *build, const struct key_event *event)
{
	const struct profile *profile = build->events.selection->profile;
	if (event->kind == KEY_SPAN)
		return span_kind_name(profile->span_kind[event->row]);
	if (event->kind == KEY_ACTIVITY)
		return activity_kind_name(profile->activity_kind[event->row]);
	return "memory";
}

/* All events of the row, whatever their shapes and stack. */
static struct ref row_ref(const struct key_averages_build *build, const struct key_event *event)
{
	const struct profile *profile = build->events.selection->profile;
	const struct derived *derived = build->events.selection->derived;
	if (event->kind == KEY_ACTIVITY)
		return (struct ref){ REF_KERNEL, profile->activity_name[event->row], NO_ROW,
				     NO_ROW };
	if (event->kind != KEY_SPAN)
		return NO_REF;
	uint32_t name = profile->span_name[event->row];
	return derived->span_flags[event->row] & SPAN_IS_OPERATOR
		       ? (struct ref){ REF_OPERATOR, name, NO_ROW, NO_ROW }
		       : (struct ref){ REF_EVENTS, name, 0, 0 };
}

static struct key_average *find_row(struct key_averages_build *build, uint32_t event)
{
	struct key_averages *averages = build->averages;
	const struct key_event *at = &build->events.events[event];
	struct key key = {
		.name = at->name,
		.on_device = at->kind == KEY_ACTIVITY,
		.shapes = build->by_shapes ? shapes_text(build, event) : 0,
		.stack = build->stack_depth ? stack_text(build, event) : 0,
	};
	uint32_t known = keyed_add(&build->keys, &key, sizeof key);
	if (known < averages->count)
		return &averages->rows[known];
	struct key_average *row = mem_push(averages->rows, averages->count);
	*row = (struct key_average){ .kind = kind_name(build, at),
				     .on_device = key.on_device,
				     .async = at->async,
				     .ref = row_ref(build, at) };
	return row;
}

static void key_averages_add_event(struct key_averages_build *build, uint32_t event)
{
	const struct key_event *at = &build->events.events[event];
	struct key_average *row = find_row(build, event);
	row->calls++;
	row->cpu_total += row->on_device ? 0 : at->end - at->start;
	MEMBERS(row, at, PLUS(cpu_self) PLUS(gpu_total) PLUS(gpu_self));
	row->cpu_memory = number_add(row->cpu_memory, at->cpu_memory);
	row->cpu_self_memory = number_add(row->cpu_self_memory, at->cpu_self_memory);
	row->gpu_memory = number_add(row->gpu_memory, at->gpu_memory);
	row->gpu_self_memory = number_add(row->gpu_self_memory, at->gpu_self_memory);
}

static bool add_events(struct key_averages_build *build)
{
	const struct key_events *events = &build->events;
	bool ok = true;
	for_rows (ok, i, events->count, events->progress, stage)
		if (key_event_counts(events, &events->events[build->order[i]]))
			key_averages_add_event(build, build->order[i]);
	return ok;
}

/* Resolve text ids to pointers after the last text was added. */
static void set_texts(const struct key_averages_build *build)
{
	struct key_averages *averages = build->averages;
	for (size_t i = 0; i < averages->count; i++) {
		const struct key *key = keyed_key(&build->keys, (uint32_t)i);
		struct key_average *row = &averages->rows[i];
		row->name = intern_text(averages->texts, key->name);
		if (build->by_shapes)
			row->shapes = intern_text(averages->texts, key->shapes);
		if (build->stack_depth)
			row->stack = intern_text(averages->texts, key->stack);
	}
}

static bool has_memory(const struct profile *profile)
{
	const char *asked = profile_metadata(profile, "profile_memory");
	return profile->memory_count || (asked && strcmp(asked, "1") == 0);
}

bool key_averages_make(struct key_averages *averages, const struct selection *selection,
		       bool by_shapes, uint32_t stack_depth, const struct progress *progress)
{
	*averages = (struct key_averages){ .texts = intern_new(),
					   .has_memory = has_memory(selection->profile) };
	struct key_averages_build build = {
		.averages = averages,
		.by_shapes = by_shapes,
		.stack_depth = stack_depth,
	};
	bool ok = key_events_make(&build.events, selection, averages->texts, progress) &&
		  put_in_order(&build) &&
		  (!stack_depth || (find_backward_events(&build) && find_forward_events(&build))) &&
		  add_events(&build);
	set_texts(&build);
	mem_free_all(build.order, build.backward);
	hash_free(build.forward);
	keyed_clear(&build.keys);
	key_events_clear(&build.events);
	return ok;
}

FREE_MEMBERS(key_averages_clear, struct key_averages, OWN(rows) OWN_BY(intern_free, texts))
