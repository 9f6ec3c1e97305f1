#include "input/flight/flight_reader.h"

#include "base/buffer.h"
#include "base/error.h"
#include "input/json_stream.h"
#include "input/pickle/plain_pickle.h"
#include "model/flight.h"

#include <stdio.h>
#include <string.h>

/* An object of either form. */
struct object {
	struct profile *profile;
	const struct plain_pickle *pickle; /* NULL: JSON */
	uint32_t dict;
	const struct json_slice *json;
};

static uint32_t flight_reader_intern(struct profile *profile, const char *text)
{
	return intern_add(profile->strings, text, strlen(text));
}

static struct plain member(const struct object *object, const char *name)
{
	return plain_member(object->pickle, object->dict,
			    flight_reader_intern(object->profile, name));
}

static uint32_t json_text(struct profile *profile, const struct json_slice *slice)
{
	struct buffer plain = { 0 };
	json_unescape(&plain, slice);
	uint32_t text = intern_add(profile->strings, buffer_text(&plain), plain.length);
	buffer_free(&plain);
	return text;
}

static int64_t int_of(const struct object *object, const char *name)
{
	struct json_slice value;
	int64_t number = NO_VALUE;
	if (object->pickle)
		return plain_int(object->pickle, member(object, name), &number) ? number : NO_VALUE;
	if (!json_find(object->json, name, &value))
		return NO_VALUE;
	if (json_equal(&value, "true"))
		return 1;
	return value.type == JSON_NUMBER && json_id(&value, &number) ? number : NO_VALUE;
}

static uint32_t flight_reader_text_of(const struct object *object, const char *name)
{
	struct json_slice value;
	uint32_t text = 0;
	if (object->pickle)
		return plain_text(member(object, name), &text) ? text : 0;
	return json_find(object->json, name, &value) && value.type == JSON_STRING
		       ? json_text(object->profile, &value)
		       : 0;
}

/* ---- lists of a pickle ---- */

static const struct container *list_of(const struct plain_pickle *pickle, struct plain value)
{
	uint32_t id;
	return plain_container(pickle, value, CONTAINER_LIST, &id) ||
			       plain_container(pickle, value, CONTAINER_TUPLE, &id)
		       ? plain_at(pickle, id)
		       : NULL;
}

static int64_t multiply(int64_t a, int64_t b)
{
	int64_t product;
	return a == NO_VALUE || b < 0 || __builtin_mul_overflow(a, b, &product) ? NO_VALUE
										: product;
}

static int64_t flight_reader_add(int64_t a, int64_t b)
{
	int64_t sum;
	return a == NO_VALUE || b == NO_VALUE || __builtin_add_overflow(a, b, &sum) ? NO_VALUE
										    : sum;
}

/* The elements of all inputs, [[2,3],[4]] has 10. */
static int64_t pickle_elements(const struct object *object)
{
	const struct container *inputs = list_of(object->pickle, member(object, "input_sizes"));
	int64_t all = 0;
	for (uint32_t i = 0; inputs && i < inputs->count; i++) {
		const struct container *sizes = list_of(object->pickle, inputs->items[i]);
		int64_t elements = 1, size;
		for (uint32_t k = 0; sizes && k < sizes->count; k++)
			elements = plain_int(object->pickle, sizes->items[k], &size)
					   ? multiply(elements, size)
					   : NO_VALUE;
		all = flight_reader_add(all, elements);
	}
	return inputs && inputs->count ? all : NO_VALUE;
}

static int64_t json_elements(const struct object *object)
{
	struct json_slice list, key, sizes, size;
	struct json_cursor outer, inner;
	int64_t all = 0;
	size_t inputs = 0;
	if (!json_find(object->json, "input_sizes", &list) || list.type != JSON_ARRAY)
		return NO_VALUE;
	for (json_enter(&outer, &list); json_member(&outer, &key, &sizes); inputs++) {
		int64_t elements = 1, number;
		json_enter(&inner, &sizes);
		while (sizes.type == JSON_ARRAY && json_member(&inner, &key, &size))
			elements = json_id(&size, &number) ? multiply(elements, number) : NO_VALUE;
		all = flight_reader_add(all, elements);
	}
	return inputs ? all : NO_VALUE;
}

