#include "base/any_of.h"
#include "input/readers.h"

#include "base/error.h"
#include "base/hash.h"
#include "input/json.h"
#include "input/text_lines.h"
#include "model/python_stats.h"

#include <math.h>

struct scalene_reader {
	struct profile *profile;
	struct python_stats *stats;
	struct builder *builder;
	struct buffer text;
	double elapsed_s;
	bool gpu, memory;   /* were they measured? */
	struct hash *leaks; /* of a file: line → index of leak_splits */
	GROWING(struct python_split, leak_splits, leak_count);
};

static const double mebi = 1048576;

enum { SHARE_PYTHON, SHARE_NATIVE, SHARE_SYSTEM, SHARES };

/* Members used of a line or function; shares are percentages of the run. Absent: NaN. */
struct scalene_entry {
	uint32_t text;
	int64_t line;
	double share[SHARES], malloc_mb, peak_mb, average_mb, gpu_share, gpu_mb, copy_mb_s;
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
	return (has_member(head, "\"alloc_samples\"") ||
		has_member(head, "\"elapsed_time_sec\"")) &&
	       !has_member(head, "\"schemaVersion\"") && !has_member(head, "\"traceEvents\"");
}

/* Scalene writes these signs of a line as six characters each, as its page is HTML. */
static void restore_signs(struct buffer *text)
{
	static const struct {
		const char *written;
		char sign;
	} signs[] = { { "\\u003c", '<' }, { "\\u003e", '>' }, { "\\u0026", '&' } };
	size_t length = 0, size = strlen(signs[0].written);
	for (size_t i = 0; i < text->length; i++) {
		char sign = text->data[i];
		for (size_t j = 0; j < sizeof signs / sizeof *signs; j++)
			if (text->length - i >= size &&
			    !memcmp(text->data + i, signs[j].written, size)) {
				sign = signs[j].sign;
				i += size - 1;
				break;
			}
		text->data[length++] = sign;
	}
	text->length = length;
}

/* Strips surrounding blanks: lines are indented and end in a newline. */
static uint32_t scalene_keep(struct scalene_reader *reader, const struct json_slice *slice)
{
	buffer_clear(&reader->text);
	json_unescape(&reader->text, slice);
	restore_signs(&reader->text);
	struct text_slice text = { BUFFERED(&reader->text) };
	while (text.length && strchr("\r\n", text.text[text.length - 1]))
		text.length--;
	text = slice_trim(text);
	return intern_add(reader->profile->strings, text.text, text.length);
}

static struct scalene_entry read_entry(struct scalene_reader *reader,
				       const struct json_slice *object)
{
	struct scalene_entry entry = { .line = NO_VALUE };
	const struct {
		const char *name;
		double *value;
	} numbers[] = { SCALENE_NUMBER_ROWS };
	enum { NUMBERS = sizeof numbers / sizeof *numbers };
	for (size_t i = 0; i < NUMBERS; i++)
		*numbers[i].value = NAN;
	for (struct json_members at = json_members(object); json_each(&at);) {
		const struct json_slice key = at.key, value = at.value;
		for (size_t i = 0; i < NUMBERS; i++)
			if (json_equal(&key, numbers[i].name) &&
			    (!json_real(&value, numbers[i].value) || !isfinite(*numbers[i].value)))
				*numbers[i].value = NAN;
		if (json_equal(&key, "lineno"))
			json_int(&value, &entry.line);
		else if (json_equal(&key, "line") && value.type == JSON_STRING)
			entry.text = scalene_keep(reader, &value);
	}
	return entry;
}

/* Seconds of a share of the run. */
static double scalene_seconds_of(const struct scalene_reader *reader, double share)
{
	return share / 100 * reader->elapsed_s;
}

/* Absent shares count for nothing in the sum. */
static double self_of(const struct scalene_reader *reader, const struct scalene_entry *entry)
{
	double sum = sum_of(i, SHARES, isnan(entry->share[i]) ? 0 : entry->share[i]);
	return scalene_seconds_of(reader, sum);
}

