/*
 * A pickle machine for plain data: numbers, texts, lists, tuples and dicts, of protocols 0 to 5.
 *
 * Nothing is ever executed: opcodes that import, call or build are refused, with two exceptions
 * that have no effect: PyTorch's restore_type_tag, by which its C++ pickler wraps every container,
 * and objects of the class that the reader accepts, which are represented by their state. The input
 * is read as a stream. Containers live in a table and are named by number, since pickles share
 * them; nothing here follows references, so that depth, cycles and repeated sharing cost nothing.
 */
#pragma once

#include "base/intern.h"
#include "base/listed.h"
#include "text_tables.h"

struct literal;
struct source;
struct plain_pickle;

enum plain_kind { PLAIN_KIND_ROWS(LISTED) };

/* A value: its kind in the low three bits. */
struct plain {
	uint64_t bits;
};

enum container_kind {
	CONTAINER_LIST,
	CONTAINER_TUPLE,
	CONTAINER_DICT,
	CONTAINER_REPLACED, /* this and above: by what the reader made of it (plain_replace) */
};

/* ITEMS has COUNT values; in a dict key and value alternate. COUNT is a replaced one's number. */
struct container {
	struct plain *items;
	uint32_t count, capacity;
	uint8_t kind;
};

/* What a reader takes part in. Either function may be NULL. */
struct plain_hook {
	/*
	 * Called when a container, complete by then, is put into a list or tuple (KEY is NO_ROW),
	 * or into a dict under a text (its id in the strings). May replace it.
	 */
	void (*placed)(void *context, struct plain_pickle *pickle, uint32_t container,
		       uint32_t key);
	/* Is this the class whose objects the pickle may have? */
	bool (*accepts)(void *context, const char *module, const char *name);
	void *context;
};

/* Texts are interned in STRINGS, which outlives the machine. */
struct plain_pickle *plain_pickle_new(struct intern *strings, struct plain_hook hook);
void plain_pickle_free(struct plain_pickle *pickle); /* NULL is fine */

/*
 * Run the pickle in SOURCE to its end; the object is in *TOP. False with ERROR when it is damaged,
 * truncated or asks for more than plain data, or when cancelled.
 */
bool plain_pickle_run(struct plain_pickle *pickle, struct source *source, struct plain *top,
		      struct error *error);
uint64_t plain_pickle_bytes(const struct plain_pickle *pickle); /* consumed */

enum plain_kind plain_kind(struct plain value);
/* True for an integer (or boolean) of 64 bits with sign. */
bool plain_int(const struct plain_pickle *pickle, struct plain value, int64_t *number);
/* Likewise for an address: any 64 bits. */
bool plain_address(const struct plain_pickle *pickle, struct plain value, int64_t *address);
bool plain_text(struct plain value, uint32_t *text);
/* True for a container of this kind (container_kind or the reader's own); its number in *ID. */
bool plain_container(const struct plain_pickle *pickle, struct plain value, int kind, uint32_t *id);

const struct container *plain_at(const struct plain_pickle *pickle, uint32_t container);
/* The last value under KEY in a dict, or None. */
struct plain plain_member(const struct plain_pickle *pickle, uint32_t dict, uint32_t key);
/*
 * TOP as a Python literal in ARENA; texts are those of the strings. Shared containers stay shared,
 * and may contain themselves, so recursion must be limited in depth. What is no plain data, bytes
 * and integers beyond 64 bits with sign are None.
 */
const struct literal *plain_literal(const struct plain_pickle *pickle, struct plain top,
				    struct arena *arena);
/* Forget the items; KIND is CONTAINER_REPLACED or above. */
void plain_replace(struct plain_pickle *pickle, uint32_t container, int kind, uint32_t number);
