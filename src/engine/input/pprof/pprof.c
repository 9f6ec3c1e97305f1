/*
 * pprof's profile.proto: samples with stacks, each with a value of every sample type (CPU, heap,
 * contention, JAX device memory).
 *
 * Functions are those of a name and file, as `pprof -top` merges them; of its lines only the
 * innermost count. The value shown is of the file's default sample type, as in pprof the last one
 * if it names none, or of the type asked for.
 */
#include "base/any_of.h"
#include "base/text.h"
#include "base/error.h"
#include "base/id_map.h"
#include "input/proto/proto.h"
#include "input/readers.h"
#include "model/python_stats.h"

#include <math.h>

/* Fields of the messages. */
enum { PROFILE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION };
enum { PROFILE_STRING = 6, PROFILE_TIME = 9, PROFILE_DURATION, PROFILE_PERIOD_TYPE };
enum { PROFILE_COMMENT = 13, PROFILE_DEFAULT_TYPE, PROFILE_DOC };
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };
enum { MAPPING_ID = 1, MAPPING_FILE = 5 };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_NUMBER };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE, FUNCTION_LINE };

enum {
	TYPES_MAX = 64,    /* limit: sample types */
	INLINED_MAX = 128, /* limit: frames of a location */
	DEPTH_MAX = 4096,  /* limit: frames of a sample, innermost first */
	LABELS_MAX = 1000, /* limit: values of labels that are listed */
};

struct pprof_type {
	uint32_t name, unit;
	enum sample_unit measure;
	int64_t scale;  /* to ns or bytes */
	double total;   /* of positive values */
	uint64_t below; /* values below 0, which say nothing of an amount */
};

struct pprof_line { /* of a location: a frame */
	uint32_t function;
	int64_t line;
};

struct pprof_location {
	size_t first, count; /* of lines, innermost first */
};

struct pprof_label {
	uint32_t key, text;
	int64_t number;
};

struct pprof {
	struct profile *profile;
	struct builder *builder;
	const struct progress *progress;
	struct proto file;
	GROWING(uint32_t, strings, string_count); /* by index: interned */
	struct pprof_type types[TYPES_MAX];
	size_t type_count, shown, counted; /* counted: the type of `calls`; TYPES_MAX: none */
	uint32_t default_name;
	struct id_map mappings, functions, locations; /* to interned files, functions, locations */
	GROWING(struct pprof_line, lines, line_count);
	GROWING(struct pprof_location, places, place_count);
	struct keyed line_keys; /* of the profile's lines */
	struct keyed label_keys;
	double *label_totals;
	uint32_t process;
	uint64_t rows;
};

static const struct {
	const char *name;
	enum sample_unit measure;
	int64_t scale;
} sample_units[] = { PPROF_UNIT_ROWS };

static void pprof_damage(struct pprof *pprof, const char *cause)
{
	profile_damage(pprof->profile, cause, "left out", UINT64_MAX);
}

/* ---- fields ---- */

/* The next message or number NUMBER of the file; false at the end or when cancelled. */
static bool next_of(struct pprof *pprof, struct proto *at, uint32_t number,
		    struct proto_field *field)
{
	while (proto_next(at, field))
		if (field->number == number)
			return progress_row(pprof->progress, "reading samples", pprof->rows++, 0);
	return false;
}

static uint64_t number_in(const struct proto_field *message, uint32_t number)
{
	struct proto_field field;
	uint64_t value;
	if (!proto_find(proto_in(message), number, &field) || !proto_unsigned(&field, &value))
		return 0;
	return value;
}

/* The string with an index; the first one is empty. */
static uint32_t string_at(struct pprof *pprof, uint64_t index)
{
	if (index < pprof->string_count)
		return pprof->strings[index];
	pprof_damage(pprof, "string that does not exist");
	return 0;
}

static uint32_t string_in(struct pprof *pprof, const struct proto_field *message, uint32_t number)
{
	return string_at(pprof, number_in(message, number));
}

static void read_strings(struct pprof *pprof)
{
	struct proto at = pprof->file;
	for (struct proto_field field; next_of(pprof, &at, PROFILE_STRING, &field);) {
		uint32_t text = proto_text(&field, pprof->profile->strings);
		*mem_push(pprof->strings, pprof->string_count) = text;
	}
	if (at.damaged)
		profile_damage(pprof->profile, "truncated or damaged protobuf", "rest left out",
			       (uint64_t)(at.end - pprof->file.at));
}

