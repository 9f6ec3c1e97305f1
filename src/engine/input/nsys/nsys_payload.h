/*
 * Reads payloads of NVTX events: a number, a text, or binary data described by a schema.
 */
#ifndef STRATA_INPUT_NSYS_NSYS_PAYLOAD_H
#define STRATA_INPUT_NSYS_NSYS_PAYLOAD_H

#include "input/nsys/nsys_private.h"
#include "input/nvtx/nvtx.h"

/* Columns of NVTX_EVENTS, consecutive from the reader's FIRST. */
enum {
	PAYLOAD_UINT64,
	PAYLOAD_INT64,
	PAYLOAD_DOUBLE,
	PAYLOAD_UINT32,
	PAYLOAD_INT32,
	PAYLOAD_FLOAT,
	PAYLOAD_JSON,
	PAYLOAD_JSON_ID,
	PAYLOAD_BYTES,
	PAYLOAD_COLUMNS
};
#define PAYLOAD_COLUMN_LIST(first)                                                                 \
	[(first) + PAYLOAD_UINT64] = { "uint64Value", COLUMN_INT, false },                         \
		   [(first) + PAYLOAD_INT64] = { "int64Value", COLUMN_INT, false },                \
		   [(first) + PAYLOAD_DOUBLE] = { "doubleValue", COLUMN_REAL, false },             \
		   [(first) + PAYLOAD_UINT32] = { "uint32Value", COLUMN_INT, false },              \
		   [(first) + PAYLOAD_INT32] = { "int32Value", COLUMN_INT, false },                \
		   [(first) + PAYLOAD_FLOAT] = { "floatValue", COLUMN_REAL, false },               \
		   [(first) + PAYLOAD_JSON] = { "jsonText", COLUMN_TEXT, false },                  \
		   [(first) + PAYLOAD_JSON_ID] = { "jsonTextId", COLUMN_INT, false },              \
		   [(first) + PAYLOAD_BYTES] = { "binaryData", COLUMN_BLOB, false }

struct nsys_payloads;

struct nsys_payloads *nsys_payloads_new(struct nsys *nsys); /* reads the schemas */
void nsys_payloads_free(struct nsys_payloads *payloads);

/* Attach the payload of the current row, if any, to the last event added to NVTX. */
void nsys_payload_read(struct nsys_payloads *payloads, const struct sqlite_rows *rows,
		       size_t first_column, struct nvtx *nvtx);

#endif
