#include "input/ncu/ncu_result.h"

#include "base/number.h"

#include <math.h>

/* Fields of a result. */
enum { NCU_RESULT_ROWS(_) };

FREE_MEMBERS(ncu_result_end, struct ncu_result,
	     OWN_IN(ncu_kernel_free, kernel) OWN(names) OWN(labels) OWN_BY(hash_free, label_of)
		     OWN_BY(hash_free, seen))

void ncu_add_strings(struct ncu_result *result, struct intern *strings, struct proto table)
{
	for (struct proto_field field; proto_next(&table, &field);) {
		if (field.number != 1)
			continue;
		*mem_push(result->names, result->name_count) = proto_text(&field, strings);
	}
}

/* ---- values ---- */

bool ncu_value(const struct ncu *ncu, struct proto message, struct ncu_value *value)
{
	enum { TEXT = 1, FLOAT = 2, DOUBLE = 3, UINT32 = 4, UINT64 = 5 };
	bool found = false;
	*value = (struct ncu_value){ NAN, 0 };
	for (struct proto_field field; proto_next(&message, &field);) {
		uint64_t whole;
		if (field.number == TEXT && field.bytes)
			value->text = proto_text(&field, ncu->profile->strings);
		else if (field.number == FLOAT || field.number == DOUBLE)
			proto_real(&field, &value->number);
		else if ((field.number == UINT32 || field.number == UINT64) &&
			 proto_unsigned(&field, &whole))
			value->number = (double)whole;
		found |= field.number >= TEXT && field.number <= UINT64;
	}
	return found;
}

/* The text of a part's id: an address, a name. */
static uint32_t instance_of(const struct ncu *ncu, struct proto message)
{
	char text[NUMBER_MAX];
	struct ncu_value value;
	if (!ncu_value(ncu, message, &value))
		return 0;
	if (isnan(value.number))
		return value.text;
	number_exact(text, value.number);
	return profile_intern(ncu->profile, text);
}

/* 1 the part, 2 its value. */
static void read_instance(struct ncu *ncu, struct ncu_result *result, struct metric metric,
			  struct proto message)
{
	struct proto_field part, field;
	struct ncu_value value;
	if (!proto_find(message, 1, &part) || !proto_find(message, 2, &field) ||
	    !ncu_value(ncu, proto_in(&field), &value))
		return;
	metric.instance = instance_of(ncu, proto_in(&part));
	metric.value = value.number;
	metric.text = value.text;
	if (metric.instance)
		ncu_metric(ncu, &result->kernel, &metric);
}

/* Does the only instance of a metric repeat its value? */
static bool repeats_whole(const struct ncu *ncu, const struct metric *metric, struct proto message)
{
	struct proto_field field, part;
	struct ncu_value value;
	if (!proto_find(message, 3, &field) || !proto_find(proto_in(&field), 2, &part) ||
	    !ncu_value(ncu, proto_in(&part), &value))
		return false;
	bool same = value.text ? value.text == metric->text : value.number == metric->value;
	while (same && proto_next(&message, &part))
		same = part.number != 3 || part.bytes == field.bytes;
	return same;
}

/* 1 number of the name, 2 value, 3 instances. A metric that occurs again is the same. */
static void read_metric(struct ncu *ncu, struct ncu_result *result, struct proto message)
{
	struct proto_field field;
	struct ncu_value value;
	struct metric metric = { .value = NAN };
	uint64_t name = 0;
	if (proto_find(message, 1, &field))
		proto_unsigned(&field, &name);
	if (name >= result->name_count || !result->names[name]) {
		profile_skip(ncu->profile, "metric without a name");
		return;
	}
	metric.name = result->names[name];
	if (hash_first(result->seen, metric.name) != NO_ROW)
		return;
	hash_add(result->seen, metric.name, 0);
	uint32_t label = hash_first(result->label_of, metric.name);
	if (label != NO_ROW) {
		metric.section = result->labels[label].section;
		metric.title = result->labels[label].title;
	}
	if (proto_find(message, 2, &field) && ncu_value(ncu, proto_in(&field), &value)) {
		metric.value = value.number;
		metric.text = value.text;
	}
	ncu_metric(ncu, &result->kernel, &metric);
	if (repeats_whole(ncu, &metric, message))
		return;
	while (proto_next(&message, &field))
		if (field.number == 3)
			read_instance(ncu, result, metric, proto_in(&field));
}

/* ---- sections ---- */

/* 1 name of the metric, 2 what the section calls it. The first section that shows it counts. */
static void add_label(struct ncu *ncu, struct ncu_result *result, uint32_t section,
		      struct proto message)
{
	struct intern *strings = ncu->profile->strings;
	struct proto_field name, title;
	if (!proto_find(message, 1, &name) || !name.length)
		return;
	uint32_t metric = proto_text(&name, strings);
	if (!metric || hash_first(result->label_of, metric) != NO_ROW)
		return;
	mem_grow(result->labels, result->label_count + 1);
	result->labels[result->label_count] = (struct ncu_label){
		.section = section,
		.title = proto_find(message, 2, &title) ? proto_text(&title, strings) : 0,
	};
	hash_add(result->label_of, metric, (uint32_t)result->label_count++);
}

