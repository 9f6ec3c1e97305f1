#include "input/readers.h"

#include "input/json_stream.h"
#include "input/text_lines.h"
#include "model/totals.h"

#include <math.h>

enum { DEPTH_MAX = 200 }; /* limit: depth of the tree of a Proton profile; deeper nodes are cut */

struct proton {
	struct profile *profile;
	const struct progress *progress;
	uint64_t nodes;
	bool cancelled;
};

/* FLOPs are apart by width of the numbers ("flops16"). Triton 3.0 and 3.1 write capitals. */
static void parse_metrics(struct total *row, const struct json_slice *metrics)
{
	for (struct json_members at = json_members(metrics); json_each(&at);) {
		const struct json_slice key = at.key, value = at.value;
		double number;
		if (value.type != JSON_NUMBER || !json_real(&value, &number) ||
		    !(fabs(number) < 9e18))
			continue;
		if (json_equal(&key, "time (ns)") || json_equal(&key, "Time (ns)"))
			row->gpu_self_ns = llround(number);
		else if (json_equal(&key, "count") || json_equal(&key, "Count"))
			row->calls = llround(number);
		else if (json_equal(&key, "bytes"))
			row->bytes = number;
		else if (key.length >= 5 && memcmp(key.text, "flops", 5) == 0)
			row->flops = (isnan(row->flops) ? 0 : row->flops) + number;
	}
}

/* The root stands for the run: what is below it has depth 0. */
static void parse_node(struct proton *proton, const struct json_slice *node, uint32_t parent,
		       uint32_t depth)
{
	struct totals *totals = proton->profile->totals;
	struct json_slice frame, name, metrics, children;
	proton->cancelled |= !progress_row(proton->progress, "reading scopes",
					   (size_t)proton->nodes++, SIZE_MAX);
	if (depth == DEPTH_MAX || !json_find(node, "frame", &frame) ||
	    !json_find_type(&frame, "name", JSON_STRING, &name)) {
		profile_skip(proton->profile, "scope without a name, or too deep");
		return;
	}
	bool is_root = parent == NO_ROW && depth == 0 && json_equal(&name, "ROOT");
	uint32_t row = NO_ROW;
	if (!is_root) {
		row = totals_add(totals, json_intern(&name, proton->profile->strings));
		totals->rows[row].parent = parent;
		totals->rows[row].depth = depth;
		totals->rows[row].gpu_self_ns = 0; /* exclusive: a scope itself takes none */
		if (json_find_type(node, "metrics", JSON_OBJECT, &metrics))
			parse_metrics(&totals->rows[row], &metrics);
	}
	if (json_find_type(node, "children", JSON_ARRAY, &children)) {
		for (struct json_members at = json_members(&children);
		     !proton->cancelled && json_each(&at);)
			parse_node(proton, &at.value, row, is_root ? 0 : depth + 1);
	}
}

/* ---- devices ---- */

static void parse_device(struct proton *proton, const struct json_slice *type,
			 const struct json_slice *id, const struct json_slice *device)
{
	AUTO_BUFFER struct buffer section = { 0 };
	struct totals *totals = proton->profile->totals;
	struct intern *strings = proton->profile->strings;
	buffer_puts(&section, "device ");
	json_unescape(&section, type);
	buffer_putc(&section, ' ');
	json_unescape(&section, id);
	for (struct json_members at = json_members(device); json_each(&at);) {
		const char *name = intern_text(strings, json_intern(&at.key, strings));
		int64_t number;
		if (at.value.type == JSON_NUMBER && json_int(&at.value, &number))
			totals_fact(totals, strings, buffer_text(&section), name, number);
		else if (at.value.type == JSON_STRING)
			totals_fact_text(totals, strings, buffer_text(&section), name,
					 json_intern(&at.value, strings));
	}
}

static void parse_devices(struct proton *proton, const struct json_slice *types)
{
	for (struct json_members type = json_members(types); json_each(&type);) {
		if (type.value.type != JSON_OBJECT)
			continue;
		for (struct json_members id = json_members(&type.value); json_each(&id);)
			if (id.value.type == JSON_OBJECT)
				parse_device(proton, &type.key, &id.key, &id.value);
	}
}

static void parse_element(void *context, struct stream *stream, const char *key)
{
	struct proton *proton = context;
	struct json_slice value, frame;
	if (!stream_value(stream, &value) || value.type != JSON_OBJECT || proton->cancelled)
		return;
	if (json_find(&value, "frame", &frame))
		parse_node(proton, &value, NO_ROW, 0);
	else
		parse_devices(proton, &value);
}

static bool read_proton(struct input *input)
{
	struct profile *profile = input->profile;
	struct stream stream = { .source = input->source, .error = input->error };
	struct proton proton = { .profile = profile, .progress = input->progress };
	profile->totals = totals_new();
	profile->totals->layers = true;
	stream_walk(&stream, parse_element, &proton);
	totals_add_up(profile->totals);
	profile->events = proton.nodes;
	return stream_finish(&stream, profile) && !proton.cancelled;
}

static bool proton_recognize(const char *head, size_t length)
{
	return text_begins_one(json_after(head, "[{"), "\"children\"|\"frame\"|\"metrics\"");
}

const struct reader proton_reader = { .format = "Proton profile (JSON)",
				      .recognize = proton_recognize,
				      .read = read_proton,
				      .empty = "is a Proton profile without scopes" };
