#include "input/json.h"

#include "base/buffer.h"
#include "base/text.h"
#include "model/profile.h"

#include <ctype.h>

static bool json_is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool json_begins(const char *text)
{
	text += strspn(text, " \t\r\n");
	if (*text != '[')
		return *text == '{';
	text += 1 + strspn(text + 1, " \t\r\n");
	return !isalnum((unsigned char)*text);
}

/* Does a key or value start here, as it must after a real comma? */
static enum json_status starts_element(const struct json_cursor *cursor, const char *at)
{
	at = scan_blank(at, cursor->end);
	if (at == cursor->end)
		return cursor->final ? JSON_OK : JSON_MORE;
	return *at == '"' || *at == '{' || *at == '[' || *at == '-' || (*at >= '0' && *at <= '9')
		       ? JSON_OK
		       : JSON_BAD;
}

static bool read_hex4(const char *at, const char *end, uint32_t *unit)
{
	*unit = 0;
	if (end - at < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		char c = at[i];
		uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
				 : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
				 : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
							: 16;
		if (digit == 16)
			return false;
		*unit = *unit << 4 | digit;
	}
	return true;
}

/*
 * In lenient mode a quote ends a string only when followed by something that can follow a string
 * there: the end of its array or object, a colon after a key, or a comma and another element.
 */
static enum json_status quote_ends(const struct json_cursor *cursor, const char *quote)
{
	enum json_place place = cursor->place;
	const char *next = scan_blank(quote + 1, cursor->end);
	bool ends = false;
	if (next == cursor->end)
		return cursor->final ? JSON_OK : JSON_MORE;
	if (*next == ']')
		ends = place == JSON_IN_ARRAY || place == JSON_ANYWHERE;
	else if (*next == '}')
		ends = place == JSON_IN_OBJECT || place == JSON_ANYWHERE;
	else if (*next == ':')
		ends = (place == JSON_KEY || place == JSON_ANYWHERE) && next <= quote + 2;
	else if (*next == ',' && place != JSON_KEY)
		return starts_element(cursor, next + 1);
	return ends ? JSON_OK : JSON_BAD;
}

static bool is_escape(const char *slash, const char *end)
{
	uint32_t unit;
	switch (slash[1]) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't': return true;
	case 'u': return end - slash < 6 || read_hex4(slash + 2, end, &unit);
	default: return false;
	}
}

/* A string with escapes, or in lenient mode; AT is the first quote or backslash. */
static enum json_status slow_string(struct json_cursor *cursor, struct json_slice *slice,
				    const char *at)
{
	const char *start = cursor->at + 1;
	slice->type = JSON_STRING;
	slice->escaped = slice->kept = false;
	for (;; at = scan_quote(at, cursor->end)) {
		if (at == cursor->end)
			return JSON_MORE;
		if (*at == '\\') {
			slice->escaped = true;
			if (cursor->end - at < 2)
				return JSON_MORE;
			if (!cursor->lenient && !is_escape(at, cursor->end))
				return JSON_BAD;
			/* A Windows path ending in a backslash escapes its closing quote. */
			if (cursor->lenient && at[1] == '"' &&
			    quote_ends(cursor, at + 1) == JSON_OK) {
				at++;
				break;
			}
			at += 2;
			continue;
		}
		enum json_status ends = cursor->lenient ? quote_ends(cursor, at) : JSON_OK;
		if (ends == JSON_MORE)
			return JSON_MORE;
		if (ends == JSON_OK)
			break;
		at++;
	}
	slice->text = start;
	slice->length = (size_t)(at - start);
	cursor->at = at + 1;
	return JSON_OK;
}

enum json_status json_string(struct json_cursor *cursor, struct json_slice *slice)
{
	const char *start = cursor->at + 1, *at = scan_quote(start, cursor->end);
	if (cursor->lenient || at == cursor->end || *at != '"')
		return slow_string(cursor, slice, at);
	*slice = (struct json_slice){ start, (size_t)(at - start), JSON_STRING, false, false };
	cursor->at = at + 1;
	return JSON_OK;
}

/* What follows a string shows whether its closing quote was a real one. */
static bool follows_string(struct json_cursor *cursor)
{
	char c;
	return json_next(cursor, &c) != JSON_OK || c == ',' || c == ']' || c == '}' || c == ':';
}

/* Open arrays and objects, and the side of a colon the cursor is on. */
struct json_nesting {
	uint64_t arrays; /* bit 0: the innermost is an array; 64 levels are tracked */
	size_t depth;
	bool after_colon;
};

static void nesting_pass(struct json_nesting *nesting, char c)
{
	if (c == '[' || c == '{') {
		nesting->arrays = nesting->arrays << 1 | (c == '[');
		nesting->depth++;
	} else if (c == ']' || c == '}') {
		nesting->arrays >>= 1;
		nesting->depth--;
	}
	nesting->after_colon = c == ':' || (nesting->after_colon && json_is_blank(c));
}

