#include "input/pickle/plain_pickle.h"

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "input/source.h"
#include "model/profile.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The memo is an array as far as slots may be dense, that is up to the number of bytes read; what a
 * file puts into slots beyond costs an entry of a hash each.
 */
enum { WINDOW = 1 << 18, DENSE_MIN = 1 << 10 };

struct wide {
	uint64_t bits;
	bool is_real, is_unsigned; /* beyond the signed integers */
};

struct plain_pickle {
	struct intern *strings;
	struct plain_hook hook;
	struct source *source;
	struct error *error;

	unsigned char *window; /* of the input */
	size_t at, filled, window_cap;
	uint64_t before; /* bytes before the window */
	bool ended, stopped;

	struct plain *stack;
	size_t count, capacity;
	size_t *marks;
	size_t mark_count, mark_cap;
	struct plain *memo;
	size_t memo_count, memo_cap, memo_puts;
	struct hash *sparse;
	struct plain *sparse_values;
	size_t sparse_count, sparse_cap;

	struct container *containers;
	size_t container_count, container_cap;
	struct wide *wides;
	size_t wide_count, wide_cap;
};

static const struct plain unset = { UINT64_MAX }; /* an empty memo slot */

/* ---- values ---- */

static struct plain make(enum plain_kind kind, uint64_t payload)
{
	return (struct plain){ payload << 3 | (uint64_t)kind };
}

enum plain_kind plain_kind(struct plain value)
{
	return (enum plain_kind)(value.bits & 7);
}

static struct plain make_wide(struct plain_pickle *pickle, struct wide wide)
{
	mem_grow(pickle->wides, pickle->wide_cap, pickle->wide_count + 1);
	pickle->wides[pickle->wide_count] = wide;
	return make(PLAIN_WIDE, pickle->wide_count++);
}

static struct plain make_int(struct plain_pickle *pickle, int64_t number)
{
	static const int64_t limit = INT64_C(1) << 60; /* 61 bits beside the kind */
	if (number >= -limit && number < limit)
		return make(PLAIN_INT, (uint64_t)number);
	return make_wide(pickle, (struct wide){ .bits = (uint64_t)number });
}

bool plain_address(const struct plain_pickle *pickle, struct plain value, int64_t *address)
{
	const struct wide *wide;
	switch (plain_kind(value)) {
	case PLAIN_BOOL: *address = (int64_t)(value.bits >> 3); return true;
	case PLAIN_INT: *address = (int64_t)value.bits >> 3; return true;
	case PLAIN_WIDE:
		wide = &pickle->wides[value.bits >> 3];
		*address = (int64_t)wide->bits;
		return !wide->is_real;
	default: return false;
	}
}

bool plain_int(const struct plain_pickle *pickle, struct plain value, int64_t *number)
{
	if (plain_kind(value) == PLAIN_WIDE && pickle->wides[value.bits >> 3].is_unsigned)
		return false;
	return plain_address(pickle, value, number);
}

bool plain_text(struct plain value, uint32_t *text)
{
	*text = (uint32_t)(value.bits >> 3);
	return plain_kind(value) == PLAIN_TEXT;
}

const struct container *plain_at(const struct plain_pickle *pickle, uint32_t container)
{
	return &pickle->containers[container];
}

bool plain_container(const struct plain_pickle *pickle, struct plain value, int kind, uint32_t *id)
{
	*id = (uint32_t)(value.bits >> 3);
	return plain_kind(value) == PLAIN_CONTAINER && pickle->containers[*id].kind == kind;
}

struct plain plain_member(const struct plain_pickle *pickle, uint32_t dict, uint32_t key)
{
	const struct container *of = &pickle->containers[dict];
	struct plain wanted = make(PLAIN_TEXT, key);
	for (size_t i = of->kind == CONTAINER_DICT ? of->count : 0; i >= 2; i -= 2)
		if (of->items[i - 2].bits == wanted.bits)
			return of->items[i - 1];
	return make(PLAIN_NONE, 0);
}

void plain_replace(struct plain_pickle *pickle, uint32_t container, int kind, uint32_t number)
{
	struct container *of = &pickle->containers[container];
	mem_free(of->items);
	*of = (struct container){ .count = number, .kind = (uint8_t)kind };
}

