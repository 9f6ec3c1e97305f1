/*
 * Shared by the parts of the pickle machine.
 */
#pragma once

#include "input/pickle/plain_pickle.h"

struct pickle_wide {
	uint64_t bits;
	bool is_real, is_unsigned; /* beyond the signed integers */
};

struct plain_pickle {
	struct intern *strings;
	struct plain_hook hook;
	struct source *source;
	struct error *error;

	unsigned char *window; /* of the input */
	size_t at, filled;
	uint64_t before; /* bytes before the window */
	bool ended, stopped;

	GROWING(struct plain, stack, count);
	GROWING(size_t, marks, mark_count);
	struct plain *memo;
	size_t memo_count, memo_puts;
	struct hash *sparse;
	GROWING(struct plain, sparse_values, sparse_count);

	GROWING(struct container, containers, container_count);
	GROWING(struct pickle_wide, wides, wide_count);
};

/* ---- pickle_values.c ---- */

static inline struct plain plain_make(enum plain_kind kind, uint64_t payload)
{
	return (struct plain){ payload << 3 | (uint64_t)kind };
}

struct plain pickle_make_int(struct plain_pickle *pickle, int64_t number);
struct plain pickle_make_real(struct plain_pickle *pickle, double real);
struct plain pickle_make_wide(struct plain_pickle *pickle, struct pickle_wide wide);

/* ---- pickle_input.c; false, and NULL, with the machine's error ---- */

bool pickle_wrong(struct plain_pickle *pickle, const char *what);
/* Have COUNT bytes in the window. It grows with what arrives, not with what is claimed. */
bool pickle_fill(struct plain_pickle *pickle, uint64_t count);
/* A little-endian number without sign, of up to eight bytes. */
bool pickle_take_number(struct plain_pickle *pickle, size_t width, uint64_t *number);
/* Pass over COUNT bytes, however many. */
bool pickle_skip(struct plain_pickle *pickle, uint64_t count);
/* A line without its newline, valid until the next call. */
bool pickle_take_line(struct plain_pickle *pickle, const char **line, size_t *length);

static inline const unsigned char *pickle_take(struct plain_pickle *pickle, uint64_t count)
{
	if (pickle->filled - pickle->at < count && !pickle_fill(pickle, count))
		return NULL;
	pickle->at += count;
	return pickle->window + pickle->at - count;
}

/* ---- plain_pickle.c ---- */

static inline bool pickle_push(struct plain_pickle *pickle, struct plain value)
{
	mem_grow(pickle->stack, pickle->count + 1);
	pickle->stack[pickle->count++] = value;
	return true;
}

bool pickle_push_text(struct plain_pickle *pickle, const char *text, size_t length);
/* Push what the name stands for, if it is harmless; both texts are interned. */
bool pickle_push_global(struct plain_pickle *pickle, uint32_t module, uint32_t name);

/* ---- pickle_lines.c: the arguments of protocol 0, which are lines of text ---- */

/* A number; "01" and "00" of INT are booleans, LONG ends with L. */
bool pickle_number_line(struct plain_pickle *pickle, char code);
bool pickle_text_line(struct plain_pickle *pickle, bool quoted);
bool pickle_slot_line(struct plain_pickle *pickle, bool (*act)(struct plain_pickle *, uint64_t));
bool pickle_global_lines(struct plain_pickle *pickle);
