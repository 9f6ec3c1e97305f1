#include "base/literal.h"

#include "base/buffer.h"
#include "base/text.h"
#include "base/text_slice.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct parser {
	struct arena *arena;
	const char *at, *end;
	int depth;
	GROWING(struct literal, stack, stack_count); /* items of the open brackets */
	struct buffer text;                          /* of the current string */
};

static bool parse_value(struct parser *parser, struct literal *out);

static char peek(const struct parser *parser)
{
	return parser->at < parser->end ? *parser->at : 0;
}

static void skip_blanks(struct parser *parser)
{
	while (parser->at < parser->end && memchr(" \t\r\n\f", *parser->at, 5))
		parser->at++;
}

/* Skip blanks and consume C if it is next. */
static bool accept(struct parser *parser, char c)
{
	skip_blanks(parser);
	if (parser->at == parser->end || *parser->at != c)
		return false;
	parser->at++;
	return true;
}

/* ---- text ---- */

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 32);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parse DIGITS hexadecimal digits. */
static bool parse_hex(struct parser *parser, int digits, uint32_t *value)
{
	*value = 0;
	for (int i = 0; i < digits; i++) {
		int digit = digit_value(peek(parser));
		if (digit < 0)
			return false;
		*value = *value << 4 | (uint32_t)digit;
		parser->at++;
	}
	return true;
}

static uint32_t parse_octal(struct parser *parser)
{
	uint32_t value = 0;
	for (int i = 0; i < 3 && peek(parser) >= '0' && peek(parser) <= '7'; i++)
		value = value << 3 | (uint32_t)(*parser->at++ - '0');
	return value;
}

static bool add_point(struct parser *parser, uint32_t point, bool bytes)
{
	char encoded[4];
	if (bytes && point > 0xff)
		return false;
	if (bytes) {
		buffer_putc(&parser->text, (char)point);
		return true;
	}
	if (point > 0x10ffff)
		return false;
	if (point >= 0xd800 && point <= 0xdfff)
		point = 0xfffd;
	buffer_add(&parser->text, encoded, text_encode(point, encoded));
	return true;
}

/* A \uXXXX after POINT, which makes one character with it, as in JSON. */
static bool parse_low_surrogate(struct parser *parser, uint32_t *point)
{
	uint32_t low;
	const char *at = parser->at;
	if (*point < 0xd800 || *point > 0xdbff || parser->end - at < 6 || at[0] != '\\' ||
	    at[1] != 'u')
		return true;
	parser->at += 2;
	if (!parse_hex(parser, 4, &low))
		return false;
	if (low < 0xdc00 || low > 0xdfff)
		parser->at = at;
	else
		*point = 0x10000 + ((*point - 0xd800) << 10) + (low - 0xdc00);
	return true;
}

/* The part after a backslash; unknown escapes are kept verbatim, as in Python. */
static bool parse_escape(struct parser *parser, bool bytes)
{
	static const char letters[] = "abfnrtv\\'\"", meant[] = "\a\b\f\n\r\t\v\\'\"";
	char c = peek(parser);
	const char *found = c ? strchr(letters, c) : NULL;
	uint32_t point;
	if (parser->at == parser->end)
		return false;
	if (c >= '0' && c <= '7')
		return add_point(parser, parse_octal(parser) & (bytes ? 0xff : 0x1ff), bytes);
	parser->at++;
	if (found) {
		buffer_putc(&parser->text, meant[found - letters]);
		return true;
	}
	if (c == 'x' || (!bytes && (c == 'u' || c == 'U')))
		return parse_hex(parser,
				 c == 'x'   ? 2
				 : c == 'u' ? 4
					    : 8,
				 &point) &&
		       (c != 'u' || parse_low_surrogate(parser, &point)) &&
		       add_point(parser, point, bytes);
	if (c == '\n')
		return true;
	buffer_putc(&parser->text, '\\');
	buffer_putc(&parser->text, c);
	return true;
}