/* The type of all inputs. */
static uint32_t flight_reader_type_of(const struct object *object)
{
	uint32_t type = 0, other;
	struct json_slice list, key, value;
	struct json_cursor cursor;
	if (object->pickle) {
		const struct container *types =
			list_of(object->pickle, member(object, "input_dtypes"));
		for (uint32_t i = 0; types && i < types->count; i++) {
			if (!plain_text(types->items[i], &other) || (i && other != type))
				return 0;
			type = other;
		}
		return type;
	}
	if (!json_find(object->json, "input_dtypes", &list) || list.type != JSON_ARRAY)
		return 0;
	json_enter(&cursor, &list);
	while (json_member(&cursor, &key, &value)) {
		other = value.type == JSON_STRING ? json_text(object->profile, &value) : 0;
		if (!other || (type && other != type))
			return 0;
		type = other;
	}
	return type;
}

/* The group by its name, the first of (name, description); else by its number. */
static uint32_t flight_reader_group_of(const struct object *object)
{
	struct json_slice pair, key, name;
	struct json_cursor cursor;
	uint32_t text = 0;
	char number[32];
	if (object->pickle) {
		const struct container *names =
			list_of(object->pickle, member(object, "process_group"));
		if (names && names->count && plain_text(names->items[0], &text))
			return text;
	} else if (json_find(object->json, "process_group", &pair) && pair.type == JSON_ARRAY) {
		json_enter(&cursor, &pair);
		if (json_member(&cursor, &key, &name) && name.type == JSON_STRING)
			return json_text(object->profile, &name);
	}
	int64_t id = int_of(object, "pg_id");
	if (id == NO_VALUE)
		return 0;
	snprintf(number, sizeof number, "%lld", (long long)id);
	return flight_reader_intern(object->profile, number);
}

/* ---- entries ---- */

static void flight_reader_add_entry(const struct object *object)
{
	struct profile *profile = object->profile;
	struct flight *flight = profile->flight;
	struct flight_entry entry = {
		.group = flight_reader_group_of(object),
		.name = flight_reader_text_of(object, "profiling_name"),
		.state = flight_reader_text_of(object, "state"),
		.type = flight_reader_type_of(object),
		.sequence = int_of(object, "collective_seq_id"),
		.transfer_sequence = int_of(object, "p2p_seq_id"),
		.created = int_of(object, "time_created_ns"),
		.started = int_of(object, "time_discovered_started_ns"),
		.completed = int_of(object, "time_discovered_completed_ns"),
		.elements = object->pickle ? pickle_elements(object) : json_elements(object),
		.pair = int_of(object, "is_p2p") == 1,
	};
	profile->events++;
	if (entry.sequence == NO_VALUE) /* of versions before 2.1 */
		entry.sequence = int_of(object, "seq_id");
	if (entry.sequence == NO_VALUE && !entry.name) {
		profile_damage(profile, "entry without a number or name", "skipped", UINT64_MAX);
		return;
	}
	mem_grow(flight->entries, flight->capacity, flight->count + 1);
	flight->entries[flight->count++] = entry;
}

static bool flight_reader_finish(struct profile *profile, struct builder *builder, uint32_t version,
				 struct error *error)
{
	if (version)
		builder_metadata(builder, flight_reader_intern(profile, "flight recorder version"),
				 version);
	return profile->flight->count ||
	       error_set(
		       error, ERROR_INPUT,
		       "is a flight recorder's dump without entries; set TORCH_NCCL_TRACE_BUFFER_SIZE");
}

static struct flight *new_flight(void)
{
	return mem_zalloc(1, sizeof(struct flight));
}

/* ---- pickles ---- */

static void flight_reader_keep(void *context, struct plain_pickle *pickle, uint32_t container,
			       uint32_t key)
{
}

