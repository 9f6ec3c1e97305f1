/*
 * Masks what looks like a secret in metadata: environments, command lines, configurations.
 */
#pragma once

#include <stddef.h>

struct buffer;

#define MASKED "(masked)"

/*
 * Append the value TEXT of KEY with MASKED in place of passwords, tokens and keys: values of such
 * names, in KEY or in TEXT (NAME=value, "name": "value", --name value), known forms of tokens, and
 * passwords of URLs. Numbers and words such as true are no secrets.
 */
void mask_secrets(struct buffer *out, const char *key, const char *text, size_t length);

/* From now on, nothing is masked: for the whole program, before it reads. */
void mask_nothing(void);
