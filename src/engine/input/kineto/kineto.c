/*
 * Reads the trace document around the events through a sliding window. Elements are parsed one at a
 * time; one that exceeds the window is retried with more text. What cannot be parsed is retried
 * leniently, then skipped up to the next likely event and counted as damage.
 */
#include "input/kineto/kineto.h"

#include "base/error.h"
#include "base/parallel.h"
#include "input/kineto/kineto_layout.h"
#include "input/kineto/kineto_metadata.h"
#include "input/kineto/kineto_rows.h"
#include "input/kineto/kineto_split.h"
#include "model/fused.h"

enum { KINETO_LIMIT_ROWS(_) };

struct document {
	struct kineto_options options;
	struct source *source;
	struct profile *profile;
	struct builder *builder;
	struct rows *rows;
	struct layouts *layouts;
	struct event event;
	const struct progress *progress;
	struct error *error;
	char *window;
	size_t capacity, at, length;
	uint64_t offset;           /* of the start of the window in the text */
	uint64_t sequential_until; /* read by one thread up to this position… */
	uint64_t sequential;       /* …and for this many bytes after a failed attempt */
	bool final;                /* the window ends at the end of the text */
	bool failed;               /* cancelled or unreadable, see ERROR */
	bool skipped;              /* text was skipped, perhaps with a comma */
	bool found_events;         /* an array of events was found, perhaps empty */
	struct buffer members;     /* names of the first other members, with commas between */
};

static uint64_t position(const struct document *document)
{
	return document->offset + document->at;
}

static bool report(struct document *document)
{
	uint64_t rows = profile_rows(document->profile);
	source_report(document->source, rows, document->profile->events);
	if (progress_update(document->progress, "reading", source_consumed(document->source),
			    source_total(document->source), rows))
		return true;
	document->failed = true;
	return error_cancelled(document->error);
}

/* Append text to the rest of the window. False at the end or on failure. */
static bool refill(struct document *document)
{
	if (document->final || document->failed || !report(document))
		return false;
	size_t left = document->length - document->at, max = ELEMENT_MAX + document->options.block;
	memmove(document->window, document->window + document->at, left);
	document->offset += document->at;
	document->at = 0;
	document->length = left;
	if (left * 2 > document->capacity)
		mem_grow_to(document->window, document->capacity,
			    left * 2 + document->options.block);
	lower_to(max, document->capacity);
	/* At least double the rest: an element is rescanned from its start after each refill. */
	ptrdiff_t got;
	do {
		got = source_read(document->source, document->window + document->length,
				  max - document->length, document->error);
		if (got < 0)
			return !(document->failed = true);
		document->final = got == 0;
		document->length += (size_t)got;
	} while (got && document->length < left * 2 && document->length < max);
	return document->length > left;
}

static struct json_cursor cursor_at(const struct document *document, bool lenient)
{
	return (struct json_cursor){
		.at = document->window + document->at,
		.end = document->window + document->length,
		.lenient = lenient,
		.final = document->final,
	};
}

static void advance_to(struct document *document, const char *at)
{
	document->at = (size_t)(at - document->window);
}

static void kineto_damage(struct document *document, const char *cause, const char *action)
{
	profile_damage(document->profile, cause, action, position(document));
}

/* An interrupted write leaves a run of zero bytes. */
static void skip_zeros(struct document *document)
{
	kineto_damage(document, "NUL bytes in the text", "skipped");
	while (document->at < document->length && document->window[document->at] == 0)
		document->at++;
}

/* The next non-blank byte, 0 at the end of the text. */
static char next_byte(struct document *document)
{
	for (;;) {
		struct json_cursor cursor = cursor_at(document, false);
		char c;
		enum json_status status = json_next(&cursor, &c);
		advance_to(document, cursor.at);
		if (status == JSON_OK && c)
			return c;
		if (status == JSON_OK)
			skip_zeros(document);
		else if (!refill(document))
			return 0;
	}
}

/* ---- recovery ---- */

static bool at_event(const struct document *document)
{
	const char *at = document->window + document->at;
	return *at == '{' && event_begins(at, document->window + document->length);
}