/* ---- sample types ---- */

static void add_type(struct pprof *pprof, const struct proto_field *field)
{
	struct pprof_type *type = &pprof->types[pprof->type_count++];
	type->name = string_in(pprof, field, TYPE_NAME);
	type->unit = string_in(pprof, field, TYPE_UNIT);
	type->measure = SAMPLE_COUNT;
	type->scale = 1;
	for (size_t i = 0; i < sizeof sample_units / sizeof *sample_units; i++)
		if (strcmp(profile_string(pprof->profile, type->unit), sample_units[i].name) == 0) {
			type->measure = sample_units[i].measure;
			type->scale = sample_units[i].scale;
		}
}

/* Writers of a pair list the count first: samples and cpu, inuse_objects and inuse_space. */
static size_t count_of(const struct pprof *pprof)
{
	if (pprof->types[pprof->shown].measure == SAMPLE_COUNT)
		return pprof->shown;
	bool paired = pprof->shown && pprof->types[pprof->shown - 1].measure == SAMPLE_COUNT;
	return paired ? pprof->shown - 1 : TYPES_MAX;
}

static bool choose_type(struct pprof *pprof, struct error *error)
{
	const char *wanted = pprof->profile->sample_type;
	const char *name = wanted ? wanted : profile_string(pprof->profile, pprof->default_name);
	if (!pprof->type_count)
		return error_input(error, "is a pprof profile without sample types");
	pprof->shown = pprof->type_count;
	for (size_t i = 0; i < pprof->type_count; i++)
		if (strcmp(profile_string(pprof->profile, pprof->types[i].name), name) == 0)
			pprof->shown = i;
	if (pprof->shown == pprof->type_count && wanted)
		return error_input(
			error, "has no sample type '%.64s'; info without --sample-type lists them",
			wanted);
	if (pprof->shown == pprof->type_count)
		pprof->shown--;
	pprof->counted = count_of(pprof);
	pprof->profile->python->sample_unit = pprof->types[pprof->shown].measure;
	/* Samples beside which there is no time: where it passes, at a rate that is not known. */
	name = profile_string(pprof->profile, pprof->types[pprof->shown].name);
	if ((strcmp(name, "samples") == 0 || strcmp(name, "events") == 0) &&
	    !any_of(i, pprof->type_count, pprof->types[i].measure != SAMPLE_COUNT))
		pprof->profile->python->sample_unit = SAMPLE_TAKEN;
	return true;
}

static bool read_types(struct pprof *pprof, struct error *error)
{
	struct proto at = pprof->file;
	struct proto_field field;
	while (pprof->type_count < TYPES_MAX && next_of(pprof, &at, PROFILE_TYPE, &field))
		add_type(pprof, &field);
	if (proto_find(pprof->file, PROFILE_DEFAULT_TYPE, &field))
		pprof->default_name = string_at(pprof, field.value);
	return choose_type(pprof, error);
}

/* ---- functions and locations ---- */

/* A frame of code without symbols is called by its library, as pprof does: "[libc.so.6]". */
static uint32_t pprof_function(struct pprof *pprof, uint32_t name, uint32_t file, int64_t line)
{
	struct python_stats *stats = pprof->profile->python;
	uint32_t at = python_function_find(stats, name, file, line, 0);
	struct python_function *function = &stats->functions[at];
	struct buffer label = { 0 };
	if (function->label || !file || line == NO_VALUE)
		return at;
	buffer_printf(&label, "%s(%lld): %s", profile_string(pprof->profile, file), (long long)line,
		      profile_string(pprof->profile, name));
	function->label = profile_take(pprof->profile, &label);
	return at;
}

static uint32_t library_function(struct pprof *pprof, uint64_t mapping)
{
	uint32_t file = id_map_find(&pprof->mappings, (int64_t)mapping);
	const char *path = file == NO_ROW ? "" : profile_string(pprof->profile, file);
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	uint32_t text = *name ? profile_print(pprof->profile, "[%.200s]", name)
			      : profile_intern(pprof->profile, "[unknown]");
	return pprof_function(pprof, text, 0, NO_VALUE);
}

