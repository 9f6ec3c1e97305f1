#include "input/execution_trace/execution_trace.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "input/json_stream.h"
#include "model/totals.h"

#include <string.h>

enum { USER_SCOPE = 7 }; /* PyTorch's number of what is recorded but is no operator */

struct et {
	struct profile *profile;
	const struct progress *progress;
	struct buffer plain;
	struct hash *rows;  /* name and shapes → row */
	struct hash *names; /* id → name */
	int64_t *parents;   /* of the calls: ids */
	size_t parent_cap;
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

/* Schemas up to 1.0.1 have attributes in the node, later ones in a list. 0 without. */
static int64_t attribute_of(const struct json_slice *node, const char *wanted)
{
	struct json_slice value, list, key, name;
	struct json_cursor cursor;
	int64_t number = 0;
	if (json_find(node, wanted, &value) && json_int(&value, &number))
		return number;
	if (!json_find(node, "attrs", &list) || list.type != JSON_ARRAY)
		return 0;
	json_enter(&cursor, &list);
	while (json_member(&cursor, &key, &value)) {
		struct json_slice found;
		if (json_find(&value, "name", &name) && json_equal(&name, wanted) &&
		    json_find(&value, "value", &found))
			json_int(&found, &number);
	}
	return number;
}

static uint32_t shapes_of(struct et *et, const struct json_slice *node)
{
	struct json_slice shapes, inputs;
	bool found = json_find(node, "input_shapes", &shapes) ||
		     (json_find(node, "inputs", &inputs) && json_find(&inputs, "shapes", &shapes));
	return found && shapes.type == JSON_ARRAY ? text_of(et, &shapes) : 0;
}

/* ---- calls, in the words of traces ---- */

/* "Tensor(float)" is "float", an undefined one ""; numbers and lists of them as profilers say. */
static void add_type(struct buffer *out, const struct json_slice *type)
{
	static const struct {
		const char *start, *name;
	} names[] = { { "GenericList[Tensor", "TensorList" },
		      { "GenericList[", "ScalarList" },
		      { "Int", "Scalar" },
		      { "Double", "Scalar" },
		      { "Float", "Scalar" },
		      { "Bool", "Scalar" } };
	static const char tensor[] = "Tensor(";
	size_t start = sizeof tensor - 1;
	if (type->length > start && !memcmp(type->text, tensor, start) &&
	    memchr(type->text, '"', type->length) == NULL && !type->escaped) {
		const char *name = type->text + start;
		const char *end = memchr(name, ')', type->length - start);
		/* "nullptr (uninitialized)" */
		if (end && !memchr(name, ' ', (size_t)(end - name)))
			buffer_add(out, name, (size_t)(end - name));
		return;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (type->length >= strlen(names[i].start) &&
		    !memcmp(type->text, names[i].start, strlen(names[i].start))) {
			buffer_puts(out, names[i].name);
			return;
		}
}

static bool is_tensor(const struct json_slice *type)
{
	return memmem(type->text, type->length, "Tensor(", 7) != NULL;
}

/* As Python writes it; that of a tensor is where it is, which does not matter. */
static void add_concrete(struct buffer *out, const struct json_slice *value)
{
	if (json_equal(value, "true"))
		buffer_puts(out, "True");
	else if (json_equal(value, "false"))
		buffer_puts(out, "False");
	else if (value->type == JSON_NUMBER ||
		 (value->type == JSON_ARRAY && !memchr(value->text, '"', value->length)))
		json_compact(out, value);
}

/* The arguments, from lists of types, shapes and values, as JSON lists of traces. */
static void take_inputs(struct et *et, const struct json_slice *types,
			const struct json_slice *shapes, const struct json_slice *values,
			struct recorded_op *call)
{
	struct buffer text[3] = { 0 };
	struct json_cursor type_at, shape_at, value_at;
	struct json_slice key, type, shape, value;
	json_enter(&type_at, types);
	json_enter(&shape_at, shapes);
	json_enter(&value_at, values);
	for (const char *comma = "";
	     json_member(&type_at, &key, &type) && json_member(&shape_at, &key, &shape) &&
	     json_member(&value_at, &key, &value);
	     comma = ",") {
		bool tensor = is_tensor(&type);
		buffer_puts(&text[0], comma);
		if (tensor)
			json_compact(&text[0], &shape);
		else
			buffer_puts(&text[0], "[]");
		buffer_printf(&text[1], "%s\"", comma);
		add_type(&text[1], &type);
		buffer_puts(&text[1], "\"");
		buffer_printf(&text[2], "%s\"", comma);
		if (!tensor)
			add_concrete(&text[2], &value);
		buffer_puts(&text[2], "\"");
	}
	uint32_t *const fields[] = { &call->shapes, &call->types, &call->concrete };
	for (int i = 0; i < 3; i++) {
		buffer_clear(&et->plain);
		buffer_printf(&et->plain, "[%s]", buffer_text(&text[i]));
		if (text[i].length)
			*fields[i] = intern_add(et->profile->strings, buffer_text(&et->plain),
						et->plain.length);
		buffer_free(&text[i]);
	}
}

static bool find_inputs(const struct json_slice *node, struct json_slice *types,
			struct json_slice *shapes, struct json_slice *values)
{
	struct json_slice inputs;
	bool found = json_find(node, "inputs", &inputs) &&
		     (inputs.type == JSON_OBJECT ? json_find(&inputs, "types", types) &&
							   json_find(&inputs, "shapes", shapes) &&
							   json_find(&inputs, "values", values)
						 : json_find(node, "input_types", types) &&
							   json_find(node, "input_shapes", shapes));
	if (found && inputs.type != JSON_OBJECT)
		*values = inputs;
	return found && types->type == JSON_ARRAY && shapes->type == JSON_ARRAY &&
	       values->type == JSON_ARRAY;
}

/* The name of a node by its id, for those around it. */
static void keep_name(struct et *et, const struct json_slice *node, uint32_t name)
{
	struct json_slice value;
	int64_t id;
	if (json_find(node, "id", &value) && json_id(&value, &id))
		hash_add(et->names, (uint64_t)id, name);
}

/* The id of the node around it: parents are written after their children, so names come later. */
static int64_t parent_of(const struct json_slice *node)
{
	struct json_slice value;
	int64_t id;
	bool found = json_find(node, "parent", &value) || json_find(node, "ctrl_deps", &value);
	return found && json_id(&value, &id) ? id : NO_VALUE;
}

static void take_call(struct et *et, const struct json_slice *node, uint32_t name)
{
	struct totals *totals = et->profile->totals;
	struct json_slice types, shapes, values;
	struct recorded_op call = { .record_id = attribute_of(node, "rf_id"), .name = name };
	if (call.record_id <= 0)
		return;
	if (find_inputs(node, &types, &shapes, &values))
		take_inputs(et, &types, &shapes, &values, &call);
	mem_grow(totals->calls, totals->call_cap, totals->call_count + 1);
	mem_grow(et->parents, et->parent_cap, totals->call_count + 1);
	et->parents[totals->call_count] = parent_of(node);
	totals->calls[totals->call_count++] = call;
}

static void name_parents(struct et *et)
{
	struct totals *totals = et->profile->totals;
	for (size_t i = 0; i < totals->call_count; i++) {
		uint32_t name = et->parents[i] == NO_VALUE
					? NO_ROW
					: hash_last(et->names, (uint64_t)et->parents[i]);
		totals->calls[i].parent = name == NO_ROW ? 0 : name;
	}
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
	uint32_t id = text_of(et, &name);
	keep_name(et, &node, id);
	take_call(et, &node, id);
	if (attribute_of(&node, "scope") == USER_SCOPE)
		return;
	uint32_t shapes = shapes_of(et, &node);
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
	if (strcmp(key, "pid") == 0 && !json_id(&value, &et->profile->totals->pid))
		et->profile->totals->pid = NO_VALUE;
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
	struct et et = { .profile = profile,
			 .progress = progress,
			 .rows = hash_new(1024),
			 .names = hash_new(1024) };
	(void)builder;
	profile->totals = totals_new();
	profile->totals->operators = true;
	profile->totals->pid = NO_VALUE;
	stream_walk(&stream, take_member, &et);
	name_parents(&et);
	totals_fact(profile->totals, profile->strings, "execution trace", "nodes", et.nodes);
	profile->events = (uint64_t)et.nodes;
	hash_free(et.rows);
	hash_free(et.names);
	mem_free(et.parents);
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
					       .is_joined = true,
					       .recognize = recognize,
					       .read = read_trace };
