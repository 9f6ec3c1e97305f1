/*
 * Payloads of a log of torch.compile: reads them again, and compares graphs.
 */
#ifndef STRATA_INPUT_COMPILE_PAYLOAD_H
#define STRATA_INPUT_COMPILE_PAYLOAD_H

#include "base/buffer.h"
#include "model/compile_log.h"

/* Append a payload, without tabs. False when the file is not as it was. */
bool compile_payload_read(const struct compile_log *log, struct compile_range range,
			  struct buffer *out);

/* A hash of a graph's operations, as these are compared. */
int64_t compile_graph_hash(const char *graph);

#endif
