/*
 * PyProf's data per kernel: from a net.dict, or derived from the launches and NVTX ranges of a
 * database by PyProf's rules, including its quirks.
 */
#ifndef STRATA_TOOLS_PYPROF_PYPROF_KERNELS_H
#define STRATA_TOOLS_PYPROF_PYPROF_KERNELS_H

#include "base/progress.h"
#include "model/profile.h"

struct pyprof_texts {
	const char **item;
	size_t count;
};
struct pyprof_ids {
	int64_t *id;
	size_t count;
};

struct pyprof_kernel {
	uint32_t activity;
	int64_t line;     /* counts from 1 */
	const char *name; /* short */
	int64_t tid;
	int64_t sub; /* index within its call */
	bool backward;
	struct pyprof_texts layer, trace; /* outermost first */
	struct pyprof_texts marker;       /* of arguments, outermost first */
	struct pyprof_texts repr;         /* of modules */
	struct pyprof_texts sequences;    /* texts of ranges with a sequence number, pruned */
	struct pyprof_texts mod, op;
	struct pyprof_ids seq, alt; /* sequence numbers of the call, and of other enclosing calls */
};

struct pyprof_kernels {
	struct arena *arena;
	struct pyprof_kernel *kernels; /* in file order */
	size_t count, capacity;
};

/* False when cancelled; the caller calls pyprof_kernels_free in either case. */
bool pyprof_kernels_read(struct pyprof_kernels *kernels, const struct profile *profile,
			 const struct progress *progress);
void pyprof_kernels_free(struct pyprof_kernels *kernels);

/* ---- from launches and NVTX ranges ---- */

/* Add those of the kernels ROWS (in file order) that have a launch. False when cancelled. */
bool pyprof_ranges_read(struct pyprof_kernels *kernels, const struct profile *profile,
			const uint32_t *rows, uint32_t count, const struct progress *progress);

#endif
