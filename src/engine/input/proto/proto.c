#include "input/proto/proto.h"

#include "base/intern.h"

enum { GROUP_START = 3, GROUP_END = 4, GROUP_DEPTH_MAX = 100 };

static bool fail(struct proto *message)
{
	message->damaged = true;
	message->at = message->end;
	return false;
}

/* At most ten bytes; bits beyond 64 are dropped, as protobuf's own readers do. */
static bool read_varint(struct proto *message, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 70 && message->at < message->end; shift += 7) {
		uint8_t byte = (uint8_t)*message->at++;
		if (shift < 64)
			*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return fail(message);
}

static bool read_fixed(struct proto *message, size_t width, uint64_t *value)
{
	if ((size_t)(message->end - message->at) < width)
		return fail(message);
	*value = 0;
	for (size_t i = 0; i < width; i++)
		*value |= (uint64_t)(uint8_t)message->at[i] << 8 * i;
	message->at += width;
	return true;
}

static bool proto_read_bytes(struct proto *message, struct proto_field *field)
{
	uint64_t length;
	if (!read_varint(message, &length))
		return false;
	if (length > (uint64_t)(message->end - message->at))
		return fail(message);
	field->bytes = message->at;
	field->length = (size_t)length;
	message->at += length;
	return true;
}

static bool read_value(struct proto *message, struct proto_field *field, unsigned wire)
{
	field->wire = (enum proto_wire)wire;
	field->bytes = NULL;
	field->length = 0;
	field->value = 0;
	switch (wire) {
	case PROTO_VARINT: return read_varint(message, &field->value);
	case PROTO_FIXED64: return read_fixed(message, 8, &field->value);
	case PROTO_FIXED32: return read_fixed(message, 4, &field->value);
	case PROTO_BYTES: return proto_read_bytes(message, field);
	default: return fail(message);
	}
}

bool proto_next(struct proto *message, struct proto_field *field)
{
	unsigned depth = 0;
	while (message->at < message->end) {
		uint64_t key;
		if (!read_varint(message, &key))
			return false;
		unsigned wire = key & 7;
		if (key >> 3 == 0 || key >> 3 > (1u << 29) - 1)
			return fail(message);
		if (wire == GROUP_START || wire == GROUP_END) {
			if (wire == GROUP_START ? depth++ == GROUP_DEPTH_MAX : depth-- == 0)
				return fail(message);
			continue;
		}
		if (!read_value(message, field, wire))
			return false;
		field->number = (uint32_t)(key >> 3);
		if (!depth)
			return true;
	}
	return depth ? fail(message) : false;
}

bool proto_next_packed(struct proto *packed, uint64_t *value)
{
	return packed->at < packed->end && read_varint(packed, value);
}

bool proto_unsigned(const struct proto_field *field, uint64_t *value)
{
	*value = field->value;
	return field->wire != PROTO_BYTES;
}

bool proto_signed(const struct proto_field *field, int64_t *value)
{
	*value = field->wire == PROTO_FIXED32 ? (int32_t)(uint32_t)field->value
					      : (int64_t)field->value;
	return field->wire != PROTO_BYTES;
}

bool proto_real(const struct proto_field *field, double *value)
{
	uint32_t narrow = (uint32_t)field->value;
	float single;
	if (field->wire == PROTO_FIXED64) {
		memcpy(value, &field->value, sizeof *value);
		return true;
	}
	if (field->wire != PROTO_FIXED32)
		return false;
	memcpy(&single, &narrow, sizeof single);
	*value = (double)single;
	return true;
}

uint32_t proto_text(const struct proto_field *field, struct intern *strings)
{
	if (!field->bytes)
		return 0;
	return intern_add(strings, field->bytes, strnlen(field->bytes, field->length));
}

bool proto_find(struct proto message, uint32_t number, struct proto_field *field)
{
	while (proto_next(&message, field))
		if (field->number == number)
			return true;
	return false;
}
