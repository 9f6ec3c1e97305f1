#include "input/timeline_rows.h"
#include "input/readers.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/text_slice.h"
#include "input/nvtx/pyprof_marker.h"

enum {
	READ_SIZE = 1 << 18,
	LEVELS_MAX = 32, /* enclosing layers and operators kept per kernel */
};

/* Open layers of a thread, then the operators of one call. */
struct pyprof_reader_thread {
	uint32_t track;
	uint32_t span[LEVELS_MAX], name[LEVELS_MAX];
	size_t layers, levels;
	uint32_t call; /* interned: identifies the call */
};

struct dict_reader {
	struct source *source;
	struct profile *profile;
	struct builder *builder;
	struct arena *arena; /* of the current line */
	struct buffer text;  /* scratch */
	char *window;
	size_t at, length;
	uint64_t line, offset;
	int64_t clock; /* end of the last kernel */
	int64_t launches;
	uint32_t process;
	GROWING(struct pyprof_reader_thread, threads, thread_count);
	struct hash *by_track;
	struct hash *forward_thread; /* sequence number → index into threads */
};

static bool pyprof_recognize(const char *head, size_t length)
{
	head += strspn(head, " \t\r\n");
	return *head == '{' && head[1 + strspn(head + 1, " \t")] == '\'';
}

/* ---- texts ---- */

/* A value in the form of an attribute. */
static uint32_t pyprof_reader_keep(struct dict_reader *reader, const struct literal *value)
{
	if (!value)
		return 0;
	if (value->kind == LITERAL_TEXT)
		return intern_add(reader->profile->strings, value->text, value->count);
	buffer_clear(&reader->text);
	literal_repr(&reader->text, value);
	return intern_add(reader->profile->strings, BUFFERED(&reader->text));
}

static int64_t int_of(const struct literal *value, int64_t otherwise)
{
	int64_t number;
	return literal_int(value, &number) ? number : otherwise;
}

/* The name in "name, seq = 12". */
static uint32_t marker_name(struct dict_reader *reader, const struct literal *marker)
{
	const char *comma = memchr(marker->text, ',', marker->count);
	return intern_add(reader->profile->strings, marker->text,
			  comma ? (size_t)(comma - marker->text) : marker->count);
}

/* ---- operators ---- */

static void open_level(struct dict_reader *reader, struct pyprof_reader_thread *thread,
		       enum span_kind kind, uint32_t name, uint32_t info)
{
	if (thread->levels == LEVELS_MAX)
		return;
	thread->name[thread->levels] = name;
	thread->span[thread->levels++] =
		builder_span(reader->builder, kind, thread->track, name, reader->clock, 0, info);
}

/* Close everything above LEVELS at the end of its last kernel. */
static void close_levels(struct pyprof_reader_thread *thread, size_t levels)
{
	thread->levels = thread->levels < levels ? thread->levels : levels;
}

/* Everything open on the thread lasts at least until now. */
static void extend_levels(struct dict_reader *reader, const struct pyprof_reader_thread *thread)
{
	for (size_t i = 0; i < thread->levels; i++)
		builder_span_end(reader->builder, thread->span[i], reader->clock);
}

static void enter_layers(struct dict_reader *reader, struct pyprof_reader_thread *thread,
			 const struct literal *layers)
{
	size_t same = 0, count = literal_is_sequence(layers) ? layers->count : 0;
	count = count < LEVELS_MAX / 2 ? count : LEVELS_MAX / 2;
	while (same < count && same < thread->layers &&
	       thread->name[same] == pyprof_reader_keep(reader, literal_item(layers, same)))
		same++;
	if (same == count && same == thread->layers)
		return;
	close_levels(thread, same);
	for (size_t i = same; i < count; i++)
		open_level(reader, thread, SPAN_ANNOTATION,
			   pyprof_reader_keep(reader, literal_item(layers, i)), NO_ROW);
	thread->layers = thread->levels;
	thread->call = NO_ROW;
}

