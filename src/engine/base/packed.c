#include "base/packed.h"

#include "base/intern.h"
#include "base/mem.h"

#include <string.h>

void packed_add(struct buffer *out, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		buffer_putc(out, (char)(0x80 | (number & 0x7f)));
	buffer_putc(out, (char)number);
}

void packed_add_signed(struct buffer *out, int64_t number)
{
	packed_add(out, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

void packed_add_real(struct buffer *out, double real)
{
	char bytes[sizeof real]; /* little-endian, as configure requires */
	memcpy(bytes, &real, sizeof real);
	buffer_add(out, bytes, sizeof bytes);
}

void packed_add_bytes(struct buffer *out, const char *data, size_t length)
{
	packed_add(out, length);
	buffer_add(out, data, length);
}

static void turn_bad(struct packed *packed)
{
	packed->bad = true;
	packed->at = packed->end;
}

uint64_t packed_take(struct packed *packed)
{
	uint64_t number = 0;
	for (unsigned shift = 0; packed->at < packed->end && shift < 64; shift += 7) {
		uint64_t byte = (unsigned char)*packed->at++;
		if (shift == 63 && byte > 1)
			break;
		number |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	turn_bad(packed);
	return 0;
}

int64_t packed_take_signed(struct packed *packed)
{
	uint64_t number = packed_take(packed);
	return (int64_t)(number >> 1 ^ -(number & 1));
}

double packed_take_real(struct packed *packed)
{
	double real = 0;
	if (packed->end - packed->at < (ptrdiff_t)sizeof real) {
		turn_bad(packed);
		return 0;
	}
	memcpy(&real, packed->at, sizeof real);
	packed->at += sizeof real;
	return real;
}

uint32_t packed_take_below(struct packed *packed, uint32_t limit)
{
	uint64_t number = packed_take(packed);
	if (number < limit)
		return (uint32_t)number;
	turn_bad(packed);
	return 0;
}

size_t packed_take_count(struct packed *packed, size_t least)
{
	uint64_t count = packed_take(packed);
	if (count <= (size_t)(packed->end - packed->at) / least)
		return (size_t)count;
	turn_bad(packed);
	return 0;
}

struct packed packed_take_bytes(struct packed *packed)
{
	size_t length = packed_take_count(packed, 1);
	struct packed bytes = { packed->at, packed->at + length, packed->bad };
	packed->at += length;
	return bytes;
}

/* ---- texts ---- */

void packed_add_text(struct buffer *out, struct intern *texts, const char *text, size_t length)
{
	packed_add(out, intern_add(texts, text, length));
}

void packed_add_texts(struct buffer *out, const struct intern *texts)
{
	packed_add(out, intern_count(texts));
	for (uint32_t i = 0; i < intern_count(texts); i++)
		packed_add_bytes(out, intern_text(texts, i), intern_length(texts, i));
}

struct packed_texts packed_take_texts(struct packed *packed)
{
	struct packed_texts texts = { .count = packed_take_count(packed, 1) };
	texts.items = mem_zalloc(texts.count + 1, sizeof *texts.items);
	for (size_t i = 0; i < texts.count; i++)
		texts.items[i] = packed_take_bytes(packed);
	return texts;
}

void packed_texts_free(struct packed_texts *texts)
{
	mem_free(texts->items);
	*texts = (struct packed_texts){ 0 };
}

uint32_t packed_take_text(struct packed *packed, const struct packed_texts *texts,
			  struct intern *strings)
{
	uint64_t number = packed_take(packed);
	if (number >= texts->count) {
		turn_bad(packed);
		return 0;
	}
	const struct packed *text = &texts->items[number];
	return intern_add(strings, text->at, (size_t)(text->end - text->at));
}
