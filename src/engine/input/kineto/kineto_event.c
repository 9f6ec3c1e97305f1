#include "input/kineto/kineto_event.h"

#include "base/any_of.h"
#include "base/text_slice.h"

/* Where a member of an event, or of its arguments, that was read before leads. */
struct event_key {
	char text[SCAN_MASKED];
	uint32_t mask; /* of bytes of TEXT; 0: none */
	uint16_t length;
	uint16_t into; /* of its slice in struct event; 0: args */
	uint16_t has;  /* of its flag; 0: none */
	bool is_other; /* an argument without a column */
	bool is_phase;
	uint64_t bit; /* in `have` */
};

/* Members of events; where the slice of one and its flag are in struct event. */
static const struct kineto_event_member {
	char name[5];
	uint16_t into, has;
} members[] = { KINETO_MEMBER_ROWS{ "args", 0, 0 } };

#define ARGUMENT_NAME_OF(argument, names) { names, argument },
static const struct argument_name {
	const char *texts; /* with bars between */
	enum event_argument argument;
} argument_names[] = {
	EVENT_ARGUMENT_ROWS(ARGUMENT_NAME_OF){ EVENT_ARGUMENTS_IGNORED ARGUMENT_IGNORED },
};

/* Keys of members and of arguments, by a hash: few branches ask which one comes next. */
enum {
	KEY_BITS = 8,
	KEY_ROOM = 64 /* bytes: more than is read of one without looking for the end */
};
static _Thread_local struct event_key known[2][1 << KEY_BITS];

/* The place of a key of a byte or more. */
static inline struct event_key *key_place(const struct json_slice *name, bool is_argument)
{
	uint64_t word;
	memcpy(&word, name->text, sizeof word);
	word <<= name->length < 8 ? 8 * (8 - name->length) & 63 : 0;
	word = (word + name->length) * UINT64_C(0x971f8f8647fd0f27);
	return &known[is_argument][word >> (64 - KEY_BITS)];
}

static inline const struct event_key *find_key(const struct json_slice *name, bool is_argument)
{
	const struct event_key *key = key_place(name, is_argument);
	return scan_equal_masked(name->text, key->text, key->mask) & (key->length == name->length) &
			       (key->mask != 0)
		       ? key
		       : NULL;
}

/* What a key leads to. */
static struct event_key describe_key(const struct json_slice *slice, bool is_argument)
{
	struct event_key key = { .into = offsetof(struct event, unused) };
	if (is_argument) {
		const struct argument_name *name =
			first_of(at, argument_names, sizeof argument_names / sizeof *argument_names,
				 text_choice(slice->text, slice->length, at->texts) >= 0);
		key.is_other = !name;
		if (name && name->argument < ARGUMENT_COUNT) {
			key.bit = UINT64_C(1) << name->argument;
			key.into = (uint16_t)offsetof(struct event, argument[name->argument]);
		}
	}
	for (size_t i = 0; !is_argument && i < sizeof members / sizeof *members; i++)
		if (text_is(slice->text, slice->length, members[i].name)) {
			key.into = members[i].into;
			key.has = members[i].has;
			key.is_phase = key.into == offsetof(struct event, ph);
		}
	return key;
}

/* INTO is the offset of the slice of EVENT that VALUE was stored in. */
static void log_value(const struct event *event, size_t into, const struct json_slice *value)
{
	struct event_log *log = event->log;
	if (log->count < EVENT_VALUES_MAX) {
		log->value[log->count].value = *value;
		log->value[log->count].into = into;
	}
	log->count++;
}

/* A phase that is no text, or an empty one, is none. */
static inline bool has_no_phase(const struct json_slice *value)
{
	return (value->type != JSON_STRING) | !value->length;
}

