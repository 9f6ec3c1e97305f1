/*
 * A growable byte string.
 */
#pragma once

#include "base/mem.h"

#include <stdarg.h>

struct buffer {
	char *data; /* NUL-terminated; NULL while nothing was ever added */
	size_t length;
	size_t capacity;
};

void buffer_add(struct buffer *buffer, const char *data, size_t length);
void buffer_puts(struct buffer *buffer, const char *text);
void buffer_putc(struct buffer *buffer, char c);
void buffer_printf(struct buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void buffer_vprintf(struct buffer *buffer, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
const char *buffer_text(const struct buffer *buffer);          /* "" when empty */
#define BUFFERED(buffer) buffer_text(buffer), (buffer)->length /* two arguments */
void buffer_clear(struct buffer *buffer);                      /* keeps the memory */
void buffer_free(struct buffer *buffer);
#define AUTO_BUFFER AUTO(buffer_free) /* base/mem.h */
