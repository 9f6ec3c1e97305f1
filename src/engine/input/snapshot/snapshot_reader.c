#include "input/readers.h"

#include "base/error.h"
#include "input/snapshot/snapshot_private.h"
#include "input/text_lines.h"

enum { DEVICES_MAX = 256 };

static struct plain member(const struct snapshot_reading *reading, uint32_t dict,
			   enum snapshot_word word)
{
	return plain_member(reading->pickle, dict, reading->word_id[word]);
}

static int64_t member_int(const struct snapshot_reading *reading, uint32_t dict,
			  enum snapshot_word word)
{
	int64_t number;
	struct plain value = member(reading, dict, word);
	return plain_int(reading->pickle, value, &number) ? number : NO_VALUE;
}

static int64_t member_address(const struct snapshot_reading *reading, uint32_t dict,
			      enum snapshot_word word)
{
	int64_t number;
	struct plain value = member(reading, dict, word);
	return plain_address(reading->pickle, value, &number) ? number : NO_VALUE;
}

static uint32_t member_text(const struct snapshot_reading *reading, uint32_t dict,
			    enum snapshot_word word)
{
	uint32_t text;
	return plain_text(member(reading, dict, word), &text) ? text : 0;
}

/* The items of a list or tuple, *COUNT of them. */
static const struct plain *open_list(struct snapshot_reading *reading, struct plain value,
				     size_t *count)
{
	uint32_t id;
	*count = 0;
	if (!plain_container(reading->pickle, value, CONTAINER_LIST, &id) &&
	    !plain_container(reading->pickle, value, CONTAINER_TUPLE, &id))
		return NULL;
	*count = plain_at(reading->pickle, id)->count;
	return plain_at(reading->pickle, id)->items;
}

/* A list of rows is walked once, however often it is shared. */
static void close_list(struct snapshot_reading *reading, struct plain value)
{
	uint32_t id;
	if (plain_container(reading->pickle, value, CONTAINER_LIST, &id) ||
	    plain_container(reading->pickle, value, CONTAINER_TUPLE, &id))
		plain_replace(reading->pickle, id, CONTAINER_USED, 0);
}

/* ---- while the pickle is read: trace entries, frames and stacks become rows ---- */

static enum snapshot_word action_of(const struct snapshot_reading *reading, uint32_t text)
{
	for (int word = WORD_alloc; word < WORDS; word++)
		if (reading->word_id[word] == text)
			return (enum snapshot_word)word;
	return WORDS;
}

static int64_t snapshot_reader_time_of(struct snapshot_reading *reading, uint32_t dict)
{
	int64_t time = member_int(reading, dict, WORD_time_us);
	if (time == NO_VALUE || time < 0 || __builtin_mul_overflow(time, 1000, &time))
		return NO_VALUE;
	reading->last = time > reading->last ? time : reading->last;
	return time;
}

static void snapshot_reader_add_entry(struct snapshot_reading *reading, uint32_t dict,
				      uint32_t action)
{
	enum snapshot_word known = action_of(reading, action);
	struct entry entry = {
		.address = member_address(reading, dict, WORD_addr),
		.size = member_int(reading, dict, WORD_size),
		.time = snapshot_reader_time_of(reading, dict),
		.stream = member_address(reading, dict, WORD_stream),
		.device_free = member_int(reading, dict, WORD_device_free),
		.stack = snapshot_member_stack(reading, member(reading, dict, WORD_frames)),
		.action = known,
	};
	if (known == WORDS)
		profile_damage(reading->profile, "unknown action in the trace", "skipped",
			       plain_pickle_bytes(reading->pickle));
	plain_replace(reading->pickle, dict, CONTAINER_ENTRY, (uint32_t)reading->entry_count);
	*mem_push(reading->entries, reading->entry_count) = entry;
}