/*
 * Thread of the forward operator with this sequence number, searched across all threads as in
 * PyProf.
 */
static int64_t forward_thread(struct dict_reader *reader, int64_t sequence)
{
	uint32_t at = hash_last(reader->forward_thread, (uint64_t)sequence);
	return at == NO_ROW ? NO_VALUE : reader->profile->tracks[reader->threads[at].track].tid;
}

static struct op_info pyprof_reader_info_of(struct dict_reader *reader,
					    const struct pyprof_reader_thread *thread,
					    const struct literal *line, int64_t *sequence)
{
	struct op_info info = {
		.forward_thread = NO_VALUE,
		.stack = pyprof_stack(reader->profile->strings, literal_get(line, "trace")),
	};
	*sequence = int_of(literal_item(literal_get(line, "seqId"), 0), NO_VALUE);
	if (*sequence == NO_VALUE)
		return info;
	if (literal_is_text(literal_get(line, "dir"), "bprop"))
		info.forward_thread = forward_thread(reader, *sequence);
	else
		hash_add(reader->forward_thread, (uint64_t)*sequence,
			 (uint32_t)(thread - reader->threads));
	return info;
}

/* First autograd marker naming a backward function, otherwise the first marker. */
static const struct literal *sequence_marker(const struct literal *line)
{
	const struct literal *markers = literal_get(line, "seqMarker");
	const struct literal *first = literal_item(markers, 0);
	for (size_t i = 0; first && i < markers->count; i++) {
		const struct literal *marker = literal_item(markers, i);
		if (marker->kind == LITERAL_TEXT && strstr(marker->text, "ackward"))
			return marker;
	}
	return first && first->kind == LITERAL_TEXT ? first : NULL;
}

static void open_operators(struct dict_reader *reader, struct pyprof_reader_thread *thread,
			   const struct literal *line)
{
	int64_t number;
	struct op_info info = pyprof_reader_info_of(reader, thread, line, &number);
	const struct literal *markers = literal_get(line, "marker");
	const struct literal *sequence = sequence_marker(line), *op = literal_get(line, "op");
	for (size_t i = 0; literal_is_sequence(markers) && i < markers->count; i++) {
		const struct literal *text = literal_item(markers, i);
		const struct literal *marker =
			text->kind != LITERAL_TEXT
				? NULL
				: literal_parse(reader->arena, text->text, text->count);
		const struct literal *name = literal_get(marker, "op");
		if (!name || name->kind != LITERAL_TEXT)
			continue;
		pyprof_arguments(reader->profile->strings, literal_get(marker, "args"), &info);
		open_level(reader, thread, SPAN_OPERATOR, pyprof_reader_keep(reader, name),
			   builder_op_ids(reader->builder, NO_VALUE, number, &info));
		number = info.forward_thread = NO_VALUE;
	}
	if (thread->levels > thread->layers)
		return;
	if (sequence)
		open_level(reader, thread, SPAN_OPERATOR, marker_name(reader, sequence),
			   builder_op_ids(reader->builder, NO_VALUE, number, &info));
	else if (literal_item(op, 0))
		open_level(reader, thread, SPAN_OPERATOR,
			   pyprof_reader_keep(reader, literal_item(op, 0)),
			   builder_op_ids(reader->builder, NO_VALUE, number, &info));
}

/* Kernels belong to one call if PyProf numbered them consecutively and all other data is equal. */
static void enter_operators(struct dict_reader *reader, struct pyprof_reader_thread *thread,
			    const struct literal *line)
{
	static const char *const same[] = { "dir", "seqId", "op", "marker", "seqMarker" };
	AUTO_BUFFER struct buffer key = { 0 };
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		if (literal_get(line, same[i]))
			literal_repr(&key, literal_get(line, same[i]));
	uint32_t call = intern_add(reader->profile->strings, BUFFERED(&key));
	if (call == thread->call && int_of(literal_get(line, "subSeqId"), 0) > 0)
		return;
	close_levels(thread, thread->layers);
	thread->call = call;
	open_operators(reader, thread, line);
}

