/*
 * Payloads of a log of torch.compile: reads them again, and compares graphs.
 */
#pragma once

#include "base/buffer.h"
#include "base/text_slice.h"
#include "model/compile_log.h"

/* Append a payload without the tabs of its lines. */
void compile_payload_text(struct text_slice payload, struct buffer *out);

/* Likewise, of the log PATH. False when the file is not as it was. */
bool compile_payload_read(const char *path, struct compile_range range, struct buffer *out);

/* Remove from TEXT its next operation, written to OUT without types and shapes; false at the end.
 */
bool compile_graph_next(struct text_slice *text, struct buffer *out);

/* A hash of a graph's operations, as these are compared. */
int64_t compile_graph_hash(struct text_slice graph);
