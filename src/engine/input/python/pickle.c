#include "input/python/pickle.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MEMO_MAX = 1 << 24 };

struct pickle {
	struct arena *arena;
	struct bytes bytes;
	struct literal *stack;
	size_t count, capacity;
	size_t *marks;
	size_t mark_count, mark_cap;
	struct literal *memo;
	size_t memo_count, memo_cap;
	bool stopped;
	struct error *error;
};

/* The only importable names, as placeholders until called. */
static const char line_stats[] = "LineStats", reconstructor[] = "_reconstructor",
		  object_class[] = "object";

bool pickle_recognize(const char *head, size_t length)
{
	static const char first[] = "ccopy_reg\n";
	return (length > 2 && (unsigned char)head[0] == 0x80 && head[1] >= 1 && head[1] <= 5) ||
	       (length >= sizeof first - 1 && memcmp(head, first, sizeof first - 1) == 0);
}

static bool wrong(struct pickle *pickle, const char *what)
{
	return error_set(
		pickle->error, ERROR_INPUT,
		"is a Python pickle but not from line_profiler (%s at byte %zu); for torch.profiler, record a trace with export_chrome_trace()",
		what, pickle->bytes.at);
}

/* ---- bytes ---- */

static const unsigned char *take_pickle(struct pickle *pickle, size_t count)
{
	const unsigned char *bytes = bytes_read(&pickle->bytes, count);
	if (!bytes)
		wrong(pickle, "truncated");
	return bytes;
}

static bool pickle_parse_number(struct pickle *pickle, size_t width, uint64_t *value)
{
	return bytes_read_number(&pickle->bytes, width, value) || wrong(pickle, "truncated");
}

/* Consumes a line including its newline. */
static bool pickle_parse_line(struct pickle *pickle, const char **line, size_t *length)
{
	struct bytes *bytes = &pickle->bytes;
	const unsigned char *from = bytes->from + bytes->at;
	const unsigned char *end = memchr(from, '\n', bytes->length - bytes->at);
	if (!end)
		return wrong(pickle, "truncated");
	*length = (size_t)(end - from);
	*line = arena_strndup(pickle->arena, (const char *)from, *length);
	bytes->at += *length + 1;
	return true;
}

/* ---- the stack ---- */

static bool push_pickle(struct pickle *pickle, struct literal value)
{
	mem_grow(pickle->stack, pickle->capacity, pickle->count + 1);
	pickle->stack[pickle->count++] = value;
	return true;
}

static bool push_int(struct pickle *pickle, int64_t value)
{
	return push_pickle(pickle, (struct literal){ .kind = LITERAL_INT, .integer = value });
}

static bool push_empty(struct pickle *pickle, enum literal_kind kind)
{
	return push_pickle(pickle, (struct literal){ .kind = kind });
}

/* True if COUNT values can be popped, above the last mark. */
static bool has(struct pickle *pickle, size_t count)
{
	size_t bottom = pickle->mark_count ? pickle->marks[pickle->mark_count - 1] : 0;
	return pickle->count - bottom >= count || wrong(pickle, "missing value");
}

static bool pop_mark(struct pickle *pickle, size_t *from)
{
	if (!pickle->mark_count)
		return wrong(pickle, "missing mark");
	*from = pickle->marks[--pickle->mark_count];
	return true;
}

/* Capacity is the next power of two, for amortized appending. */
static size_t room_of(size_t count)
{
	size_t room = 1;
	while (room < count)
		room *= 2;
	return room;
}

/* Collect the values from FROM on into one container. */
static bool pickle_collect(struct pickle *pickle, size_t from, enum literal_kind kind)
{
	size_t count = pickle->count - from;
	struct literal *items = arena_alloc(pickle->arena, room_of(count) * sizeof *items);
	if (count)
		memcpy(items, pickle->stack + from, count * sizeof *items);
	pickle->count = from;
	if (kind == LITERAL_DICT && count % 2)
		return wrong(pickle, "key without a value");
	return push_pickle(pickle,
			   (struct literal){ .kind = kind,
					     .count = kind == LITERAL_DICT ? count / 2 : count,
					     .items = items });
}

