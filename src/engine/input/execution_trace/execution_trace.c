#include "input/readers.h"

#include "base/error.h"
#include "base/hash.h"
#include "input/json_stream.h"
#include "model/totals.h"

enum { USER_SCOPE = 7 }; /* PyTorch's number of what is recorded but is no operator */

struct et {
	struct profile *profile;
	struct buffer plain;
	struct hash *rows;  /* name and shapes → row */
	struct hash *names; /* id → name */
	int64_t *parents;   /* of the calls: ids */
};

static uint32_t execution_trace_text_of(struct et *et, const struct json_slice *slice)
{
	if (slice->type == JSON_STRING)
		return json_intern(slice, et->profile->strings);
	buffer_clear(&et->plain);
	json_compact(&et->plain, slice);
	return intern_add(et->profile->strings, BUFFERED(&et->plain));
}

/* ---- nodes ---- */

/*
 * What a node says. Schemas up to 1.0.1 have attributes and lists of inputs in the node, later ones
 * in members of it. Absent: TEXT is NULL, numbers 0, ids NO_VALUE.
 */
struct node {
	struct json_slice name, shapes, types, values;
	int64_t id, parent, record_id, scope;
};

static void execution_trace_parse_number(struct node *node, const struct json_slice *name,
					 const struct json_slice *value)
{
	if (json_equal(name, "rf_id"))
		json_int(value, &node->record_id);
	else if (json_equal(name, "scope"))
		json_int(value, &node->scope);
}

static void parse_attributes(struct node *node, const struct json_slice *list)
{
	struct json_slice name, number;
	for (struct json_members at = json_members(list); json_each(&at);)
		if (json_find(&at.value, "name", &name) && json_find(&at.value, "value", &number))
			execution_trace_parse_number(node, &name, &number);
}

static void parse_inputs_of(struct node *node, const struct json_slice *inputs)
{
	if (inputs->type != JSON_OBJECT) {
		node->values = *inputs;
		return;
	}
	for (struct json_members at = json_members(inputs); json_each(&at);) {
		if (json_equal(&at.key, "shapes"))
			node->shapes = at.value;
		else if (json_equal(&at.key, "types"))
			node->types = at.value;
		else if (json_equal(&at.key, "values"))
			node->values = at.value;
	}
}

static void read_node(const struct json_slice *object, struct node *node)
{
	*node = (struct node){ .id = NO_VALUE, .parent = NO_VALUE };
	if (object->type != JSON_OBJECT)
		return;
	for (struct json_members at = json_members(object); json_each(&at);) {
		const struct json_slice key = at.key, value = at.value;
		if (json_equal(&key, "name"))
			node->name = value;
		else if (json_equal(&key, "id"))
			json_id(&value, &node->id);
		else if (json_equal(&key, "parent") || json_equal(&key, "ctrl_deps"))
			json_id(&value, &node->parent);
		else if (json_equal(&key, "input_shapes"))
			node->shapes = value;
		else if (json_equal(&key, "input_types"))
			node->types = value;
		else if (json_equal(&key, "inputs"))
			parse_inputs_of(node, &value);
		else if (json_equal(&key, "attrs") && value.type == JSON_ARRAY)
			parse_attributes(node, &value);
		else
			execution_trace_parse_number(node, &key, &value);
	}
}

static bool is_list(const struct json_slice *slice)
{
	return slice->text && slice->type == JSON_ARRAY;
}

/* ---- calls, in the words of traces ---- */