static void read_functions(struct pprof *pprof)
{
	struct proto at = pprof->file;
	struct proto_field field;
	while (next_of(pprof, &at, PROFILE_FUNCTION, &field)) {
		uint32_t name = string_in(pprof, &field, FUNCTION_NAME);
		int64_t line = (int64_t)number_in(&field, FUNCTION_LINE);
		name = name ?: string_in(pprof, &field, FUNCTION_SYSTEM_NAME);
		id_map_add(&pprof->functions, (int64_t)number_in(&field, FUNCTION_ID),
			   pprof_function(pprof, name, string_in(pprof, &field, FUNCTION_FILE),
					  line > 0 ? line : NO_VALUE));
	}
	at = pprof->file;
	while (next_of(pprof, &at, PROFILE_MAPPING, &field))
		id_map_add(&pprof->mappings, (int64_t)number_in(&field, MAPPING_ID),
			   string_in(pprof, &field, MAPPING_FILE));
}

static void add_line(struct pprof *pprof, uint32_t function, int64_t line)
{
	*mem_push(pprof->lines, pprof->line_count) =
		(struct pprof_line){ function, line > 0 ? line : NO_VALUE };
}

static void add_location(struct pprof *pprof, const struct proto_field *message)
{
	struct pprof_location place = { .first = pprof->line_count };
	struct proto at = proto_in(message);
	for (struct proto_field field; proto_next(&at, &field);) {
		if (field.number != LOCATION_LINE)
			continue;
		uint32_t function =
			id_map_find(&pprof->functions, (int64_t)number_in(&field, LINE_FUNCTION));
		if (function == NO_ROW)
			pprof_damage(pprof, "function that does not exist");
		else if (pprof->line_count - place.first == INLINED_MAX)
			pprof_damage(pprof, "location of too many inlined functions");
		else
			add_line(pprof, function, (int64_t)number_in(&field, LINE_NUMBER));
	}
	if (pprof->line_count == place.first)
		add_line(pprof, library_function(pprof, number_in(message, LOCATION_MAPPING)),
			 NO_VALUE);
	place.count = pprof->line_count - place.first;
	id_map_add(&pprof->locations, (int64_t)number_in(message, LOCATION_ID),
		   (uint32_t)pprof->place_count);
	*mem_push(pprof->places, pprof->place_count) = place;
}

/* ---- samples ---- */

struct pprof_stack {
	const struct pprof_line *frames[DEPTH_MAX]; /* innermost first */
	size_t depth;
};

static void add_place(struct pprof *pprof, struct pprof_stack *stack, uint64_t id)
{
	uint32_t at = id_map_find(&pprof->locations, (int64_t)id);
	if (at == NO_ROW) {
		pprof_damage(pprof, "location that does not exist");
		return;
	}
	for (size_t i = 0; i < pprof->places[at].count; i++)
		if (stack->depth < DEPTH_MAX)
			stack->frames[stack->depth++] = &pprof->lines[pprof->places[at].first + i];
		else
			pprof_damage(pprof, "frame beyond 4,096 of a stack");
}

/* The next number of FIELD, packed or alone. */
static bool next_number(struct proto *packed, struct proto_field *field, uint64_t *value)
{
	if (field->bytes)
		return proto_next_packed(packed, value);
	bool first = packed->at != NULL;
	packed->at = packed->end = NULL;
	return first && proto_unsigned(field, value);
}

/* Values in the units of their types, NO_VALUE beyond them. */
static void add_value(struct pprof *pprof, int64_t *values, size_t *count, uint64_t number)
{
	if (*count == pprof->type_count) {
		pprof_damage(pprof, "value without a sample type");
		return;
	}
	struct pprof_type *type = &pprof->types[*count];
	int64_t *value = &values[(*count)++];
	if (__builtin_mul_overflow((int64_t)number, type->scale, value))
		*value = NO_VALUE;
	type->below += *value < 0;
	type->total += *value > 0 ? (double)*value : 0;
}

/* A thread, or the device that holds memory. */
static uint32_t track_of_label(struct pprof *pprof, const struct pprof_label *label)
{
	const char *key = profile_string(pprof->profile, label->key);
	if (!text_is_listed("thread thread_id tid device", key) && strcmp(key, "thread id") != 0)
		return NO_ROW;
	return builder_track(pprof->builder, pprof->process, label->number, label->text, -1);
}