static bool parse_text(struct parser *parser, struct literal *out)
{
	bool bytes = false, raw = false;
	for (; peek(parser) != '\'' && peek(parser) != '"'; parser->at++) {
		bytes |= (peek(parser) | 32) == 'b';
		raw |= (peek(parser) | 32) == 'r';
	}
	char quote = *parser->at++;
	buffer_clear(&parser->text);
	while (peek(parser) != quote || parser->at == parser->end) {
		if (parser->at == parser->end || *parser->at == '\n')
			return false;
		const char *from = parser->at;
		while (parser->at < parser->end && *parser->at != quote && *parser->at != '\\' &&
		       *parser->at != '\n')
			parser->at++;
		buffer_add(&parser->text, from, (size_t)(parser->at - from));
		if (peek(parser) != '\\')
			continue;
		parser->at++;
		if (raw) {
			buffer_putc(&parser->text, '\\');
			if (parser->at < parser->end)
				buffer_putc(&parser->text, *parser->at++);
		} else if (!parse_escape(parser, bytes)) {
			return false;
		}
	}
	parser->at++;
	out->kind = bytes ? LITERAL_BYTES : LITERAL_TEXT;
	out->count = parser->text.length;
	out->text = arena_strndup(parser->arena, buffer_text(&parser->text), out->count);
	return true;
}

/* A quote, with a prefix of up to two letters. */
static bool at_text(const struct parser *parser)
{
	const char *at = parser->at;
	while (at < parser->end && at < parser->at + 2 && strchr("bBrRuU", *at))
		at++;
	return at < parser->end && (*at == '\'' || *at == '"');
}

/* ---- numbers and words ---- */

static bool finish_real(struct literal *out, const char *digits)
{
	out->kind = LITERAL_REAL;
	out->real = strtod(digits, NULL);
	return true;
}

static bool finish_int(struct parser *parser, struct literal *out, const struct buffer *digits)
{
	const char *text = buffer_text(digits) + (*buffer_text(digits) == '+');
	errno = 0;
	out->kind = LITERAL_INT;
	out->integer = strtoll(text, NULL, 10);
	if (errno == ERANGE) {
		out->kind = LITERAL_BIG;
		out->count = strlen(text);
		out->text = arena_strndup(parser->arena, text, out->count);
	}
	return true;
}

static bool literal_parse_number(struct parser *parser, struct literal *out)
{
	struct buffer *digits = &parser->text;
	bool real = false, any = false, exponent = false;
	buffer_clear(digits);
	if (peek(parser) == '-' || peek(parser) == '+')
		buffer_putc(digits, *parser->at++);
	for (; parser->at < parser->end; parser->at++) {
		char c = *parser->at;
		bool sign = (c == '-' || c == '+') && exponent && strchr("eE", parser->at[-1]);
		if (c == '_' && any)
			continue;
		if (!isdigit((unsigned char)c) && c != '.' && (c | 32) != 'e' && !sign)
			break;
		if ((c == '.' && real) || ((c | 32) == 'e' && (exponent || !any)))
			return false;
		exponent |= (c | 32) == 'e';
		real |= c == '.' || exponent;
		any |= isdigit((unsigned char)c) != 0;
		buffer_putc(digits, c);
	}
	if (!any || !isdigit((unsigned char)(parser->at[-1] == '.' ? '0' : parser->at[-1])))
		return false;
	return real ? finish_real(out, buffer_text(digits)) : finish_int(parser, out, digits);
}

static bool parse_word(struct parser *parser, struct literal *out)
{
	const char *from = parser->at;
	while (parser->at < parser->end &&
	       (isalnum((unsigned char)*parser->at) || *parser->at == '_'))
		parser->at++;
	int word =
		text_choice(from, (size_t)(parser->at - from), "None|null|False|false|True|true");
	if (word >= 0)
		*out = (struct literal){ .kind = word < 2 ? LITERAL_NONE : LITERAL_BOOL,
					 .integer = word > 3 };
	return word >= 0;
}

/* ---- brackets ---- */

