/*
 * The pieces of JSON a trace reader needs, over a window of text that may end anywhere.
 *
 * Nothing here builds a document.  A cursor moves over the window; a function that meets its end
 * says JSON_MORE, and the caller tries the same place again with a longer window.  Lenient mode
 * reads what careless writers leave behind: quotes inside strings, bare words as values.
 */
#ifndef STRATA_INPUT_JSON_H
#define STRATA_INPUT_JSON_H

#include "input/json_scan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buffer;

enum json_status {
	JSON_OK,
	JSON_MORE, /* the window ends inside the value */
	JSON_BAD,  /* not JSON at the cursor */
};

/* Where a string stands decides what may follow it, and so, in lenient mode, where it ends. */
enum json_place { JSON_ANYWHERE, JSON_KEY, JSON_IN_OBJECT, JSON_IN_ARRAY };

struct json_cursor {
	const char *at, *end;
	bool lenient;
	bool final;            /* the window ends where the file ends */
	enum json_place place; /* of the value at the cursor; only lenient mode looks */
};

/* A value or a key as it stands in the window. */
enum json_type { JSON_STRING, JSON_NUMBER, JSON_ARRAY, JSON_OBJECT, JSON_WORD };
struct json_slice {
	const char *text; /* strings: without the quotes */
	size_t length;
	enum json_type type;
	bool escaped; /* a string with backslashes */
};

static inline void json_skip_blank(struct json_cursor *cursor)
{
	cursor->at = scan_blank(cursor->at, cursor->end);
}

/* A string; the cursor stands on its opening quote. */
enum json_status json_string(struct json_cursor *cursor, struct json_slice *slice);

/* Any value, skipped over and described. */
enum json_status json_value(struct json_cursor *cursor, struct json_slice *slice);

/* Next non-blank byte without taking it; 0 with JSON_MORE at the end of the window. */
static inline enum json_status json_next(struct json_cursor *cursor, char *c)
{
	json_skip_blank(cursor);
	*c = cursor->at < cursor->end ? *cursor->at : 0;
	return cursor->at < cursor->end ? JSON_OK : JSON_MORE;
}

/* Append the text of a string slice, its escapes resolved (bad ones are kept as they are). */
void json_unescape(struct buffer *out, const struct json_slice *slice);

/* Append the slice as compact JSON: no blanks outside strings. */
void json_compact(struct buffer *out, const struct json_slice *slice);

/* A number or a string that holds one; false otherwise.  Integers above int64 saturate. */
bool json_int(const struct json_slice *slice, int64_t *value);
bool json_real(const struct json_slice *slice, double *value);

/*
 * A time in microseconds as integer nanoseconds: no float on the way unless there is an exponent.
 * Digits after the third decimal are ignored.  False when it is no number or does not fit.
 */
bool json_time_ns(const struct json_slice *slice, int64_t *ns);

/*
 * Walk a slice that is an object or an array: set CURSOR with json_enter, then take members until
 * false.  KEY is empty in arrays, and where an object has a value without one.
 */
void json_enter(struct json_cursor *cursor, const struct json_slice *slice);
bool json_member(struct json_cursor *cursor, struct json_slice *key, struct json_slice *value);

/* Inline, so that the length of a literal is known where it is compared: keys are compared a lot.
 */
static inline bool json_equal(const struct json_slice *slice, const char *text)
{
	size_t length = strlen(text);
	return slice->length == length && memcmp(slice->text, text, length) == 0;
}

#endif
