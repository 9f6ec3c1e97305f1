#include "input/kineto/kineto_event.h"

#include "base/text_slice.h"

#include <pthread.h>

#define ARGUMENT_NAME_OF(argument, names) { names, argument },
static const struct argument_name {
	const char *texts; /* with bars between */
	enum event_argument argument;
} argument_names[] = {
	EVENT_ARGUMENT_ROWS(ARGUMENT_NAME_OF){ EVENT_ARGUMENTS_IGNORED ARGUMENT_IGNORED },
};

/* Members of events; where the slice of one and its flag are in struct event. */
enum { ARGS = 8 };
static const struct kineto_event_member {
	char name[4];
	uint16_t into, has;
} members[] = {
	KINETO_MEMBER_ROWS[ARGS] = { "args", 0, 0 },
};

/*
 * Hash tables of the names, open addressing, filled once. Which name comes next is hard to guess,
 * so that few branches ask: the factors give each name a place of its own.
 */
enum { MEMBER_BITS = 5, ARGUMENT_BITS = 7 };
static struct {
	uint32_t word; /* the name; 0: free */
	const struct kineto_event_member *member;
} member_slots[1 << MEMBER_BITS];
static struct {
	size_t length; /* 0: free */
	const char *text;
	enum event_argument argument;
} argument_slots[1 << ARGUMENT_BITS];

static inline size_t member_slot(uint32_t word)
{
	return word * UINT32_C(0x7ce42c83) >> (32 - MEMBER_BITS);
}

/* Of four bytes or more. */
static inline size_t argument_slot(const char *name, size_t length)
{
	uint32_t first, last;
	memcpy(&first, name, sizeof first);
	memcpy(&last, name + length - sizeof last, sizeof last);
	uint64_t word = (first | (uint64_t)last << 32) + length;
	return word * UINT64_C(0x34857bcf9e17e9f) >> (64 - ARGUMENT_BITS);
}

static void fill_slots(void)
{
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		uint32_t word;
		memcpy(&word, members[i].name, sizeof word);
		size_t at = member_slot(word);
		while (member_slots[at].word)
			at = (at + 1) % (1 << MEMBER_BITS);
		member_slots[at].word = word;
		member_slots[at].member = &members[i];
	}
	for (size_t i = 0; i < sizeof argument_names / sizeof *argument_names; i++)
		for (const char *text = argument_names[i].texts; *text; text += *text == '|') {
			size_t length = strcspn(text, "|"), at = argument_slot(text, length);
			while (argument_slots[at].length)
				at = (at + 1) % (1 << ARGUMENT_BITS);
			argument_slots[at].length = length;
			argument_slots[at].text = text;
			argument_slots[at].argument = argument_names[i].argument;
			text += length;
		}
}

/* KEY is followed by its quote and a colon, so that four bytes are readable; NULL: none of them. */
static inline const struct kineto_event_member *find_member(const struct json_slice *key)
{
	uint32_t word;
	if (key->length - 2 > 2)
		return NULL;
	memcpy(&word, key->text, sizeof word);
	word &= UINT32_MAX >> 8 * (4 - key->length);
	for (size_t at = member_slot(word); member_slots[at].word;
	     at = (at + 1) % (1 << MEMBER_BITS))
		if (member_slots[at].word == word)
			return member_slots[at].member;
	return NULL;
}