/* ---- input ---- */

uint64_t plain_pickle_bytes(const struct plain_pickle *pickle)
{
	return pickle->before + pickle->at;
}

static bool wrong(struct plain_pickle *pickle, const char *what)
{
	return error_set(pickle->error, ERROR_INPUT, "is a damaged Python pickle (%s at byte %llu)",
			 what, (unsigned long long)plain_pickle_bytes(pickle));
}

/* Have COUNT bytes in the window. It grows with what arrives, not with what is claimed. */
static bool fill(struct plain_pickle *pickle, uint64_t count)
{
	while (pickle->filled - pickle->at < count && !pickle->ended) {
		size_t kept = pickle->filled - pickle->at;
		if (kept)
			memmove(pickle->window, pickle->window + pickle->at, kept);
		pickle->before += pickle->at;
		pickle->at = 0;
		pickle->filled = kept;
		mem_grow(pickle->window, pickle->window_cap, kept + WINDOW);
		ptrdiff_t got = source_read(pickle->source, (char *)pickle->window + kept,
					    pickle->window_cap - kept, pickle->error);
		if (got < 0)
			return false;
		pickle->ended = got == 0;
		pickle->filled += (size_t)got;
	}
	return pickle->filled - pickle->at >= count || wrong(pickle, "truncated");
}

static const unsigned char *take(struct plain_pickle *pickle, uint64_t count)
{
	if (pickle->filled - pickle->at < count && !fill(pickle, count))
		return NULL;
	pickle->at += count;
	return pickle->window + pickle->at - count;
}

/* A little-endian number without sign, of up to eight bytes. */
static bool take_number(struct plain_pickle *pickle, size_t width, uint64_t *number)
{
	const unsigned char *bytes = take(pickle, width);
	*number = 0;
	for (size_t i = bytes ? width : 0; i-- > 0;)
		*number = *number << 8 | bytes[i];
	return bytes != NULL;
}

/* Pass over COUNT bytes, however many. */
static bool skip(struct plain_pickle *pickle, uint64_t count)
{
	while (count) {
		uint64_t part = count < WINDOW ? count : WINDOW;
		if (!take(pickle, part))
			return false;
		count -= part;
	}
	return true;
}

/* A line without its newline, valid until the next call. */
static bool take_line(struct plain_pickle *pickle, const char **line, size_t *length)
{
	size_t seen = 0;
	for (;;) {
		if (!fill(pickle, seen + 1))
			return false;
		const unsigned char *from = pickle->window + pickle->at;
		const unsigned char *end =
			memchr(from + seen, '\n', pickle->filled - pickle->at - seen);
		if (end) {
			*line = (const char *)from;
			*length = (size_t)(end - from);
			pickle->at += *length + 1;
			return true;
		}
		seen = pickle->filled - pickle->at;
	}
}

/* ---- the stack ---- */

static bool push(struct plain_pickle *pickle, struct plain value)
{
	mem_grow(pickle->stack, pickle->capacity, pickle->count + 1);
	pickle->stack[pickle->count++] = value;
	return true;
}

/* True if COUNT values can be popped, above the last mark. */
static bool has(struct plain_pickle *pickle, size_t count)
{
	size_t bottom = pickle->mark_count ? pickle->marks[pickle->mark_count - 1] : 0;
	return pickle->count - bottom >= count || wrong(pickle, "missing value");
}

static bool push_mark(struct plain_pickle *pickle)
{
	mem_grow(pickle->marks, pickle->mark_cap, pickle->mark_count + 1);
	pickle->marks[pickle->mark_count++] = pickle->count;
	return true;
}

static bool pop_mark(struct plain_pickle *pickle, size_t *from)
{
	if (!pickle->mark_count)
		return wrong(pickle, "missing mark");
	*from = pickle->marks[--pickle->mark_count];
	return true;
}

static bool pop(struct plain_pickle *pickle)
{
	size_t from;
	if (pickle->mark_count && pickle->marks[pickle->mark_count - 1] == pickle->count)
		return pop_mark(pickle, &from);
	if (!has(pickle, 1))
		return false;
	pickle->count--;
	return true;
}

/* ---- containers ---- */

