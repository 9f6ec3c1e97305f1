#include "input/kineto/kineto_event.h"

#include "model/profile.h"

#include <pthread.h>
#include <string.h>

/* Argument names in all generations of the format. */
static const struct argument_name {
	const char *text;
	enum event_argument argument;
} argument_names[] = {
	{ "External id", ARGUMENT_EXTERNAL_ID },
	{ "external id", ARGUMENT_EXTERNAL_ID },
	{ "correlation", ARGUMENT_CORRELATION },
	{ "connection_id", ARGUMENT_CORRELATION },
	{ "device", ARGUMENT_DEVICE },
	{ "stream", ARGUMENT_STREAM },
	{ "bytes", ARGUMENT_COPY_BYTES },
	{ "grid", ARGUMENT_GRID },
	{ "block", ARGUMENT_BLOCK },
	{ "registers per thread", ARGUMENT_REGISTERS },
	{ "shared memory", ARGUMENT_SHARED_MEMORY },
	{ "blocks per SM", ARGUMENT_BLOCKS_PER_SM },
	{ "warps per SM", ARGUMENT_WARPS_PER_SM },
	{ "est. achieved occupancy %", ARGUMENT_OCCUPANCY },
	{ "theoretical occupancy %", ARGUMENT_OCCUPANCY },
	{ "Input Dims", ARGUMENT_SHAPES },
	{ "Input dims", ARGUMENT_SHAPES },
	{ "Input type", ARGUMENT_TYPES },
	{ "Input Strides", ARGUMENT_STRIDES },
	{ "Concrete Inputs", ARGUMENT_CONCRETE },
	{ "Call stack", ARGUMENT_STACK },
	{ "Module Hierarchy", ARGUMENT_HIERARCHY },
	{ "Sequence number", ARGUMENT_SEQUENCE },
	{ "Fwd thread id", ARGUMENT_FORWARD_THREAD },
	{ "Python module id", ARGUMENT_MODULE_ID },
	{ "Addr", ARGUMENT_ADDRESS },
	{ "Bytes", ARGUMENT_BYTES },
	{ "Total Allocated", ARGUMENT_TOTAL_ALLOCATED },
	{ "Total Reserved", ARGUMENT_TOTAL_RESERVED },
	{ "Device Type", ARGUMENT_DEVICE_TYPE },
	{ "Device Id", ARGUMENT_DEVICE_ID },
	{ "name", ARGUMENT_NAME },
	{ "labels", ARGUMENT_LABELS },
	{ "sort_index", ARGUMENT_SORT_INDEX },
	{ "Ev Idx", ARGUMENT_IGNORED },
	{ "Profiler Event Index", ARGUMENT_IGNORED },
	{ ATTRIBUTE_RECORD_ID, ARGUMENT_RECORD_ID },
	{ "Python id", ARGUMENT_IGNORED },
	{ "Python parent id", ARGUMENT_IGNORED },
	{ "Python thread", ARGUMENT_IGNORED },
	{ "cbid", ARGUMENT_IGNORED },
	{ "queued", ARGUMENT_IGNORED },
	{ "context", ARGUMENT_IGNORED },
	{ "memory bandwidth (GB/s)", ARGUMENT_IGNORED },
};

enum { NAMES = sizeof argument_names / sizeof *argument_names, SLOTS = 256, UNKNOWN = 0xff };

/* Hash table of the names above, open addressing, filled once. */
static uint8_t slots[SLOTS];
static uint8_t lengths[NAMES];

/* Members of events with a slice of their own: where it and its flag are in struct event. */
static const struct member {
	char name[5]; /* of 2 to 4 bytes */
	uint16_t into, has;
} members[] = {
	{ "cat", offsetof(struct event, cat), offsetof(struct event, has_cat) },
	{ "pid", offsetof(struct event, pid), offsetof(struct event, has_pid) },
	{ "tid", offsetof(struct event, tid), offsetof(struct event, has_tid) },
	{ "name", offsetof(struct event, name), offsetof(struct event, has_name) },
	{ "ts", offsetof(struct event, ts), offsetof(struct event, has_ts) },
	{ "dur", offsetof(struct event, dur), offsetof(struct event, has_dur) },
	{ "id", offsetof(struct event, id), offsetof(struct event, has_id) },
};

/* By their bytes as a word: likewise. Which member comes next is hard to guess: no branch asks. */
enum { MEMBER_BITS = 5 };
static struct {
	uint32_t word; /* 0: free */
	const struct member *member;
} member_slots[1 << MEMBER_BITS];

static uint32_t member_slot(uint32_t word)
{
	return word * UINT32_C(0x9e3779b1) >> (32 - MEMBER_BITS);
}

