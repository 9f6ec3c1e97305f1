#include "input/pickle/pickle_private.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "model/profile.h"

#include <stdio.h>

/*
 * The memo is an array as far as slots may be dense, that is up to the number of bytes read; what a
 * file puts into slots beyond costs an entry of a hash each.
 */
enum { DENSE_MIN = 1 << 10 };

static const struct plain unset = { UINT64_MAX }; /* an empty memo slot */

/* ---- the stack ---- */

/* True if COUNT values can be popped, above the last mark. */
static bool has(struct plain_pickle *pickle, size_t count)
{
	size_t bottom = pickle->mark_count ? pickle->marks[pickle->mark_count - 1] : 0;
	return pickle->count - bottom >= count || pickle_wrong(pickle, "missing value");
}

static bool push_mark(struct plain_pickle *pickle)
{
	*mem_push(pickle->marks, pickle->mark_count) = pickle->count;
	return true;
}

static bool pop_mark(struct plain_pickle *pickle, size_t *from)
{
	if (!pickle->mark_count)
		return pickle_wrong(pickle, "missing mark");
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
		return pickle_wrong(pickle, "too many containers");
	mem_grow(pickle->containers, pickle->container_count + 1);
	pickle->containers[pickle->container_count] = (struct container){ .kind = kind };
	return pickle_push(pickle, plain_make(PLAIN_CONTAINER, pickle->container_count++));
}