/* Skip at least one byte, to the next brace that may start an event. False at the end. */
static bool resync(struct document *document)
{
	enum { KEY_ROOM = 256 };
	document->at++;
	for (;;) {
		const char *from = document->window + document->at;
		const char *end = document->window + document->length;
		const char *brace;
		while ((brace = memchr(from, '{', (size_t)(end - from))) &&
		       (document->final || end - brace > KEY_ROOM)) {
			if (event_begins(brace, end)) {
				advance_to(document, brace);
				return true;
			}
			from = brace + 1;
		}
		advance_to(document, brace ? brace : end);
		if (!refill(document) && (!document->final || document->failed || !brace))
			return false;
	}
}

/* ---- elements ---- */

static enum json_status parse_once(struct document *document, bool lenient, const char **after)
{
	struct json_cursor cursor = cursor_at(document, lenient);
	enum json_status status = event_parse(&cursor, &document->event, NULL);
	*after = cursor.at;
	return status;
}

/* An event parsed leniently only because of its length needs no repair. */
static void settle_lenient(struct document *document, const char **after)
{
	const char *lenient = *after, *strict;
	if (parse_once(document, false, &strict) == JSON_OK && strict == lenient)
		return;
	parse_once(document, true, after);
	kineto_damage(document, "unescaped quote or backslash in a string", "repaired");
}

/* Parse the object at the start of the window, strictly, then leniently. */
static enum json_status kineto_parse_event(struct document *document, const char **after)
{
	for (bool lenient = false;;) {
		size_t had = document->length - document->at;
		enum json_status status = parse_once(document, lenient, after);
		if (status == JSON_OK) {
			if (lenient)
				settle_lenient(document, after);
			return JSON_OK;
		}
		if (status == JSON_MORE && (lenient || had < ELEMENT_SUSPECT) &&
		    had < ELEMENT_MAX && refill(document))
			continue;
		if (document->failed)
			return JSON_MORE;
		if (lenient)
			return had < ELEMENT_MAX ? status : JSON_BAD;
		lenient = true;
	}
}

static bool read_events(struct document *document);

/* Read one object of the array. False when the text ends or on failure. */
static bool kineto_read_event(struct document *document)
{
	const char *after;
	uint64_t offset = position(document);
	enum json_status status = kineto_parse_event(document, &after);
	if (document->failed)
		return false;
	if (status == JSON_OK && document->event.is_document) {
		kineto_damage(document, "another trace starts inside this one", "loaded too");
		advance_to(document, after);
		return true;
	}
	if (status == JSON_OK) {
		rows_add_event(document->rows, &document->event, offset);
		advance_to(document, after);
		return true;
	}
	bool more = resync(document);
	document->skipped = true;
	if (!more && status == JSON_MORE)
		document->profile->truncated = true;
	if (document->profile->truncated)
		profile_damage(document->profile, "truncated inside an event", "skipped", offset);
	else
		profile_damage(document->profile, "text that is not an event", "skipped", offset);
	return more;
}

/* Read plain events, each with its preceding comma; read_events handles what follows. */
static void read_plain_events(struct document *document)
{
	struct json_cursor cursor = cursor_at(document, false);
	while (!document->options.no_layouts) {
		json_skip_blank(&cursor);
		if (cursor.at == cursor.end || *cursor.at != ',')
			return;
		cursor.at++;
		json_skip_blank(&cursor);
		uint64_t offset = document->offset + (uint64_t)(cursor.at - document->window);
		if (!layouts_parse(document->layouts, &cursor, &document->event))
			return;
		rows_add_event(document->rows, &document->event, offset);
		advance_to(document, cursor.at);
	}
}

/*
 * After an event: let all threads read the following ones (kineto_split.h) if there is enough text.
 * What they return unread is read here, with enough text after it to make up for a failed attempt.
 */
static bool read_in_parallel(struct document *document)
{
	const struct kineto_options *options = &document->options;
	size_t left = document->length - document->at;
	if (options->threads < 2 || document->final ||
	    position(document) < document->sequential_until || left > options->block ||
	    !source_total(document->source) || rows_need_names(document->rows))
		return true;
	memmove(document->window, document->window + document->at, left);
	struct kineto_split split = {
		.source = document->source,
		.builder = document->builder,
		.profile = document->profile,
		.progress = document->progress,
		.error = document->error,
		.threads = options->threads,
		.block = options->block,
		.text = document->window,
		.length = left,
		.capacity = document->capacity,
		.offset = position(document),
	};
	bool done = split_read(&split);
	document->window = split.text;
	document->capacity = split.capacity;
	document->at = 0;
	document->length = split.length;
	document->offset = split.offset;
	document->failed = !done;
	document->final = split.at_end;
	if (split.blocks > BLOCKS_SEQUENTIAL_MAX)
		document->sequential = 0;
	else if (document->sequential < BLOCKS_SEQUENTIAL_MAX * options->block)
		document->sequential = document->sequential * 2 + options->block;
	document->sequential_until = split.offset + split.length + document->sequential;
	return done;
}