static void fill_members(void)
{
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		uint32_t word = 0;
		memcpy(&word, members[i].name, strlen(members[i].name));
		uint32_t at = member_slot(word);
		while (member_slots[at].word)
			at = (at + 1) % (1 << MEMBER_BITS);
		member_slots[at].word = word;
		member_slots[at].member = &members[i];
	}
}

/* KEY is followed by its quote and a colon, so that four bytes are readable; NULL: none of them. */
static const struct member *find_member(const struct json_slice *key)
{
	uint32_t word, at;
	if (key->length - 2 > 2)
		return NULL;
	memcpy(&word, key->text, sizeof word);
	word &= UINT32_MAX >> 8 * (4 - key->length);
	for (at = member_slot(word); member_slots[at].word != word;
	     at = (at + 1) % (1 << MEMBER_BITS))
		if (!member_slots[at].word)
			return NULL;
	return member_slots[at].member;
}

static unsigned slot_of(const char *text, size_t length)
{
	unsigned char first = (unsigned char)text[0], last = (unsigned char)text[length - 1];
	return (unsigned)(length * 29 + first * 7 + last * 3) % SLOTS;
}

static void fill_slots(void)
{
	fill_members();
	memset(slots, UNKNOWN, sizeof slots);
	for (unsigned i = 0; i < NAMES; i++) {
		lengths[i] = (uint8_t)strlen(argument_names[i].text);
		unsigned at = slot_of(argument_names[i].text, lengths[i]);
		while (slots[at] != UNKNOWN)
			at = (at + 1) % SLOTS;
		slots[at] = (uint8_t)i;
	}
}

/* The argument with this name, or -1. */
static int find_argument(const struct json_slice *key)
{
	if (!key->length)
		return -1;
	for (unsigned at = slot_of(key->text, key->length); slots[at] != UNKNOWN;
	     at = (at + 1) % SLOTS) {
		unsigned i = slots[at];
		if (lengths[i] == key->length &&
		    memcmp(argument_names[i].text, key->text, key->length) == 0)
			return (int)argument_names[i].argument;
	}
	return -1;
}

/* INTO is the slice of EVENT that VALUE was stored in, or NULL. */
static void log_value(const struct event *event, const struct json_slice *into,
		      const struct json_slice *value)
{
	struct event_log *log = event->log;
	if (!log)
		return;
	if (log->count < EVENT_VALUES_MAX) {
		log->value[log->count].value = *value;
		log->value[log->count].into =
			into ? (size_t)((const char *)into - (const char *)event) : 0;
	}
	log->count++;
}

static void keep_argument(struct event *event, const struct json_slice *key,
			  const struct json_slice *value)
{
	int argument = find_argument(key);
	struct json_slice *into = NULL;
	if (argument >= 0 && argument < ARGUMENT_COUNT) {
		event->duplicates += event->have >> argument & 1;
		event->have |= UINT64_C(1) << argument;
		into = &event->argument[argument];
	} else if (argument < 0 && event->others < EVENT_OTHERS_MAX) {
		event->other_key_room[event->others] = *key;
		into = &event->other_value[event->others++];
	}
	if (into)
		*into = *value;
	log_value(event, into, value);
}

/* Fast path for a string without escapes. False for others, and always in lenient mode. */
static inline bool plain_string(struct json_cursor *cursor, struct json_slice *slice)
{
	const char *start = cursor->at + 1, *at = scan_quote(start, cursor->end);
	if (cursor->lenient || at == cursor->end || *at != '"')
		return false;
	*slice = (struct json_slice){ start, (size_t)(at - start), JSON_STRING, false, false };
	cursor->at = at + 1;
	return true;
}

/* Fast path for a number followed by a comma, a bracket or a line end. */
static inline bool plain_number(struct json_cursor *cursor, struct json_slice *slice)
{
	const char *start = cursor->at, *end = cursor->end;
	const char *at = end - start >= 16 ? scan_number_near(start, end) : scan_number(start, end);
	if (at == start || at == cursor->end || *start < '0' ||
	    (*at != ',' && *at != '}' && *at != '\n'))
		return false;
	*slice = (struct json_slice){ start, (size_t)(at - start), JSON_NUMBER, false, false };
	cursor->at = at;
	return true;
}

static inline enum json_status value_at(struct json_cursor *cursor, struct json_slice *slice)
{
	char c;
	if (json_next(cursor, &c) != JSON_OK)
		return JSON_MORE;
	if (c == '"' ? plain_string(cursor, slice) : plain_number(cursor, slice))
		return JSON_OK;
	return json_value(cursor, slice);
}

