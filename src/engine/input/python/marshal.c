#include "input/python/marshal.h"

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

enum {
	FLAG_REF = 0x80,
	DEPTH_MAX = 200,
	DIGIT_BITS = 15, /* of long integers */
};

struct marshal {
	struct arena *arena;
	struct bytes bytes;
	const struct literal **refs; /* NULL while the object is being read */
	size_t ref_count;
	GROWING(const struct literal *, interned, interned_count); /* Python 2 only */
	struct literal *stack; /* items of the containers being read */
	size_t stack_count;
	int depth;
	struct error *error;
};

bool marshal_recognize(const char *head, size_t length)
{
	if (length < 2)
		return false;
	unsigned char first = (unsigned char)head[0], second = (unsigned char)head[1] & ~FLAG_REF;
	/* "{(" and a count, or an empty dict; JSON has a quote, brace or blank here */
	return (first & ~FLAG_REF) == '{' && ((second == '(' && length > 3 && head[3] == 0) ||
					      second == ')' || (second == '0' && length == 2));
}

static bool wrong(struct marshal *marshal, const char *what)
{
	return error_input(marshal->error, "is a damaged Python profile (%s at byte %zu)", what,
			   marshal->bytes.at);
}

/* ---- bytes ---- */

static const unsigned char *marshal_take(struct marshal *marshal, size_t count)
{
	const unsigned char *bytes = bytes_read(&marshal->bytes, count);
	if (!bytes)
		wrong(marshal, "truncated in a value");
	return bytes;
}

/* A single byte is unsigned. */
static bool take_int_marshal(struct marshal *marshal, size_t width, int64_t *value)
{
	uint64_t bits;
	if (!bytes_read_number(&marshal->bytes, width, &bits))
		return wrong(marshal, "truncated in a value");
	*value = width == 1 ? (int64_t)bits : bytes_sign_extend(bits, width);
	return true;
}

static size_t left(const struct marshal *marshal)
{
	return marshal->bytes.length - marshal->bytes.at;
}

/* Number of following items of at least one byte each. */
static bool parse_count(struct marshal *marshal, size_t width, size_t *count)
{
	int64_t value = 0;
	if (!take_int_marshal(marshal, width, &value))
		return false;
	if (value < 0 || (uint64_t)value > left(marshal))
		return wrong(marshal, "impossible size");
	*count = (size_t)value;
	return true;
}

/* ---- plain values ---- */

static bool marshal_read_text(struct marshal *marshal, size_t width, enum literal_kind kind,
			      struct literal *out)
{
	size_t count = 0;
	if (!parse_count(marshal, width, &count))
		return false;
	const unsigned char *bytes = marshal_take(marshal, count);
	out->kind = kind;
	out->count = count;
	out->text = arena_strndup(marshal->arena, (const char *)bytes, count);
	return true;
}

static bool read_int(struct marshal *marshal, size_t width, struct literal *out)
{
	out->kind = LITERAL_INT;
	return take_int_marshal(marshal, width, &out->integer);
}

/* Numbers beyond 64 bits become reals. */
static bool read_long(struct marshal *marshal, struct literal *out)
{
	int64_t digits = 0, digit = 0;
	if (!take_int_marshal(marshal, 4, &digits))
		return false;
	size_t count = digits < 0 ? (size_t)-digits : (size_t)digits;
	if (count > left(marshal) / 2)
		return wrong(marshal, "impossible size");
	double real = 0;
	int64_t integer = 0;
	for (size_t i = 0; i < count; i++) {
		if (!take_int_marshal(marshal, 2, &digit))
			return false;
		real += ldexp((double)digit, (int)(i < 100 ? i : 100) * DIGIT_BITS);
		if (i < 4)
			integer |= digit << i * DIGIT_BITS;
	}
	if (count <= 4)
		*out = (struct literal){ .kind = LITERAL_INT,
					 .integer = digits < 0 ? -integer : integer };
	else
		*out = (struct literal){ .kind = LITERAL_REAL, .real = digits < 0 ? -real : real };
	return true;
}

static bool read_real(struct marshal *marshal, struct literal *out)
{
	int64_t bits = 0;
	if (!take_int_marshal(marshal, 8, &bits))
		return false;
	out->kind = LITERAL_REAL;
	memcpy(&out->real, &bits, sizeof bits);
	return true;
}

/* A real as text, in the first format versions. */
static bool read_real_text(struct marshal *marshal, struct literal *out)
{
	if (!marshal_read_text(marshal, 1, LITERAL_TEXT, out))
		return false;
	*out = (struct literal){ .kind = LITERAL_REAL, .real = strtod(out->text, NULL) };
	return true;
}

/* ---- containers ---- */

static bool read_value(struct marshal *marshal, struct literal *out, bool *is_end);

static bool read_item(struct marshal *marshal, bool *is_end)
{
	struct literal item = { .kind = LITERAL_NONE };
	if (!read_value(marshal, &item, is_end))
		return false;
	*mem_push(marshal->stack, marshal->stack_count) = item;
	return true;
}

/* Move the items from FROM on into OUT. */
static void keep_items(struct marshal *marshal, size_t from, enum literal_kind kind,
		       struct literal *out)
{
	size_t count = marshal->stack_count - from;
	struct literal *items = arena_alloc(marshal->arena, (count + 1) * sizeof *items);
	if (count)
		memcpy(items, marshal->stack + from, count * sizeof *items);
	marshal->stack_count = from;
	out->kind = kind;
	out->count = kind == LITERAL_DICT ? count / 2 : count;
	out->items = items;
}

