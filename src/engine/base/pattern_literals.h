/*
 * Which texts an expression may match, told by pairs of adjacent bytes: most rules for names fail
 * for most names, and asking here takes a hundredth of a match.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LITERALS_MAX = 48, LETTER_PAIRS = 1 << 10 };

/* Literals of an expression, one of which is in every text that matches, ignoring case. */
struct pattern_literals {
	struct pattern_literal {
		const char *at; /* in the expression */
		size_t length;
	} item[LITERALS_MAX];
	size_t count; /* 0: unknown, any text may match */
};

/* The pairs of adjacent bytes in a text, hashed, ignoring case. */
struct letter_pairs {
	uint64_t bit[LETTER_PAIRS / 64];
	bool is_ascii; /* others may match letters when case is ignored */
};

/* EXPRESSION must outlive LITERALS. */
void pattern_literals_find(struct pattern_literals *literals, const char *expression);

void letter_pairs_of(struct letter_pairs *pairs, const char *text, size_t length);

/* False when no expression with these literals matches a text with these pairs. */
bool pattern_literals_fit(const struct pattern_literals *literals,
			  const struct letter_pairs *pairs);