static void sum_label(struct pprof *pprof, const struct pprof_label *label, int64_t value)
{
	const int64_t key[] = { label->key, label->text, label->number };
	if (value > 0 && (pprof->label_keys.count < LABELS_MAX ||
			  keyed_find(&pprof->label_keys, key, sizeof key) != UINT32_MAX))
		*keyed_item(&pprof->label_keys, pprof->label_totals, &key) += (double)value;
}

/* Time or bytes of the innermost line. */
static void sum_line(struct pprof *pprof, const struct pprof_line *line,
		     const struct python_sample *sample)
{
	struct python_stats *stats = pprof->profile->python;
	const int64_t key[] = { line->function, line->line };
	uint32_t at = keyed_add(&pprof->line_keys, key, sizeof key);
	if (at == stats->line_count) {
		struct python_line *added = python_line_add(stats);
		added->function = line->function;
		added->file = stats->functions[line->function].file;
		added->line = line->line;
		added->hits = 0;
		added->self_s = 0;
	}
	stats->lines[at].self_s += (double)sample->value / 1e9;
	if (__builtin_add_overflow(stats->lines[at].hits, sample->calls, &stats->lines[at].hits))
		stats->lines[at].hits = INT64_MAX;
}

static void add_stack(struct pprof *pprof, const struct pprof_stack *stack,
		      struct python_sample *sample)
{
	struct python_stats *stats = pprof->profile->python;
	if (!stack->depth || sample->value <= 0)
		return;
	for (size_t i = stack->depth; i-- > 0;)
		sample->frame =
			frames_add(&stats->frames, stack->frames[i]->function, sample->frame);
	sum_line(pprof, stack->frames[0], sample);
	python_sample_add(stats, sample);
}

static void pprof_add_sample(struct pprof *pprof, const struct proto_field *message,
			     struct pprof_stack *stack)
{
	struct python_sample sample = { NO_ROW, NO_ROW, 0, 1 };
	struct proto at = proto_in(message);
	struct proto_field field;
	int64_t values[TYPES_MAX] = { 0 };
	uint64_t number;
	size_t count = 0;
	stack->depth = 0;
	while (proto_next(&at, &field)) {
		struct proto packed = field.bytes ? proto_in(&field) : proto_of("", 0);
		while (field.number < SAMPLE_LABEL && next_number(&packed, &field, &number))
			if (field.number == SAMPLE_LOCATION)
				add_place(pprof, stack, number);
			else
				add_value(pprof, values, &count, number);
	}
	sample.value = values[pprof->shown];
	if (pprof->counted < TYPES_MAX && values[pprof->counted] >= 0)
		sample.calls = values[pprof->counted];
	at = proto_in(message);
	while (proto_next(&at, &field)) {
		if (field.number != SAMPLE_LABEL)
			continue;
		struct pprof_label label = { string_in(pprof, &field, LABEL_KEY),
					     string_in(pprof, &field, LABEL_TEXT),
					     (int64_t)number_in(&field, LABEL_NUMBER) };
		uint32_t track = track_of_label(pprof, &label);
		sample.track = sample.track == NO_ROW ? track : sample.track;
		sum_label(pprof, &label, sample.value);
	}
	add_stack(pprof, stack, &sample);
}

static void pprof_read_samples(struct pprof *pprof)
{
	AUTO_FREE struct pprof_stack *stack = mem_alloc(sizeof *stack);
	struct proto at = pprof->file;
	pprof->process = builder_process(pprof->builder, NO_VALUE, 0);
	for (struct proto_field field; next_of(pprof, &at, PROFILE_SAMPLE, &field);) {
		pprof_add_sample(pprof, &field, stack);
		pprof->profile->events++;
	}
}

/* ---- facts ---- */

static void fact_total(struct pprof *pprof, const char *section, const char *metric, double total,
		       enum sample_unit measure)
{
	const struct python_stats of = { .sample_unit = measure };
	if (total < 9e18)
		python_fact_number(pprof->profile->python, section, metric, llround(total),
				   python_unit(&of));
}

