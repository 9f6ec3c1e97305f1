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
#define PAYLOAD_COLUMN_LIST                                                                        \
	"uint64Value int64Value doubleValue uint32Value int32Value floatValue jsonText:text "      \
	"jsonTextId binaryData"

struct nsys_payloads;

struct nsys_payloads *nsys_payloads_new(struct nsys *nsys); /* reads the schemas */
void nsys_payloads_free(struct nsys_payloads *payloads);

/* Attach the payload of the current row, if any, to the last event added to NVTX. */
void nsys_payload_read(struct nsys_payloads *payloads, const struct sqlite_rows *rows,
		       size_t first_column, struct nvtx *nvtx);

#endif