/* "Tensor(float)" is "float", an undefined one ""; numbers and lists of them as profilers say. */
static void add_type(struct buffer *out, const struct json_slice *type)
{
	static const struct {
		const char *start, *name;
	} names[] = { EXECUTION_TYPE_ROWS };
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
static void parse_inputs(struct et *et, const struct json_slice *types,
			 const struct json_slice *shapes, const struct json_slice *values,
			 struct recorded_op *call)
{
	struct buffer text[3] = { 0 };
	struct json_members type = json_members(types), shape = json_members(shapes),
			    value = json_members(values);
	for (const char *comma = ""; json_each(&type) && json_each(&shape) && json_each(&value);
	     comma = ",") {
		bool tensor = memmem(type.value.text, type.value.length, "Tensor(", 7) != NULL;
		buffer_puts(&text[0], comma);
		if (tensor)
			json_compact(&text[0], &shape.value);
		else
			buffer_puts(&text[0], "[]");
		buffer_printf(&text[1], "%s\"", comma);
		add_type(&text[1], &type.value);
		buffer_puts(&text[1], "\"");
		buffer_printf(&text[2], "%s\"", comma);
		if (!tensor)
			add_concrete(&text[2], &value.value);
		buffer_puts(&text[2], "\"");
	}
	uint32_t *const fields[] = { &call->shapes, &call->types, &call->concrete };
	for (int i = 0; i < 3; i++) {
		buffer_clear(&et->plain);
		buffer_printf(&et->plain, "[%s]", buffer_text(&text[i]));
		if (text[i].length)
			*fields[i] = intern_add(et->profile->strings, BUFFERED(&et->plain));
		buffer_free(&text[i]);
	}
}

static void execution_trace_parse_call(struct et *et, const struct node *node, uint32_t name)
{
	struct totals *totals = et->profile->totals;
	struct recorded_op call = { .record_id = node->record_id, .name = name };
	if (node->id != NO_VALUE)
		hash_add(et->names, (uint64_t)node->id, name);
	if (call.record_id <= 0)
		return;
	if (is_list(&node->types) && is_list(&node->shapes) && is_list(&node->values))
		parse_inputs(et, &node->types, &node->shapes, &node->values, &call);
	mem_grow(et->parents, totals->call_count + 1);
	et->parents[totals->call_count] = node->parent;
	*mem_push(totals->calls, totals->call_count) = call;
}

/* Parents are written after their children: names come later. */
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

static void parse_node(void *context, struct stream *stream, const char *key)
{
	struct et *et = context;
	struct json_slice object;
	struct node node;
	if (!stream_record(stream, &object))
		return;
	read_node(&object, &node);
	if (!node.name.text || node.name.type != JSON_STRING) {
		profile_skip(et->profile, "node without a name");
		return;
	}
	uint32_t id = execution_trace_text_of(et, &node.name);
	execution_trace_parse_call(et, &node, id);
	if (node.scope == USER_SCOPE)
		return;
	uint32_t shapes = is_list(&node.shapes) ? execution_trace_text_of(et, &node.shapes) : 0;
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

static void execution_trace_parse_member(void *context, struct stream *stream, const char *key)
{
	static const char *const told[][2] = { EXECUTION_FACT_ROWS };
	struct et *et = context;
	struct json_slice value;
	if (strcmp(key, "nodes") == 0) {
		stream_walk(stream, parse_node, et);
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
					 "execution trace", told[i][1],
					 execution_trace_text_of(et, &value));
}

static bool execution_trace_read_trace(struct input *input)
{
	struct profile *profile = input->profile;
	struct stream stream = stream_of(input, "reading nodes");
	struct et et = { .profile = input->profile,
			 .rows = hash_new(1024),
			 .names = hash_new(1024) };
	profile->totals = totals_new();
	profile->totals->operators = true;
	profile->totals->pid = NO_VALUE;
	stream_walk(&stream, execution_trace_parse_member, &et);
	name_parents(&et);
	totals_fact(profile->totals, profile->strings, "execution trace", "nodes",
		    (int64_t)stream.records);
	profile->events = stream.records;
	hash_free_all(et.rows, et.names);
	mem_free(et.parents);
	buffer_free(&et.plain);
	return stream_finish(&stream, input->profile) &&
	       (stream.records || error_input(input->error, "is an execution trace without nodes"));
}

/* PyTorch writes the schema first; a tool that sorts members begins with one of the others. */
static bool execution_trace_recognize(const char *head, size_t length)
{
	const char *key = json_after(head, "{");
	bool nodes = memmem(head, length, "\"nodes\"", 7);
	if (!key || memmem(head, length, "\"traceEvents\"", 13))
		return false;
	if (strncmp(key, "\"schema\"", 8) == 0)
		return nodes || memmem(head, length, "\"start_ts\"", 10);
	return nodes && memmem(head, length, "\"rf_id\"", 7) &&
	       memmem(head, length, "\"fw_parent\"", 11);
}

const struct reader execution_trace_reader = { .format = "PyTorch execution trace (JSON)",
					       .joins = JOINS_NAMED,
					       .recognize = execution_trace_recognize,
					       .read = execution_trace_read_trace };
