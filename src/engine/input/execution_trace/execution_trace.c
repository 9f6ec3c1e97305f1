#include "input/execution_trace/execution_trace.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/hash.h"
#include "input/json_stream.h"
#include "model/totals.h"

#include <string.h>

enum { USER_SCOPE = 7 }; /* PyTorch's number of what is recorded but is no operator */

struct et {
	struct profile *profile;
	const struct progress *progress;
	struct buffer plain;
	struct hash *rows; /* name and shapes → row */
	int64_t nodes;
	bool cancelled;
};

static uint32_t text_of(struct et *et, const struct json_slice *slice)
{
	buffer_clear(&et->plain);
	if (slice->type == JSON_STRING)
		json_unescape(&et->plain, slice);
	else
		json_compact(&et->plain, slice);
	return intern_add(et->profile->strings, buffer_text(&et->plain), et->plain.length);
}

/* Schemas up to 1.0.1 have "scope" in the node, later ones in a list of attributes. */
static int64_t scope_of(const struct json_slice *node)
{
	struct json_slice value, list, key, name;
	struct json_cursor cursor;
	int64_t scope = 0;
	if (json_find(node, "scope", &value) && json_int(&value, &scope))
		return scope;
	if (!json_find(node, "attrs", &list) || list.type != JSON_ARRAY)
		return 0;
	json_enter(&cursor, &list);
	while (json_member(&cursor, &key, &value)) {
		struct json_slice number;
		if (json_find(&value, "name", &name) && json_equal(&name, "scope") &&
		    json_find(&value, "value", &number))
			json_int(&number, &scope);
	}
	return scope;
}

static uint32_t shapes_of(struct et *et, const struct json_slice *node)
{
	struct json_slice shapes, inputs;
	bool found = json_find(node, "input_shapes", &shapes) ||
		     (json_find(node, "inputs", &inputs) && json_find(&inputs, "shapes", &shapes));
	return found && shapes.type == JSON_ARRAY ? text_of(et, &shapes) : 0;
}

static void take_node(void *context, struct stream *stream, const char *key)
{
	struct et *et = context;
	struct json_slice node, name;
	(void)key;
	if (!stream_value(stream, &node) || et->cancelled)
		return;
	et->cancelled |= !progress_row(et->progress, "reading nodes", (size_t)et->nodes, SIZE_MAX);
	et->nodes++;
	if (!json_find(&node, "name", &name) || name.type != JSON_STRING) {
		profile_damage(et->profile, "node without a name", "skipped", UINT64_MAX);
		return;
	}
	if (scope_of(&node) == USER_SCOPE)
		return;
	uint32_t id = text_of(et, &name), shapes = shapes_of(et, &node);
	uint64_t place = (uint64_t)id << 32 | shapes;
	struct totals *totals = et->profile->totals;
	uint32_t row = hash_last(et->rows, place);
	if (row == NO_ROW) {
		row = totals_add(totals, id);
		totals->rows[row].shapes = shapes;
		totals->rows[row].calls = 0;
		hash_add(et->rows, place, row);
	}
	totals->rows[row].calls++;
}

static void take_member(void *context, struct stream *stream, const char *key)
{
	static const char *const told[][2] = { { "schema", "schema version" },
					       { "time", "recorded" },
					       { "pid", "pid" } };
	struct et *et = context;
	struct json_slice value;
	if (strcmp(key, "nodes") == 0) {
		stream_walk(stream, take_node, et);
		return;
	}
	if (!stream_value(stream, &value))
		return;
	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		if (strcmp(key, told[i][0]) == 0 &&
		    (value.type == JSON_STRING || value.type == JSON_NUMBER))
			totals_fact_text(et->profile->totals, et->profile->strings,
					 "execution trace", told[i][1], text_of(et, &value));
}

static bool read_trace(struct source *source, struct profile *profile, struct builder *builder,
		       const struct progress *progress, struct error *error)
{
	struct stream stream = { .source = source, .error = error };
	struct et et = { .profile = profile, .progress = progress, .rows = hash_new(1024) };
	(void)builder;
	profile->totals = totals_new();
	profile->totals->operators = true;
	stream_walk(&stream, take_member, &et);
	totals_fact(profile->totals, profile->strings, "execution trace", "nodes", et.nodes);
	profile->events = (uint64_t)et.nodes;
	hash_free(et.rows);
	buffer_free(&et.plain);
	if (et.cancelled)
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return stream_finish(&stream, profile) &&
	       (et.nodes || error_set(error, ERROR_INPUT, "is an execution trace without nodes"));
}

static bool recognize(const char *head, size_t length)
{
	const char *key = json_after(head, "{");
	return key && strncmp(key, "\"schema\"", 8) == 0 &&
	       (memmem(head, length, "\"nodes\"", 7) || memmem(head, length, "\"start_ts\"", 10));
}

const struct reader execution_trace_reader = { .format = "PyTorch execution trace (JSON)",
					       .recognize = recognize,
					       .read = read_trace };