/* Read the elements of the array of events and its closing bracket. */
static bool read_events(struct document *document)
{
	bool first = true, comma = true;
	document->found_events = true;
	for (;;) {
		char c = next_byte(document);
		if (document->failed)
			return false;
		if (c == ']') {
			if (comma && !first)
				kineto_damage(document, "comma without an event", "skipped");
			document->at++;
			return true;
		}
		if (c == ',') {
			if (comma)
				kineto_damage(document, "comma without an event", "skipped");
			comma = true;
			document->at++;
			continue;
		}
		if (c == 0) {
			kineto_damage(document, "event array not closed", "closed");
			return false;
		}
		if (!comma && !document->skipped)
			kineto_damage(document, "missing comma between events", "repaired");
		first = comma = document->skipped = false;
		if (c == '{') {
			if (!kineto_read_event(document))
				return false;
			if (!read_in_parallel(document))
				return false;
			read_plain_events(document);
			continue;
		}
		uint64_t offset = position(document);
		bool more = resync(document);
		profile_damage(document->profile, "text that is not an event", "skipped", offset);
		if (!more)
			return false;
		comma = true;
	}
}

/* Read a complete value. False when the text ends or it is invalid. */
static bool whole_value(struct document *document, struct json_slice *slice)
{
	for (bool lenient = false;;) {
		struct json_cursor cursor = cursor_at(document, lenient);
		size_t had = document->length - document->at;
		enum json_status status = json_value(&cursor, slice);
		if (status == JSON_OK) {
			advance_to(document, cursor.at);
			return true;
		}
		if (status == JSON_MORE && had < ELEMENT_MAX && refill(document))
			continue;
		if (lenient || document->failed)
			return false;
		lenient = true;
	}
}

/* Read one `"key": value` of the document. False when the text ends or it is invalid. */
static bool read_member(struct document *document)
{
	struct json_slice key, value;
	if (!whole_value(document, &key) || key.type != JSON_STRING || key.length > KEY_MAX)
		return false;
	char name[KEY_MAX + 1];
	memcpy(name, key.text, key.length);
	name[key.length] = 0;
	struct json_slice copy = { name, key.length, JSON_STRING, key.escaped };
	if (next_byte(document) != ':')
		return false;
	document->at++;
	if (next_byte(document) == '[' && json_equal(&copy, "traceEvents")) {
		document->at++;
		return read_events(document);
	}
	if (document->members.length < 80)
		buffer_printf(&document->members, "%s%s", document->members.length ? ", " : "",
			      name);
	if (!whole_value(document, &value))
		return false;
	if (json_equal(&copy, "baseTimeNanoseconds"))
		json_int(&value, &document->profile->epoch_ns);
	kineto_metadata(document->builder, document->profile, &copy, &value);
	return true;
}

/* After an invalid member: search for the events by their key. */
static bool find_trace_events(struct document *document)
{
	static const char key[] = "\"traceEvents\"";
	const size_t length = sizeof key - 1;
	for (;;) {
		const char *from = document->window + document->at;
		size_t left = document->length - document->at;
		const char *found = memmem(from, left, key, length);
		if (found) {
			advance_to(document, found);
			return true;
		}
		if (left > length)
			document->at = document->length - length;
		if (!refill(document))
			return false;
	}
}

/* Read the members of an object; its brace is next. */
static bool read_object(struct document *document)
{
	document->at++;
	for (;;) {
		char c = next_byte(document);
		if (c == '}') {
			document->at++;
			return true;
		}
		if (c == ',') {
			document->at++;
			continue;
		}
		uint64_t offset = position(document);
		if (c == '"' && read_member(document))
			continue;
		if (document->failed)
			return false;
		if (next_byte(document) == 0) {
			if (!document->profile->truncated)
				kineto_damage(document, "document not closed", "closed");
			return false;
		}
		profile_damage(document->profile, "text between document members", "skipped",
			       offset);
		if (document->found_events || !find_trace_events(document))
			return false;
	}
}