static void placed(void *context, struct plain_pickle *pickle, uint32_t container, uint32_t key)
{
	struct snapshot_reading *reading = context;
	const struct container *of = plain_at(pickle, container);
	uint32_t action;
	if (of->kind == CONTAINER_LIST && key == reading->word_id[WORD_frames])
		plain_replace(pickle, container, CONTAINER_STACK,
			      snapshot_stack_of(reading, container));
	if (of->kind != CONTAINER_DICT)
		return;
	if (plain_text(member(reading, container, WORD_action), &action))
		snapshot_reader_add_entry(reading, container, action);
	else if (plain_kind(member(reading, container, WORD_filename)) == PLAIN_TEXT)
		plain_replace(pickle, container, CONTAINER_FRAME,
			      snapshot_frame_of(reading, container));
}

/* ---- segments and blocks ---- */

/* The device with this number, added; NULL when there cannot be one. */
static struct snapshot_device *find_device(struct snapshot_reading *reading, int64_t id)
{
	struct snapshot *snapshot = reading->snapshot;
	if (id < 0 || id >= DEVICES_MAX)
		return NULL;
	for (size_t i = 0; i < snapshot->device_count; i++)
		if (snapshot->devices[i].id == id)
			return &snapshot->devices[i];
	struct snapshot_device *device = mem_push(snapshot->devices, snapshot->device_count);
	device->id = (int32_t)id;
	builder_device(reading->builder, device->id);
	return device;
}

/* A pool other than (0, 0) or 0, "(1, 0)", interned. */
static uint32_t pool_of(struct snapshot_reading *reading, uint32_t segment)
{
	struct plain value = member(reading, segment, WORD_segment_pool_id);
	int64_t part[2] = { 0, 0 };
	size_t count;
	const struct plain *items = open_list(reading, value, &count);
	for (size_t i = 0; items && i < count && i < 2; i++)
		plain_address(reading->pickle, items[i], &part[i]);
	if (!items && !plain_address(reading->pickle, value, &part[0]))
		return 0;
	if (!part[0] && !part[1])
		return 0;
	return items ? profile_print(reading->profile, "(%lld, %lld)", (long long)part[0],
				     (long long)part[1])
		     : profile_print(reading->profile, "%lld", (long long)part[0]);
}

/* PyTorch 2.0 has the allocations of a block instead, the current one first. */
static void read_history(struct snapshot_reading *reading, uint32_t dict,
			 struct snapshot_block *block)
{
	uint32_t current;
	size_t count;
	struct plain value = member(reading, dict, WORD_history);
	const struct plain *items = open_list(reading, value, &count);
	if (!count || !plain_container(reading->pickle, items[0], CONTAINER_DICT, &current))
		return;
	if (block->requested == NO_VALUE)
		block->requested = member_int(reading, current, WORD_real_size);
	if (block->stack == SNAPSHOT_NO_STACK)
		block->stack =
			snapshot_member_stack(reading, member(reading, current, WORD_frames));
}

static bool snapshot_reader_read_block(struct snapshot_reading *reading, struct plain value,
				       const struct snapshot_block *segment, int64_t *offset)
{
	uint32_t dict;
	if (!plain_container(reading->pickle, value, CONTAINER_DICT, &dict))
		return false;
	struct snapshot_block block = *segment;
	block.size = member_int(reading, dict, WORD_size);
	block.requested = member_int(reading, dict, WORD_requested_size);
	block.state = member_text(reading, dict, WORD_state);
	block.address = member_address(reading, dict, WORD_address);
	block.stack = snapshot_member_stack(reading, member(reading, dict, WORD_frames));
	if (block.size < 0 || block.size >= SNAPSHOT_SIZE_LIMIT || !block.state)
		return false;
	if (block.address == NO_VALUE)
		block.address = number_add(segment->segment, *offset);
	*offset = number_add(*offset, block.size);
	if (block.state != reading->word_id[WORD_inactive])
		read_history(reading, dict, &block);
	if (block.requested < 0 || block.requested >= SNAPSHOT_SIZE_LIMIT)
		block.requested = NO_VALUE;
	struct snapshot *snapshot = reading->snapshot;
	*mem_push(snapshot->blocks, snapshot->block_count) = block;
	return true;
}