static void add_type_facts(struct pprof *pprof)
{
	struct profile *profile = pprof->profile;
	python_fact_text(profile->python, "samples", "shown", pprof->types[pprof->shown].name);
	for_each (type, pprof->types, pprof->type_count) {
		const char *name = profile_string(profile, type->name);
		fact_total(pprof, "samples", name, type->total, type->measure);
		if (type->below)
			python_fact_number(
				profile->python, "samples",
				profile_string(
					profile,
					profile_print(profile, "%.80s below 0, left out", name)),
				(int64_t)type->below, "count");
	}
}

static void add_label_facts(struct pprof *pprof)
{
	struct profile *profile = pprof->profile;
	for (uint32_t i = 0; i < pprof->label_keys.count; i++) {
		const int64_t *key = keyed_key(&pprof->label_keys, i);
		const char *name = profile_string(profile, (uint32_t)key[0]);
		const char *text = profile_string(profile, (uint32_t)key[1]);
		uint32_t metric =
			key[1] ? profile_print(profile, "%.80s %.160s", name, text)
			       : profile_print(profile, "%.80s %lld", name, (long long)key[2]);
		fact_total(pprof, "labels", profile_string(profile, metric), pprof->label_totals[i],
			   pprof->types[pprof->shown].measure);
	}
}

static void add_file_facts(struct pprof *pprof)
{
	struct python_stats *stats = pprof->profile->python;
	struct proto_field field;
	if (proto_find(pprof->file, PROFILE_DURATION, &field) && (int64_t)field.value > 0)
		python_fact_number(stats, "samples", "duration", (int64_t)field.value, "ns");
	if (proto_find(pprof->file, PROFILE_TIME, &field) && (int64_t)field.value > 0)
		pprof->profile->epoch_ns = (int64_t)field.value;
}

/* ---- the reader ---- */

STATIC_FREE_MEMBERS(pprof_clear, struct pprof,
		    OWN_IN(id_map_clear, mappings) OWN_IN(id_map_clear, functions)
			    OWN_IN(id_map_clear, locations) OWN_IN(keyed_clear, line_keys)
				    OWN_IN(keyed_clear, label_keys) OWN(label_totals) OWN(strings)
					    OWN(lines) OWN(places))

static bool read_pprof(struct input *input)
{
	AUTO(pprof_clear)
	struct pprof pprof = { .profile = input->profile,
			       .builder = input->builder,
			       .progress = input->progress,
			       .file = proto_of(BUFFERED(&input->text)) };
	input->profile->python = python_stats_new();
	read_strings(&pprof);
	bool done = read_types(&pprof, input->error);
	if (done) {
		read_functions(&pprof);
		struct proto at = pprof.file;
		for (struct proto_field field; next_of(&pprof, &at, PROFILE_LOCATION, &field);)
			add_location(&pprof, &field);
		pprof_read_samples(&pprof);
		add_type_facts(&pprof);
		add_label_facts(&pprof);
		add_file_facts(&pprof);
	}
	return done && progress_update(input->progress, "reading samples", 0, 0, 0);
}

static bool is_type(const struct proto_field *field)
{
	struct proto at = proto_in(field);
	struct proto_field part;
	size_t parts = 0;
	for (; proto_next(&at, &part); parts++)
		if (part.number > TYPE_UNIT || part.wire != PROTO_VARINT)
			return false;
	return parts && !at.damaged;
}

/* A sample type, and fields of the message alone; HEAD may end within one. */
static bool pprof_recognize(const char *head, size_t length)
{
	struct proto at = proto_of(head, length);
	size_t types = 0, others = 0;
	for (struct proto_field field; proto_next(&at, &field);) {
		bool message =
			field.number <= PROFILE_STRING || field.number == PROFILE_PERIOD_TYPE;
		if (field.number > PROFILE_DOC ||
		    (message ? !field.bytes
			     : field.number != PROFILE_COMMENT && field.wire != PROTO_VARINT))
			return false;
		if (field.number == PROFILE_TYPE && !is_type(&field))
			return false;
		types += field.number == PROFILE_TYPE;
		others += message && field.number != PROFILE_TYPE;
	}
	return types && (others || at.damaged);
}

const struct reader pprof_reader = {
	.format = "pprof profile (protobuf)",
	.recognize = pprof_recognize,
	.text_max = SOURCE_WHOLE_MAX,
	.read = read_pprof,
	.empty =
		"is a pprof profile whose samples have no value of its sample type; choose another: --sample-type NAME",
};
