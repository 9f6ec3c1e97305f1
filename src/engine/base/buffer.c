#include "base/buffer.h"

#include <stdio.h>

void buffer_add(struct buffer *buffer, const char *data, size_t length)
{
	mem_grow_to(buffer->data, buffer->capacity, buffer->length + length + 1);
	if (length) /* nothing may be at NULL */
		memcpy(buffer->data + buffer->length, data, length);
	buffer->length += length;
	buffer->data[buffer->length] = 0;
}

void buffer_puts(struct buffer *buffer, const char *text)
{
	buffer_add(buffer, text, strlen(text));
}

void buffer_putc(struct buffer *buffer, char c)
{
	buffer_add(buffer, &c, 1);
}

void buffer_vprintf(struct buffer *buffer, const char *format, va_list args)
{
	va_list again;
	size_t room = buffer->capacity - buffer->length;
	va_copy(again, args);
	int length = vsnprintf(buffer->data ? buffer->data + buffer->length : NULL,
			       buffer->data ? room : 0, format, args);
	if (length > 0 && buffer->data && (size_t)length < room) {
		buffer->length += (size_t)length;
	} else if (length > 0) {
		mem_grow_to(buffer->data, buffer->capacity, buffer->length + (size_t)length + 1);
		vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, again);
		buffer->length += (size_t)length;
	}
	va_end(again);
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	buffer_vprintf(buffer, format, args);
	va_end(args);
}

const char *buffer_text(const struct buffer *buffer)
{
	return buffer->data ? buffer->data : "";
}

void buffer_clear(struct buffer *buffer)
{
	buffer->length = 0;
	if (buffer->data)
		buffer->data[0] = 0;
}

CLEAR_MEMBERS(buffer_free, struct buffer, OWN(data))