/* 2 name, 4 header, which lists metrics in field 2; 6 lists metrics in field 1. */
static void read_section(struct ncu *ncu, struct ncu_result *result, struct proto message)
{
	enum { NAME = 2, HEADER = 4, METRICS = 6 };
	struct proto_field field, listed;
	uint32_t section = 0;
	if (proto_find(message, NAME, &field))
		section = proto_text(&field, ncu->profile->strings);
	while (proto_next(&message, &field)) {
		struct proto list = proto_in(&field);
		uint32_t number = field.number == HEADER ? 2 : 1;
		if (field.number != HEADER && field.number != METRICS)
			continue;
		while (proto_next(&list, &listed))
			if (listed.number == number)
				add_label(ncu, result, section, proto_in(&listed));
	}
}

/* ---- rules ---- */

/* 1 message {1 text, 2 kind, 4 title}, 10 speedup {1 local or global, 2 percent}. */
static void read_rule_item(struct ncu *ncu, struct ncu_result *result, const char *rule,
			   struct proto message)
{
	enum { MESSAGE = 1, SPEEDUP = 10, GLOBAL = 2 };
	struct proto_field field, part;
	uint64_t scope = 0;
	double speedup = NAN;
	if (proto_find(message, SPEEDUP, &field)) {
		if (proto_find(proto_in(&field), 1, &part))
			proto_unsigned(&part, &scope);
		if (proto_find(proto_in(&field), 2, &part))
			proto_real(&part, &speedup);
	}
	if (proto_find(message, MESSAGE, &field) && proto_find(proto_in(&field), 1, &part) &&
	    part.length)
		ncu_rule(ncu, &result->kernel, rule, part.bytes, part.length,
			 scope == GLOBAL ? "global" : "local", speedup);
}

/* 1 id, 3 body of items. */
static void read_rule(struct ncu *ncu, struct ncu_result *result, struct proto message)
{
	struct proto_field name, field, item;
	if (!proto_find(message, 1, &name) || !name.bytes)
		return;
	const char *rule = profile_string(ncu->profile, proto_text(&name, ncu->profile->strings));
	while (proto_next(&message, &field)) {
		struct proto body = proto_in(&field);
		while (field.number == 3 && proto_next(&body, &item))
			if (item.number == 1)
				read_rule_item(ncu, result, rule, proto_in(&item));
	}
}

/* ---- the result ---- */

/* 1 x, 2 y, 3 z; what is missing is 1. */
static void ncu_result_read_triple(struct proto message, int32_t triple[3])
{
	uint64_t value;
	bool any = false;
	int32_t found[3] = { 1, 1, 1 };
	for (struct proto_field field; proto_next(&message, &field);)
		if (field.number >= 1 && field.number <= 3 && proto_unsigned(&field, &value)) {
			found[field.number - 1] = value <= INT32_MAX ? (int32_t)value : -1;
			any = true;
		}
	if (any && found[0] >= 0 && found[1] >= 0 && found[2] >= 0)
		memcpy(triple, found, sizeof found);
}

static void read_number(const struct proto_field *field, int64_t *number)
{
	uint64_t value;
	if (proto_unsigned(field, &value) && value <= INT64_MAX)
		*number = (int64_t)value;
}

static void read_members(struct ncu *ncu, struct ncu_kernel *kernel, struct proto message)
{
	struct intern *strings = ncu->profile->strings;
	uint32_t function = 0, demangled = 0;
	for (struct proto_field field; proto_next(&message, &field);) {
		if (field.number == RESULT_FUNCTION)
			function = proto_text(&field, strings);
		else if (field.number == RESULT_DEMANGLED)
			demangled = proto_text(&field, strings);
		else if (field.number == RESULT_GRID)
			ncu_result_read_triple(proto_in(&field), kernel->grid);
		else if (field.number == RESULT_BLOCK)
			ncu_result_read_triple(proto_in(&field), kernel->block);
		else if (field.number == RESULT_CONTEXT)
			read_number(&field, &kernel->context);
		else if (field.number == RESULT_STREAM)
			read_number(&field, &kernel->stream);
	}
	kernel->name = demangled ? demangled : function;
}

/* Each pass over the fields reads one kind: sections name the metrics that precede them. */
static bool each(struct ncu *ncu, struct ncu_result *result, struct proto message, uint32_t number,
		 void (*read)(struct ncu *, struct ncu_result *, struct proto))
{
	for (struct proto_field field; proto_next(&message, &field);)
		if (field.number == number)
			read(ncu, result, proto_in(&field));
	return !message.damaged;
}

void ncu_read_result(struct ncu *ncu, struct ncu_result *result, struct proto message, size_t place)
{
	ncu_kernel_begin(&result->kernel);
	result->label_count = 0;
	hash_free_all(result->label_of, result->seen);
	result->label_of = hash_new(64);
	result->seen = hash_new(64);
	read_members(ncu, &result->kernel, message);
	each(ncu, result, message, RESULT_SECTION, read_section);
	each(ncu, result, message, RESULT_RULE, read_rule);
	if (!each(ncu, result, message, RESULT_METRIC, read_metric))
		profile_damage(ncu->profile, "damaged result of a kernel", "kept", place);
	ncu_kernel_end(ncu, &result->kernel);
}
