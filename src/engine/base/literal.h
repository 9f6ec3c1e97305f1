/*
 * Python literals, as repr() writes them and ast.literal_eval() reads them: text, bytes, numbers,
 * None, True, False, tuples, lists and dictionaries.  Nothing is ever evaluated.
 */
#ifndef STRATA_BASE_LITERAL_H
#define STRATA_BASE_LITERAL_H

#include "base/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buffer;
struct error;

enum literal_kind {
	LITERAL_NONE,
	LITERAL_BOOL,
	LITERAL_INT,
	LITERAL_BIG, /* an integer beyond 64 bits: its decimal digits, in text */
	LITERAL_REAL,
	LITERAL_TEXT,
	LITERAL_BYTES,
	LITERAL_TUPLE,
	LITERAL_LIST,
	LITERAL_DICT
};

enum {
	LITERAL_DEPTH_MAX = 64,     /* limit: brackets inside brackets of a Python literal */
	LITERAL_SIZE_MAX = 1 << 26, /* limit: bytes of a Python literal */
};

struct literal {
	enum literal_kind kind;
	size_t count; /* bytes of text, items, or pairs of a dictionary */
	union {
		int64_t integer; /* LITERAL_BOOL: 0 or 1 */
		double real;
		const char *text; /* UTF-8, or bytes; NUL-terminated, may hold NULs too */
		const struct literal *items; /* a dictionary: key, value, key, value… */
	};
};

/*
 * The literal that all of TEXT is, blanks around it aside.  It lives in ARENA.  NULL with
 * ERROR_INPUT and the byte where it stopped being one, or ERROR_LIMIT.
 */
const struct literal *literal_parse(struct arena *arena, const char *text, size_t length,
				    struct error *error);

/* These take NULL for "not there", so that they chain. */

/* The value of a dictionary's text KEY (the last one given), or NULL. */
const struct literal *literal_get(const struct literal *dict, const char *key);
/* Item AT of a list or tuple, or NULL. */
const struct literal *literal_item(const struct literal *sequence, size_t at);
bool literal_is_text(const struct literal *literal, const char *text);
bool literal_is_sequence(const struct literal *literal);         /* a list or a tuple */
bool literal_int(const struct literal *literal, int64_t *value); /* False of a bool or a real */

/* Append the literal as Python's repr() would write it. */
void literal_repr(struct buffer *out, const struct literal *literal);

/* A real number as Python's repr() writes it ("2.0", "1e-05", "1e+16"); returns OUT. */
char *literal_real(char out[NUMBER_MAX], double value);

#endif
