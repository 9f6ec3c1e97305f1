/*
 * Interns strings as dense ids; id 0 is the empty string.
 */
#pragma once

#include "base/mem.h"

struct intern;

struct intern *intern_new(void);
void intern_free(struct intern *intern);

#define AUTO_INTERN AUTO(intern_free_local) /* base/mem.h */
static inline void intern_free_local(struct intern **intern)
{
	intern_free(*intern);
}

/* The id of a string; ids count up from 0 in order of first use. */
uint32_t intern_add(struct intern *intern, const char *text, size_t length);

/* Like intern_add, but does not copy TEXT, which is NUL-terminated and outlives the interner. */
uint32_t intern_adopt(struct intern *intern, const char *text, size_t length);

/* The id of a string, or UINT32_MAX when it is not interned. */
uint32_t intern_find(const struct intern *intern, const char *text, size_t length);

/* Is this the string of an id? */
bool intern_is(const struct intern *intern, uint32_t id, const char *text, size_t length);

/* The string of an id, NUL-terminated, valid as long as the interner. */
const char *intern_text(const struct intern *intern, uint32_t id);
size_t intern_length(const struct intern *intern, uint32_t id);
/* Both, as two arguments. */
#define INTERNED(intern, id) intern_text((intern), (id)), intern_length((intern), (id))

uint32_t intern_count(const struct intern *intern);
size_t intern_size(const struct intern *intern); /* bytes held */