static void read_segment(struct snapshot_reading *reading, uint32_t dict)
{
	struct snapshot_device *device =
		find_device(reading, member_int(reading, dict, WORD_device));
	struct snapshot_block segment = {
		.segment = member_address(reading, dict, WORD_address),
		.stream = member_address(reading, dict, WORD_stream),
		.type = member_text(reading, dict, WORD_segment_type),
		.pool = pool_of(reading, dict),
	};
	int64_t size = member_int(reading, dict, WORD_total_size), offset = 0;
	size_t count, bad = 0;
	if (!device || segment.segment == NO_VALUE) {
		profile_skip(reading->profile, "segment without a device or an address");
		return;
	}
	segment.device = device->id;
	struct plain blocks = member(reading, dict, WORD_blocks);
	const struct plain *items = open_list(reading, blocks, &count);
	for (size_t i = 0; i < count; i++)
		bad += !snapshot_reader_read_block(reading, items[i], &segment, &offset);
	close_list(reading, blocks);
	if (bad)
		profile_damage_many(reading->profile, "block without a valid size or a state",
				    "skipped", UINT64_MAX, bad);
	device->segments++;
	device->reserved = number_add(device->reserved,
				      size >= 0 && size < SNAPSHOT_SIZE_LIMIT ? size : offset);
}

static bool read_segments(struct snapshot_reading *reading, struct plain value)
{
	size_t count, other = 0;
	const struct plain *items = open_list(reading, value, &count);
	for (size_t i = 0; i < count; i++) {
		uint32_t dict;
		if (!progress_row(reading->progress, "reading segments", i, count))
			return false;
		if (!plain_container(reading->pickle, items[i], CONTAINER_DICT, &dict)) {
			other++;
			continue;
		}
		read_segment(reading, dict);
		plain_replace(reading->pickle, dict, CONTAINER_USED, 0);
	}
	if (other)
		profile_damage_many(reading->profile, "segment that is none, or occurs again",
				    "skipped", UINT64_MAX, other);
	return true;
}

/* ---- traces ---- */

static bool read_traces(struct snapshot_reading *reading, struct plain value)
{
	size_t traces, count;
	const struct plain *items = open_list(reading, value, &traces);
	for (size_t i = 0; i < traces; i++) {
		open_list(reading, items[i], &count);
		if (count && !find_device(reading, (int64_t)i))
			profile_skip(reading->profile, "trace of an impossible device");
	}
	for_each_mutable (device, reading->snapshot->devices, reading->snapshot->device_count) {
		struct plain trace = { 0 };
		if ((size_t)device->id < traces)
			trace = items[device->id];
		const struct plain *entries = open_list(reading, trace, &count);
		if (!snapshot_follow(reading, device, entries, count))
			return false;
		close_list(reading, trace);
	}
	return true;
}

/* ---- annotations ---- */

/* An annotation that has begun. */
struct begun {
	uint32_t name, span;
	int64_t device;
	bool ended;
};

struct annotations {
	struct begun *items;
	size_t count, first_open;
};

static void begin_annotation(struct snapshot_reading *reading, struct annotations *begun,
			     struct begun annotation, int64_t time)
{
	uint32_t process = builder_process(reading->builder, NO_VALUE, 0);
	uint32_t track = builder_track(reading->builder, process, 0, 0, -1);
	annotation.span = builder_span(reading->builder, SPAN_ANNOTATION, track, annotation.name,
				       time, 0, NO_ROW);
	*mem_push(begun->items, begun->count) = annotation;
}