/* ---- kernels ---- */

static struct pyprof_reader_thread *find_thread(struct dict_reader *reader,
						const struct literal *line)
{
	int64_t tid = int_of(literal_get(line, "tid"), NO_VALUE);
	uint32_t track = builder_track(reader->builder, reader->process, tid, 0, -1);
	uint32_t at = hash_last(reader->by_track, track);
	if (at != NO_ROW)
		return &reader->threads[at];
	hash_add(reader->by_track, track, (uint32_t)reader->thread_count);
	struct pyprof_reader_thread *thread = mem_push(reader->threads, reader->thread_count);
	*thread = (struct pyprof_reader_thread){ .track = track, .call = NO_ROW };
	return thread;
}

static void pyprof_reader_read_triple(const struct literal *triple, int32_t out[3])
{
	for (size_t i = 0; i < 3; i++) {
		int64_t number = int_of(literal_item(triple, i), -1);
		out[i] = number >= 0 && number <= INT32_MAX ? (int32_t)number : -1;
	}
}

static uint32_t pyprof_reader_add_config(struct dict_reader *reader, const struct literal *line)
{
	struct launch_config config = launch_config_unknown();
	pyprof_reader_read_triple(literal_get(line, "grid"), config.grid);
	pyprof_reader_read_triple(literal_get(line, "block"), config.block);
	return builder_config(reader->builder, &config);
}

static int64_t pyprof_reader_duration_of(struct dict_reader *reader, const struct literal *line)
{
	int64_t dur = int_of(literal_get(line, "kDuration"), -1);
	if (dur >= 0 && dur < INT64_MAX / 4 - reader->clock)
		return dur;
	profile_damage(reader->profile, "kernel without a valid duration", "set to 0",
		       reader->offset);
	return 0;
}

static void pyprof_reader_add_attributes(struct dict_reader *reader, const struct literal *line,
					 uint32_t kernel)
{
	for (size_t i = 0; i < line->count; i++) {
		const struct literal *key = &line->items[2 * i];
		bool elsewhere =
			key->kind != LITERAL_TEXT ||
			text_choice(key->text, key->count, "kLongName|grid|block|tid") >= 0;
		if (!elsewhere)
			builder_activity_attribute(
				reader->builder, kernel, pyprof_reader_keep(reader, key),
				pyprof_reader_keep(reader, &line->items[2 * i + 1]));
	}
	buffer_clear(&reader->text);
	buffer_printf(&reader->text, "%llu", (unsigned long long)reader->line);
	builder_activity_attribute(
		reader->builder, kernel, profile_intern(reader->profile, "line"),
		intern_add(reader->profile->strings, reader->text.data, reader->text.length));
}

static int32_t pyprof_reader_device_of(const struct literal *line)
{
	int64_t device = int_of(literal_get(line, "device"), 0);
	return device >= 0 && device < 1 << 20 ? (int32_t)device : 0;
}

static void pyprof_reader_add_kernel(struct dict_reader *reader, const struct literal *line)
{
	const struct literal *name = literal_get(line, "kLongName");
	struct pyprof_reader_thread *thread = find_thread(reader, line);
	enter_layers(reader, thread, literal_get(line, "layer"));
	enter_operators(reader, thread, line);
	struct call_info call = { ++reader->launches, NO_VALUE };
	struct activity activity = activity_of(ACTIVITY_KERNEL);
	activity.start = reader->clock;
	activity.dur = pyprof_reader_duration_of(reader, line);
	activity.config = pyprof_reader_add_config(reader, line);
	activity.name = pyprof_reader_keep(reader, name ? name : literal_get(line, "kShortName"));
	activity.track = builder_track(reader->builder, reader->process,
				       int_of(literal_get(line, "stream"), NO_VALUE), 0,
				       pyprof_reader_device_of(line));
	activity.correlation = call.correlation;
	builder_span(reader->builder, SPAN_RUNTIME, thread->track,
		     profile_intern(reader->profile, "launch"), reader->clock, activity.dur,
		     builder_call_info(reader->builder, &call));
	pyprof_reader_add_attributes(reader, line, builder_activity(reader->builder, &activity));
	reader->clock += activity.dur;
	reader->profile->events++;
	extend_levels(reader, thread);
}

