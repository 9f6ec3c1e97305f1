#include "input/readers.h"

#include "base/literal.h"
#include "input/json_stream.h"
#include "input/pickle/plain_pickle.h"
#include "input/text_lines.h"
#include "model/flight.h"

static int64_t int_of(const struct literal *entry, const char *name)
{
	const struct literal *value = literal_get(entry, name);
	int64_t number;
	if (value && value->kind == LITERAL_BOOL)
		return value->integer;
	return literal_int(value, &number) ? number : NO_VALUE;
}

static uint32_t flight_reader_text_of(struct profile *profile, const struct literal *value)
{
	return value && value->kind == LITERAL_TEXT
		       ? intern_add(profile->strings, value->text, value->count)
		       : 0;
}

static int64_t multiply(int64_t a, int64_t b)
{
	int64_t product;
	return a == NO_VALUE || b < 0 || __builtin_mul_overflow(a, b, &product) ? NO_VALUE
										: product;
}

/* The elements of all tensors under KEY, [[2,3],[4]] has 10. */
static int64_t elements_of(const struct literal *entry, const char *key)
{
	const struct literal *inputs = literal_get(entry, key), *sizes, *size;
	int64_t all = 0, number;
	for (size_t i = 0; (sizes = literal_item(inputs, i)); i++) {
		int64_t elements = 1;
		for (size_t k = 0; (size = literal_item(sizes, k)); k++)
			elements =
				literal_int(size, &number) ? multiply(elements, number) : NO_VALUE;
		all = sum_known(all, elements);
	}
	return literal_item(inputs, 0) ? all : NO_VALUE;
}

/* Of a gather what is gathered, else of the inputs. */
static int64_t message_of(const struct literal *entry)
{
	const struct literal *name = literal_get(entry, "profiling_name");
	bool gather = name && name->kind == LITERAL_TEXT && strstr(name->text, "gather");
	int64_t gathered = gather ? elements_of(entry, "output_sizes") : NO_VALUE;
	return gathered != NO_VALUE ? gathered : elements_of(entry, "input_sizes");
}

/* The type of all inputs. */
static uint32_t flight_reader_type_of(struct profile *profile, const struct literal *entry)
{
	const struct literal *types = literal_get(entry, "input_dtypes"), *each;
	uint32_t type = flight_reader_text_of(profile, literal_item(types, 0));
	for (size_t i = 1; (each = literal_item(types, i)); i++)
		if (flight_reader_text_of(profile, each) != type)
			return 0;
	return type;
}

/* The group by its name, the first of (name, description); else by its number. */
static uint32_t flight_reader_group_of(struct profile *profile, const struct literal *entry)
{
	const struct literal *names = literal_get(entry, "process_group");
	const struct literal *name = literal_item(names, 0);
	int64_t id = int_of(entry, "pg_id");
	if (name && name->kind == LITERAL_TEXT)
		return flight_reader_text_of(profile, name);
	if (id == NO_VALUE)
		return 0;
	return profile_print(profile, "%lld", (long long)id);
}

/* ---- entries ---- */

static void flight_reader_add_entry(struct profile *profile, const struct literal *object)
{
	struct flight *flight = profile->flight;
	struct flight_entry entry = {
		.group = flight_reader_group_of(profile, object),
		.name = flight_reader_text_of(profile, literal_get(object, "profiling_name")),
		.state = flight_reader_text_of(profile, literal_get(object, "state")),
		.type = flight_reader_type_of(profile, object),
		.elements = message_of(object),
		.pair = int_of(object, "is_p2p") == 1,
		FLIGHT_NUMBERS(int_of)
	};
	profile->events++;
	if (entry.sequence == NO_VALUE) /* of versions before 2.1 */
		entry.sequence = int_of(object, "seq_id");
	if (entry.sequence == NO_VALUE && !entry.name) {
		profile_skip(profile, "entry without a number or name");
		return;
	}
	*mem_push(flight->entries, flight->count) = entry;
}

/* ---- pickles ---- */