/* The latest open one of that name and device; looks back a bounded number of annotations. */
static bool end_annotation(struct snapshot_reading *reading, struct annotations *begun,
			   struct begun annotation, int64_t time)
{
	enum { OPEN_MAX = 1000 };
	size_t seen = 0;
	for (size_t i = begun->count; i-- > 0 && seen++ < OPEN_MAX;) {
		struct begun *open = &begun->items[i];
		if (open->ended || open->name != annotation.name ||
		    open->device != annotation.device)
			continue;
		open->ended = true;
		builder_span_end(reading->builder, open->span, time);
		return true;
	}
	return false;
}

static bool read_annotation(struct snapshot_reading *reading, struct annotations *begun,
			    struct plain value)
{
	uint32_t dict;
	if (!plain_container(reading->pickle, value, CONTAINER_DICT, &dict))
		return false;
	struct begun annotation = { .name = member_text(reading, dict, WORD_name),
				    .device = member_int(reading, dict, WORD_device) };
	uint32_t stage = member_text(reading, dict, WORD_stage);
	int64_t time = snapshot_reader_time_of(reading, dict);
	if (time == NO_VALUE || !annotation.name)
		return false;
	if (stage == reading->word_id[WORD_END])
		return end_annotation(reading, begun, annotation, time);
	if (stage == reading->word_id[WORD_START])
		begin_annotation(reading, begun, annotation, time);
	return stage == reading->word_id[WORD_START];
}

static bool read_annotations(struct snapshot_reading *reading, struct plain value)
{
	struct annotations begun = { 0 };
	size_t count, bad = 0;
	bool ok = true;
	const struct plain *items = open_list(reading, value, &count);
	for_heavy_rows (ok, i, count, reading->progress, "reading annotations", 32)
		bad += !read_annotation(reading, &begun, items[i]);
	for (size_t i = 0; i < begun.count; i++)
		if (!begun.items[i].ended)
			builder_span_end(reading->builder, begun.items[i].span, reading->last);
	if (bad)
		profile_damage_many(reading->profile,
				    "annotation without a name, a time or a start", "skipped",
				    UINT64_MAX, bad);
	mem_free(begun.items);
	return ok;
}

/* ---- the whole ---- */

static bool refuse_other(struct error *error)
{
	return error_input(
		error,
		"is a Python pickle but not a memory snapshot (no segments, no device_traces); record one with torch.cuda.memory._dump_snapshot()");
}

static bool is_segment(const struct snapshot_reading *reading, struct plain value)
{
	uint32_t dict;
	return plain_container(reading->pickle, value, CONTAINER_DICT, &dict) &&
	       plain_kind(member(reading, dict, WORD_blocks)) == PLAIN_CONTAINER;
}

/* The oldest snapshots are a list of segments. */
static bool read_top(struct snapshot_reading *reading, struct plain top)
{
	uint32_t dict;
	size_t count;
	struct plain none = { 0 };
	if (!plain_container(reading->pickle, top, CONTAINER_DICT, &dict)) {
		const struct plain *items = open_list(reading, top, &count);
		if (!count || !is_segment(reading, items[0]))
			return refuse_other(reading->error);
		return read_segments(reading, top) && read_traces(reading, none);
	}
	struct plain segments = member(reading, dict, WORD_segments);
	struct plain traces = member(reading, dict, WORD_device_traces);
	if (plain_kind(segments) != PLAIN_CONTAINER && plain_kind(traces) != PLAIN_CONTAINER)
		return refuse_other(reading->error);
	struct plain annotations = member(reading, dict, WORD_external_annotations);
	return read_segments(reading, segments) && read_traces(reading, traces) &&
	       read_annotations(reading, annotations);
}

static void intern_words(struct snapshot_reading *reading)
{
#define SNAPSHOT_TEXT(word) #word,
	static const char *const words[] = { SNAPSHOT_WORDS(SNAPSHOT_TEXT) };
	for (int i = 0; i < WORDS; i++)
		reading->word_id[i] = profile_intern(reading->profile, words[i]);
}

