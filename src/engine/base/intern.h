/*
 * Strings kept once, named by a small number.  Id 0 is always the empty string.
 */
#ifndef STRATA_BASE_INTERN_H
#define STRATA_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct intern;

struct intern *intern_new(void);
void intern_free(struct intern *intern);

/* The id of these bytes; ids are dense and count up from 0 in the order of first use. */
uint32_t intern_add(struct intern *intern, const char *text, size_t length);

/* The same of TEXT that ends in a NUL and outlives the interner: it is not copied. */
uint32_t intern_adopt(struct intern *intern, const char *text, size_t length);

/* The id of these bytes when they are known, else UINT32_MAX. */
uint32_t intern_find(const struct intern *intern, const char *text, size_t length);

/* The bytes of an id, NUL-terminated, valid as long as the interner. */
const char *intern_text(const struct intern *intern, uint32_t id);
size_t intern_length(const struct intern *intern, uint32_t id);
uint32_t intern_count(const struct intern *intern);
size_t intern_size(const struct intern *intern); /* bytes held */

#endif