/* LINE is NO_VALUE for functions, of which no leaks are known. */
static uint32_t split_of(struct scalene_reader *reader, const struct scalene_entry *entry,
			 int64_t line)
{
	uint32_t at = line == NO_VALUE ? NO_ROW : hash_last(reader->leaks, (uint64_t)line);
	struct python_split split = { .leak_pct = NAN, .leak_bytes_per_s = NAN };
	if (at != NO_ROW)
		split = reader->leak_splits[at];
	split.python_s = scalene_seconds_of(reader, entry->share[SHARE_PYTHON]);
	split.native_s = scalene_seconds_of(reader, entry->share[SHARE_NATIVE]);
	split.system_s = scalene_seconds_of(reader, entry->share[SHARE_SYSTEM]);
	split.gpu_s = reader->gpu ? scalene_seconds_of(reader, entry->gpu_share) : NAN;
	split.gpu_bytes = reader->gpu ? entry->gpu_mb * mebi : NAN;
	split.peak_bytes = reader->memory ? entry->peak_mb * mebi : NAN;
	split.average_bytes = reader->memory ? entry->average_mb * mebi : NAN;
	split.copy_bytes_per_s = reader->memory ? entry->copy_mb_s * mebi : NAN;
	*mem_push(reader->stats->splits, reader->stats->split_count) = split;
	return (uint32_t)reader->stats->split_count - 1;
}

static void scalene_add_function(struct scalene_reader *reader, uint32_t file,
				 const struct scalene_entry *entry)
{
	uint32_t at = python_function_find(reader->stats, entry->text, file, entry->line, 0);
	struct python_function *function = &reader->stats->functions[at];
	function->self_s = self_of(reader, entry);
	function->memory_bytes = entry->malloc_mb * mebi;
	function->split = split_of(reader, entry, NO_VALUE);
	function->is_named_only = false;
}

static void scalene_add_line(struct scalene_reader *reader, uint32_t file,
			     const struct scalene_entry *entry)
{
	struct python_line *line = python_line_add(reader->stats);
	line->file = file;
	line->text = entry->text;
	line->line = entry->line;
	line->self_s = self_of(reader, entry);
	line->memory_bytes = entry->malloc_mb * mebi;
	line->split = split_of(reader, entry, entry->line);
}

/* {"12": {"likelihood": 0.97, "velocity_mb_s": 3.2}}, by line */
static void read_leaks(struct scalene_reader *reader, const struct json_slice *leaks)
{
	int64_t line;
	if (leaks->type != JSON_OBJECT)
		return;
	for (struct json_members leak = json_members(leaks); json_each(&leak);) {
		struct python_split split = { .leak_pct = NAN, .leak_bytes_per_s = NAN };
		if (leak.value.type != JSON_OBJECT || !json_int(&leak.key, &line))
			continue;
		for (struct json_members at = json_members(&leak.value); json_each(&at);)
			if (json_equal(&at.key, "likelihood") &&
			    json_real(&at.value, &split.leak_pct))
				split.leak_pct *= 100;
			else if (json_equal(&at.key, "velocity_mb_s") &&
				 json_real(&at.value, &split.leak_bytes_per_s))
				split.leak_bytes_per_s *= mebi;
		hash_add(reader->leaks, (uint64_t)line, (uint32_t)reader->leak_count);
		*mem_push(reader->leak_splits, reader->leak_count) = split;
	}
}

static void
read_entries(struct scalene_reader *reader, uint32_t file, const struct json_slice *array,
	     void (*add)(struct scalene_reader *, uint32_t, const struct scalene_entry *))
{
	if (array->type != JSON_ARRAY)
		return;
	for (struct json_members at = json_members(array); json_each(&at);) {
		if (at.value.type != JSON_OBJECT)
			continue;
		struct scalene_entry entry = read_entry(reader, &at.value);
		add(reader, file, &entry);
	}
}

static void read_files(struct scalene_reader *reader, const struct json_slice *files)
{
	if (files->type != JSON_OBJECT)
		return;
	for (struct json_members file = json_members(files); json_each(&file);) {
		if (file.value.type != JSON_OBJECT)
			continue;
		uint32_t name = scalene_keep(reader, &file.key);
		mem_replace_by(hash_free, reader->leaks, hash_new(8));
		for (struct json_members at = json_members(&file.value); json_each(&at);)
			if (json_equal(&at.key, "leaks"))
				read_leaks(reader, &at.value);
		for (struct json_members at = json_members(&file.value); json_each(&at);)
			if (json_equal(&at.key, "functions"))
				read_entries(reader, name, &at.value, scalene_add_function);
			else if (json_equal(&at.key, "lines"))
				read_entries(reader, name, &at.value, scalene_add_line);
	}
}