static enum json_place nesting_place(const struct json_nesting *nesting)
{
	return nesting->arrays & 1    ? JSON_IN_ARRAY
	       : nesting->after_colon ? JSON_IN_OBJECT
				      : JSON_KEY;
}

static enum json_status describe_nested(const struct json_cursor *cursor, const char *start,
					struct json_slice *slice)
{
	slice->type = *start == '[' ? JSON_ARRAY : JSON_OBJECT;
	slice->text = start;
	slice->length = (size_t)(cursor->at - start);
	slice->escaped = slice->kept = false;
	return JSON_OK;
}

/* Skip an array or object, matching brackets and skipping strings. */
static enum json_status skip_nested(struct json_cursor *cursor, struct json_slice *slice)
{
	const char *start = cursor->at;
	size_t depth = 0;
	for (;;) {
		cursor->at = scan_nested(cursor->at, cursor->end, &depth);
		if (depth == 0 && cursor->at > start)
			return describe_nested(cursor, start, slice);
		for (; cursor->at < cursor->end && *cursor->at != '"'; cursor->at++) {
			depth += *cursor->at == '[' || *cursor->at == '{';
			if ((*cursor->at == ']' || *cursor->at == '}') && --depth == 0) {
				cursor->at++;
				return describe_nested(cursor, start, slice);
			}
		}
		if (cursor->at == cursor->end)
			return JSON_MORE;
		const char *quote = scan_quote(cursor->at + 1, cursor->end);
		if (cursor->end - quote >= 2 && *quote == '"' &&
		    (quote[1] == ',' || quote[1] == ']' || quote[1] == '}' || quote[1] == ':')) {
			cursor->at = quote + 1;
			continue;
		}
		struct json_slice string;
		enum json_status status = json_string(cursor, &string);
		if (status != JSON_OK)
			return status;
		if (!follows_string(cursor))
			return JSON_BAD;
	}
}

/* Likewise in lenient mode, where the context of strings matters. */
static enum json_status skip_nested_leniently(struct json_cursor *cursor, struct json_slice *slice)
{
	const char *start = cursor->at;
	struct json_nesting nesting = { 0 };
	while (cursor->at < cursor->end) {
		char c = *cursor->at;
		if (c == '"') {
			struct json_slice string;
			cursor->place = nesting_place(&nesting);
			enum json_status status = json_string(cursor, &string);
			if (status != JSON_OK)
				return status;
			if (!follows_string(cursor))
				return JSON_BAD;
			continue;
		}
		cursor->at++;
		nesting_pass(&nesting, c);
		if (nesting.depth == 0)
			return describe_nested(cursor, start, slice);
	}
	return JSON_MORE;
}

/* Numbers, true, false, null, and in either mode bare words such as nan, inf, N/A. */
static enum json_status skip_word(struct json_cursor *cursor, struct json_slice *slice)
{
	const char *at = scan_number(cursor->at, cursor->end);
	while (at < cursor->end && *at != ',' && *at != '}' && *at != ']' && *at != ':' &&
	       *at != '"' && *at != '{' && *at != '[' && !json_is_blank(*at))
		at++;
	if (at == cursor->end && !cursor->final)
		return JSON_MORE;
	if (at == cursor->at)
		return at == cursor->end ? JSON_MORE : JSON_BAD;
	char c = *cursor->at;
	bool digits = (c >= '0' && c <= '9') || (c == '-' && at - cursor->at > 1 &&
						 cursor->at[1] >= '0' && cursor->at[1] <= '9');
	slice->type = digits ? JSON_NUMBER : JSON_WORD;
	slice->text = cursor->at;
	slice->length = (size_t)(at - cursor->at);
	slice->escaped = slice->kept = false;
	cursor->at = at;
	return JSON_OK;
}

enum json_status json_value(struct json_cursor *cursor, struct json_slice *slice)
{
	char c;
	if (json_next(cursor, &c) != JSON_OK)
		return JSON_MORE;
	if (c == '"')
		return json_string(cursor, slice);
	if (c == '[' || c == '{')
		return cursor->lenient ? skip_nested_leniently(cursor, slice)
				       : skip_nested(cursor, slice);
	return skip_word(cursor, slice);
}

bool json_document(const char *text, size_t length, enum json_type type,
		   struct json_slice *document, size_t *wrong)
{
	struct json_cursor cursor = { .at = text, .end = text + length, .final = true };
	json_skip_blank(&cursor);
	bool done = json_value(&cursor, document) == JSON_OK && document->type == type;
	if (wrong)
		*wrong = (size_t)(cursor.at - text);
	return done;
}

/* ---- text ---- */

