#include "input/kineto/kineto_layout.h"

#include "model/profile.h"

/*
 * Limits of learning, so that a file of all-different events costs no more than parsing it. After a
 * run of misses learning pauses, twice as long each time.
 */
enum {
	CHILDREN_MAX = 32,
	STEPS_MAX = 16384,
	BYTES_MAX = 1 << 22,
	ARRAYS = 1 << 12,
	MISSES_MAX = 32,
	PAUSE_FIRST = 64,
	PAUSE_MAX = 8192
};

enum step_value { STEP_END, STEP_STRING, STEP_NUMBER, STEP_ANY };

/* The end of a path: the members that are constant in a layout. */
struct leaf {
	_Alignas(struct event) char head[offsetof(struct event, name)];
	struct json_slice device, stream; /* text NULL: absent */
	struct event_memo memo;
	struct json_slice *other_key;
	bool lane_varies;
	struct leaf *next;                /* layout of the event that last followed one of this */
	struct kineto_layout_step **path; /* from a child of the root to the closing brace */
};

struct kineto_layout_step {
	const char *bytes; /* readable for SCAN_MASKED bytes */
	uint32_t length;
	uint32_t mask;         /* bit I: byte I is compared */
	enum step_value value; /* value after the bytes */
	uint32_t into;         /* offset of its slice in struct event */
	struct kineto_layout_step *parent, *children, *sibling;
	struct kineto_layout_step *hint; /* the last matching child */
	unsigned child_count;
	struct leaf *leaf; /* of STEP_END */
};

/* An array of an argument that was read before; most of shapes and types come again. */
struct array {
	const char *text; /* NULL: none */
	size_t length;
	uint64_t hash;
};

struct layouts {
	struct arena *arena;
	struct array *arrays; /* ARRAYS places, by hash; the first two in a place stay */
	struct kineto_layout_step root;
	struct leaf **next; /* where to store the layout of the next event */
	struct leaf *first; /* of the first event */
	unsigned steps;
	unsigned misses;            /* consecutive */
	unsigned pause, pause_left; /* of the next pause, remaining of this one (events) */
};

struct layouts *layouts_new(void)
{
	struct layouts *layouts = mem_zalloc(1, sizeof *layouts);
	layouts->arena = arena_new();
	layouts->arrays = mem_cleared(ARRAYS, sizeof *layouts->arrays);
	layouts->next = &layouts->first;
	layouts->pause = PAUSE_FIRST;
	return layouts;
}

FREE_OBJECT(layouts_free, struct layouts, OWN_BY(arena_free, arena) OWN(arrays))

/* ---- learning ---- */

static bool is_lane(size_t into)
{
	return into == offsetof(struct event, pid) || into == offsetof(struct event, tid) ||
	       into == offsetof(struct event, argument[ARGUMENT_DEVICE]) ||
	       into == offsetof(struct event, argument[ARGUMENT_STREAM]);
}

static enum step_value value_kind(const struct json_slice *value)
{
	return value->type == JSON_STRING   ? STEP_STRING
	       : value->type == JSON_NUMBER ? STEP_NUMBER
					    : STEP_ANY;
}

/* A copy of at least SCAN_MASKED bytes. */
static const char *keep_bytes(struct layouts *layouts, const char *bytes, size_t length)
{
	char *copy = arena_alloc(layouts->arena, length + SCAN_MASKED);
	memcpy(copy, bytes, length);
	memset(copy + length, 0, SCAN_MASKED);
	return copy;
}

/* Find or add the child of STEP with these bytes and value; NULL beyond the limits. */
static struct kineto_layout_step *find_child(struct layouts *layouts,
					     struct kineto_layout_step *step, const char *bytes,
					     size_t length, enum step_value value, size_t into)
{
	struct kineto_layout_step *child;
	for (child = step->children; child; child = child->sibling)
		if (child->length == length && child->value == value && child->into == into &&
		    memcmp(child->bytes, bytes, length) == 0)
			return child;
	if (step->child_count == CHILDREN_MAX || layouts->steps == STEPS_MAX ||
	    arena_size(layouts->arena) + length > BYTES_MAX)
		return NULL;
	child = arena_alloc(layouts->arena, sizeof *child);
	*child = (struct kineto_layout_step){ .bytes = keep_bytes(layouts, bytes, length),
					      .length = (uint32_t)length,
					      .mask = length < SCAN_MASKED
							      ? (UINT32_C(1) << length) - 1
							      : UINT32_MAX,
					      .value = value,
					      .into = (uint32_t)into,
					      .parent = step,
					      .sibling = step->children };
	step->children = child;
	step->child_count++;
	layouts->steps++;
	return child;
}

