/*
 * Parses the texts of PyTorch's emit_nvtx.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

struct nvtx_text {
	size_t name_length;      /* of the leading name, without fields */
	int64_t sequence, op_id; /* NO_VALUE when absent */
	const char *sizes;       /* "[[2, 3], []]" within the text; NULL when absent */
	size_t sizes_length;
	bool is_operator;
	bool is_backward; /* by its name, part of a backward pass */
};

void nvtx_text_read(struct nvtx_text *read, const char *text, size_t length);

/* Append SIZES as JSON, without blanks. */
void nvtx_text_shapes(struct buffer *out, const char *sizes, size_t length);