#define EMPTY "is a flight recorder's dump without entries; set TORCH_NCCL_TRACE_BUFFER_SIZE"

static bool read_entries(struct profile *profile, const struct literal *entries,
			 const struct progress *progress)
{
	const struct literal *entry;
	for (size_t i = 0; (entry = literal_item(entries, i)); i++) {
		if (!progress_row(progress, "reading entries", i, entries->count))
			return false;
		if (entry->kind == LITERAL_DICT)
			flight_reader_add_entry(profile, entry);
	}
	return true;
}

static bool read_pickle(struct input *input)
{
	struct profile *profile = input->profile;
	struct plain_pickle *pickle =
		plain_pickle_new(profile->strings, (struct plain_hook){ NULL });
	AUTO_ARENA struct arena *arena = arena_new();
	struct plain top;
	const struct literal *dump = NULL;
	profile->flight = mem_zalloc(1, sizeof *profile->flight);
	bool done = plain_pickle_run(pickle, input->source, &top, input->error);
	profile->text_bytes = plain_pickle_bytes(pickle);
	if (done)
		dump = plain_literal(pickle, top, arena);
	plain_pickle_free(pickle);
	bool is_list = literal_is_sequence(dump); /* the first versions */
	uint32_t version = flight_reader_text_of(profile, literal_get(dump, "version"));
	done = done && read_entries(profile, is_list ? dump : literal_get(dump, "entries"),
				    input->progress);
	builder_fact(input->builder, "flight recorder version", version);
	return done;
}

static bool has_words(const char *head, size_t length)
{
	return text_has_one(head, length,
			    "profiling_name|collective_seq_id|pg_config|nccl_comm_state");
}

static bool recognize_pickle(const char *head, size_t length)
{
	bool binary = length > 2 && (unsigned char)head[0] == 0x80 && head[1] >= 2 && head[1] <= 5;
	bool text = length > 2 && (*head == '(' || *head == '}' || *head == ']');
	return (binary || text) && has_words(head, length);
}

const struct reader flight_pickle_reader = { .format = "Flight recorder dump (pickle)",
					     .recognize = recognize_pickle,
					     .read = read_pickle,
					     .empty = EMPTY };

/* ---- JSON ---- */

struct flight_reader_dump {
	struct profile *profile;
	uint32_t version;
};

/* An entry of JSON is a Python literal but for a few words. */
static void flight_reader_parse_entry(void *context, struct stream *stream, const char *key)
{
	struct flight_reader_dump *dump = context;
	struct json_slice value;
	if (!stream_record(stream, &value) || value.type != JSON_OBJECT)
		return;
	AUTO_ARENA struct arena *arena = arena_new();
	flight_reader_add_entry(dump->profile, literal_parse(arena, value.text, value.length));
}

static void flight_reader_parse_member(void *context, struct stream *stream, const char *key)
{
	struct flight_reader_dump *dump = context;
	struct json_slice value;
	if (strcmp(key, "entries") == 0)
		stream_walk(stream, flight_reader_parse_entry, dump);
	else if (strcmp(key, "version") != 0)
		stream_skip(stream);
	else if (stream_value(stream, &value) && value.type == JSON_STRING)
		dump->version = json_intern(&value, dump->profile->strings);
}

static bool read_json(struct input *input)
{
	struct profile *profile = input->profile;
	struct stream stream = stream_of(input, "reading entries");
	struct flight_reader_dump dump = { .profile = profile };
	profile->flight = mem_zalloc(1, sizeof *profile->flight);
	stream_walk(&stream, flight_reader_parse_member, &dump);
	builder_fact(input->builder, "flight recorder version", dump.version);
	return stream_finish(&stream, profile);
}

static bool recognize_json(const char *head, size_t length)
{
	return json_after(head, "{\"") && memmem(head, length, "\"entries\"", 9) &&
	       has_words(head, length);
}

const struct reader flight_json_reader = { .format = "Flight recorder dump (JSON)",
					   .recognize = recognize_json,
					   .read = read_json,
					   .empty = EMPTY };