static struct json_slice keep_slice(struct layouts *layouts, const struct json_slice *slice)
{
	struct json_slice copy = *slice;
	if (slice->text)
		copy.text = arena_strndup(layouts->arena, slice->text, slice->length);
	return copy;
}

/* The steps that lead to LAST. */
static struct kineto_layout_step **make_path(struct layouts *layouts,
					     struct kineto_layout_step *last)
{
	size_t length = 0;
	for (struct kineto_layout_step *step = last; step->parent; step = step->parent)
		length++;
	struct kineto_layout_step **path =
		arena_alloc(layouts->arena, length * sizeof(struct kineto_layout_step *));
	for (struct kineto_layout_step *step = last; step->parent; step = step->parent)
		path[--length] = step;
	return path;
}

static struct leaf *make_leaf(struct layouts *layouts, const struct event *event, bool lane_varies)
{
	struct leaf *leaf = arena_alloc(layouts->arena, sizeof *leaf);
	struct json_slice *keys =
		arena_alloc(layouts->arena, ((size_t)event->others + 1) * sizeof *keys);
	*leaf = (struct leaf){ .lane_varies = lane_varies,
			       .memo = { .host_track = NO_ROW, .device_track = NO_ROW } };
	for (uint32_t i = 0; i < event->others; i++)
		keys[i] = keep_slice(layouts, &event->other_key[i]);
	struct event head;
	memcpy(&head, event, sizeof leaf->head);
	head.log = NULL;
	head.memo = lane_varies ? NULL : &leaf->memo;
	head.other_key = keys;
	head.cat = keep_slice(layouts, &event->cat);
	head.pid = keep_slice(layouts, &event->pid);
	head.tid = keep_slice(layouts, &event->tid);
	memcpy(leaf->head, &head, sizeof leaf->head);
	if (event_argument(event, ARGUMENT_DEVICE))
		leaf->device = keep_slice(layouts, event_argument(event, ARGUMENT_DEVICE));
	if (event_argument(event, ARGUMENT_STREAM))
		leaf->stream = keep_slice(layouts, event_argument(event, ARGUMENT_STREAM));
	return leaf;
}

/* Add the path of an event; false beyond the limits. */
static bool learn_path(struct layouts *layouts, const char *text, const char *end,
		       const struct event *event, const struct event_log *log, bool lane_varies)
{
	struct kineto_layout_step *step = &layouts->root;
	for (size_t i = 0; i < log->count; i++) {
		const struct json_slice *value = &log->value[i].value;
		size_t into = log->value[i].into;
		if (into == offsetof(struct event, cat) || (is_lane(into) && !lane_varies))
			continue;
		step = find_child(layouts, step, text, (size_t)(value->text - text),
				  value_kind(value), into);
		if (!step)
			return false;
		text = value->text + value->length;
	}
	step = find_child(layouts, step, text, (size_t)(end - text), STEP_END, 0);
	if (step && !step->leaf) {
		step->leaf = make_leaf(layouts, event, lane_varies);
		step->leaf->path = make_path(layouts, step);
	}
	return step;
}

/* Learn from a parsed event in TEXT to END; EVENT and LOG are from event_parse. */
static void learn(struct layouts *layouts, const char *text, const char *end,
		  const struct event *event, const struct event_log *log)
{
	/* Readers of layouts use these members without checking for presence. */
	bool is_usual = event->has_name && event->has_ts && event->pid.text && event->tid.text;
	if (!is_usual || !event->phase || event->is_document || event->args_not_object ||
	    event->bare_word || event->duplicates || log->count > EVENT_VALUES_MAX)
		return;
	if (!learn_path(layouts, text, end, event, log, false))
		learn_path(layouts, text, end, event, log, true);
}

/* ---- matching ---- */

static bool begins_number(const char *at, const char *end)
{
	at += at < end && *at == '-';
	return at < end && *at >= '0' && *at <= '9';
}

/* Values the fast paths do not handle: escapes, arrays, objects, words. */
__attribute__((noinline)) static const char *match_rare_value(const struct kineto_layout_step *step,
							      const char *at, const char *end,
							      struct json_slice *slice)
{
	struct json_cursor cursor = { .at = at, .end = end };
	if (step->value == STEP_STRING) {
		cursor.at--;
		return json_string(&cursor, slice) == JSON_OK ? cursor.at - 1 : NULL;
	}
	if (json_value(&cursor, slice) != JSON_OK || event_is_bare_word(slice) ||
	    slice->type == JSON_STRING || slice->type == JSON_NUMBER)
		return NULL;
	return cursor.at;
}