static void tell_placed(struct plain_pickle *pickle, const struct plain *values, size_t count,
			bool in_dict)
{
	for (size_t i = in_dict; pickle->hook.placed && i < count; i += 1 + (size_t)in_dict) {
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
		return pickle_wrong(pickle, "an object that cannot grow");
	if (kind == CONTAINER_DICT && count % 2)
		return pickle_wrong(pickle, "key without a value");
	tell_placed(pickle, pickle->stack + from, count, kind == CONTAINER_DICT);
	struct container *into = &pickle->containers[id];
	if (into->kind != kind || count > NO_ROW - into->count)
		return pickle_wrong(pickle, "an object that cannot grow");
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
static bool plain_pickle_collect(struct plain_pickle *pickle, size_t from, enum container_kind kind)
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
	return into ? extend(pickle, from, kind) : plain_pickle_collect(pickle, from, kind);
}

static bool collect_last(struct plain_pickle *pickle, size_t count, enum container_kind kind,
			 bool into)
{
	if (!has(pickle, count + into))
		return false;
	return (into ? extend : plain_pickle_collect)(pickle, pickle->count - count, kind);
}

/* ---- numbers ---- */

static bool read_int(struct plain_pickle *pickle, size_t width)
{
	uint64_t bits;
	return pickle_take_number(pickle, width, &bits) &&
	       pickle_push(pickle,
			   pickle_make_int(pickle, width == 4 ? bytes_sign_extend(bits, width)
							      : (int64_t)bits));
}

/* A little-endian integer with sign of any length. */
static bool read_long(struct plain_pickle *pickle, size_t width_of_length)
{
	uint64_t length, bits = 0, top = 0;
	if (!pickle_take_number(pickle, width_of_length, &length))
		return false;
	if (width_of_length == 4 && length > INT32_MAX)
		return pickle_wrong(pickle, "negative length");
	if (length > 9)
		return pickle_skip(pickle, length) &&
		       pickle_push(pickle, plain_make(PLAIN_OTHER, 0));
	if (!pickle_take_number(pickle, length < 8 ? length : 8, &bits) ||
	    (length == 9 && !pickle_take_number(pickle, 1, &top)))
		return false;
	if (length < 9)
		return pickle_push(
			pickle,
			pickle_make_int(pickle, length ? bytes_sign_extend(bits, length) : 0));
	bool negative = top == 0xff && bits >> 63;
	if (top == 0 && bits >> 63)
		return pickle_push(pickle, pickle_make_wide(pickle, (struct pickle_wide){
									    .bits = bits,
									    .is_unsigned = true }));
	return pickle_push(pickle, top == 0 || negative ? pickle_make_int(pickle, (int64_t)bits)
							: plain_make(PLAIN_OTHER, 0));
}

static bool read_real(struct plain_pickle *pickle)
{
	const unsigned char *bytes = pickle_take(pickle, 8);
	struct pickle_wide wide = { .is_real = true };
	for (size_t i = 0; bytes && i < 8; i++)
		wide.bits = wide.bits << 8 | bytes[i];
	return bytes && pickle_push(pickle, pickle_make_wide(pickle, wide));
}

/* ---- texts ---- */

bool pickle_push_text(struct plain_pickle *pickle, const char *text, size_t length)
{
	return pickle_push(pickle,
			   plain_make(PLAIN_TEXT, intern_add(pickle->strings, text, length)));
}

static bool plain_pickle_read_text(struct plain_pickle *pickle, size_t width)
{
	uint64_t length;
	const unsigned char *bytes;
	return pickle_take_number(pickle, width, &length) &&
	       (bytes = pickle_take(pickle, length)) &&
	       pickle_push_text(pickle, (const char *)bytes, (size_t)length);
}

static bool plain_pickle_read_bytes(struct plain_pickle *pickle, size_t width)
{
	uint64_t length;
	return pickle_take_number(pickle, width, &length) && pickle_skip(pickle, length) &&
	       pickle_push(pickle, plain_make(PLAIN_OTHER, 0));
}

/* ---- the memo ---- */

static bool plain_pickle_remember(struct plain_pickle *pickle, uint64_t slot)
{
	if (!has(pickle, 1))
		return false;
	struct plain value = pickle->stack[pickle->count - 1];
	pickle->memo_puts++;
	if (slot >= DENSE_MIN && slot > plain_pickle_bytes(pickle)) {
		if (pickle->sparse_count == NO_ROW)
			return pickle_wrong(pickle, "impossible memo");
		pickle->sparse = pickle->sparse ? pickle->sparse : hash_new(16);
		hash_add(pickle->sparse, slot, (uint32_t)pickle->sparse_count);
		*mem_push(pickle->sparse_values, pickle->sparse_count) = value;
		return true;
	}
	if (slot >= pickle->memo_count) {
		mem_grow(pickle->memo, slot + 1);
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
	return value.bits == unset.bits ? pickle_wrong(pickle, "empty memo")
					: pickle_push(pickle, value);
}

static bool at_slot(struct plain_pickle *pickle, size_t width,
		    bool (*act)(struct plain_pickle *, uint64_t))
{
	uint64_t slot;
	return pickle_take_number(pickle, width, &slot) && act(pickle, slot);
}

/* ---- what is not plain data ---- */

static bool plain_pickle_refuse(struct plain_pickle *pickle, const char *name)
{
	return error_input(
		pickle->error,
		"is a Python pickle that asks for %s at byte %llu; only plain data is read, and nothing was executed",
		name, (unsigned long long)plain_pickle_bytes(pickle));
}

/* The names that may be imported, and an object of the accepted class before it has a state. */
enum { GLOBAL_TAGGER, GLOBAL_CLASS, GLOBAL_RECONSTRUCTOR, GLOBAL_OBJECT_CLASS, GLOBAL_OBJECT };

static bool is_global(struct plain value, uint64_t which)
{
	return value.bits == plain_make(PLAIN_GLOBAL, which).bits;
}

bool pickle_push_global(struct plain_pickle *pickle, uint32_t module_id, uint32_t name_id)
{
	const char *module = intern_text(pickle->strings, module_id);
	const char *name = intern_text(pickle->strings, name_id);
	const struct plain_hook *hook = &pickle->hook;
	if (!strcmp(module, "torch.jit._pickle") && !strcmp(name, "restore_type_tag"))
		return pickle_push(pickle, plain_make(PLAIN_GLOBAL, GLOBAL_TAGGER));
	if (hook->accepts && hook->accepts(hook->context, module, name))
		return pickle_push(pickle, plain_make(PLAIN_GLOBAL, GLOBAL_CLASS));
	if (hook->accepts && !strcmp(module, "copy_reg") && !strcmp(name, "_reconstructor"))
		return pickle_push(pickle, plain_make(PLAIN_GLOBAL, GLOBAL_RECONSTRUCTOR));
	if (hook->accepts && !strcmp(name, "object"))
		return pickle_push(pickle, plain_make(PLAIN_GLOBAL, GLOBAL_OBJECT_CLASS));
	char asked[124];
	snprintf(asked, sizeof asked, "%.60s.%.60s", module, name);
	return plain_pickle_refuse(pickle, asked);
}

static bool pop_global_names(struct plain_pickle *pickle)
{
	uint32_t module, name;
	if (!has(pickle, 2))
		return false;
	if (!plain_text(pickle->stack[pickle->count - 2], &module) ||
	    !plain_text(pickle->stack[pickle->count - 1], &name))
		return pickle_wrong(pickle, "import without a name");
	pickle->count -= 2;
	return pickle_push_global(pickle, module, name);
}

/*
 * restore_type_tag(value, text) is the value, _reconstructor(class, ...) and NEWOBJ of the accepted
 * class are an object of it; there is no other call.
 */
static bool plain_pickle_call(struct plain_pickle *pickle, bool is_reduce)
{
	uint32_t arguments, text;
	if (!has(pickle, 2))
		return false;
	struct plain called = pickle->stack[pickle->count - 2];
	if (!plain_container(pickle, pickle->stack[pickle->count - 1], CONTAINER_TUPLE, &arguments))
		return plain_pickle_refuse(pickle, "a call");
	const struct container *tuple = plain_at(pickle, arguments);
	bool is_tag = is_reduce && is_global(called, GLOBAL_TAGGER);
	bool is_object = is_reduce ? is_global(called, GLOBAL_RECONSTRUCTOR) && tuple->count &&
					     is_global(tuple->items[0], GLOBAL_CLASS)
				   : is_global(called, GLOBAL_CLASS);
	if (!is_tag && !is_object)
		return plain_pickle_refuse(pickle, is_reduce ? "a call" : "an object of a class");
	if (is_tag && (tuple->count != 2 || !plain_text(tuple->items[1], &text)))
		return pickle_wrong(pickle, "a type tag without its value");
	pickle->count -= 2;
	return pickle_push(pickle,
			   is_tag ? tuple->items[0] : plain_make(PLAIN_GLOBAL, GLOBAL_OBJECT));
}

/* The state takes the place of the object. */
static bool plain_pickle_build(struct plain_pickle *pickle)
{
	if (!has(pickle, 2))
		return false;
	if (!is_global(pickle->stack[pickle->count - 2], GLOBAL_OBJECT))
		return plain_pickle_refuse(pickle, "an object's state (BUILD)");
	pickle->count--;
	pickle->stack[pickle->count - 1] = pickle->stack[pickle->count];
	return true;
}

/* ---- opcodes ---- */

static bool stop(struct plain_pickle *pickle)
{
	pickle->stopped = true;
	return has(pickle, 1);
}

static bool plain_pickle_step(struct plain_pickle *pickle, unsigned char code)
{
	switch (code) {
		PICKLE_STEPS(LISTED_CASE)
	default: return pickle_wrong(pickle, "unknown opcode");
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
	mem_free_all(pickle->containers, pickle->wides, pickle->memo);
	hash_free(pickle->sparse);
	mem_free_all(pickle->sparse_values, pickle->marks, pickle->stack, pickle->window, pickle);
}

bool plain_pickle_run(struct plain_pickle *pickle, struct source *source, struct plain *top,
		      struct error *error)
{
	pickle->source = source;
	pickle->error = error;
	while (!pickle->stopped) {
		const unsigned char *code = pickle_take(pickle, 1);
		if (!code || !plain_pickle_step(pickle, *code))
			return false;
	}
	*top = pickle->stack[pickle->count - 1];
	return true;
}