static bool read_top(struct profile *profile, const struct plain_pickle *pickle, struct plain top,
		     uint32_t *version, const struct progress *progress, struct error *error)
{
	struct object object = { .profile = profile, .pickle = pickle };
	const struct container *entries = NULL;
	if (plain_container(pickle, top, CONTAINER_DICT, &object.dict)) {
		entries = list_of(pickle, member(&object, "entries"));
		*version = flight_reader_text_of(&object, "version");
	} else {
		entries = list_of(pickle, top); /* the first versions */
	}
	for (uint32_t i = 0; entries && i < entries->count; i++) {
		if (!progress_row(progress, "reading entries", i, entries->count))
			return error_set(error, ERROR_CANCELLED, "cancelled");
		if (plain_container(pickle, entries->items[i], CONTAINER_DICT, &object.dict))
			flight_reader_add_entry(&object);
	}
	return true;
}

static bool read_pickle(struct source *source, struct profile *profile, struct builder *builder,
			const struct progress *progress, struct error *error)
{
	struct plain_pickle *pickle =
		plain_pickle_new(profile->strings, (struct plain_hook){ flight_reader_keep, NULL });
	struct plain top;
	uint32_t version = 0;
	profile->flight = new_flight();
	bool done = plain_pickle_run(pickle, source, &top, error) &&
		    read_top(profile, pickle, top, &version, progress, error);
	profile->text_bytes = plain_pickle_bytes(pickle);
	plain_pickle_free(pickle);
	return done && flight_reader_finish(profile, builder, version, error);
}

static bool has_words(const char *head, size_t length)
{
	static const char *const words[] = { "profiling_name", "collective_seq_id", "pg_config",
					     "nccl_comm_state" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (memmem(head, length, words[i], strlen(words[i])))
			return true;
	return false;
}

static bool recognize_pickle(const char *head, size_t length)
{
	bool binary = length > 2 && (unsigned char)head[0] == 0x80 && head[1] >= 2 && head[1] <= 5;
	bool text = length > 2 && (*head == '(' || *head == '}' || *head == ']');
	return (binary || text) && has_words(head, length);
}

const struct reader flight_pickle_reader = { .format = "Flight recorder dump (pickle)",
					     .recognize = recognize_pickle,
					     .read = read_pickle };

/* ---- JSON ---- */

struct flight_reader_reading {
	struct profile *profile;
	const struct progress *progress;
	uint32_t version;
	bool cancelled;
};

static void flight_reader_parse_entry(void *context, struct stream *stream, const char *key)
{
	struct flight_reader_reading *reading = context;
	struct json_slice value;
	if (!stream_value(stream, &value) || reading->cancelled)
		return;
	reading->cancelled |= !progress_row(reading->progress, "reading entries",
					    (size_t)reading->profile->events, SIZE_MAX);
	if (value.type == JSON_OBJECT)
		flight_reader_add_entry(
			&(struct object){ .profile = reading->profile, .json = &value });
}

static void flight_reader_parse_member(void *context, struct stream *stream, const char *key)
{
	struct flight_reader_reading *reading = context;
	struct json_slice value;
	if (strcmp(key, "entries") == 0)
		stream_walk(stream, flight_reader_parse_entry, reading);
	else if (strcmp(key, "version") != 0)
		stream_skip(stream);
	else if (stream_value(stream, &value) && value.type == JSON_STRING)
		reading->version = json_text(reading->profile, &value);
}

static bool read_json(struct source *source, struct profile *profile, struct builder *builder,
		      const struct progress *progress, struct error *error)
{
	struct stream stream = { .source = source, .error = error };
	struct flight_reader_reading reading = { .profile = profile, .progress = progress };
	profile->flight = new_flight();
	stream_walk(&stream, flight_reader_parse_member, &reading);
	if (reading.cancelled)
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return stream_finish(&stream, profile) &&
	       flight_reader_finish(profile, builder, reading.version, error);
}

static bool recognize_json(const char *head, size_t length)
{
	return json_after(head, "{\"") && memmem(head, length, "\"entries\"", 9) &&
	       has_words(head, length);
}

const struct reader flight_json_reader = { .format = "Flight recorder dump (JSON)",
					   .recognize = recognize_json,
					   .read = read_json };
