/*
 * What memray writes of a capture: its statistics (stats --json), and its table of allocations
 * (transform csv) with a stack in each row, innermost frame first: "func;file;line|func;file;line".
 */
#include "base/error.h"
#include "base/platform.h"
#include "input/csv.h"
#include "input/json.h"
#include "input/readers.h"
#include "model/python_stats.h"

#include <stdlib.h>

static const char header[] = "allocator,num_allocations,size,tid,thread_name,stack_trace";

struct memray {
	struct profile *profile;
	struct builder *builder;
	struct buffer text;
	uint64_t rows;
};

/* ---- statistics ---- */

static void memray_add_fact(struct memray *memray, const struct json_slice *object, const char *key,
			    const char *metric, const char *unit)
{
	struct json_slice value;
	int64_t number;
	if (json_find(object, key, &value) && json_int(&value, &number) && number >= 0)
		python_fact_number(memray->profile->python, "memray", metric, number, unit);
}

/* "func:file:line"; memray has no place for some. */
static uint32_t function_at(struct memray *memray, const struct json_slice *place)
{
	buffer_clear(&memray->text);
	json_unescape(&memray->text, place);
	const char *text = buffer_text(&memray->text), *end = text + memray->text.length;
	const char *colon = platform_memrchr(text, ':', (size_t)(end - text));
	const char *first = memchr(text, ':', (size_t)(end - text));
	struct python_stats *stats = memray->profile->python;
	char *after = NULL;
	long long line = colon ? strtoll(colon + 1, &after, 10) : 0;
	if (!colon || first == colon || after == colon + 1 || *after)
		return python_function_find(
			stats, intern_add(memray->profile->strings, text, (size_t)(end - text)), 0,
			NO_VALUE, 0);
	uint32_t name = intern_add(memray->profile->strings, text, (size_t)(first - text));
	return python_function_find(
		stats, name,
		intern_add(memray->profile->strings, first + 1, (size_t)(colon - first) - 1),
		line > 0 ? line : NO_VALUE, 0);
}

static void add_places(struct memray *memray, const struct json_slice *list)
{
	struct json_slice place, size;
	int64_t bytes;
	for (struct json_members row = json_members(list); json_each(&row);) {
		if (!json_find_type(&row.value, "location", JSON_STRING, &place) ||
		    !json_find(&row.value, "size", &size) || !json_int(&size, &bytes) ||
		    bytes < 0) {
			profile_skip(memray->profile, "place without a size");
			continue;
		}
		uint32_t at = function_at(memray, &place);
		struct python_function *function = &memray->profile->python->functions[at];
		function->memory_bytes = (double)bytes;
		function->is_named_only = false;
		memray->rows++;
	}
}

static bool read_stats(struct memray *memray, const struct buffer *text, struct error *error)
{
	struct json_slice object, value;
	if (!json_document(BUFFERED(text), JSON_OBJECT, &object, NULL))
		return error_input(error, "is a cut or damaged file of memray stats");
	memray->profile->python->has_totals = true;
	memray_add_fact(memray, &object, "total_num_allocations", "allocations", "count");
	memray_add_fact(memray, &object, "total_bytes_allocated", "allocated", "bytes");
	if (json_find(&object, "metadata", &value))
		memray_add_fact(memray, &value, "peak_memory", "peak", "bytes");
	if (json_find_type(&object, "top_allocations_by_size", JSON_ARRAY, &value))
		add_places(memray, &value);
	return true;
}

/* ---- allocations ---- */

static uint32_t memray_add_frame(struct memray *memray, const char *text, size_t length,
				 uint32_t parent)
{
	struct python_stats *stats = memray->profile->python;
	const char *line = platform_memrchr(text, ';', length);
	const char *file = line ? memchr(text, ';', (size_t)(line - text)) : NULL;
	buffer_clear(&memray->text);
	if (file) {
		buffer_add(&memray->text, file + 1, (size_t)(line - file) - 1);
		buffer_printf(&memray->text, "(%.*s): ", (int)(text + length - line) - 1, line + 1);
		length = (size_t)(file - text);
	}
	buffer_add(&memray->text, text, length);
	uint32_t label = intern_add(memray->profile->strings, BUFFERED(&memray->text));
	return frames_add(&stats->frames,
			  python_function_of_label(stats, memray->profile->strings, label), parent);
}

static uint32_t memray_add_stack(struct memray *memray, const char *stack)
{
	const char *end = stack + strlen(stack);
	uint32_t frame = NO_ROW;
	while (end > stack) {
		const char *bar = platform_memrchr(stack, '|', (size_t)(end - stack));
		const char *from = bar ? bar + 1 : stack;
		frame = memray_add_frame(memray, from, (size_t)(end - from), frame);
		end = bar ? bar : stack;
	}
	return frame;
}

static bool memray_parse_number(const char *text, int64_t *number)
{
	char *end;
	*number = strtoll(text, &end, 10);
	return end != text && !*end && *number >= 0;
}

static void memray_add_allocation(struct memray *memray, const struct csv *csv, uint32_t process)
{
	enum { COUNT = 1, SIZE, TID, NAME, STACK };
	struct python_sample sample = { 0 };
	char *end;
	const char *tid = csv_field(csv, TID), *name = csv_field(csv, NAME);
	if (!memray_parse_number(csv_field(csv, COUNT), &sample.calls) ||
	    !memray_parse_number(csv_field(csv, SIZE), &sample.value)) {
		profile_skip(memray->profile, "row without a count and a size");
		return;
	}
	sample.frame = memray_add_stack(memray, csv_field(csv, STACK));
	sample.track = builder_track(memray->builder, process, strtoll(tid, &end, 10), 0, -1);
	if (*name)
		memray->profile->tracks[sample.track].name =
			intern_add(memray->profile->strings, name, strlen(name));
	if (sample.frame != NO_ROW)
		python_sample_add(memray->profile->python, &sample);
	memray->rows++;
}

static bool memray_read_table(struct memray *memray, struct buffer *text,
			      const struct progress *progress)
{
	struct csv csv = csv_open(text->data, text->length, "reading allocations", progress);
	uint32_t process = builder_process(memray->builder, NO_VALUE, 0);
	memray->profile->python->sample_unit = SAMPLE_BYTES;
	while (csv_next(&csv))
		if (csv.count > 1)
			memray_add_allocation(memray, &csv, process);
	return csv_close(&csv);
}

/* ---- the whole ---- */

static bool read_memray(struct input *input)
{
	struct memray memray = { .profile = input->profile, .builder = input->builder };
	input->profile->python = python_stats_new();
	bool table = strncmp(buffer_text(&input->text), header, sizeof header - 1) == 0;
	bool done = table ? memray_read_table(&memray, &input->text, input->progress)
			  : read_stats(&memray, &input->text, input->error);
	input->profile->events = memray.rows;
	buffer_free(&memray.text);
	return done && (memray.rows ||
			error_input(input->error, "is a file of memray without allocations"));
}

static bool memray_recognize(const char *head, size_t length)
{
	return strncmp(head, header, sizeof header - 1) == 0 ||
	       (json_after(head, "{") && strstr(head, "\"total_num_allocations\"") &&
		strstr(head, "\"total_bytes_allocated\""));
}

const struct reader memray_reader = { .format = "memray allocations",
				      .recognize = memray_recognize,
				      .text_max = SOURCE_TEXT_MAX,
				      .read = read_memray };