/* Keep a value that is not of "args". Which comes next is hard to guess: few branches ask. */
__attribute__((always_inline)) static inline void
keep_value(struct event *event, const struct event_key *key, const struct json_slice *name,
	   const struct json_slice *value, bool is_argument)
{
	struct json_slice *into = (struct json_slice *)((char *)event + key->into);
	if (is_argument) {
		bool is_other = key->is_other & (event->others < EVENT_OTHERS_MAX);
		event->duplicates += (event->have & key->bit) != 0;
		event->have |= key->bit;
		/* without a branch: there is one place more than is counted */
		event->other_key_room[event->others] = *name;
		into = is_other ? &event->other_value[event->others] : into;
		event->others += is_other;
	} else if (key->has) {
		bool *has = (bool *)event + key->has;
		event->duplicates += *has;
		if (key->is_phase & has_no_phase(value))
			return;
		*has = true;
	}
	*into = *value;
	if (event->log && into != &event->ph)
		log_value(event, (size_t)((char *)into - (char *)event), value);
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

/*
 * A string without escapes or a number: returns the comma or bracket after it; NULL for others.
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
		after = scan_number(at, end);
		value->length = (size_t)(after - at);
	} else {
		return NULL;
	}
	if (after < end && *after == '\n')
		after = scan_blank(after, end);
	return after < end && (*after == ',' || *after == '}') ? after : NULL;
}

static enum json_status read_arguments(struct json_cursor *cursor, struct event *event);

/* The value at the cursor, whatever it is. */
__attribute__((noinline)) static enum json_status
read_value(struct json_cursor *cursor, struct event *event, const struct event_key *key,
	   const struct json_slice *name, bool is_argument)
{
	struct json_slice value;
	char c;
	if (!key->into)
		return read_arguments(cursor, event);
	cursor->place = JSON_IN_OBJECT;
	if (json_next(cursor, &c) != JSON_OK)
		return JSON_MORE;
	if (c == '[' && !is_argument && json_equal(name, "traceEvents")) {
		cursor->at++;
		event->is_document = true;
		return JSON_OK;
	}
	enum json_status status = json_value(cursor, &value);
	if (status != JSON_OK)
		return status;
	event->bare_word |= is_argument && event_is_bare_word(&value);
	keep_value(event, key, name, &value, is_argument);
	return JSON_OK;
}

/* A key that was not read before, or not in this form, up to its value. */
__attribute__((noinline)) static enum json_status read_new_key(struct json_cursor *cursor,
							       struct event_key *key,
							       struct json_slice *name,
							       bool is_argument)
{
	bool fits = cursor->end - cursor->at >= KEY_ROOM && !cursor->lenient;
	enum json_status status = read_key(cursor, name);
	if (status != JSON_OK)
		return status;
	*key = describe_key(name, is_argument);
	if (fits && !name->escaped && name->length && name->length <= SCAN_MASKED) {
		struct event_key *place = key_place(name, is_argument);
		key->length = (uint16_t)name->length;
		key->mask = UINT32_MAX >> (SCAN_MASKED - name->length);
		memcpy(key->text, name->text, name->length);
		*place = *key;
	}
	return JSON_OK;
}

/* Read the members of the object at the cursor. */
__attribute__((always_inline)) static inline enum json_status
read_members(struct json_cursor *cursor, struct event *event, bool is_argument)
{
	const char *at = cursor->at + 1, *end = cursor->end;
	for (;;) {
		at = scan_blank(at, end);
		if (at < end && *at == '"') {
			struct event_key room;
			const struct event_key *key = NULL;
			struct json_slice name, value;
			const char *after = scan_quote(at + 1, end);
			cursor->at = at;
			if (end - after >= KEY_ROOM && after[0] == '"' && after[1] == ':' &&
			    !cursor->lenient) {
				name = (struct json_slice){ at + 1, (size_t)(after - at) - 1,
							    JSON_STRING, false, false };
				key = find_key(&name, is_argument);
			}
			if (key) {
				at = after + 2 + (after[2] == ' ');
				cursor->at = at;
				after = plain_value(at, end, &value);
			} else {
				after = NULL;
				key = &room;
				enum json_status status =
					read_new_key(cursor, &room, &name, is_argument);
				if (status != JSON_OK)
					return status;
			}
			if (after && key->into) {
				keep_value(event, key, &name, &value, is_argument);
				at = after;
			} else {
				enum json_status status =
					read_value(cursor, event, key, &name, is_argument);
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
		return read_members(cursor, event, true);
	struct json_slice value;
	event->args_not_object = true;
	return json_value(cursor, &value);
}

enum json_status event_parse(struct json_cursor *cursor, struct event *event, struct event_log *log)
{
	memset(event, 0, offsetof(struct event, argument));
	event->other_key = event->other_key_room;
	event->log = log;
	if (log)
		log->count = 0;
	enum json_status status = read_members(cursor, event, false);
	event->phase = event->has_phase ? *event->ph.text : 0;
	return status;
}

bool event_begins(const char *brace, const char *end)
{
	const char *at = scan_blank(brace + 1, end);
	return text_start(at, (size_t)(end - at),
			  "\"ph\"|\"name\"|\"cat\"|\"pid\"|\"tid\"|\"ts\"|\"args\"|\"id\"") > 0;
}