/* Read the next key and its colon; JSON_BAD when there is none. */
static enum json_status read_key(struct json_cursor *cursor, struct json_slice *key)
{
	const char *start = cursor->at;
	if (plain_string(cursor, key) && cursor->at < cursor->end && *cursor->at == ':') {
		cursor->place = JSON_IN_OBJECT;
		cursor->at++;
		return JSON_OK;
	}
	cursor->at = start;
	cursor->place = JSON_KEY;
	enum json_status status = json_string(cursor, key);
	if (status != JSON_OK)
		return status;
	cursor->place = JSON_IN_OBJECT;
	char c;
	if (json_next(cursor, &c) != JSON_OK)
		return JSON_MORE;
	if (c != ':')
		return JSON_BAD;
	cursor->at++;
	return JSON_OK;
}

bool event_is_bare_word(const struct json_slice *value)
{
	return value->type == JSON_WORD && !json_equal(value, "null") &&
	       !json_equal(value, "true") && !json_equal(value, "false");
}

typedef enum json_status read_value(struct json_cursor *cursor, struct event *event,
				    const struct json_slice *key);

/* Pass each member of the object at the cursor to READ. */
static enum json_status read_members(struct json_cursor *cursor, struct event *event,
				     read_value *read)
{
	char c;
	cursor->at++;
	for (;;) {
		if (json_next(cursor, &c) != JSON_OK)
			return JSON_MORE;
		if (c == '}') {
			cursor->at++;
			return JSON_OK;
		}
		if (c == ',') {
			cursor->at++;
			continue;
		}
		if (c != '"')
			return JSON_BAD;
		struct json_slice key;
		enum json_status status = read_key(cursor, &key);
		if (status == JSON_OK)
			status = read(cursor, event, &key);
		if (status != JSON_OK || event->is_document)
			return status;
		if (json_next(cursor, &c) != JSON_OK)
			return JSON_MORE;
		if (c != ',' && c != '}')
			return JSON_BAD;
	}
}

static enum json_status read_argument(struct json_cursor *cursor, struct event *event,
				      const struct json_slice *key)
{
	struct json_slice value;
	enum json_status status = value_at(cursor, &value);
	if (status != JSON_OK)
		return status;
	event->bare_word |= event_is_bare_word(&value);
	keep_argument(event, key, &value);
	return JSON_OK;
}

static enum json_status read_arguments(struct json_cursor *cursor, struct event *event)
{
	char c;
	if (json_next(cursor, &c) != JSON_OK)
		return JSON_MORE;
	event->duplicates += event->has_args;
	event->has_args = true;
	event->have = 0;
	event->others = 0;
	if (c == '{')
		return read_members(cursor, event, read_argument);
	struct json_slice value;
	event->args_not_object = true;
	return json_value(cursor, &value);
}

static void keep_phase(struct event *event, const struct json_slice *value)
{
	event->duplicates += event->phase != 0;
	if (value->type == JSON_STRING && value->length)
		event->phase = value->text[0];
}

static void keep_member(struct event *event, const struct json_slice *key,
			const struct json_slice *value)
{
	const struct member *member = find_member(key);
	if (!member) {
		if (json_equal(key, "ph"))
			keep_phase(event, value);
		else
			log_value(event, NULL, value);
		return;
	}
	struct json_slice *into = (struct json_slice *)((char *)event + member->into);
	bool *has = (bool *)event + member->has;
	event->duplicates += *has;
	*has = true;
	*into = *value;
	log_value(event, into, value);
}

static enum json_status read_member(struct json_cursor *cursor, struct event *event,
				    const struct json_slice *key)
{
	if (json_equal(key, "args"))
		return read_arguments(cursor, event);
	char c;
	if (json_next(cursor, &c) != JSON_OK)
		return JSON_MORE;
	if (c == '[' && json_equal(key, "traceEvents")) {
		cursor->at++;
		event->is_document = true;
		return JSON_OK;
	}
	struct json_slice value;
	enum json_status status = value_at(cursor, &value);
	if (status == JSON_OK)
		keep_member(event, key, &value);
	return status;
}

enum json_status event_parse(struct json_cursor *cursor, struct event *event, struct event_log *log)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, fill_slots);
	memset(event, 0, offsetof(struct event, argument));
	event->other_key = event->other_key_room;
	event->log = log;
	if (log)
		log->count = 0;
	return read_members(cursor, event, read_member);
}

bool event_begins(const char *brace, const char *end)
{
	static const char *const keys[] = { "\"ph\"",  "\"name\"", "\"cat\"",  "\"pid\"",
					    "\"tid\"", "\"ts\"",   "\"args\"", "\"id\"" };
	const char *at = brace + 1;
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
		at++;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t length = strlen(keys[i]);
		if ((size_t)(end - at) > length && memcmp(at, keys[i], length) == 0)
			return true;
	}
	return false;
}
