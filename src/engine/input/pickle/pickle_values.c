/*
 * The values of a pickle: how they are made, and what a reader asks of them.
 */
#include "base/literal.h"
#include "input/pickle/pickle_private.h"

enum plain_kind plain_kind(struct plain value)
{
	return (enum plain_kind)(value.bits & 7);
}

struct plain pickle_make_wide(struct plain_pickle *pickle, struct pickle_wide wide)
{
	*mem_push(pickle->wides, pickle->wide_count) = wide;
	return plain_make(PLAIN_WIDE, pickle->wide_count - 1);
}

struct plain pickle_make_int(struct plain_pickle *pickle, int64_t number)
{
	static const int64_t limit = INT64_C(1) << 60; /* 61 bits beside the kind */
	if (number >= -limit && number < limit)
		return plain_make(PLAIN_INT, (uint64_t)number);
	return pickle_make_wide(pickle, (struct pickle_wide){ .bits = (uint64_t)number });
}

struct plain pickle_make_real(struct plain_pickle *pickle, double real)
{
	struct pickle_wide wide = { .is_real = true };
	memcpy(&wide.bits, &real, sizeof real);
	return pickle_make_wide(pickle, wide);
}

bool plain_address(const struct plain_pickle *pickle, struct plain value, int64_t *address)
{
	const struct pickle_wide *wide;
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
	struct plain wanted = plain_make(PLAIN_TEXT, key);
	for (size_t i = of->kind == CONTAINER_DICT ? of->count : 0; i >= 2; i -= 2)
		if (of->items[i - 2].bits == wanted.bits)
			return of->items[i - 1];
	return plain_make(PLAIN_NONE, 0);
}

/* LISTS are the items of the containers. */
static struct literal literal_of(const struct plain_pickle *pickle, struct literal *const *lists,
				 struct plain value)
{
	static const enum literal_kind kinds[] = {
		[CONTAINER_LIST] = LITERAL_LIST,
		[CONTAINER_TUPLE] = LITERAL_TUPLE,
		[CONTAINER_DICT] = LITERAL_DICT,
	};
	uint32_t id = (uint32_t)(value.bits >> 3);
	struct literal literal = { .kind = LITERAL_NONE };
	const struct container *container;
	if (plain_int(pickle, value, &literal.integer)) {
		literal.kind = plain_kind(value) == PLAIN_BOOL ? LITERAL_BOOL : LITERAL_INT;
	} else if (plain_kind(value) == PLAIN_WIDE && pickle->wides[id].is_real) {
		literal.kind = LITERAL_REAL;
		memcpy(&literal.real, &pickle->wides[id].bits, sizeof literal.real);
	} else if (plain_kind(value) == PLAIN_TEXT) {
		literal.kind = LITERAL_TEXT;
		literal.text = intern_text(pickle->strings, id);
		literal.count = intern_length(pickle->strings, id);
	} else if (plain_kind(value) == PLAIN_CONTAINER && lists[id]) {
		container = &pickle->containers[id];
		literal.kind = kinds[container->kind];
		literal.count = container->count / (container->kind == CONTAINER_DICT ? 2 : 1);
		literal.items = lists[id];
	}
	return literal;
}

const struct literal *plain_literal(const struct plain_pickle *pickle, struct plain top,
				    struct arena *arena)
{
	AUTO_FREE struct literal **lists = mem_zalloc(pickle->container_count + 1, sizeof *lists);
	struct literal *made = arena_alloc(arena, sizeof *made);
	for (size_t i = 0; i < pickle->container_count; i++)
		if (pickle->containers[i].kind < CONTAINER_REPLACED)
			lists[i] = arena_alloc(arena, pickle->containers[i].count * sizeof **lists);
	for (size_t i = 0; i < pickle->container_count; i++)
		for (uint32_t k = 0; lists[i] && k < pickle->containers[i].count; k++)
			lists[i][k] = literal_of(pickle, lists, pickle->containers[i].items[k]);
	*made = literal_of(pickle, lists, top);
	return made;
}

void plain_replace(struct plain_pickle *pickle, uint32_t container, int kind, uint32_t number)
{
	struct container *of = &pickle->containers[container];
	mem_free(of->items);
	*of = (struct container){ .count = number, .kind = (uint8_t)kind };
}