/* The argument with this name, or -1. */
static inline int find_argument(const struct json_slice *key)
{
	if (key->length < 4)
		return -1;
	for (size_t at = argument_slot(key->text, key->length); argument_slots[at].length;
	     at = (at + 1) % (1 << ARGUMENT_BITS))
		if (argument_slots[at].length == key->length &&
		    scan_equal(key->text, argument_slots[at].text, key->length))
			return (int)argument_slots[at].argument;
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

static inline bool keep_argument(struct event *event, const struct json_slice *key,
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
	return true;
}

/* Read the next key and its colon; JSON_BAD when there is none. */
static enum json_status read_key(struct json_cursor *cursor, struct json_slice *key)
{
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

enum { MEMBER_ROOM = 64 }; /* bytes: more than is read of one without looking for the end */

typedef enum json_status read_value(struct json_cursor *cursor, struct event *event,
				    const struct json_slice *key);
typedef bool keep_value(struct event *event, const struct json_slice *key,
			const struct json_slice *value);

/*
 * Fast path from the quote of a key without escapes on, where much text follows: returns the start
 * of its value; NULL for others.
 */
__attribute__((always_inline)) static inline const char *plain_key(const char *at, const char *end,
								   struct json_slice *key)
{
	const char *after = scan_quote(at + 1, end);
	if (end - after < MEMBER_ROOM || after[0] != '"' || after[1] != ':')
		return NULL;
	*key = (struct json_slice){ at + 1, (size_t)(after - at) - 1, JSON_STRING, false, false };
	return after + 2 + (after[2] == ' ');
}

/*
 * Likewise for a string without escapes or a number as its value: returns the comma or bracket
 * after it.
 */
__attribute__((always_inline)) static inline const char *
plain_value(const char *at, const char *end, struct json_slice *value)
{
	const char *after;
	*value = (struct json_slice){ at, 0, JSON_NUMBER, false, false };
	if (*at == '"') {
		after = scan_quote(++value->text, end);
		if (end - after < 2 || *after++ != '"')
			return NULL;
		value->type = JSON_STRING;
		value->length = (size_t)(after - value->text) - 1;
	} else if ((unsigned char)(*at - '0') <= 9) {
		after = scan_number_near(at, end);
		value->length = (size_t)(after - at);
	} else {
		return NULL;
	}
	if (after < end && *after == '\n')
		after = scan_blank(after, end);
	return after < end && (*after == ',' || *after == '}') ? after : NULL;
}

/* Pass each member of the object at the cursor to KEEP, or, if it is not plain, to READ. */
__attribute__((always_inline)) static inline enum json_status
read_members(struct json_cursor *cursor, struct event *event, read_value *read, keep_value *keep)
{
	const char *at = cursor->at + 1, *end = cursor->end;
	for (;;) {
		at = scan_blank(at, end);
		if (at < end && *at == '"') {
			struct json_slice key, value;
			const char *text = cursor->lenient ? NULL : plain_key(at, end, &key);
			const char *after = text ? plain_value(text, end, &value) : NULL;
			if (after && keep(event, &key, &value)) {
				at = after;
			} else {
				cursor->at = text ? text : at;
				cursor->place = JSON_IN_OBJECT;
				enum json_status status = text ? JSON_OK : read_key(cursor, &key);
				if (status == JSON_OK)
					status = read(cursor, event, &key);
				if (status != JSON_OK || event->is_document)
					return status;
				at = scan_blank(cursor->at, end);
			}
		}
		cursor->at = at;
		if (at == end)
			return JSON_MORE;
		if (*at != ',' && *at != '}')
			return JSON_BAD;
		cursor->at = ++at;
		if (at[-1] == '}')
			return JSON_OK;
	}
}

static inline enum json_status read_argument(struct json_cursor *cursor, struct event *event,
					     const struct json_slice *key)
{
	struct json_slice value;
	enum json_status status = json_value(cursor, &value);
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
		return read_members(cursor, event, read_argument, keep_argument);
	struct json_slice value;
	event->args_not_object = true;
	return json_value(cursor, &value);
}

/* A phase that is no text, or an empty one, is none. */
static bool has_no_phase(const struct json_slice *value)
{
	return value->type != JSON_STRING || !value->length;
}

__attribute__((noinline)) static bool keep_other(struct event *event,
						 const struct kineto_event_member *member,
						 const struct json_slice *value)
{
	if (member == &members[ARGS])
		return false;
	if (member)
		event->duplicates += event->has_phase;
	else
		log_value(event, NULL, value);
	return true;
}

static inline bool keep_member(struct event *event, const struct json_slice *key,
			       const struct json_slice *value)
{
	const struct kineto_event_member *member = find_member(key);
	if (!member || !member->into)
		return keep_other(event, member, value);
	struct json_slice *into = (struct json_slice *)((char *)event + member->into);
	bool *has = (bool *)event + member->has;
	/* Which member comes next is hard to guess: one branch that is never taken. */
	if ((into == &event->ph) & has_no_phase(value))
		return keep_other(event, member, value);
	event->duplicates += *has;
	*has = true;
	*into = *value;
	if (event->log && into != &event->ph)
		log_value(event, into, value);
	return true;
}

static inline enum json_status read_member(struct json_cursor *cursor, struct event *event,
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
	enum json_status status = json_value(cursor, &value);
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
	enum json_status status = read_members(cursor, event, read_member, keep_member);
	event->phase = event->has_phase ? *event->ph.text : 0;
	return status;
}

bool event_begins(const char *brace, const char *end)
{
	const char *at = brace + 1;
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
		at++;
	return text_start(at, (size_t)(end - at),
			  "\"ph\"|\"name\"|\"cat\"|\"pid\"|\"tid\"|\"ts\"|\"args\"|\"id\"") > 0;
}
