/*
 * Interprets NVTX ranges of PyTorch, PyProf, DLProf and user code and places them on tracks.
 *
 * PyTorch's emit_nvtx texts ("aten::mm, seq = 5, op_id = 9, sizes = [[2, 3]]") and PyProf's call
 * markers become operators; PyProf's call trace markers become stacks, DLProf's also modules. All
 * other ranges become annotations.
 */
#pragma once

#include "model/builder.h"

#define NVTX_SETTINGS "{\"model_config\"" /* start of DLProf's ranges that hold settings */

struct nvtx;

struct nvtx *nvtx_new(struct profile *profile, struct builder *builder);
void nvtx_free(struct nvtx *nvtx); /* NULL is fine */

enum nvtx_nesting {
	NVTX_NESTS,   /* push/pop: nests on its thread */
	NVTX_FREE,    /* start/end: may overlap others arbitrarily */
	NVTX_EITHER,  /* push/pop or start/end, not recorded which */
	NVTX_WANDERS, /* likewise, and ended on another thread */
};

/*
 * Add a range on a host track; END NO_VALUE: never closed. DOMAIN is an interned name, 0 for the
 * default.
 */
void nvtx_range(struct nvtx *nvtx, uint32_t track, const char *text, size_t length, uint32_t domain,
		int64_t start, int64_t end, enum nvtx_nesting nesting);

/* A point in time. */
void nvtx_mark(struct nvtx *nvtx, uint32_t track, const char *text, size_t length, int64_t time);

/* Add an attribute to the last range or mark; KEY and TEXT are interned. */
void nvtx_attribute(struct nvtx *nvtx, uint32_t key, uint32_t text);

/* Set the row number of the last range in the file's table. */
void nvtx_record(struct nvtx *nvtx, int64_t record);

/*
 * Pass all ranges to the builder. Start/end ranges that cross others on their thread move to tracks
 * of their own.
 */
void nvtx_finish(struct nvtx *nvtx);