/* [ns since the start, MB] */
static bool scalene_add_sample(struct scalene_reader *reader, struct memory_event *event,
			       const struct json_slice *pair)
{
	double number[2] = { NAN, NAN };
	size_t count = 0;
	if (pair->type != JSON_ARRAY)
		return false;
	for (struct json_members at = json_members(pair); json_each(&at); count++)
		if (count >= 2 || !json_real(&at.value, &number[count]) ||
		    !(fabs(number[count]) < 1e15))
			return false;
	if (count < 2)
		return false;
	int64_t bytes = llround(fmin(number[1], 1e9) * mebi);
	event->time = llround(number[0]);
	event->bytes = bytes - event->total_allocated;
	event->total_allocated = bytes;
	builder_memory(reader->builder, event);
	return true;
}

/* The memory of the process over time. */
static void scalene_read_memory(struct scalene_reader *reader, const struct json_slice *samples)
{
	struct memory_event event = {
		.address = NO_VALUE, .total_reserved = NO_VALUE, .device_type = 0, .device_id = -1
	};
	if (samples->type != JSON_ARRAY)
		return;
	uint32_t process = builder_process(reader->builder, NO_VALUE,
					   profile_intern(reader->profile, "python"));
	event.track = builder_track(reader->builder, process, 0, 0, -1);
	for (struct json_members at = json_members(samples); json_each(&at);)
		if (!scalene_add_sample(reader, &event, &at.value))
			profile_skip(reader->profile, "sample not a time and a number of MB");
}

/* How much memory the process had at most, and in which line. */
static void add_footprint(struct scalene_reader *reader, const struct json_slice *document)
{
	static const char section[] = "memory";
	struct json_slice value;
	double mb;
	int64_t line;
	if (json_find(document, "max_footprint_mb", &value) && json_real(&value, &mb) && mb > 0 &&
	    mb < 1e9)
		python_fact_number(reader->stats, section, "max footprint", llround(mb * mebi),
				   "bytes");
	if (json_find_type(document, "max_footprint_fname", JSON_STRING, &value))
		python_fact_text(reader->stats, section, "max footprint in file",
				 scalene_keep(reader, &value));
	if (json_find(document, "max_footprint_lineno", &value) && json_int(&value, &line))
		python_fact_number(reader->stats, section, "max footprint in line", line, "id");
}

/* The total that shares refer to may follow them. */
static void read_document(struct scalene_reader *reader, const struct json_slice *document)
{
	for (struct json_members at = json_members(document); json_each(&at);)
		if (json_equal(&at.key, "elapsed_time_sec") &&
		    !json_real(&at.value, &reader->elapsed_s))
			reader->elapsed_s = 0;
		else if (json_equal(&at.key, "gpu"))
			reader->gpu = !json_equal(&at.value, "false");
		else if (json_equal(&at.key, "memory"))
			reader->memory = !json_equal(&at.value, "false");
	for (struct json_members at = json_members(document); json_each(&at);)
		if (json_equal(&at.key, "files"))
			read_files(reader, &at.value);
		else if (json_equal(&at.key, "samples") && reader->memory)
			scalene_read_memory(reader, &at.value);
	add_footprint(reader, document);
}

static bool scalene_read(struct input *input)
{
	struct profile *profile = input->profile;
	struct scalene_reader reader = { .profile = profile,
					 .stats = python_stats_new(),
					 .builder = input->builder,
					 .gpu = true,
					 .memory = true };
	struct json_slice document;
	size_t wrong;
	profile->python = reader.stats;
	if (!json_document(BUFFERED(&input->text), JSON_OBJECT, &document, &wrong))
		return error_input(input->error,
				   "is a Scalene profile, truncated or damaged at byte %zu", wrong);
	read_document(&reader, &document);
	profile->events = reader.stats->function_count + reader.stats->line_count;
	hash_free(reader.leaks);
	mem_free(reader.leak_splits);
	buffer_free(&reader.text);
	return true;
}

const struct reader scalene_reader = { .format = "Scalene profile (JSON)",
				       .recognize = scalene_recognize,
				       .text_max = SOURCE_TEXT_MAX,
				       .read = scalene_read };
