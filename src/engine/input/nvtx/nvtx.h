/*
 * NVTX ranges as PyTorch, PyProf, DLProf and everybody else write them: what their texts mean, and
 * where they lie.
 *
 * PyTorch's emit_nvtx texts ("aten::mm, seq = 5, op_id = 9, sizes = [[2, 3]]") are operators; so
 * are PyProf's markers of calls; its markers of call traces are places in the Python program,
 * DLProf's also modules.  All else is an annotation.
 */
#ifndef STRATA_INPUT_NVTX_NVTX_H
#define STRATA_INPUT_NVTX_NVTX_H

#include "model/builder.h"

struct nvtx;

struct nvtx *nvtx_new(struct profile *profile, struct builder *builder);
void nvtx_free(struct nvtx *nvtx); /* NULL is fine */

enum nvtx_nesting {
	NVTX_NESTS,   /* pushed and popped: nests on its thread */
	NVTX_FREE,    /* started and ended: may overlap others in any way */
	NVTX_EITHER,  /* one of the two, the file does not say which */
	NVTX_WANDERS, /* the same, and ended on another thread */
};

/*
 * One range of a host lane; END NO_VALUE: never closed.  DOMAIN is the interned name of its domain,
 * 0 for the default one.
 */
void nvtx_range(struct nvtx *nvtx, uint32_t track, const char *text, size_t length, uint32_t domain,
		int64_t start, int64_t end, enum nvtx_nesting nesting);

/* A point in time. */
void nvtx_mark(struct nvtx *nvtx, uint32_t track, const char *text, size_t length, int64_t time);

/* What came with the range or point that was given last: KEY and TEXT are interned. */
void nvtx_attribute(struct nvtx *nvtx, uint32_t key, uint32_t text);

/*
 * All ranges were seen: hand them to the builder.  A free one that crosses what lies on its thread
 * gets a lane of its own.
 */
void nvtx_finish(struct nvtx *nvtx);

#endif
