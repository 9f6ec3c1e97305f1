/*
 * DLProf's data model of a run: its correlated profile (ops, their instances, the CUDA calls
 * inside) and its aggregations.
 *
 * Filled by the reader of DLProf databases (dlprof_reader.c), or derived from any other profile
 * (dlprof_derive.h). Texts are interned in the profile's strings; 0 is "". Times are ns on the
 * file's clock. Rows are in DLProf's storage order, which is the order of its kernel reports.
 */
#pragma once

#include "base/moments.h"
#include "model/profile.h"

/* A line of model code that was executed once or more ("CONV2D_1"). */
struct dlprof_op {
	uint32_t id, name, type, direction, data_type;
	uint32_t input_format, output_format, parameter_format; /* "N,C,H,W;K,C,R,S" */
	uint32_t stack; /* lines of file:line, outermost first */
	uint32_t domain;
	bool eligible;     /* eligible for tensor cores */
	bool unassociated; /* a CUDA call outside all ops */
};

struct dlprof_instance { /* one execution of an op */
	uint32_t op;
	int64_t start, stop, process, thread;
	uint32_t input_shapes, output_shapes, parameters; /* JSON, "null": none */
};

enum dlprof_call_kind {
	DLPROF_KERNEL,
	DLPROF_MEMSET,
	DLPROF_MEMCPY,
	DLPROF_SYNC,
	DLPROF_OTHER_CALL
};

struct dlprof_call {
	enum dlprof_call_kind kind;
	uint32_t op, instance; /* instance: row of instances, UINT32_MAX: none */
	uint32_t name,
		long_name; /* of the kernel, otherwise of the API call; long_name: kernels only */
	int64_t api_start, api_stop;
	int64_t gpu_start, gpu_stop; /* equal if not a device activity */
	int64_t bytes, copy_kind;    /* copies and memsets; copy_kind is CUDA's code */
	int64_t process, thread;
	int32_t device, grid[3], block[3];
	bool uses_tc;
};

struct dlprof_gpu {
	int32_t device;
	uint32_t name;
	int64_t compute_major, compute_minor, sm_count;
};

struct dlprof_file_call { /* reads or writes a file */
	int64_t start, stop;
};

/* Bytes of a GPU, which the file does not name. */
struct dlprof_memory {
	int64_t total, used;
};

struct dlprof_iteration {
	int64_t number, start, stop;
};

/* ---- aggregations ---- */

enum dlprof_time { DLPROF_CPU, DLPROF_GPU, DLPROF_OVERHEAD, DLPROF_IDLE, DLPROF_TIMES };
struct dlprof_times {
	struct moments of[DLPROF_TIMES];
};

struct dlprof_category {
	int64_t time[DLPROF_TIMES], count;
};
enum { DLPROF_ALL_OPS, DLPROF_TC_OPS, DLPROF_ELIGIBLE_OPS, DLPROF_OTHER_OPS };
enum { DLPROF_ALL_KERNELS, DLPROF_TC_KERNELS, DLPROF_MEMORY, DLPROF_OTHER_KERNELS };

/* Shares of wall time in percent, in the summary's order; NaN: unknown. */
enum dlprof_share { DLPROF_SHARE_ROWS(LISTED) DLPROF_SHARES };

struct dlprof_op_sum {
	uint32_t op;
	int64_t calls;
	bool eligible, uses_tc;
	struct dlprof_times times;
};

struct dlprof_kernel_sum { /* kernels of one name in one op */
	uint32_t op, name;
	bool uses_tc;
	struct moments gpu, api;
};

struct dlprof_type_sum {
	uint32_t type;
	int64_t ops, calls;
	struct dlprof_times times;
};

struct dlprof_group_sum {      /* everything below a node of the op paths */
	uint32_t path, length; /* the path is the first LENGTH bytes of this text */
	int64_t calls, eligible_ops, tc_ops;
	struct dlprof_times times;
};

struct dlprof_launch { /* a kernel in the range */
	int64_t iteration;
	uint32_t call;
};

struct dlprof_advice {
	uint32_t detector, problem, recommendation;
};

struct dlprof_aggregation {
	int64_t id;           /* as stored; 0: computed by strata */
	uint32_t domain, key; /* key: op that is the step boundary, 0: none */
	uint32_t domain_name;
	int64_t wall, iterations, aggregated, first, last;
	double average_iteration, deviation;
	double share[DLPROF_SHARES];
	struct dlprof_category ops[4], kernels[4]; /* kernels[0] excludes memory operations */

	GROWING(struct dlprof_iteration, iteration, iteration_count);
	GROWING(struct dlprof_op_sum, op_sums, op_count);
	GROWING(struct dlprof_kernel_sum, kernel_sums, kernel_count);
	GROWING(struct dlprof_type_sum, types, type_count);
	GROWING(struct dlprof_group_sum, groups, group_count);
	GROWING(struct dlprof_launch, launches, launch_count);
	GROWING(struct dlprof_advice, advice, advice_count);
};

/* ---- the whole ---- */

/* Rows of the summary's first block, in order. */
enum dlprof_fact {
	DLPROF_SYSTEM_ROWS(LISTED) DLPROF_FACTS,
};

/* Their keys in the metadata of a profile; NULL: none. */
extern const char *const dlprof_fact_keys[DLPROF_FACTS];

struct dlprof {
	struct tool_data data; /* of the profile it belongs to */
	uint32_t fact[DLPROF_FACTS];
	bool pytorch; /* reports include directions and stacks */
	GROWING(struct dlprof_op, ops, op_count);
	GROWING(struct dlprof_instance, instances, instance_count);
	GROWING(struct dlprof_call, calls, call_count);
	GROWING(struct dlprof_gpu, gpus, gpu_count);
	GROWING(struct dlprof_file_call, file_calls, file_call_count);
	bool knows_files; /* calls of the operating system were recorded */
	GROWING(struct dlprof_memory, memories, memory_count);
	GROWING(struct dlprof_aggregation, aggregations, aggregation_count);
};

void dlprof_attach(struct dlprof *dlprof, struct profile *profile); /* PROFILE takes ownership */
struct dlprof *dlprof_of(const struct profile *profile);            /* NULL: none */

void dlprof_free(struct dlprof *dlprof); /* NULL is allowed */
void dlprof_aggregation_clear(struct dlprof_aggregation *aggregation);