static bool push_container(struct plain_pickle *pickle, enum container_kind kind)
{
	if (pickle->container_count == NO_ROW)
		return wrong(pickle, "too many containers");
	mem_grow(pickle->containers, pickle->container_cap, pickle->container_count + 1);
	pickle->containers[pickle->container_count] = (struct container){ .kind = kind };
	return push(pickle, make(PLAIN_CONTAINER, pickle->container_count++));
}

static void tell_placed(struct plain_pickle *pickle, const struct plain *values, size_t count,
			bool in_dict)
{
	for (size_t i = in_dict; i < count; i += 1 + (size_t)in_dict) {
		uint32_t key = NO_ROW;
		if (plain_kind(values[i]) != PLAIN_CONTAINER)
			continue;
		uint32_t id = (uint32_t)(values[i].bits >> 3);
		if (pickle->containers[id].kind >= CONTAINER_REPLACED)
			continue;
		if (in_dict && !plain_text(values[i - 1], &key))
			key = NO_ROW;
		pickle->hook.placed(pickle->hook.context, pickle, id, key);
	}
}

/* Move the values from FROM on into the container below them. */
static bool extend(struct plain_pickle *pickle, size_t from, enum container_kind kind)
{
	uint32_t id;
	size_t count = pickle->count - from;
	if (!from || !plain_container(pickle, pickle->stack[from - 1], kind, &id))
		return wrong(pickle, "an object that cannot grow");
	if (kind == CONTAINER_DICT && count % 2)
		return wrong(pickle, "key without a value");
	tell_placed(pickle, pickle->stack + from, count, kind == CONTAINER_DICT);
	struct container *into = &pickle->containers[id];
	if (into->kind != kind || count > NO_ROW - into->count)
		return wrong(pickle, "an object that cannot grow");
	size_t need = into->count + count;
	if (need > into->capacity) {
		size_t room = into->count ? (size_t)into->capacity * 2 : need;
		room = room < need ? need : room > NO_ROW ? NO_ROW : room;
		into->items = mem_realloc(into->items, room, sizeof *into->items);
		into->capacity = (uint32_t)room;
	}
	if (count)
		memcpy(into->items + into->count, pickle->stack + from,
		       count * sizeof *into->items);
	into->count = (uint32_t)need;
	pickle->count = from;
	return true;
}

/* Replace the values from FROM on by a container of them. */
static bool collect(struct plain_pickle *pickle, size_t from, enum container_kind kind)
{
	push_container(pickle, kind);
	struct plain made = pickle->stack[pickle->count - 1];
	size_t count = pickle->count - 1 - from;
	memmove(pickle->stack + from + 1, pickle->stack + from, count * sizeof *pickle->stack);
	pickle->stack[from] = made;
	return extend(pickle, from + 1, kind);
}

static bool collect_marked(struct plain_pickle *pickle, enum container_kind kind, bool into)
{
	size_t from = 0;
	if (!pop_mark(pickle, &from))
		return false;
	/* the container below belongs to what is above the mark before */
	return into ? extend(pickle, from, kind) : collect(pickle, from, kind);
}

static bool collect_last(struct plain_pickle *pickle, size_t count, enum container_kind kind,
			 bool into)
{
	if (!has(pickle, count + into))
		return false;
	return (into ? extend : collect)(pickle, pickle->count - count, kind);
}

/* ---- numbers ---- */

static bool read_int(struct plain_pickle *pickle, size_t width)
{
	uint64_t bits;
	return take_number(pickle, width, &bits) &&
	       push(pickle,
		    make_int(pickle, width == 4 ? bytes_sign_extend(bits, width) : (int64_t)bits));
}

/* A little-endian integer with sign of any length. */
static bool read_long(struct plain_pickle *pickle, size_t width_of_length)
{
	uint64_t length, bits = 0, top = 0;
	if (!take_number(pickle, width_of_length, &length))
		return false;
	if (width_of_length == 4 && length > INT32_MAX)
		return wrong(pickle, "negative length");
	if (length > 9)
		return skip(pickle, length) && push(pickle, make(PLAIN_OTHER, 0));
	if (!take_number(pickle, length < 8 ? length : 8, &bits) ||
	    (length == 9 && !take_number(pickle, 1, &top)))
		return false;
	if (length < 9)
		return push(pickle, make_int(pickle, length ? bytes_sign_extend(bits, length) : 0));
	bool negative = top == 0xff && bits >> 63;
	if (top == 0 && bits >> 63)
		return push(pickle,
			    make_wide(pickle, (struct wide){ .bits = bits, .is_unsigned = true }));
	return push(pickle,
		    top == 0 || negative ? make_int(pickle, (int64_t)bits) : make(PLAIN_OTHER, 0));
}

