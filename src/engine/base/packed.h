/*
 * Packed numbers: 7 bits a byte, lowest first; signed ones zigzag. A reader that runs past the end,
 * or meets a number of over 64 bits, turns bad and yields zeros from then on.
 *
 * Structures are packed by a list of their fields, which writes and reads them in the same way.
 */
#pragma once

#include "base/buffer.h"
#include "text_tables.h"

void packed_add(struct buffer *out, uint64_t number);
void packed_add_signed(struct buffer *out, int64_t number);
void packed_add_real(struct buffer *out, double real); /* 8 bytes */
/* The length, and the bytes. */
void packed_add_bytes(struct buffer *out, const char *data, size_t length);

struct packed {
	const char *at, *end;
	bool bad;
};

uint64_t packed_take(struct packed *packed);
int64_t packed_take_signed(struct packed *packed);
double packed_take_real(struct packed *packed);
/* A number below LIMIT; others turn PACKED bad. */
uint32_t packed_take_below(struct packed *packed, uint32_t limit);
/* How many items follow that take at least LEAST bytes each: never more than there is room for. */
size_t packed_take_count(struct packed *packed, size_t least);
/* What packed_add_bytes wrote. */
struct packed packed_take_bytes(struct packed *packed);

/* ---- texts, each stored once and named by its number ---- */

struct intern;

/* The number of a text in TEXTS, which packed_add_texts writes when it is complete. */
void packed_add_text(struct buffer *out, struct intern *texts, const char *text, size_t length);
void packed_add_texts(struct buffer *out, const struct intern *texts);

struct packed_texts {
	struct packed *items; /* in the bytes they were read from */
	size_t count;
};
struct packed_texts packed_take_texts(struct packed *packed);
void packed_texts_free(struct packed_texts *texts);
/* Take the number of a text, and intern the text in STRINGS. */
uint32_t packed_take_text(struct packed *packed, const struct packed_texts *texts,
			  struct intern *strings);

/* ---- structures ---- */

enum packed_kind { PACKED_KIND_ROWS(_) };

struct packed_field {
	uint16_t offset;
	uint8_t kind;
	uint16_t limit; /* of a number or short: others turn PACKED bad; 0: none */
};
#define PACKED(type, member, kind) PACKED_BELOW(type, member, kind, 0)
#define PACKED_BELOW(type, member, kind, limit)                                                    \
	{                                                                                          \
		offsetof(type, member), PACKED_##kind, limit                                       \
	}

struct packed_type {
	const struct packed_field *fields;
	size_t count, size; /* fields, bytes of a structure */
};
#define PACKED_FIELDS(...) ((const struct packed_field[]){ __VA_ARGS__ })
#define PACKED_TYPE(type, ...)                                                                     \
	{                                                                                          \
		PACKED_FIELDS(__VA_ARGS__),                                                        \
			sizeof PACKED_FIELDS(__VA_ARGS__) / sizeof(struct packed_field),           \
			sizeof(type)                                                               \
	}

/* STRINGS: of interned members. */
struct packing {
	struct buffer *out;
	struct intern *texts;
	const struct intern *strings;
};
void packed_add_row(const struct packing *packing, const struct packed_type *type, const void *row);
/* The number of rows, and the rows. */
void packed_add_rows(const struct packing *packing, const struct packed_type *type,
		     const void *rows, size_t count);

struct unpacking {
	struct packed *packed;
	const struct packed_texts *texts;
	struct intern *strings;
};
/* Set the fields of ROW. */
void packed_take_row(const struct unpacking *unpacking, const struct packed_type *type, void *row);
/* A new array, which is zero where there is no field; the caller frees. */
void *packed_take_rows(const struct unpacking *unpacking, const struct packed_type *type,
		       size_t *count);

static inline bool packed_ended(const struct packed *packed)
{
	return !packed->bad && packed->at == packed->end;
}
