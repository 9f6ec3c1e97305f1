#include "input/open.h"

#include "base/any_of.h"
#include "base/data_table.h"
#include "base/error.h"
#include "input/ascend/ascend_text.h"
#include "input/database.h"
#include "input/json.h"
#include "input/proto/proto.h"
#include "input/summary_file/summary_file.h"
#include "input/text_format.h"
#include "model/tool.h"
#include "input/timeline_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* A file that is known but not read. */
struct unread_file {
	int where;
	char *mark, *sentence; /* the sentence: what to do */
	size_t length;         /* of the mark, which may hold NULs */
};

enum { MARK_BEGINS, MARK_IN_HEAD, MARK_IN_BINARY };

/* Replace "\xHH" by the byte; the length then. */
static size_t unescape_bytes(char *text)
{
	char *start = text, *end = text;
	for (size_t used; *text; text += used) {
		char hex[3] = { 0 };
		used = text[0] == '\\' && text[1] == 'x' ? 4 : 1;
		if (used > 1)
			memcpy(hex, text + 2, 2);
		*end++ = used > 1 ? (char)strtol(hex, NULL, 16) : *text;
	}
	*end = 0;
	return (size_t)(end - start);
}

static void finish_unread(void *row)
{
	struct unread_file *file = row;
	file->length = unescape_bytes(file->mark);
	unescape_bytes(file->sentence);
}

/* Refuse one that has a mark at this place. */
static bool refuse_unread(const char *head, size_t length, int where, struct error *error)
{
	static const char *const places[] = { "begins", "has", "holds", NULL };
	for (const struct unread_file *file = DATA_ROWS("unread_files.txt", struct unread_file,
							UNREAD_FIELD_ROWS, .finish = finish_unread);
	     file->mark; file++)
		if (file->where == where &&
		    (where == MARK_BEGINS
			     ? length >= file->length && !memcmp(head, file->mark, file->length)
			     : memmem(head, length, file->mark, file->length) != NULL))
			return error_input(error, "%s", file->sentence);
	return true;
}

/* The fields of a message as HEAD has them; false unless it is one. */
static bool list_fields(const char *head, size_t length, struct buffer *out)
{
	enum { FIELDS_MAX = 64 }; /* of a message at its top; more are no sign of one */
	struct proto message = proto_of(head, length);
	struct proto_field field;
	uint64_t seen = 0;
	size_t fields = 0;
	for (; proto_next(&message, &field); fields++) {
		if (field.number >= FIELDS_MAX)
			return false;
		seen |= (uint64_t)1 << field.number;
	}
	for (unsigned i = 1; i < FIELDS_MAX; i++)
		if (seen >> i & 1)
			buffer_printf(out, "%s%u", out->length ? ", " : "", i);
	return fields > 1;
}

/* Say what a file, unpacked from WRAPPING, looks like, and what is nearest to it. */
static bool refuse_unknown(const char *head, size_t length, const char *wrapping,
			   struct error *error)
{
	AUTO_BUFFER struct buffer likeness = { 0 }, fields = { 0 };
	size_t blank = strspn(head, " \t\r\n");
	const char *nearest;
	if (!any_of(i, length,
		    (unsigned char)head[i] < ' ' && !memchr("\t\n\r\f\033", head[i], 5))) {
		int line = (int)strcspn(head + blank, "\r\n");
		buffer_printf(&likeness, "text that begins '%.*s'", line < 48 ? line : 48,
			      head + blank);
		nearest = "tables are known by their headings";
	} else if (list_fields(head, length, &fields)) {
		buffer_printf(&likeness, "a protobuf message with fields %s", buffer_text(&fields));
		nearest = "of those, xplane.pb, Perfetto traces and pprof are read";
	} else {
		buffer_puts(&likeness, "binary that begins");
		for (size_t i = 0; i < length && i < 8; i++)
			buffer_printf(&likeness, " %02x", (unsigned char)head[i]);
		nearest = "open what its tool exports as JSON, CSV or SQLite";
	}
	error_input(error, "is not a known profile (%s%s%s); %s", wrapping, *wrapping ? " of " : "",
		    buffer_text(&likeness), nearest);
	return false;
}

static bool is_tar(const char *head, size_t length)
{
	enum { MAGIC_AT = 257 }; /* after the name of a file, which ends with NUL */
	return length >= MAGIC_AT + 5 && memcmp(head + MAGIC_AT, "ustar", 5) == 0 &&
	       memchr(head, 0, MAGIC_AT);
}