/* The array with this hash or a free place for it; NULL: both places are taken. */
static struct array *find_array(const struct layouts *layouts, uint64_t hash)
{
	struct array *array = &layouts->arrays[hash % ARRAYS];
	if (array->hash == hash || !array->text)
		return array;
	array = &layouts->arrays[(hash % ARRAYS) ^ 1];
	return array->hash == hash || !array->text ? array : NULL;
}

/* Match an array where enough text follows: an equal one read before ends in the same place. */
__attribute__((noinline)) static const char *
match_array(struct layouts *layouts, const struct kineto_layout_step *step, const char *at,
	    const char *end, struct json_slice *slice, scan_hash_form *find_hash)
{
	uint64_t hash;
	const char *close = find_hash(at, end, &hash);
	size_t length = close ? (size_t)(close - at) : 0;
	struct array *array = close ? find_array(layouts, hash) : NULL;
	if (array && array->length == length && scan_equal(at, array->text, length)) {
		*slice = (struct json_slice){ array->text, length, JSON_ARRAY, false, true };
		return close;
	}
	const char *after = match_rare_value(step, at, end, slice);
	if (after == close && array && !array->text && arena_size(layouts->arena) < BYTES_MAX)
		*array = (struct array){ arena_strndup(layouts->arena, at, length), length, hash };
	return after;
}

/* Match the value of a step; NULL when it is of another kind or incomplete. */
__attribute__((always_inline)) static inline const char *
match_value(const struct kineto_layout_step *step, const char *at, const char *end,
	    struct json_slice *slice)
{
	const char *after;
	if (step->value == STEP_NUMBER) {
		after = scan_number(at, end);
		if (!begins_number(at, after))
			return NULL;
		*slice = (struct json_slice){ at, (size_t)(after - at), JSON_NUMBER, false, false };
		return after;
	}
	if (step->value == STEP_STRING) {
		after = scan_quote(at, end);
		if (after < end && *after == '"') {
			*slice = (struct json_slice){ at, (size_t)(after - at), JSON_STRING, false,
						      false };
			return after;
		}
	}
	return match_rare_value(step, at, end, slice);
}

/* Match the bytes of STEP and its value, stored in EVENT; returns the end, NULL on a mismatch. */
__attribute__((noinline)) static const char *match_step(const struct kineto_layout_step *step,
							const char *at, const char *end,
							struct event *event)
{
	if ((size_t)(end - at) < step->length || !scan_equal(at, step->bytes, step->length))
		return NULL;
	at += step->length;
	if (step->value == STEP_END)
		return at;
	return match_value(step, at, end, (struct json_slice *)((char *)event + step->into));
}

/* Likewise, faster where enough text follows; most events match the path of the one expected. */
__attribute__((always_inline)) static inline const char *
match_near(struct layouts *layouts, const struct kineto_layout_step *step, const char *at,
	   const char *end, struct event *event, scan_equal_form *equal, scan_quote_form *quote,
	   scan_hash_form *hash)
{
	if (end - at < (ptrdiff_t)step->length + 2 * SCAN_MASKED)
		return match_step(step, at, end, event);
	if (!equal(at, step->bytes, step->mask) ||
	    (step->length > SCAN_MASKED &&
	     !scan_equal(at + SCAN_MASKED, step->bytes + SCAN_MASKED, step->length - SCAN_MASKED)))
		return NULL;
	at += step->length;
	if (step->value == STEP_END)
		return at;
	struct json_slice *slice = (struct json_slice *)((char *)event + step->into);
	const char *after;
	if (step->value == STEP_NUMBER && (unsigned char)(*at - '0') <= 9) {
		after = scan_number_near(at, end);
		*slice = (struct json_slice){ at, (size_t)(after - at), JSON_NUMBER, false, false };
		return after;
	}
	if (step->value == STEP_STRING && (after = quote(at, end)) < end && *after == '"') {
		*slice = (struct json_slice){ at, (size_t)(after - at), JSON_STRING, false, false };
		return after;
	}
	if (step->value == STEP_ANY && *at == '[')
		return match_array(layouts, step, at, end, slice, hash);
	return match_value(step, at, end, slice);
}

