/*
 * PyProf: reproduces its net.dict and the table of its prof.py. Its data per kernel are from a
 * net.dict, or derived from the launches and NVTX ranges of a database by PyProf's rules, including
 * its quirks.
 */
#pragma once

#include "report/format.h"

extern const struct view view_pyprof;
extern const struct view view_net_dict; /* of export --net-dict only: not in the registry */
view_builder build_pyprof, build_net_dict;

format_writer pyprof_print, pyprof_print_csv, pyprof_write_dict;

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
	GROWING(struct pyprof_kernel, kernels, count); /* in file order */
};

/* False when cancelled; the caller calls pyprof_kernels_free in either case. */
bool pyprof_kernels_read(struct pyprof_kernels *kernels, const struct profile *profile,
			 const struct progress *progress);
void pyprof_kernels_free(struct pyprof_kernels *kernels);

/* ---- from launches and NVTX ranges ---- */

/* Add those of the kernels ROWS (in file order) that have a launch. False when cancelled. */
bool pyprof_ranges_read(struct pyprof_kernels *kernels, const struct profile *profile,
			const uint32_t *rows, uint32_t count, const struct progress *progress);

/*
 * Set marker, mod and op of KERNEL, which has no marker, as PyProf writes them, from the shapes and
 * types that PyTorch's profiler records of the operator that launched it. They stay as they are for
 * operators whose arguments PyProf would not accept, and of backward kernels, which it gives the
 * call of the forward kernel.
 */
void pyprof_arguments_add(struct pyprof_kernel *kernel, struct arena *arena,
			  const struct derived *derived);

/*
 * First element of a Python set made of these COUNT strings in order; NULL if empty. PyProf uses
 * it, so this is CPython's order: SipHash-1-3, open addressing with short linear probes, without
 * hash randomization.
 */
const char *python_set_first(const char *const *texts, size_t count);
