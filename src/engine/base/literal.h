/*
 * Parses and prints Python literals (repr, ast.literal_eval) without evaluating anything.
 *
 * Supported: text, bytes, numbers, None, True, False, tuples, lists and dictionaries, and the words
 * of JSON: null, true and false. Readers of marshalled and pickled data make literals, too.
 */
#pragma once

#include "base/listed.h"
#include "base/number.h"
#include "text_tables.h"

struct arena;
struct buffer;

enum literal_kind { LITERAL_KIND_ROWS(LISTED) };

enum {
	LITERAL_DEPTH_MAX = 64,     /* limit: nesting depth of a Python literal */
	LITERAL_SIZE_MAX = 1 << 26, /* limit: bytes of a Python literal */
};

struct literal {
	enum literal_kind kind;
	size_t count; /* bytes of text, items, or pairs of a dictionary */
	union {
		int64_t integer; /* LITERAL_BOOL: 0 or 1 */
		double real;
		const char *text;            /* UTF-8 or bytes; NUL-terminated, may contain NULs */
		const struct literal *items; /* a dictionary: key, value, key, value… */
	};
};

/* Parse all of TEXT, ignoring surrounding blanks, into ARENA. NULL if it is none, or too large. */
const struct literal *literal_parse(struct arena *arena, const char *text, size_t length);

/* All accept NULL for "absent", so calls can be nested. */

/* The value of KEY in a dictionary (the last one given), or NULL. */
const struct literal *literal_get(const struct literal *dict, const char *key);
/* Item AT of a list or tuple, or NULL. */
const struct literal *literal_item(const struct literal *sequence, size_t at);
bool literal_is_text(const struct literal *literal, const char *text);
bool literal_is_sequence(const struct literal *literal);         /* a list or a tuple */
bool literal_int(const struct literal *literal, int64_t *value); /* false for a bool or a real */

/* Append the literal as Python's repr() writes it. */
void literal_repr(struct buffer *out, const struct literal *literal);

/* Format a real as Python's repr() does ("2.0", "1e-05", "1e+16"); returns OUT. */
char *literal_real(char out[NUMBER_MAX], double value);