/* Match a child of STEP and advance *STEP to it; the last matching child is tried first. */
__attribute__((always_inline)) static inline const char *
match_child(struct layouts *layouts, struct kineto_layout_step **step, const char *at,
	    const char *end, struct event *event, scan_equal_form *equal, scan_quote_form *quote,
	    scan_hash_form *hash)
{
	struct kineto_layout_step *parent = *step, *child = parent->hint;
	const char *after =
		child ? match_near(layouts, child, at, end, event, equal, quote, hash) : NULL;
	if (!after) {
		for (child = parent->children; child; child = child->sibling)
			if (child != parent->hint && (after = match_step(child, at, end, event)))
				break;
		parent->hint = child ? child : parent->hint;
	}
	*step = child;
	return after;
}

__attribute__((always_inline)) static inline void fill_constants(const struct leaf *leaf,
								 struct event *event)
{
	if (leaf->lane_varies) {
		memcpy(event, leaf->head, offsetof(struct event, pid));
		return;
	}
	memcpy(event, leaf->head, sizeof leaf->head);
	if (leaf->device.text)
		event->argument[ARGUMENT_DEVICE] = leaf->device;
	if (leaf->stream.text)
		event->argument[ARGUMENT_STREAM] = leaf->stream;
}

static bool miss(struct layouts *layouts)
{
	if (++layouts->misses < MISSES_MAX)
		return false;
	layouts->misses = 0;
	layouts->pause_left = layouts->pause;
	layouts->pause = layouts->pause < PAUSE_MAX ? layouts->pause * 2 : PAUSE_MAX;
	return false;
}

/* Match the path of LEAF as far as it goes; *STEP becomes the last one that matched, if any. */
__attribute__((always_inline)) static inline const char *
match_path(struct layouts *layouts, const struct leaf *leaf, struct kineto_layout_step **step,
	   const char *at, const char *end, struct event *event, scan_equal_form *equal,
	   scan_quote_form *quote, scan_hash_form *hash)
{
	for (struct kineto_layout_step **next = leaf->path;; next++) {
		const char *after = match_near(layouts, *next, at, end, event, equal, quote, hash);
		if (!after)
			return at;
		at = after;
		*step = *next;
		if ((*next)->value == STEP_END)
			return at;
	}
}

/* Inlined into each form, with the function that compares the bytes between values. */
__attribute__((always_inline)) static inline bool
match(struct layouts *layouts, struct json_cursor *cursor, struct event *event,
      scan_equal_form *equal, scan_quote_form *quote, scan_hash_form *hash)
{
	if (layouts->pause_left) {
		layouts->pause_left--;
		return false;
	}
	const char *at = cursor->at, *end = cursor->end;
	struct kineto_layout_step *step = &layouts->root;
	struct leaf *guess = *layouts->next;
	if (guess)
		at = match_path(layouts, guess, &step, at, end, event, equal, quote, hash);
	while (at && (step == &layouts->root || step->value != STEP_END))
		at = match_child(layouts, &step, at, end, event, equal, quote, hash);
	if (!at)
		return miss(layouts);
	layouts->misses = 0;
	layouts->pause = PAUSE_FIRST;
	fill_constants(step->leaf, event);
	cursor->at = at;
	*layouts->next = step->leaf;
	layouts->next = &step->leaf->next;
	return true;
}

static bool match_usual(struct layouts *layouts, struct json_cursor *cursor, struct event *event)
{
	return match(layouts, cursor, event, scan_equal_masked, scan_quote, scan_hash);
}

#if defined __x86_64__ && defined __GNUC__
__attribute__((target("avx2"))) static bool
match_avx2(struct layouts *layouts, struct json_cursor *cursor, struct event *event)
{
	bool matched = match(layouts, cursor, event, scan_equal_masked_avx2, scan_quote_near_avx2,
			     scan_hash_avx2);
	/* compilers omit it on some paths: then each SSE instruction waits */
	_mm256_zeroupper();
	return matched;
}

static bool match_any(struct layouts *layouts, struct json_cursor *cursor, struct event *event)
{
	return scan_has_avx2() ? match_avx2(layouts, cursor, event)
			       : match_usual(layouts, cursor, event);
}
#else
#define match_any match_usual
#endif

/* Parse an event without a known layout. Not worth learning from while all events differ. */
__attribute__((noinline)) static bool parse_new(struct layouts *layouts, struct json_cursor *cursor,
						struct event *event)
{
	const char *start = cursor->at;
	struct event_log room, *log = layouts->pause_left ? NULL : &room;
	if (start == cursor->end || *start != '{' || event_parse(cursor, event, log) != JSON_OK ||
	    event->is_document)
		return false;
	if (log)
		learn(layouts, start, cursor->at, event, log);
	return true;
}

bool layouts_parse(struct layouts *layouts, struct json_cursor *cursor, struct event *event)
{
	return match_any(layouts, cursor, event) || parse_new(layouts, cursor, event);
}
