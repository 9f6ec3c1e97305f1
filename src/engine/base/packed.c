#include "base/packed.h"

#include "base/intern.h"

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
		packed_add_bytes(out, INTERNED(texts, i));
}

struct packed_texts packed_take_texts(struct packed *packed)
{
	struct packed_texts texts = { .count = packed_take_count(packed, 1) };
	texts.items = mem_zalloc(texts.count + 1, sizeof *texts.items);
	for (size_t i = 0; i < texts.count; i++)
		texts.items[i] = packed_take_bytes(packed);
	return texts;
}

CLEAR_MEMBERS(packed_texts_free, struct packed_texts, OWN(items))

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

/* ---- structures ---- */

/* A 64-bit member of the row before; of the first, 0. */
static uint64_t member_before(const struct packed_type *type, const char *at, bool first)
{
	uint64_t number = 0;
	if (!first)
		memcpy(&number, at - type->size, sizeof number);
	return number;
}

static void packed_add_fields(const struct packing *packing, const struct packed_type *type,
			      const char *row, bool first)
{
	struct buffer *out = packing->out;
	for (size_t i = 0; i < type->count; i++) {
		const void *at = row + type->fields[i].offset;
		const int64_t *number = at;
		switch ((enum packed_kind)type->fields[i].kind) {
		case PACKED_NUMBER: packed_add(out, *(const uint64_t *)at); break;
		case PACKED_SIGNED: packed_add_signed(out, *number); break;
		case PACKED_DIFFERENCE:
			packed_add_signed(
				out, (int64_t)((uint64_t)*number - member_before(type, at, first)));
			break;
		case PACKED_LENGTH: packed_add_signed(out, number[0] - number[-1]); break;
		case PACKED_ID: packed_add_signed(out, *(const int32_t *)at); break;
		case PACKED_REAL: packed_add_real(out, *(const double *)at); break;
		case PACKED_FLAG: packed_add(out, *(const bool *)at); break;
		case PACKED_SHORT: packed_add(out, *(const uint16_t *)at); break;
		case PACKED_TEXT:
			packed_add_text(out, packing->texts,
					INTERNED(packing->strings, *(const uint32_t *)at));
			break;
		case PACKED_NAME:
			packed_add_text(out, packing->texts, *(const char *const *)at,
					strlen(*(const char *const *)at));
			break;
		}
	}
}

void packed_add_row(const struct packing *packing, const struct packed_type *type, const void *row)
{
	packed_add_fields(packing, type, row, true);
}

void packed_add_rows(const struct packing *packing, const struct packed_type *type,
		     const void *rows, size_t count)
{
	packed_add(packing->out, count);
	for (size_t i = 0; i < count; i++)
		packed_add_fields(packing, type, (const char *)rows + i * type->size, !i);
}

static int32_t packed_take_id(struct packed *packed)
{
	int64_t id = packed_take_signed(packed);
	packed->bad |= id < -1 || id > INT32_MAX;
	return (int32_t)id;
}

static uint64_t take_limited(struct packed *packed, const struct packed_field *field)
{
	return field->limit ? packed_take_below(packed, field->limit) : packed_take(packed);
}

static void packed_take_fields(const struct unpacking *unpacking, const struct packed_type *type,
			       char *row, bool first)
{
	struct packed *packed = unpacking->packed;
	for (const struct packed_field *field = type->fields; field < type->fields + type->count;
	     field++) {
		void *at = row + field->offset;
		switch ((enum packed_kind)field->kind) {
		case PACKED_NUMBER: *(uint64_t *)at = take_limited(packed, field); break;
		case PACKED_SIGNED:
		case PACKED_LENGTH: *(int64_t *)at = packed_take_signed(packed); break;
		case PACKED_DIFFERENCE:
			*(uint64_t *)at = member_before(type, at, first) +
					  (uint64_t)packed_take_signed(packed);
			break;
		case PACKED_ID: *(int32_t *)at = packed_take_id(packed); break;
		case PACKED_REAL: *(double *)at = packed_take_real(packed); break;
		case PACKED_FLAG: *(bool *)at = packed_take_below(packed, 2); break;
		case PACKED_SHORT: *(uint16_t *)at = (uint16_t)take_limited(packed, field); break;
		case PACKED_TEXT:
			*(uint32_t *)at =
				packed_take_text(packed, unpacking->texts, unpacking->strings);
			break;
		case PACKED_NAME:
			*(const char **)at = intern_text(
				unpacking->strings,
				packed_take_text(packed, unpacking->texts, unpacking->strings));
			break;
		}
	}
}

void packed_take_row(const struct unpacking *unpacking, const struct packed_type *type, void *row)
{
	packed_take_fields(unpacking, type, row, true);
}

void *packed_take_rows(const struct unpacking *unpacking, const struct packed_type *type,
		       size_t *count)
{
	*count = packed_take_count(unpacking->packed, type->count);
	char *rows = mem_zalloc(*count + 1, type->size);
	for (size_t i = 0; i < *count; i++)
		packed_take_fields(unpacking, type, rows + i * type->size, !i);
	return rows;
}
