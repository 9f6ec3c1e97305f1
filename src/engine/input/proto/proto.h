/*
 * Walks the fields of a protobuf message in wire format, without a schema and without recursion.
 *
 * A message is a slice of memory; every length is checked against it. What cannot be decoded ends
 * the walk and marks it as damaged.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern;

enum proto_wire { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2, PROTO_FIXED32 = 5 };

struct proto {
	const char *at, *end;
	bool damaged; /* the walk ended before the end */
};

struct proto_field {
	uint32_t number;
	enum proto_wire wire;
	uint64_t value;    /* of a number, as in the file */
	const char *bytes; /* of PROTO_BYTES; NULL otherwise */
	size_t length;
};

static inline struct proto proto_of(const char *bytes, size_t length)
{
	return (struct proto){ bytes, bytes + length, false };
}

/* The message in a field; empty unless it holds bytes. */
static inline struct proto proto_in(const struct proto_field *field)
{
	return proto_of(field->bytes ? field->bytes : "", field->bytes ? field->length : 0);
}

/* The next field; false at the end and where the message is damaged. Groups are skipped. */
bool proto_next(struct proto *message, struct proto_field *field);

/* The number of a field of any numeric wire type; false for bytes. */
bool proto_unsigned(const struct proto_field *field, uint64_t *value);
/* Likewise for numbers with sign that are not zigzag-encoded. */
bool proto_signed(const struct proto_field *field, int64_t *value);
/* A double or float; false for another wire type. */
bool proto_real(const struct proto_field *field, double *value);
/* The interned text of a field; 0 unless it holds bytes. Ends at a NUL. */
uint32_t proto_text(const struct proto_field *field, struct intern *strings);

/* The next number of a repeated field whose values are PACKED; false at the end. */
bool proto_next_packed(struct proto *packed, uint64_t *value);

/* The first field with this number; false when there is none. */
bool proto_find(struct proto message, uint32_t number, struct proto_field *field);