static bool snapshot_reader_read_all(struct snapshot_reading *reading, struct source *source)
{
	struct plain top;
	if (!plain_pickle_run(reading->pickle, source, &top, reading->error))
		return false;
	reading->profile->text_bytes = plain_pickle_bytes(reading->pickle);
	return read_top(reading, top);
}

static bool read_snapshot(struct input *input)
{
	struct profile *profile = input->profile;
	struct snapshot_reading reading = {
		.profile = profile,
		.builder = input->builder,
		.snapshot = snapshot_new(),
		.progress = input->progress,
		.error = input->error,
	};
	profile->snapshot = reading.snapshot;
	reading.pickle = plain_pickle_new(
		profile->strings, (struct plain_hook){ .placed = placed, .context = &reading });
	intern_words(&reading);
	snapshot_frames_begin(&reading);
	bool done = snapshot_reader_read_all(&reading, input->source);
	snapshot_frames_end(&reading);
	plain_pickle_free(reading.pickle);
	mem_free(reading.entries);
	profile->events = reading.entry_count + reading.snapshot->block_count;
	return done;
}

static void snapshot_reader_move(int64_t *time, int64_t base)
{
	if (*time != NO_VALUE)
		*time -= base;
}

/* The profile's zero is its first span; entries are earlier and later. */
void snapshot_finish(struct profile *profile, const char *wrapping)
{
	struct snapshot *snapshot = profile->snapshot;
	int64_t first = INT64_MAX, last = 0;
	for (size_t i = 0; i < snapshot_points(snapshot); i++) {
		int64_t time = snapshot_point(snapshot, i).time;
		if (time == NO_VALUE)
			continue;
		first = time < first ? time : first;
		last = time > last ? time : last;
	}
	if (first == INT64_MAX)
		return;
	snapshot->timed = true;
	int64_t base = profile->spans && profile->base_ns < first ? profile->base_ns : first;
	int64_t end = profile->spans ? profile->base_ns + profile->end_ns : 0;
	for (uint32_t i = 0; i < profile->spans; i++)
		profile->span_start[i] += profile->base_ns - base;
	for (size_t i = 0; i < snapshot->point_count; i++)
		snapshot_reader_move(&snapshot->points[i].time, base);
	for (size_t i = 0; i < snapshot->step_count; i++)
		snapshot->steps[i].time -= base;
	for (size_t i = 0; i < snapshot->oom_count; i++)
		snapshot_reader_move(&snapshot->ooms[i].time, base);
	for (size_t i = 0; i < snapshot->allocation_count; i++) {
		snapshot_reader_move(&snapshot->allocations[i].alloc_ns, base);
		snapshot_reader_move(&snapshot->allocations[i].free_ns, base);
	}
	profile->base_ns = base;
	profile->end_ns = (end > last ? end : last) - base;
}

/*
 * A pickle with the first keys of a snapshot; line_profiler's name a class. Protocols 0 and 1 begin
 * with the container.
 */
static bool snapshot_reader_recognize(const char *head, size_t length)
{
	static const char class[] = "LineStats";
	bool binary = length > 2 && (unsigned char)head[0] == 0x80 && head[1] >= 2 && head[1] <= 5;
	bool text = length > 2 && ((head[0] == '(' && strchr("dlVSUX", head[1])) ||
				   ((head[0] == '}' || head[0] == ']') && strchr("q(r", head[1])));
	if ((!binary && !text) || memmem(head, length, class, sizeof class - 1))
		return false;
	return text_has_one(head, length, "segments|device_traces|segment_type|total_size");
}

const struct reader snapshot_reader = {
	.format = "PyTorch memory snapshot",
	.recognize = snapshot_reader_recognize,
	.read = read_snapshot,
	.finish = snapshot_finish,
};