/* Move the stack items from FIRST on into OUT. */
static void literal_collect(struct parser *parser, size_t first, struct literal *out)
{
	size_t count = parser->stack_count - first;
	struct literal *items = arena_alloc(parser->arena, count * sizeof *items);
	if (count)
		memcpy(items, parser->stack + first, count * sizeof *items);
	parser->stack_count = first;
	out->items = items;
	out->count = out->kind == LITERAL_DICT ? count / 2 : count;
}

static bool parse_pair(struct parser *parser)
{
	struct literal item;
	if (!parse_value(parser, &item))
		return false;
	*mem_push(parser->stack, parser->stack_count) = item;
	if (!accept(parser, ':'))
		return false;
	if (!parse_value(parser, &item))
		return false;
	*mem_push(parser->stack, parser->stack_count) = item;
	return true;
}

static bool parse_items(struct parser *parser, char close, struct literal *out)
{
	size_t first = parser->stack_count;
	bool comma = true;
	while (!accept(parser, close)) {
		struct literal item;
		if (!comma)
			return false;
		if (out->kind == LITERAL_DICT ? !parse_pair(parser) : !parse_value(parser, &item))
			return false;
		if (out->kind != LITERAL_DICT)
			*mem_push(parser->stack, parser->stack_count) = item;
		comma = accept(parser, ',');
	}
	/* Parentheses around one value without a comma only group. */
	if (out->kind == LITERAL_TUPLE && parser->stack_count == first + 1 && !comma) {
		*out = parser->stack[--parser->stack_count];
		return true;
	}
	literal_collect(parser, first, out);
	return true;
}

static bool parse_brackets(struct parser *parser, struct literal *out)
{
	char open = *parser->at++;
	if (parser->depth == LITERAL_DEPTH_MAX)
		return false;
	parser->depth++;
	out->kind = open == '{' ? LITERAL_DICT : open == '[' ? LITERAL_LIST : LITERAL_TUPLE;
	bool done = parse_items(parser, open == '{' ? '}' : open == '[' ? ']' : ')', out);
	parser->depth--;
	return done;
}

static bool parse_value(struct parser *parser, struct literal *out)
{
	*out = (struct literal){ .kind = LITERAL_NONE };
	skip_blanks(parser);
	char c = peek(parser);
	if (c == '{' || c == '[' || c == '(')
		return parse_brackets(parser, out);
	if (at_text(parser))
		return parse_text(parser, out);
	if (isdigit((unsigned char)c) || c == '-' || c == '+' || c == '.')
		return literal_parse_number(parser, out);
	return parse_word(parser, out);
}

const struct literal *literal_parse(struct arena *arena, const char *text, size_t length)
{
	if (length > LITERAL_SIZE_MAX)
		return NULL;
	struct parser parser = { .arena = arena, .at = text, .end = text + length };
	struct literal *root = arena_alloc(arena, sizeof *root);
	bool done = parse_value(&parser, root);
	skip_blanks(&parser);
	mem_free(parser.stack);
	buffer_free(&parser.text);
	return done && parser.at == parser.end ? root : NULL;
}

/* ---- access ---- */

bool literal_is_text(const struct literal *literal, const char *text)
{
	return literal && literal->kind == LITERAL_TEXT && literal->count == strlen(text) &&
	       memcmp(literal->text, text, literal->count) == 0;
}

bool literal_is_sequence(const struct literal *literal)
{
	return literal && (literal->kind == LITERAL_LIST || literal->kind == LITERAL_TUPLE);
}

const struct literal *literal_get(const struct literal *dict, const char *key)
{
	if (!dict || dict->kind != LITERAL_DICT)
		return NULL;
	for (size_t i = dict->count; i-- > 0;)
		if (literal_is_text(&dict->items[2 * i], key))
			return &dict->items[2 * i + 1];
	return NULL;
}

const struct literal *literal_item(const struct literal *sequence, size_t at)
{
	return literal_is_sequence(sequence) && at < sequence->count ? &sequence->items[at] : NULL;
}

bool literal_int(const struct literal *literal, int64_t *value)
{
	if (!literal || literal->kind != LITERAL_INT)
		return false;
	*value = literal->integer;
	return true;
}