static struct plain make_real(struct plain_pickle *pickle, double real)
{
	struct wide wide = { .is_real = true };
	memcpy(&wide.bits, &real, sizeof real);
	return make_wide(pickle, wide);
}

static bool read_real(struct plain_pickle *pickle)
{
	const unsigned char *bytes = take(pickle, 8);
	struct wide wide = { .is_real = true };
	for (size_t i = 0; bytes && i < 8; i++)
		wide.bits = wide.bits << 8 | bytes[i];
	return bytes && push(pickle, make_wide(pickle, wide));
}

/* A number as a line of text; "01" and "00" of INT are booleans, LONG ends with L. */
static bool read_number_line(struct plain_pickle *pickle, char code)
{
	enum { DIGITS_MAX = 64 };
	const char *line;
	char text[DIGITS_MAX + 1], *end;
	size_t length;
	if (!take_line(pickle, &line, &length))
		return false;
	if (length > DIGITS_MAX)
		return push(pickle, make(PLAIN_OTHER, 0));
	memcpy(text, line, length);
	text[length] = 0;
	if (code == 'I' && length == 2 && text[0] == '0' && (text[1] == '0' || text[1] == '1'))
		return push(pickle, make(PLAIN_BOOL, text[1] == '1'));
	if (code == 'F') {
		double real = strtod(text, &end);
		return (end != text && !*end && push(pickle, make_real(pickle, real))) ||
		       wrong(pickle, "invalid number");
	}
	if (length && text[length - 1] == 'L')
		text[length - 1] = 0;
	errno = 0;
	int64_t number = strtoll(text, &end, 10);
	if (end == text || *end)
		return wrong(pickle, "invalid number");
	return push(pickle, errno == ERANGE ? make(PLAIN_OTHER, 0) : make_int(pickle, number));
}

/* ---- texts ---- */

static bool push_text(struct plain_pickle *pickle, const char *text, size_t length)
{
	return push(pickle, make(PLAIN_TEXT, intern_add(pickle->strings, text, length)));
}

static bool read_text(struct plain_pickle *pickle, size_t width)
{
	uint64_t length;
	const unsigned char *bytes;
	return take_number(pickle, width, &length) && (bytes = take(pickle, length)) &&
	       push_text(pickle, (const char *)bytes, (size_t)length);
}

static bool read_bytes(struct plain_pickle *pickle, size_t width)
{
	uint64_t length;
	return take_number(pickle, width, &length) && skip(pickle, length) &&
	       push(pickle, make(PLAIN_OTHER, 0));
}

static void add_character(struct buffer *out, uint32_t code)
{
	if (code < 0x80) {
		buffer_putc(out, (char)code);
	} else if (code < 0x800) {
		buffer_putc(out, (char)(0xc0 | code >> 6));
		buffer_putc(out, (char)(0x80 | (code & 63)));
	} else if (code < 0x10000) {
		buffer_putc(out, (char)(0xe0 | code >> 12));
		buffer_putc(out, (char)(0x80 | (code >> 6 & 63)));
		buffer_putc(out, (char)(0x80 | (code & 63)));
	} else {
		buffer_putc(out, (char)(0xf0 | (code >> 18 & 7)));
		buffer_putc(out, (char)(0x80 | (code >> 12 & 63)));
		buffer_putc(out, (char)(0x80 | (code >> 6 & 63)));
		buffer_putc(out, (char)(0x80 | (code & 63)));
	}
}

/* The hexadecimal digits of an escape after its letter; 0: none. */
static size_t escape_digits(char letter, bool quoted)
{
	return letter == 'u' && !quoted   ? 4
	       : letter == 'U' && !quoted ? 8
	       : letter == 'x' && quoted  ? 2
					  : 0;
}

static int hex_of(char digit)
{
	return isdigit((unsigned char)digit)    ? digit - '0'
	       : isxdigit((unsigned char)digit) ? tolower((unsigned char)digit) - 'a' + 10
						: -1;
}