/* Append the values from FROM on to the container below them. */
static bool extend(struct pickle *pickle, size_t from, enum literal_kind kind)
{
	if (!from || pickle->stack[from - 1].kind != kind)
		return wrong(pickle, "missing container");
	struct literal *into = &pickle->stack[from - 1];
	size_t per = kind == LITERAL_DICT ? 2 : 1;
	size_t had = into->count * per, more = pickle->count - from;
	if (more % per)
		return wrong(pickle, "key without a value");
	struct literal *items = (struct literal *)into->items;
	if (!had || had + more > room_of(had)) {
		items = arena_alloc(pickle->arena, room_of(had + more) * sizeof *items);
		if (had)
			memcpy(items, into->items, had * sizeof *items);
	}
	if (more)
		memcpy(items + had, pickle->stack + from, more * sizeof *items);
	pickle->count = from;
	into->items = items;
	into->count = (had + more) / per;
	return true;
}

/* ---- values ---- */

static bool pickle_read_text(struct pickle *pickle, size_t width)
{
	uint64_t count;
	const unsigned char *bytes;
	if (!pickle_parse_number(pickle, width, &count) ||
	    !(bytes = take_pickle(pickle, (size_t)count)))
		return false;
	return push_pickle(
		pickle, (struct literal){ .kind = LITERAL_TEXT,
					  .count = (size_t)count,
					  .text = arena_strndup(pickle->arena, (const char *)bytes,
								(size_t)count) });
}

static bool read_text_line(struct pickle *pickle)
{
	const char *line;
	size_t length;
	return pickle_parse_line(pickle, &line, &length) &&
	       push_pickle(pickle,
			   (struct literal){ .kind = LITERAL_TEXT, .count = length, .text = line });
}

/* A number as a line of text, possibly with a trailing L. */
static bool read_number_line(struct pickle *pickle, bool real)
{
	const char *line;
	size_t length;
	char *end;
	if (!pickle_parse_line(pickle, &line, &length))
		return false;
	errno = 0;
	if (real)
		push_pickle(pickle,
			    (struct literal){ .kind = LITERAL_REAL, .real = strtod(line, &end) });
	else
		push_int(pickle, strtoll(line, &end, 10));
	return (end != line && (*end == 0 || strcmp(end, "L") == 0) && errno != ERANGE) ||
	       wrong(pickle, "invalid number");
}

/* A little-endian signed integer of up to eight bytes. */
static bool read_long(struct pickle *pickle)
{
	uint64_t width, bits;
	if (!pickle_parse_number(pickle, 1, &width) || width > 8 ||
	    !pickle_parse_number(pickle, width, &bits))
		return wrong(pickle, "number beyond 64 bits");
	return push_int(pickle, bytes_sign_extend(bits, width));
}

static bool read_real(struct pickle *pickle)
{
	const unsigned char *bytes = take_pickle(pickle, 8);
	uint64_t bits = 0;
	struct literal value = { .kind = LITERAL_REAL };
	if (!bytes)
		return false;
	for (size_t i = 0; i < 8; i++)
		bits = bits << 8 | bytes[i];
	memcpy(&value.real, &bits, sizeof bits);
	return push_pickle(pickle, value);
}

static bool read_int(struct pickle *pickle, size_t width)
{
	uint64_t bits;
	return pickle_parse_number(pickle, width, &bits) &&
	       push_int(pickle, width == 4 ? bytes_sign_extend(bits, width) : (int64_t)bits);
}

/* ---- the memo ---- */

static bool pickle_remember(struct pickle *pickle, uint64_t slot)
{
	if (!has(pickle, 1))
		return false;
	if (slot > MEMO_MAX || slot > pickle->bytes.length)
		return wrong(pickle, "impossible memo");
	while (pickle->memo_count <= slot) {
		mem_grow(pickle->memo, pickle->memo_cap, pickle->memo_count + 1);
		pickle->memo[pickle->memo_count++] = (struct literal){ .kind = LITERAL_NONE };
	}
	pickle->memo[slot] = pickle->stack[pickle->count - 1];
	return true;
}