/* ---- repr ---- */

/* Shortest round-trip digits, in the notation Python chooses. */
char *literal_real(char out[NUMBER_MAX], double value)
{
	if (isnan(value) || isinf(value)) {
		snprintf(out, NUMBER_MAX, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
		return out;
	}
	int digits = 1;
	do
		snprintf(out, NUMBER_MAX, "%.*e", digits - 1, value);
	while (strtod(out, NULL) != value && ++digits <= 17);
	int exponent = atoi(strchr(out, 'e') + 1);
	if (exponent < -4 || exponent >= 16)
		return out;
	int decimals = digits - 1 - exponent;
	snprintf(out, NUMBER_MAX, "%.*f", decimals > 1 ? decimals : 1, value);
	return out;
}

static void repr_character(struct buffer *out, const char *text, size_t length, int32_t point,
			   char quote)
{
	static const char letters[] = "nrt\\", meant[] = "\n\r\t\\";
	const char *found = point > 0 && point < 128 ? strchr(meant, point) : NULL;
	if (found)
		buffer_printf(out, "\\%c", letters[found - meant]);
	else if (point == quote)
		buffer_printf(out, "\\%c", quote);
	else if (point < 0 || !text_is_unsafe(point))
		buffer_add(out, text, length);
	else
		buffer_printf(out,
			      point < 0x100     ? "\\x%02x"
			      : point < 0x10000 ? "\\u%04x"
						: "\\U%08x",
			      (unsigned)point);
}

static void repr_text(struct buffer *out, const struct literal *literal)
{
	bool single = memchr(literal->text, '\'', literal->count) != NULL;
	bool twice = memchr(literal->text, '"', literal->count) != NULL;
	bool bytes = literal->kind == LITERAL_BYTES;
	char quote = single && !twice ? '"' : '\'';
	buffer_puts(out, bytes ? "b" : "");
	buffer_putc(out, quote);
	for (size_t i = 0, used; i < literal->count; i += used) {
		int32_t point = (unsigned char)literal->text[i];
		used = 1;
		if (!bytes)
			used = text_decode(literal->text + i, literal->count - i, &point);
		if (bytes && point > 126)
			buffer_printf(out, "\\x%02x", (unsigned)point);
		else
			repr_character(out, literal->text + i, used, point, quote);
	}
	buffer_putc(out, quote);
}

static void repr_items(struct buffer *out, const struct literal *literal)
{
	const char *brackets = literal->kind == LITERAL_LIST    ? "[]"
			       : literal->kind == LITERAL_TUPLE ? "()"
								: "{}";
	bool dict = literal->kind == LITERAL_DICT;
	buffer_putc(out, brackets[0]);
	for (size_t i = 0; i < literal->count; i++) {
		buffer_puts(out, i ? ", " : "");
		literal_repr(out, &literal->items[dict ? 2 * i : i]);
		if (!dict)
			continue;
		buffer_puts(out, ": ");
		literal_repr(out, &literal->items[2 * i + 1]);
	}
	if (literal->kind == LITERAL_TUPLE && literal->count == 1)
		buffer_putc(out, ',');
	buffer_putc(out, brackets[1]);
}

void literal_repr(struct buffer *out, const struct literal *literal)
{
	char number[NUMBER_MAX];
	switch (literal->kind) {
	case LITERAL_NONE: buffer_puts(out, "None"); break;
	case LITERAL_BOOL: buffer_puts(out, literal->integer ? "True" : "False"); break;
	case LITERAL_INT: buffer_printf(out, "%lld", (long long)literal->integer); break;
	case LITERAL_BIG: buffer_add(out, literal->text, literal->count); break;
	case LITERAL_REAL: buffer_puts(out, literal_real(number, literal->real)); break;
	case LITERAL_TEXT:
	case LITERAL_BYTES: repr_text(out, literal); break;
	case LITERAL_TUPLE:
	case LITERAL_LIST:
	case LITERAL_DICT: repr_items(out, literal); break;
	}
}