/* \uXXXX and \UXXXXXXXX of protocol 0 texts; \xXX and \c of quoted ones. */
static size_t add_escape(struct buffer *out, const char *at, size_t left, bool quoted)
{
	static const char letters[] = "ntr", meant[] = "\n\t\r";
	size_t digits = left > 1 ? escape_digits(at[1], quoted) : 0, used = 2;
	uint32_t code = 0;
	for (size_t i = 0; i < digits && used < left && hex_of(at[used]) >= 0; i++)
		code = code << 4 | (uint32_t)hex_of(at[used++]);
	if (digits && used == digits + 2) {
		add_character(out, code);
		return used;
	}
	if (quoted && left > 1) {
		const char *letter = strchr(letters, at[1]);
		buffer_putc(out, letter && *letter ? meant[letter - letters] : at[1]);
		return 2;
	}
	buffer_putc(out, '\\');
	return 1;
}

static bool read_text_line(struct plain_pickle *pickle, bool quoted)
{
	struct buffer out = { 0 };
	const char *line;
	size_t length;
	if (!take_line(pickle, &line, &length))
		return false;
	if (quoted) {
		if (length < 2 || (*line != '\'' && *line != '"') || line[length - 1] != *line)
			return wrong(pickle, "text without quotes");
		line++;
		length -= 2;
	}
	if (!memchr(line, '\\', length))
		return push_text(pickle, line, length);
	for (size_t i = 0; i < length;) {
		if (line[i] == '\\')
			i += add_escape(&out, line + i, length - i, quoted);
		else
			buffer_putc(&out, line[i++]);
	}
	push_text(pickle, buffer_text(&out), out.length);
	buffer_free(&out);
	return true;
}

/* ---- the memo ---- */

static bool remember(struct plain_pickle *pickle, uint64_t slot)
{
	if (!has(pickle, 1))
		return false;
	struct plain value = pickle->stack[pickle->count - 1];
	pickle->memo_puts++;
	if (slot >= DENSE_MIN && slot > plain_pickle_bytes(pickle)) {
		if (pickle->sparse_count == NO_ROW)
			return wrong(pickle, "impossible memo");
		pickle->sparse = pickle->sparse ? pickle->sparse : hash_new(16);
		mem_grow(pickle->sparse_values, pickle->sparse_cap, pickle->sparse_count + 1);
		hash_add(pickle->sparse, slot, (uint32_t)pickle->sparse_count);
		pickle->sparse_values[pickle->sparse_count++] = value;
		return true;
	}
	if (slot >= pickle->memo_count) {
		mem_grow(pickle->memo, pickle->memo_cap, slot + 1);
		while (pickle->memo_count <= slot)
			pickle->memo[pickle->memo_count++] = unset;
	}
	pickle->memo[slot] = value;
	return true;
}

static bool recall(struct plain_pickle *pickle, uint64_t slot)
{
	struct plain value = slot < pickle->memo_count ? pickle->memo[slot] : unset;
	if (value.bits == unset.bits && pickle->sparse) {
		uint32_t at = hash_last(pickle->sparse, slot);
		value = at == NO_ROW ? unset : pickle->sparse_values[at];
	}
	return value.bits == unset.bits ? wrong(pickle, "empty memo") : push(pickle, value);
}

static bool at_slot(struct plain_pickle *pickle, size_t width,
		    bool (*act)(struct plain_pickle *, uint64_t))
{
	uint64_t slot;
	return take_number(pickle, width, &slot) && act(pickle, slot);
}

static bool at_slot_line(struct plain_pickle *pickle, bool (*act)(struct plain_pickle *, uint64_t))
{
	const char *line;
	size_t length;
	uint64_t slot = 0;
	if (!take_line(pickle, &line, &length))
		return false;
	if (!length || length > 18)
		return wrong(pickle, "impossible memo");
	for (size_t i = 0; i < length; i++) {
		if (!isdigit((unsigned char)line[i]))
			return wrong(pickle, "impossible memo");
		slot = slot * 10 + (uint64_t)(line[i] - '0');
	}
	return act(pickle, slot);
}

/* ---- what is not plain data ---- */