static bool recall(struct pickle *pickle, uint64_t slot)
{
	return slot < pickle->memo_count ? push_pickle(pickle, pickle->memo[slot])
					 : wrong(pickle, "empty memo");
}

static bool at_slot(struct pickle *pickle, size_t width, bool (*act)(struct pickle *, uint64_t))
{
	uint64_t slot;
	return pickle_parse_number(pickle, width, &slot) && act(pickle, slot);
}

static bool at_slot_line(struct pickle *pickle, bool (*act)(struct pickle *, uint64_t))
{
	const char *line;
	size_t length;
	return pickle_parse_line(pickle, &line, &length) && act(pickle, strtoull(line, NULL, 10));
}

/* ---- classes ---- */

static bool pickle_ends_with(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);
	return a >= b && strcmp(text + a - b, end) == 0;
}

static bool push_class(struct pickle *pickle, const char *module, const char *name)
{
	const char *known = NULL;
	if (pickle_ends_with(module, "line_profiler") && strcmp(name, line_stats) == 0)
		known = line_stats;
	else if (strcmp(name, reconstructor) == 0 && strcmp(module, "copy_reg") == 0)
		known = reconstructor;
	else if (strcmp(name, object_class) == 0)
		known = object_class;
	return known ? push_pickle(pickle, (struct literal){ .kind = LITERAL_TEXT,
							     .count = strlen(known),
							     .text = known })
		     : wrong(pickle, "class unknown to line_profiler");
}

static bool read_class_lines(struct pickle *pickle)
{
	const char *module, *name;
	size_t length;
	return pickle_parse_line(pickle, &module, &length) &&
	       pickle_parse_line(pickle, &name, &length) && push_class(pickle, module, name);
}

static bool pop_class_names(struct pickle *pickle)
{
	if (!has(pickle, 2))
		return false;
	const struct literal *name = &pickle->stack[pickle->count - 1], *module = name - 1;
	if (name->kind != LITERAL_TEXT || module->kind != LITERAL_TEXT)
		return wrong(pickle, "class without a name");
	pickle->count -= 2;
	return push_class(pickle, module->text, name->text);
}

/* Calls are only allowed to construct the known class; creates an empty object. */
static bool make_object(struct pickle *pickle, bool reduce)
{
	if (!has(pickle, 2))
		return false;
	const struct literal *arguments = &pickle->stack[pickle->count - 1];
	const struct literal *called = arguments - 1;
	const struct literal *class = reduce ? literal_item(arguments, 0) : called;
	bool fine = called->kind == LITERAL_TEXT && class && class->kind == LITERAL_TEXT &&
		    class->text == line_stats &&
		    called->text == (reduce ? reconstructor : line_stats);
	if (!fine)
		return wrong(pickle, "requests code execution");
	pickle->count -= 2;
	return push_empty(pickle, LITERAL_NONE);
}

/* The state becomes the object. */
static bool pickle_build(struct pickle *pickle)
{
	if (!has(pickle, 2))
		return false;
	pickle->stack[pickle->count - 2] = pickle->stack[pickle->count - 1];
	pickle->count--;
	return true;
}

/* ---- opcodes ---- */

static bool collect_marked(struct pickle *pickle, enum literal_kind kind, bool into)
{
	size_t from = 0;
	if (!pop_mark(pickle, &from))
		return false;
	return into ? extend(pickle, from, kind) : pickle_collect(pickle, from, kind);
}

static bool collect_last(struct pickle *pickle, size_t count, enum literal_kind kind, bool into)
{
	if (!has(pickle, count + into))
		return false;
	return into ? extend(pickle, pickle->count - count, kind)
		    : pickle_collect(pickle, pickle->count - count, kind);
}

static bool push_mark(struct pickle *pickle)
{
	mem_grow(pickle->marks, pickle->mark_cap, pickle->mark_count + 1);
	pickle->marks[pickle->mark_count++] = pickle->count;
	return true;
}