static bool refuse_others(const char *head, size_t length, const char *wrapping,
			  struct error *error)
{
	if (length == 0)
		return error_input(error, "is empty");
	if (!refuse_unread(head, length, MARK_BEGINS, error))
		return false;
	if (length >= 4 && (head[0] == '{' || head[0] == '[') && !head[1] && head[2] && !head[3])
		return error_input(
			error, "is UTF-16LE text; run: iconv -f UTF-16LE -t UTF-8 FILE | strata -");
	if (is_tar(head, length))
		return error_input(error,
				   "is a tar archive; run: tar -xf FILE, then open a trace inside");
	size_t blank = 0;
	if (length >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
		blank = 3;
	blank += strspn(head + blank, " \t\r\n");
	if (sqlite_is_database(head, length))
		return true;
	if (blank < length && !json_begins(head + blank))
		return refuse_unread(head, length, MARK_IN_HEAD, error) &&
		       refuse_unread(head, length, MARK_IN_BINARY, error) &&
		       refuse_unknown(head, length, wrapping, error);
	bool trace = head[blank] == '[' || strstr(head, "\"traceEvents\"");
	return trace || refuse_unread(head, length, MARK_IN_HEAD, error);
}

static bool is_known(const struct reader *reader, const char *head, size_t length)
{
	if (reader->recognize)
		return reader->recognize(head, length);
	return reader->text && text_format_recognize(reader->text, head, length);
}

enum among { OTHERS, TRACES, IN_LOGS };

static bool is_among(const struct reader *reader, enum among among)
{
	return among == IN_LOGS ? reader->in_log : reader->is_trace == (among == TRACES);
}

static const struct reader *find_among(enum among among, const char *head, size_t length,
				       uint8_t *tool)
{
	for (*tool = 0; tools[*tool]; ++*tool)
		for (const struct reader *const *at = tools[*tool]->readers; at && *at; at++)
			if (is_among(*at, among) && is_known(*at, head, length))
				return *at;
	*tool = 0;
	return NULL;
}

/* The reader of a stream that starts with HEAD, or NULL; *TOOL: index of its tool.  Traces are
 * last: other files are JSON too. */
static const struct reader *find_reader(const char *head, size_t length, uint8_t *tool)
{
	const struct reader *reader = find_among(OTHERS, head, length, tool);
	return reader ? reader : find_among(TRACES, head, length, tool);
}

/*
 * The reader of a JSON object whose first members say nothing, such as long lists of names: by more
 * of SOURCE than HEAD. TRACE if it has events, or none of the others knows it; NULL on failure.
 */
static const struct reader *find_late(const struct reader *trace, const char *head,
				      struct source *source, uint8_t *tool, struct error *error)
{
	static const char events[] = "\"traceEvents\"";
	uint8_t other;
	size_t length;
	if (head[strspn(head, " \t\r\n")] != '{' || strstr(head, events))
		return trace;
	const char *peek = source_peek(source, SOURCE_PEEK_MAX, &length, error);
	if (!peek)
		return NULL;
	AUTO_FREE char *more = mem_strndup(peek, length);
	const struct reader *reader =
		strstr(more, events) ? NULL : find_among(OTHERS, more, strlen(more), &other);
	if (!reader)
		return trace;
	*tool = other;
	return reader;
}

enum { LOG_PART = SOURCE_PEEK_MAX, LOG_OVERLAP = 4096 }; /* longer than a heading */

/* The reader of tables among other lines of the rest of a long file, which is read once more. */
static const struct reader *find_in_rest(const char *path, const struct progress *progress,
					 uint8_t *tool)
{
	AUTO_SOURCE struct source *source = source_open(path, progress, NULL);
	AUTO_FREE char *text = mem_alloc(LOG_PART + LOG_OVERLAP + 1);
	const struct reader *reader = NULL;
	size_t kept = 0, all = 0;
	ptrdiff_t got;
	while (source && !reader && all < SOURCE_TEXT_MAX &&
	       (got = source_read(source, text + kept, LOG_PART, NULL)) > 0) {
		size_t length = kept + (size_t)got;
		text[length] = 0;
		reader = find_among(IN_LOGS, text, length, tool);
		kept = length < LOG_OVERLAP ? length : LOG_OVERLAP;
		memmove(text, text + length - kept, kept);
		all += (size_t)got;
	}
	return reader;
}

/* The reader of tables that were printed after other lines, or NULL, also on failure. */
static const struct reader *find_in_log(const char *path, struct source *source, uint8_t *tool,
					const struct progress *progress)
{
	size_t length;
	struct stat status;
	const char *peek = source_peek(source, SOURCE_PEEK_MAX, &length, NULL);
	if (!peek || memchr(peek, 0, length))
		return NULL;
	AUTO_FREE char *text = mem_strndup(peek, length);
	const struct reader *reader = find_among(IN_LOGS, text, length, tool);
	bool more =
		length >= SOURCE_PEEK_MAX && stat(path, &status) == 0 && S_ISREG(status.st_mode);
	return reader || !more ? reader : find_in_rest(path, progress, tool);
}

static bool read_text(const struct reader *reader, struct input *input)
{
	size_t max = reader->text ? SOURCE_TEXT_MAX : reader->text_max;
	if (max && !source_whole(input->source, max, &input->text, input->error))
		return false;
	input->profile->text_bytes = input->text.length;
	return reader->text ? text_format_read(reader->text, input) : reader->read(input);
}

static bool read_stream(const struct reader *reader, struct source *source, struct profile *profile,
			struct builder *builder, const struct progress *progress,
			struct error *error)
{
	struct error failure = { .code = ERROR_NONE };
	struct input input = { .source = source,
			       .profile = profile,
			       .builder = builder,
			       .progress = progress,
			       .error = &failure };
	profile->format = reader->format;
	bool done = read_text(reader, &input);
	profile->truncated |= source_cut(source) != NULL;
	buffer_free(&input.text);
	profile->file_bytes = source_consumed(source);
	if (done && reader->empty && !profile_has_rows(profile))
		done = error_input(&failure, "%s", reader->empty);
	if (!done && failure.code == ERROR_NONE)
		error_cancelled(&failure);
	if (!done && error)
		*error = failure;
	return done;
}

static bool read_source(struct source *source, struct profile *profile,
			const struct progress *progress, struct error *error)
{
	/* NUL-terminated copy for string functions. */
	char head[4097];
	size_t length;
	const char *peek = source_peek(source, sizeof head - 1, &length, error);
	if (!peek)
		return false;
	memcpy(head, peek, length);
	head[length] = 0;
	if (length == 0 && source_cut(source))
		return error_input(error, "is empty: %s", source_cut(source));
	const struct reader *reader = find_reader(head, length, &profile->tool);
	/* a web page is no log */
	bool page = strncmp(head + strspn(head, " \t\r\n"), "<!", 2) == 0;
	if ((!reader || reader->is_trace) && !json_begins(head) && !page && !profile->partial) {
		uint8_t tool;
		const struct reader *log = find_in_log(profile->path, source, &tool, progress);
		profile->tool = log ? tool : profile->tool;
		reader = log ? log : reader;
	}
	if (reader && reader->is_trace) {
		reader = find_late(reader, head, source, &profile->tool, error);
		if (!reader)
			return false;
	}
	bool database = !reader && sqlite_is_database(head, length);
	if ((!reader || reader->is_trace) &&
	    !refuse_others(head, length, source_wrapping(source), error))
		return false;
	if (database && profile->partial)
		return error_input(error, "is a database and cannot be previewed while loading");
	struct builder *builder = builder_new(profile);
	bool done = database ? database_read(source, profile, builder, progress, error)
			     : read_stream(reader, source, profile, builder, progress, error);
	done = done && (database || ascend_read_beside(profile, builder, progress, error));
	done = done && profile_finish(builder, progress, error);
	builder_free(builder);
	if (reader && reader->finish)
		reader->finish(profile, source_wrapping(source));
	return done;
}

static struct profile *open_source(struct source *source, const char *path, bool partial,
				   const struct read_options *options,
				   const struct progress *progress, struct error *error)
{
	if (!source)
		return NULL;
	struct profile *profile = profile_new(path);
	profile->partial = partial;
	MEMBERS(profile, options,
		TAKE(no_python) TAKE(record_ids) TAKE(sample_type) TAKE(filter) TAKE(part));
	bool done = read_source(source, profile, progress, error);
	profile->filter = NULL;
	profile->sample_type = NULL;
	source_close(source);
	return keep_if(done, profile, profile_free);
}

struct profile *profile_open(const char *path, const struct progress *progress, struct error *error)
{
	return profile_open_with(path, &(struct read_options){ 0 }, progress, error);
}

struct profile *profile_open_with(const char *path, const struct read_options *options,
				  const struct progress *progress, struct error *error)
{
	struct source *source = source_open(path, progress, error);
	return open_source(source, path, false, options, progress, error);
}

struct profile *profile_open_prefix(const char *path, const void *bytes, size_t length,
				    uint64_t text_max, const struct read_options *options,
				    const struct progress *progress, struct error *error)
{
	struct source *source = source_open_memory(bytes, length, text_max, progress, error);
	return open_source(source, path, true, options, progress, error);
}

/* ---- the head of a file ---- */

enum { HEAD = 256 * 1024 }; /* bytes of text searched for the rank */

/* The document member before the events that contains the rank. */
static int64_t rank_in_head(const char *text, size_t length)
{
	static const char key[] = "\"distributedInfo\"", events[] = "\"traceEvents\"";
	const char *end = memmem(text, length, events, sizeof events - 1);
	const char *at = memmem(text, end ? (size_t)(end - text) : length, key, sizeof key - 1);
	int64_t rank = NO_VALUE;
	if (!at)
		return NO_VALUE;
	struct json_cursor cursor = { .at = at + sizeof key - 1, .end = text + length };
	struct json_slice name, value;
	char colon;
	if (json_next(&cursor, &colon) != JSON_OK || colon != ':')
		return NO_VALUE;
	cursor.at++;
	json_skip_blank(&cursor);
	if (json_value(&cursor, &value) != JSON_OK || value.type != JSON_OBJECT)
		return NO_VALUE;
	json_enter(&cursor, &value);
	while (json_member(&cursor, &name, &value))
		if (json_equal(&name, "rank"))
			json_int(&value, &rank);
	return rank;
}

static size_t read_head(struct source *source, char *text)
{
	size_t length = 0;
	for (ptrdiff_t got; length < HEAD; length += (size_t)got) {
		got = source_read(source, text + length, HEAD - length, NULL);
		if (got <= 0)
			break;
	}
	text[length] = 0;
	return length;
}

struct profile_head profile_peek(const char *path)
{
	struct profile_head head = { true, false, NO_VALUE };
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return head;
	AUTO_SOURCE struct source *source = source_open(path, NULL, NULL);
	if (!source)
		return head;
	AUTO_FREE char *text = mem_alloc(HEAD + 1);
	size_t length = read_head(source, text);
	uint8_t tool;
	const struct reader *reader = find_reader(text, length, &tool);
	head.is_trace = reader && reader->is_trace;
	head.is_profile = (reader && !head.is_trace) || refuse_others(text, length, "", NULL);
	if (head.is_trace)
		head.rank = rank_in_head(text, length);
	return head;
}

enum { PEEK = 4096 };

/* The reader of a regular file, whose first bytes and a NUL are copied; without any *LENGTH is 0.
 */
static const struct reader *reader_at(const char *path, char head[PEEK + 1], size_t *length)
{
	struct stat status;
	uint8_t tool;
	bool regular = stat(path, &status) == 0 && S_ISREG(status.st_mode);
	AUTO_SOURCE struct source *source = regular ? source_open(path, NULL, NULL) : NULL;
	const char *peek = source ? source_peek(source, PEEK, length, NULL) : NULL;
	*length = peek ? *length : 0;
	if (*length)
		memcpy(head, peek, *length);
	head[*length] = 0;
	return *length ? find_reader(head, *length, &tool) : NULL;
}

enum joining profile_joining(const char *path)
{
	char head[PEEK + 1];
	size_t length;
	const struct reader *reader = reader_at(path, head, &length);
	return reader ? reader->joins : NOT_A_PROFILE;
}

bool profile_is_summary(const char *path)
{
	char head[PEEK + 1];
	size_t length;
	return reader_at(path, head, &length) == &summary_file_reader;
}

bool profile_is_report(const char *path)
{
	char head[PEEK + 1];
	size_t length;
	return !reader_at(path, head, &length) && length && head[0] != '{' && head[0] != '[' &&
	       !sqlite_is_database(head, length) &&
	       text_has_one(head, length, "NVIDIA Tegra Profiler Report|QuadD|Nsight Systems");
}