static bool refuse(struct plain_pickle *pickle, const char *name)
{
	return error_set(
		pickle->error, ERROR_INPUT,
		"is a Python pickle that asks for %s at byte %llu; only plain data is read, and nothing was executed",
		name, (unsigned long long)plain_pickle_bytes(pickle));
}

static bool push_global(struct plain_pickle *pickle, const char *module, size_t module_length,
			const char *name, size_t name_length)
{
	static const char jit[] = "torch.jit._pickle", tagger[] = "restore_type_tag";
	if (module_length == sizeof jit - 1 && !memcmp(module, jit, module_length) &&
	    name_length == sizeof tagger - 1 && !memcmp(name, tagger, name_length))
		return push(pickle, make(PLAIN_TAGGER, 0));
	enum { SHOWN_MAX = 60 }; /* limit: characters of a name in the message */
	char asked[2 * SHOWN_MAX + 2];
	snprintf(asked, sizeof asked, "%.*s.%.*s",
		 (int)(module_length < SHOWN_MAX ? module_length : SHOWN_MAX), module,
		 (int)(name_length < SHOWN_MAX ? name_length : SHOWN_MAX), name);
	return refuse(pickle, asked);
}

static bool read_global_lines(struct plain_pickle *pickle)
{
	struct buffer module = { 0 };
	const char *line;
	size_t length;
	if (!take_line(pickle, &line, &length))
		return false;
	buffer_add(&module, line, length);
	bool done = take_line(pickle, &line, &length) &&
		    push_global(pickle, buffer_text(&module), module.length, line, length);
	buffer_free(&module);
	return done;
}

static bool pop_global_names(struct plain_pickle *pickle)
{
	uint32_t module, name;
	if (!has(pickle, 2))
		return false;
	if (!plain_text(pickle->stack[pickle->count - 2], &module) ||
	    !plain_text(pickle->stack[pickle->count - 1], &name))
		return wrong(pickle, "import without a name");
	pickle->count -= 2;
	return push_global(pickle, intern_text(pickle->strings, module),
			   intern_length(pickle->strings, module),
			   intern_text(pickle->strings, name),
			   intern_length(pickle->strings, name));
}

/* restore_type_tag(value, text) is the value; there is no other call. */
static bool reduce(struct plain_pickle *pickle)
{
	uint32_t arguments, text;
	if (!has(pickle, 2))
		return false;
	if (plain_kind(pickle->stack[pickle->count - 2]) != PLAIN_TAGGER ||
	    !plain_container(pickle, pickle->stack[pickle->count - 1], CONTAINER_TUPLE, &arguments))
		return refuse(pickle, "a call");
	const struct container *tuple = plain_at(pickle, arguments);
	if (tuple->count != 2 || !plain_text(tuple->items[1], &text))
		return wrong(pickle, "a type tag without its value");
	pickle->count -= 2;
	return push(pickle, tuple->items[0]);
}

/* ---- opcodes ---- */

static bool stop(struct plain_pickle *pickle)
{
	pickle->stopped = true;
	return has(pickle, 1);
}

static bool duplicate(struct plain_pickle *pickle)
{
	return has(pickle, 1) && push(pickle, pickle->stack[pickle->count - 1]);
}

static bool drop_marked(struct plain_pickle *pickle)
{
	return pop_mark(pickle, &pickle->count);
}

static bool refused_step(struct plain_pickle *pickle, unsigned char code)
{
	switch (code) {
	case 'b': return refuse(pickle, "an object's state (BUILD)");
	case 'i':
	case 'o':
	case 0x81:
	case 0x92: return refuse(pickle, "an object of a class");
	case 'P':
	case 'Q': return refuse(pickle, "a persistent id");
	case 0x82:
	case 0x83:
	case 0x84: return refuse(pickle, "a registered extension");
	default: return wrong(pickle, "unknown opcode");
	}
}

