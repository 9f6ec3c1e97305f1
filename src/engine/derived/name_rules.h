/*
 * What names tell: rules of the table name_rules.txt.
 */
#pragma once

#include <stddef.h>

/* The rules of a set. Expressions are compiled when first used: each thread needs its own. */
struct name_rules;

/*
 * What a rule of SET tells is its word's place in WORDS (NULL at the end), the same for each call.
 * Free keeps them, compiled, for the next call, on any thread; NULL is fine. SET must be static.
 */
struct name_rules *name_rules_new(const char *set, const char *const *words);
void name_rules_free(struct name_rules *rules);

/* What the first rule that matches tells; -1: none does. */
int name_rules_first(struct name_rules *rules, const char *name, size_t length);

/* What all rules that match tell, as bits: 1 << place. */
unsigned name_rules_all(struct name_rules *rules, const char *name, size_t length);