/* \uXXXX at AT (on the u), possibly a surrogate pair; returns the bytes used, 0 when malformed. */
static size_t unescape_unicode(struct buffer *out, const char *at, const char *end)
{
	uint32_t unit, low;
	if (!read_hex4(at + 1, end, &unit))
		return 0;
	size_t used = 5;
	if (unit >= 0xd800 && unit < 0xdc00 && end - at >= 11 && at[5] == '\\' && at[6] == 'u' &&
	    read_hex4(at + 7, end, &low) && low >= 0xdc00 && low < 0xe000) {
		unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
		used = 11;
	}
	if (unit >= 0xd800 && unit < 0xe000)
		unit = 0xfffd;
	char bytes[4];
	buffer_add(out, bytes, text_encode(unit, bytes));
	return used;
}

void json_unescape(struct buffer *out, const struct json_slice *slice)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at = slice->text, *end = at + slice->length;
	while (at < end) {
		const char *slash = memchr(at, '\\', (size_t)(end - at));
		if (!slash || slash + 1 == end) {
			buffer_add(out, at, (size_t)(end - at));
			return;
		}
		buffer_add(out, at, (size_t)(slash - at));
		const char *simple = strchr(from, slash[1]);
		size_t used = 0;
		if (slash[1] && simple) {
			buffer_putc(out, to[simple - from]);
			used = 1;
		} else if (slash[1] == 'u') {
			used = unescape_unicode(out, slash + 1, end);
		}
		if (!used)
			buffer_putc(out, '\\');
		at = slash + 1 + used;
	}
}

uint32_t json_intern(const struct json_slice *slice, struct intern *strings)
{
	if (!slice->length)
		return intern_add(strings, "", 0);
	if (!memchr(slice->text, '\\', slice->length))
		return intern_add(strings, slice->text, slice->length);
	AUTO_BUFFER struct buffer plain = { 0 };
	json_unescape(&plain, slice);
	return intern_add(strings, plain.data, plain.length);
}

void json_compact(struct buffer *out, const struct json_slice *slice)
{
	struct json_cursor cursor = { .at = slice->text,
				      .end = slice->text + slice->length,
				      .final = true };
	while (cursor.at < cursor.end) {
		const char *start = cursor.at;
		if (*start == '"') {
			struct json_slice string;
			if (json_string(&cursor, &string) != JSON_OK)
				cursor.at = cursor.end;
			buffer_add(out, start, (size_t)(cursor.at - start));
			continue;
		}
		cursor.at++;
		if (!json_is_blank(*start))
			buffer_putc(out, *start);
	}
}

/* ---- members ---- */

void json_enter(struct json_cursor *cursor, const struct json_slice *slice)
{
	bool nested = slice->type == JSON_ARRAY || slice->type == JSON_OBJECT;
	*cursor = (struct json_cursor){
		.at = slice->text + nested,
		.end = slice->text + (nested ? slice->length - 1 : 0),
		.final = true,
	};
}

bool json_member(struct json_cursor *cursor, struct json_slice *key, struct json_slice *value)
{
	char c;
	while (json_next(cursor, &c) == JSON_OK && c == ',')
		cursor->at++;
	if (cursor->at >= cursor->end || json_value(cursor, value) != JSON_OK)
		return false;
	*key = (struct json_slice){ .text = "" };
	if (json_next(cursor, &c) != JSON_OK || c != ':')
		return true;
	cursor->at++;
	*key = *value;
	return json_value(cursor, value) == JSON_OK;
}

bool json_find(const struct json_slice *object, const char *name, struct json_slice *value)
{
	struct json_cursor cursor;
	struct json_slice key;
	if (object->type != JSON_OBJECT)
		return false;
	json_enter(&cursor, object);
	while (json_member(&cursor, &key, value))
		if (json_equal(&key, name))
			return true;
	return false;
}

bool json_find_type(const struct json_slice *object, const char *name, enum json_type type,
		    struct json_slice *value)
{
	return json_find(object, name, value) && value->type == type;
}

uint32_t json_find_text(const struct json_slice *object, const char *name, struct intern *strings)
{
	struct json_slice value;
	return json_find_type(object, name, JSON_STRING, &value) ? json_intern(&value, strings) : 0;
}

int64_t json_find_id(const struct json_slice *object, const char *name)
{
	struct json_slice value;
	int64_t number;
	return json_find(object, name, &value) && json_id(&value, &number) ? number : NO_VALUE;
}

const char *json_after(const char *head, const char *open)
{
	if (strncmp(head, "\xef\xbb\xbf", 3) == 0)
		head += 3;
	head += strspn(head, " \t\r\n");
	for (; *open; open++) {
		if (*head != *open)
			return NULL;
		head += 1 + strspn(head + 1, " \t\r\n");
	}
	return head;
}
