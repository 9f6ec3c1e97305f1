#include "proto_case.h"

#include <string.h>

void proto_put_varint(struct buffer *out, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		buffer_putc(out, (char)(value | 0x80));
	buffer_putc(out, (char)value);
}

void proto_put_int(struct buffer *out, uint32_t number, uint64_t value)
{
	proto_put_varint(out, (uint64_t)number << 3);
	proto_put_varint(out, value);
}

void proto_put_real(struct buffer *out, uint32_t number, double value)
{
	proto_put_varint(out, (uint64_t)number << 3 | 1);
	buffer_add(out, (const char *)&value, sizeof value);
}

void proto_put_bytes(struct buffer *out, uint32_t number, const void *bytes, size_t length)
{
	proto_put_varint(out, (uint64_t)number << 3 | 2);
	proto_put_varint(out, length);
	buffer_add(out, bytes, length);
}

void proto_put_text(struct buffer *out, uint32_t number, const char *text)
{
	proto_put_bytes(out, number, text, strlen(text));
}

void proto_put(struct buffer *out, uint32_t number, struct buffer *inner)
{
	proto_put_bytes(out, number, buffer_text(inner), inner->length);
	buffer_free(inner);
}
