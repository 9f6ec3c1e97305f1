/*
 * Incremental JSON scanner over a window of text that may end anywhere.
 *
 * No document tree is built. A function that reaches the end of the window returns JSON_MORE, and
 * the caller retries from the same position with a longer window. Lenient mode accepts what
 * careless writers produce: unescaped quotes inside strings, bare words as values.
 */
#pragma once

#include "input/json_scan.h"

struct buffer;
struct intern;

enum json_status {
	JSON_OK,
	JSON_MORE, /* the value continues after the window */
	JSON_BAD,  /* not JSON at the cursor */
};

/* The position of a string; in lenient mode it determines what may follow, and so where it ends. */
enum json_place { JSON_ANYWHERE, JSON_KEY, JSON_IN_OBJECT, JSON_IN_ARRAY };

struct json_cursor {
	const char *at, *end;
	bool lenient;
	bool final;            /* the window ends at the end of the file */
	enum json_place place; /* of the value at the cursor; lenient mode only */
};

/* A value or key in the window. */
enum json_type { JSON_STRING, JSON_NUMBER, JSON_ARRAY, JSON_OBJECT, JSON_WORD };
struct json_slice {
	const char *text; /* strings: without quotes */
	size_t length;
	enum json_type type;
	bool escaped; /* a string with backslash escapes */
	bool kept;    /* a copy of an array, the same for all equal ones, until reading ends */
};

static inline void json_skip_blank(struct json_cursor *cursor)
{
	cursor->at = scan_blank(cursor->at, cursor->end);
}

/* TEXT begins as an object or array does, damaged or not, but not as a line of a log: "[INFO] …".
 */
bool json_begins(const char *text);

/* Read a string; the cursor is on its opening quote. */
enum json_status json_string(struct json_cursor *cursor, struct json_slice *slice);

/* Skip any value and describe it. */
enum json_status json_value(struct json_cursor *cursor, struct json_slice *slice);

/* Peek at the next non-blank byte; 0 with JSON_MORE at the end of the window. */
static inline enum json_status json_next(struct json_cursor *cursor, char *c)
{
	json_skip_blank(cursor);
	*c = cursor->at < cursor->end ? *cursor->at : 0;
	return cursor->at < cursor->end ? JSON_OK : JSON_MORE;
}

/*
 * The first value of TEXT, a whole document of this type. False when it is damaged or cut, at the
 * byte *WRONG, or of another type; WRONG may be NULL.
 */
bool json_document(const char *text, size_t length, enum json_type type,
		   struct json_slice *document, size_t *wrong);

/* Append a string with escapes resolved (invalid ones are kept verbatim). */
void json_unescape(struct buffer *out, const struct json_slice *slice);

/* Append as compact JSON: no blanks outside strings. */
void json_compact(struct buffer *out, const struct json_slice *slice);

/* A number or numeric string; false otherwise. Integers beyond int64 saturate. */
bool json_int(const struct json_slice *slice, int64_t *value);
bool json_real(const struct json_slice *slice, double *value);

/* Likewise, but false for integers beyond int64: ids, of which two must not become one. */
bool json_id(const struct json_slice *slice, int64_t *value);

/*
 * Microseconds as integer nanoseconds, without floating point unless there is an exponent. Digits
 * after the third decimal are ignored. False when not a number or out of range.
 */
bool json_time_ns(const struct json_slice *slice, int64_t *ns);

/* The string without escapes, interned; of an absent member, the empty string. */
uint32_t json_intern(const struct json_slice *slice, struct intern *strings);

/*
 * Iterate over an object or array: json_enter sets CURSOR, json_member returns members until false.
 * KEY is empty in arrays and where an object has a value without a key.
 */
void json_enter(struct json_cursor *cursor, const struct json_slice *slice);
bool json_member(struct json_cursor *cursor, struct json_slice *key, struct json_slice *value);

/* Likewise: for (struct json_members at = json_members(slice); json_each(&at);). */
struct json_members {
	struct json_cursor cursor;
	struct json_slice key, value;
};

static inline struct json_members json_members(const struct json_slice *slice)
{
	struct json_members members;
	json_enter(&members.cursor, slice);
	return members;
}

static inline bool json_each(struct json_members *at)
{
	return json_member(&at->cursor, &at->key, &at->value);
}

/* The first member NAME of an object; false without. */
bool json_find(const struct json_slice *object, const char *name, struct json_slice *value);

/* Likewise, of this type. */
bool json_find_type(const struct json_slice *object, const char *name, enum json_type type,
		    struct json_slice *value);

/* The string NAME, interned; 0 without. The id NAME; NO_VALUE without. */
uint32_t json_find_text(const struct json_slice *object, const char *name, struct intern *strings);
int64_t json_find_id(const struct json_slice *object, const char *name);

/*
 * The text after the brackets OPEN ("[{") at the start of a document, blanks aside; NULL: it does
 * not begin so. HEAD ends with NUL.
 */
const char *json_after(const char *head, const char *open);

/* Inline for constant lengths: keys are compared often. */
static inline bool json_equal(const struct json_slice *slice, const char *text)
{
	size_t length = strlen(text);
	return slice->length == length && memcmp(slice->text, text, length) == 0;
}