/*
 * Read concatenated documents; garbage after the first is counted as damage. Events there belong to
 * an array that a stray bracket closed.
 */
static bool read_documents(struct document *document)
{
	for (bool first = true;; first = false) {
		char c = next_byte(document);
		if (c == 0 || document->failed)
			return !document->failed;
		if (c != '{' && c != '[') {
			if (first)
				return false;
			kineto_damage(document, "text after the end of the document", "skipped");
			if (!resync(document))
				return !document->failed;
			continue;
		}
		bool events = !first && at_event(document);
		if (!first && !events)
			kineto_damage(document, "another trace after the first", "loaded too");
		if (c == '[')
			document->at++;
		bool closed = c == '[' || events ? read_events(document) : read_object(document);
		if (document->failed)
			return false;
		if (!closed && next_byte(document) == 0)
			return true;
		if (!closed && !resync(document))
			return !document->failed;
	}
}

static bool is_trace(const struct document *document)
{
	const struct profile *profile = document->profile;
	bool has_rows = profile->spans || profile->activities || profile->memory_count ||
			profile->counter_count || profile->flow_count;
	/* Without any event it is a trace only if it contains nothing else either. */
	bool is_empty = profile->events == 0 && profile->damage_count == 0;
	return document->found_events && (has_rows || is_empty || profile->process_count);
}

bool kineto_read_with(const struct input *input, const struct kineto_options *options)
{
	struct profile *profile = input->profile;
	struct document document = { .source = input->source,
				     .profile = profile,
				     .builder = input->builder,
				     .progress = input->progress,
				     .error = input->error,
				     .options = *options };
	if (!options->threads)
		document.options.threads = parallel_threads();
	if (!options->block)
		document.options.block = BLOCK;
	document.sequential_until = document.options.block;
	document.capacity = document.options.block;
	document.window = mem_alloc(document.capacity);
	document.rows = rows_new(profile, input->builder);
	document.layouts = layouts_new();
	if (next_byte(&document) == '\xef')
		document.at += 3; /* a byte order mark, always within source_peek */
	bool done = read_documents(&document) && report(&document);
	if (done) {
		rows_finish(document.rows);
		profile->text_bytes = document.offset + document.length;
		if (source_cut(input->source))
			kineto_damage(&document, source_cut(input->source), "loaded up to there");
	}
	if (!document.failed && (!done || !is_trace(&document)))
		done = error_input(input->error, "is JSON without trace events, not a profile%s%s",
				   document.members.length ? "; its members are " : "",
				   buffer_text(&document.members));
	buffer_free(&document.members);
	rows_free(document.rows);
	layouts_free(document.layouts);
	mem_free(document.window);
	return done;
}

static bool kineto_read_trace(struct input *input)
{
	return kineto_read_with(input, &(struct kineto_options){ 0 }) &&
	       fused_separate(input->builder, input->progress);
}

/* Determine the writer of the trace from its rows. */
static void finish_trace(struct profile *profile, const char *wrapping)
{
	static const char *const formats[][2] = { KINETO_FORMAT_ROWS };
	/* only PyTorch's profiler writes a schema version */
	bool kineto = profile_metadata(profile, "schemaVersion") != NULL;
	profile->format = formats[strcmp(wrapping, "gzip") == 0   ? 1
				  : strcmp(wrapping, "zstd") == 0 ? 2
								  : 0][kineto];
	/* versions before it are recognized by operators, which later writers record too */
	if (!kineto &&
	    !(profile->spans && memchr(profile->span_kind, SPAN_OPERATOR, profile->spans)))
		profile->tool = 0;
}

/* JSON after an optional byte order mark and blanks, or blanks only. */
static bool is_json(const char *head, size_t length)
{
	size_t at = length >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	at += strspn(head + at, " \t\r\n");
	return at >= length || head[at] == '{' || head[at] == '[';
}

const struct reader trace_reader = {
	.recognize = is_json, .read = kineto_read_trace, .finish = finish_trace, .is_trace = true
};