static bool stop(struct pickle *pickle)
{
	pickle->stopped = true;
	return has(pickle, 1);
}

static bool container_step(struct pickle *pickle, unsigned char code)
{
	switch (code) {
	case '(': return push_mark(pickle);
	case ')': return push_empty(pickle, LITERAL_TUPLE);
	case ']': return push_empty(pickle, LITERAL_LIST);
	case '}': return push_empty(pickle, LITERAL_DICT);
	case 't': return collect_marked(pickle, LITERAL_TUPLE, false);
	case 'l': return collect_marked(pickle, LITERAL_LIST, false);
	case 'd': return collect_marked(pickle, LITERAL_DICT, false);
	case 'e': return collect_marked(pickle, LITERAL_LIST, true);
	case 'u': return collect_marked(pickle, LITERAL_DICT, true);
	case 'a': return collect_last(pickle, 1, LITERAL_LIST, true);
	case 's': return collect_last(pickle, 2, LITERAL_DICT, true);
	case 0x85: return collect_last(pickle, 1, LITERAL_TUPLE, false);
	case 0x86: return collect_last(pickle, 2, LITERAL_TUPLE, false);
	case 0x87: return collect_last(pickle, 3, LITERAL_TUPLE, false);
	default: return wrong(pickle, "opcode not used by line_profiler");
	}
}

static bool pickle_step(struct pickle *pickle, unsigned char code)
{
	switch (code) {
	case 0x80: return take_pickle(pickle, 1) != NULL; /* PROTO */
	case 0x95: return take_pickle(pickle, 8) != NULL; /* FRAME */
	case '.': return stop(pickle);
	case 'N': return push_empty(pickle, LITERAL_NONE);
	case 0x88:
	case 0x89:
		return push_pickle(
			pickle, (struct literal){ .kind = LITERAL_BOOL, .integer = code == 0x88 });
	case 'K': return read_int(pickle, 1);
	case 'M': return read_int(pickle, 2);
	case 'J': return read_int(pickle, 4);
	case 0x8a: return read_long(pickle);
	case 'G': return read_real(pickle);
	case 'I':
	case 'L': return read_number_line(pickle, false);
	case 'F': return read_number_line(pickle, true);
	case 0x8c:
	case 'U': return pickle_read_text(pickle, 1);
	case 'X':
	case 'T': return pickle_read_text(pickle, 4);
	case 0x8d: return pickle_read_text(pickle, 8);
	case 'V': return read_text_line(pickle);
	case 0x94: return pickle_remember(pickle, pickle->memo_count);
	case 'q': return at_slot(pickle, 1, pickle_remember);
	case 'r': return at_slot(pickle, 4, pickle_remember);
	case 'p': return at_slot_line(pickle, pickle_remember);
	case 'h': return at_slot(pickle, 1, recall);
	case 'j': return at_slot(pickle, 4, recall);
	case 'g': return at_slot_line(pickle, recall);
	case 'c': return read_class_lines(pickle);
	case 0x93: return pop_class_names(pickle);
	case 0x81: return make_object(pickle, false);
	case 'R': return make_object(pickle, true);
	case 'b': return pickle_build(pickle);
	default: return container_step(pickle, code);
	}
}

const struct literal *pickle_parse(struct arena *arena, const char *bytes, size_t length,
				   struct error *error)
{
	struct pickle pickle = { .arena = arena,
				 .error = error,
				 .bytes = { (const unsigned char *)bytes, 0, length } };
	bool done = true;
	while (done && !pickle.stopped) {
		const unsigned char *code = take_pickle(&pickle, 1);
		done = code && pickle_step(&pickle, *code);
	}
	struct literal *object = NULL;
	if (done) {
		object = arena_alloc(arena, sizeof *object);
		*object = pickle.stack[pickle.count - 1];
	}
	mem_free(pickle.stack);
	mem_free(pickle.marks);
	mem_free(pickle.memo);
	return object;
}