static bool container_step(struct plain_pickle *pickle, unsigned char code)
{
	switch (code) {
	case '(': return push_mark(pickle);
	case '0': return pop(pickle);
	case '1': return drop_marked(pickle);
	case '2': return duplicate(pickle);
	case ')': return push_container(pickle, CONTAINER_TUPLE);
	case ']': return push_container(pickle, CONTAINER_LIST);
	case '}': return push_container(pickle, CONTAINER_DICT);
	case 't': return collect_marked(pickle, CONTAINER_TUPLE, false);
	case 'l': return collect_marked(pickle, CONTAINER_LIST, false);
	case 'd': return collect_marked(pickle, CONTAINER_DICT, false);
	case 'e': return collect_marked(pickle, CONTAINER_LIST, true);
	case 'u': return collect_marked(pickle, CONTAINER_DICT, true);
	case 'a': return collect_last(pickle, 1, CONTAINER_LIST, true);
	case 's': return collect_last(pickle, 2, CONTAINER_DICT, true);
	case 0x85: return collect_last(pickle, 1, CONTAINER_TUPLE, false);
	case 0x86: return collect_last(pickle, 2, CONTAINER_TUPLE, false);
	case 0x87: return collect_last(pickle, 3, CONTAINER_TUPLE, false);
	case 'c': return read_global_lines(pickle);
	case 0x93: return pop_global_names(pickle);
	case 'R': return reduce(pickle);
	default: return refused_step(pickle, code);
	}
}

static bool value_step(struct plain_pickle *pickle, unsigned char code)
{
	switch (code) {
	case 0x80: return take(pickle, 1) != NULL; /* PROTO */
	case 0x95: return take(pickle, 8) != NULL; /* FRAME */
	case '.': return stop(pickle);
	case 'N': return push(pickle, make(PLAIN_NONE, 0));
	case 0x88:
	case 0x89: return push(pickle, make(PLAIN_BOOL, code == 0x88));
	case 'I':
	case 'L':
	case 'F': return read_number_line(pickle, (char)code);
	case 0x8a: return read_long(pickle, 1);
	case 0x8b: return read_long(pickle, 4);
	case 'G': return read_real(pickle);
	case 'V': return read_text_line(pickle, false);
	case 'S': return read_text_line(pickle, true);
	case 'U': return read_text(pickle, 1);
	case 'T': return read_text(pickle, 4);
	case 0x8d: return read_text(pickle, 8);
	case 'C': return read_bytes(pickle, 1);
	case 'B': return read_bytes(pickle, 4);
	case 0x8e: return read_bytes(pickle, 8);
	case 'p': return at_slot_line(pickle, remember);
	case 'g': return at_slot_line(pickle, recall);
	default: return container_step(pickle, code);
	}
}

/* The opcodes of nearly all bytes first. */
static bool step(struct plain_pickle *pickle, unsigned char code)
{
	switch (code) {
	case 'j': return at_slot(pickle, 4, recall);
	case 'h': return at_slot(pickle, 1, recall);
	case 0x94: return remember(pickle, pickle->memo_puts);
	case 'q': return at_slot(pickle, 1, remember);
	case 'r': return at_slot(pickle, 4, remember);
	case 'K': return read_int(pickle, 1);
	case 'M': return read_int(pickle, 2);
	case 'J': return read_int(pickle, 4);
	case 0x8c: return read_text(pickle, 1);
	case 'X': return read_text(pickle, 4);
	default: return value_step(pickle, code);
	}
}

struct plain_pickle *plain_pickle_new(struct intern *strings, struct plain_hook hook)
{
	struct plain_pickle *pickle = mem_zalloc(1, sizeof *pickle);
	pickle->strings = strings;
	pickle->hook = hook;
	return pickle;
}

void plain_pickle_free(struct plain_pickle *pickle)
{
	if (!pickle)
		return;
	for (size_t i = 0; i < pickle->container_count; i++)
		mem_free(pickle->containers[i].items);
	mem_free(pickle->containers);
	mem_free(pickle->wides);
	mem_free(pickle->memo);
	hash_free(pickle->sparse);
	mem_free(pickle->sparse_values);
	mem_free(pickle->marks);
	mem_free(pickle->stack);
	mem_free(pickle->window);
	mem_free(pickle);
}

bool plain_pickle_run(struct plain_pickle *pickle, struct source *source, struct plain *top,
		      struct error *error)
{
	pickle->source = source;
	pickle->error = error;
	while (!pickle->stopped) {
		const unsigned char *code = take(pickle, 1);
		if (!code || !step(pickle, *code))
			return false;
	}
	*top = pickle->stack[pickle->count - 1];
	return true;
}
