#include "tools/python/python.h"

#include "base/error.h"
#include "input/json.h"
#include "input/source_text.h"
#include "model/python_stats.h"

#include <math.h>

struct scalene_reader {
	struct profile *profile;
	struct python_stats *stats;
	struct buffer text;
	double elapsed_s;
};

/* Members used of a line or function; shares are percentages of the run. */
struct entry {
	uint32_t text;
	int64_t line;
	double share, malloc_mb;
};

/* True if there is a member of this name (quotes included). */
static bool has_member(const char *head, const char *name)
{
	for (const char *at = head; (at = strstr(at, name));) {
		at += strlen(name);
		if (at[strspn(at, " \t\r\n")] == ':')
			return true;
	}
	return false;
}

/* A trace may have members of these names, too. */
static bool scalene_recognize(const char *head, size_t length)
{
	(void)length;
	return (has_member(head, "\"alloc_samples\"") ||
		has_member(head, "\"elapsed_time_sec\"")) &&
	       !has_member(head, "\"schemaVersion\"") && !has_member(head, "\"traceEvents\"");
}

/* Strips surrounding blanks: lines are indented and end in a newline. */
static uint32_t keep(struct scalene_reader *reader, const struct json_slice *slice)
{
	buffer_clear(&reader->text);
	json_unescape(&reader->text, slice);
	const char *text = buffer_text(&reader->text);
	size_t first = 0, length = reader->text.length;
	while (first < length && strchr(" \t\r\n", text[first]))
		first++;
	while (length > first && strchr(" \t\r\n", text[length - 1]))
		length--;
	return intern_add(reader->profile->strings, text + first, length - first);
}

static struct entry read_entry(struct scalene_reader *reader, const struct json_slice *object)
{
	struct entry entry = { .line = NO_VALUE, .malloc_mb = NAN };
	struct json_cursor cursor;
	struct json_slice key, value;
	double share;
	json_enter(&cursor, object);
	while (json_member(&cursor, &key, &value)) {
		bool is_share = json_equal(&key, "n_cpu_percent_python") ||
				json_equal(&key, "n_cpu_percent_c") ||
				json_equal(&key, "n_sys_percent");
		if (is_share && json_real(&value, &share) && isfinite(share))
			entry.share += share;
		else if (json_equal(&key, "n_malloc_mb"))
			json_real(&value, &entry.malloc_mb);
		else if (json_equal(&key, "lineno"))
			json_int(&value, &entry.line);
		else if (json_equal(&key, "line") && value.type == JSON_STRING)
			entry.text = keep(reader, &value);
	}
	return entry;
}

static void add_function(struct scalene_reader *reader, uint32_t file, const struct entry *entry)
{
	uint32_t at = python_function_find(reader->stats, entry->text, file, entry->line, 0);
	struct python_function *function = &reader->stats->functions[at];
	function->self_s = entry->share / 100 * reader->elapsed_s;
	function->memory_bytes = entry->malloc_mb * 1048576;
	function->is_named_only = false;
}

static void add_line(struct scalene_reader *reader, uint32_t file, const struct entry *entry)
{
	struct python_line *line = python_line_add(reader->stats);
	line->file = file;
	line->text = entry->text;
	line->line = entry->line;
	line->self_s = entry->share / 100 * reader->elapsed_s;
	line->memory_bytes = entry->malloc_mb * 1048576;
}

static void read_entries(struct scalene_reader *reader, uint32_t file,
			 const struct json_slice *array,
			 void (*add)(struct scalene_reader *, uint32_t, const struct entry *))
{
	struct json_cursor cursor;
	struct json_slice key, value;
	if (array->type != JSON_ARRAY)
		return;
	json_enter(&cursor, array);
	while (json_member(&cursor, &key, &value)) {
		if (value.type != JSON_OBJECT)
			continue;
		struct entry entry = read_entry(reader, &value);
		add(reader, file, &entry);
	}
}

static void read_files(struct scalene_reader *reader, const struct json_slice *files)
{
	struct json_cursor cursor, inner;
	struct json_slice path, file, key, value;
	if (files->type != JSON_OBJECT)
		return;
	json_enter(&cursor, files);
	while (json_member(&cursor, &path, &file)) {
		if (file.type != JSON_OBJECT)
			continue;
		uint32_t name = keep(reader, &path);
		json_enter(&inner, &file);
		while (json_member(&inner, &key, &value))
			if (json_equal(&key, "functions"))
				read_entries(reader, name, &value, add_function);
			else if (json_equal(&key, "lines"))
				read_entries(reader, name, &value, add_line);
	}
}

/* The total that shares refer to may follow them. */
static void read_document(struct scalene_reader *reader, const struct json_slice *document)
{
	struct json_cursor cursor;
	struct json_slice key, value;
	json_enter(&cursor, document);
	while (json_member(&cursor, &key, &value))
		if (json_equal(&key, "elapsed_time_sec") && !json_real(&value, &reader->elapsed_s))
			reader->elapsed_s = 0;
	json_enter(&cursor, document);
	while (json_member(&cursor, &key, &value))
		if (json_equal(&key, "files"))
			read_files(reader, &value);
}

static bool scalene_read(struct source *source, struct profile *profile, struct builder *builder,
			 const struct progress *progress, struct error *error)
{
	(void)builder, (void)progress;
	struct buffer text = { 0 };
	if (!source_text(source, &text, error))
		return false;
	struct scalene_reader reader = { .profile = profile, .stats = python_stats_new() };
	struct json_cursor cursor = { .at = buffer_text(&text),
				      .end = buffer_text(&text) + text.length,
				      .final = true };
	struct json_slice document;
	profile->python = reader.stats;
	profile->text_bytes = text.length;
	json_skip_blank(&cursor);
	bool done = json_value(&cursor, &document) == JSON_OK && document.type == JSON_OBJECT;
	if (done)
		read_document(&reader, &document);
	else
		error_set(error, ERROR_INPUT,
			  "is a Scalene profile, truncated or damaged at byte %zu",
			  (size_t)(cursor.at - buffer_text(&text)));
	profile->events = reader.stats->function_count + reader.stats->line_count;
	buffer_free(&reader.text);
	buffer_free(&text);
	return done;
}

const struct reader scalene_reader = { .format = "Scalene profile (JSON)",
				       .recognize = scalene_recognize,
				       .read = scalene_read };
