/*
 * Writes protobuf messages for tests.
 */
#pragma once

#include "base/buffer.h"

#include <stdint.h>

void proto_put_varint(struct buffer *out, uint64_t value);
void proto_put_int(struct buffer *out, uint32_t number, uint64_t value);
void proto_put_real(struct buffer *out, uint32_t number, double value);
void proto_put_bytes(struct buffer *out, uint32_t number, const void *bytes, size_t length);
void proto_put_text(struct buffer *out, uint32_t number, const char *text);
/* Append the message INNER as a field, and free its bytes. */
void proto_put(struct buffer *out, uint32_t number, struct buffer *inner);