static bool read_sequence(struct marshal *marshal, size_t width, enum literal_kind kind,
			  struct literal *out)
{
	size_t count = 0, from = marshal->stack_count;
	bool is_end = false;
	if (!parse_count(marshal, width, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!read_item(marshal, &is_end))
			return false;
		else if (is_end)
			return wrong(marshal, "missing item");
	keep_items(marshal, from, kind, out);
	return true;
}

static bool read_dict(struct marshal *marshal, struct literal *out)
{
	size_t from = marshal->stack_count;
	for (;;) {
		bool is_end = false, no_value = false;
		if (!read_item(marshal, &is_end))
			return false;
		if (is_end) {
			marshal->stack_count--;
			break;
		}
		if (!read_item(marshal, &no_value))
			return false;
		if (no_value)
			return wrong(marshal, "missing value");
	}
	keep_items(marshal, from, LITERAL_DICT, out);
	return true;
}

static bool read_reference(struct marshal *marshal, const struct literal **of, size_t count,
			   struct literal *out)
{
	int64_t index = 0;
	if (!take_int_marshal(marshal, 4, &index))
		return false;
	if (index < 0 || (uint64_t)index >= count || !of[index])
		return wrong(marshal, "invalid reference");
	*out = *of[index];
	return true;
}

/* ---- code ---- */

/*
 * The number of integers at the start of a code object depends on the Python version, which is not
 * recorded.
 */
static bool skip_code_head(struct marshal *marshal)
{
	static const size_t numbers[] = { 5, 6, 4 };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		size_t behind = marshal->bytes.at + 4 * numbers[i];
		if (behind < marshal->bytes.length &&
		    (marshal->bytes.from[behind] & ~FLAG_REF) == 's') {
			marshal->bytes.at = behind;
			return true;
		}
	}
	return wrong(marshal, "invalid code object");
}

static bool read_code(struct marshal *marshal, struct literal *out)
{
	enum { PARTS = 5 }; /* code, constants, names, variables, free variables or kinds */
	struct literal part = { .kind = LITERAL_NONE }, file = part, name = part;
	AUTO_BUFFER struct buffer text = { 0 };
	int64_t line;
	bool is_end, done = skip_code_head(marshal);
	for (int i = 0; done && i < PARTS; i++)
		done = read_value(marshal, &part, &is_end);
	bool new = done &&part.kind == LITERAL_BYTES;
	done = done && (new || read_value(marshal, &part, &is_end)) &&
	       read_value(marshal, &file, &is_end) && read_value(marshal, &name, &is_end) &&
	       (!new || read_value(marshal, &part, &is_end)) &&
	       take_int_marshal(marshal, 4, &line) && read_value(marshal, &part, &is_end) &&
	       (!new || read_value(marshal, &part, &is_end));
	if (!done)
		return false;
	bool named = file.kind == LITERAL_TEXT && name.kind == LITERAL_TEXT;
	buffer_printf(&text, "<code object %s at %s:%lld>", named ? name.text : "?",
		      named ? file.text : "?", (long long)line);
	*out = (struct literal){ .kind = LITERAL_TEXT,
				 .count = text.length,
				 .text = arena_strndup(marshal->arena, BUFFERED(&text)) };
	return true;
}

/* ---- any value ---- */

static bool read_of_code(struct marshal *marshal, unsigned char code, struct literal *out,
			 bool *is_end)
{
	*is_end = code == '0';
	switch (code) {
		MARSHAL_VALUES(LISTED_CASE)
	case '0':
	case 'N':
	case 'S':
	case '.': out->kind = LITERAL_NONE; return true;
	case 'T':
	case 'F':
		*out = (struct literal){ .kind = LITERAL_BOOL, .integer = code == 'T' };
		return true;
	default: return wrong(marshal, "unknown value type");
	}
}

static const struct literal *marshal_keep(struct marshal *marshal, const struct literal *value)
{
	struct literal *kept = arena_alloc(marshal->arena, sizeof *kept);
	*kept = *value;
	return kept;
}

/* An object's reference number precedes those of its children. */
static bool read_value(struct marshal *marshal, struct literal *out, bool *is_end)
{
	const unsigned char *code = marshal_take(marshal, 1);
	if (!code)
		return false;
	unsigned char kind = *code & (unsigned char)~FLAG_REF;
	bool referred = (*code & FLAG_REF) && !strchr("0NTFS.rR", kind);
	size_t slot = marshal->ref_count;
	if (referred) {
		mem_grow(marshal->refs, slot + 1);
		marshal->refs[marshal->ref_count++] = NULL;
	}
	if (++marshal->depth > DEPTH_MAX)
		return wrong(marshal, "containers nested too deeply");
	if (!read_of_code(marshal, kind, out, is_end))
		return false;
	marshal->depth--;
	if (referred)
		marshal->refs[slot] = marshal_keep(marshal, out);
	if (kind == 't') {
		*mem_push(marshal->interned, marshal->interned_count) = marshal_keep(marshal, out);
	}
	return true;
}

const struct literal *marshal_parse(struct arena *arena, const char *bytes, size_t length,
				    struct error *error)
{
	struct marshal marshal = { .arena = arena,
				   .error = error,
				   .bytes = { (const unsigned char *)bytes, 0, length } };
	struct literal value = { .kind = LITERAL_NONE };
	bool is_end, done = read_value(&marshal, &value, &is_end);
	const struct literal *kept = done ? marshal_keep(&marshal, &value) : NULL;
	mem_free_all(marshal.refs, marshal.interned, marshal.stack);
	return kept;
}
