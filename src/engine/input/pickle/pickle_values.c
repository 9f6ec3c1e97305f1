/*
 * The values of a pickle: how they are made, and what a reader asks of them.
 */
#include "input/pickle/pickle_private.h"

#include <string.h>

enum plain_kind plain_kind(struct plain value)
{
	return (enum plain_kind)(value.bits & 7);
}

struct plain pickle_make_wide(struct plain_pickle *pickle, struct pickle_wide wide)
{
	mem_grow(pickle->wides, pickle->wide_cap, pickle->wide_count + 1);
	pickle->wides[pickle->wide_count] = wide;
	return plain_make(PLAIN_WIDE, pickle->wide_count++);
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

void plain_replace(struct plain_pickle *pickle, uint32_t container, int kind, uint32_t number)
{
	struct container *of = &pickle->containers[container];
	mem_free(of->items);
	*of = (struct container){ .count = number, .kind = (uint8_t)kind };
}