static void pyprof_reader_read_line(struct dict_reader *reader, const char *text, size_t length)
{
	mem_replace_by(arena_free, reader->arena, arena_new());
	reader->line++;
	const struct literal *line = literal_parse(reader->arena, text, length);
	if (!line || line->kind != LITERAL_DICT)
		profile_damage(reader->profile, "line not a Python dictionary", "skipped",
			       reader->offset);
	else if (!literal_get(line, "kShortName") && !literal_get(line, "kLongName"))
		profile_damage(reader->profile, "line without a kernel name", "skipped",
			       reader->offset);
	else
		pyprof_reader_add_kernel(reader, line);
	reader->offset += length + 1;
}

/* ---- lines ---- */

/* Process the complete lines, and the rest if the text has ENDED. */
static void parse_lines(struct dict_reader *reader, bool ended)
{
	for (;;) {
		const char *from = reader->window + reader->at;
		size_t left = reader->length - reader->at;
		const char *newline = left ? memchr(from, '\n', left) : NULL;
		if (!newline && (!ended || !left))
			return;
		size_t length = newline ? (size_t)(newline - from) : left;
		reader->at += length + (newline != NULL);
		pyprof_reader_read_line(reader, from, length);
	}
}

/* Doubles the bytes in the window, since an incomplete line is scanned from its start each time. */
static bool read_more(struct dict_reader *reader, bool *ended, struct error *error)
{
	size_t left = reader->length;
	do {
		ptrdiff_t got = source_read(reader->source, reader->window + reader->length,
					    mem_size(reader->window) - reader->length, error);
		if (got < 0)
			return false;
		*ended = got == 0;
		reader->length += (size_t)got;
	} while (!*ended && reader->length < left * 2);
	return true;
}

static bool pyprof_reader_read_lines(struct dict_reader *reader, const struct progress *progress,
				     struct error *error)
{
	for (bool ended;;) {
		size_t left = reader->length - reader->at;
		if (left)
			memmove(reader->window, reader->window + reader->at, left);
		reader->at = 0;
		reader->length = left;
		if (left > LITERAL_SIZE_MAX)
			return error_input(error, "line %llu is longer than %d MiB",
					   (unsigned long long)reader->line + 1,
					   LITERAL_SIZE_MAX >> 20);
		mem_grow(reader->window, left * 2 + READ_SIZE);
		if (!read_more(reader, &ended, error))
			return false;
		parse_lines(reader, ended);
		if (ended)
			return true;
		uint64_t events = reader->profile->events;
		source_report(reader->source, events, events);
		if (!progress_update(progress, "reading", source_consumed(reader->source),
				     source_total(reader->source), events))
			return false;
	}
}

static bool pyprof_read(struct input *input)
{
	struct profile *profile = input->profile;
	struct dict_reader reader = { .source = input->source,
				      .profile = profile,
				      .builder = input->builder,
				      .process = builder_process(input->builder, NO_VALUE, 0),
				      .by_track = hash_new(16),
				      .forward_thread = hash_new(256) };
	bool done = pyprof_reader_read_lines(&reader, input->progress, input->error);
	profile->text_bytes = reader.offset;
	if (done && !profile->events)
		done = error_input(input->error,
				   "holds Python dictionaries, but no PyProf kernels");
	arena_free(reader.arena);
	buffer_free(&reader.text);
	mem_free_all(reader.window, reader.threads);
	hash_free_all(reader.by_track, reader.forward_thread);
	return done;
}

const struct reader pyprof_reader = { .format = "PyProf net.dict",
				      .recognize = pyprof_recognize,
				      .read = pyprof_read };
