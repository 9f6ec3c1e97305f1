/*
 * Simulates a machine that runs a training process under a profiler: host threads with nested
 * spans, a GPU with in-order streams, and the trace the profiler writes.
 *
 * The value may be copied: a copy with its trace muted simulates ahead without output.
 */
#pragma once

#include "tracegen/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SPANS_MAX = 128,  /* nesting depth of a thread */
	FRAMES_MAX = 100, /* Python frames on a thread */
};

enum host_thread { THREAD_MAIN, THREAD_AUTOGRAD, THREADS };
enum gpu_stream { STREAM_COMPUTE, STREAM_COPY, STREAM_NCCL, STREAMS };

/* Recorded details of a call; NULL and 0 are omitted. */
struct call {
	const char *dims, *types, *concrete; /* JSON arrays */
	int64_t sequence;
	bool backward; /* sequence is the number of a forward operator */
	void (*more)(struct trace *trace, const void *context); /* writes further arguments */
	const void *context;
};

struct kernel {
	const char *name;
	int grid[3], block[3];
	int registers, shared_bytes, occupancy;
	int64_t ns;  /* duration */
	bool driver; /* launched with cuLaunchKernel, as by Triton */
};

/* A device memory block; the caching allocator always gives a tensor the same address. */
struct tensor {
	int64_t address, bytes;
	bool live;
};

struct span {
	const char *category, *name;
	struct call call;
	int64_t start, id, parent_id;
	int64_t module; /* index within its class, -1: not a module */
	bool hidden;    /* nests but is not recorded */
	int64_t gpu_first[STREAMS], gpu_last[STREAMS]; /* of work launched inside an annotation */
};

struct thread {
	int64_t id, now;
	int depth;
	struct span spans[SPANS_MAX];
};

struct machine {
	struct trace trace;
	struct thread threads[THREADS];
	struct thread *on;            /* the current thread */
	int64_t stream_free[STREAMS]; /* end of the last work per stream */
	uint64_t random;
	int64_t next_id, next_python_id, next_correlation, next_event, next_flow, next_sequence;
	int64_t next_address, allocated, reserved;
	double kernel_factor; /* duration factor of the kernels launched next */
	double slowness;      /* duration factor of this GPU; default 1 */
	bool record_shapes, record_modules;
	int stack_depth; /* maximum number of recorded Python frames, excluding modules */
};

struct demo_collective {
	const char *name;
	int64_t elements;
	int group_size;
	int64_t sequence;
	int64_t start, end; /* of the kernel, agreed by all ranks */
};

/* Write the arguments of a struct collective, on its operator and its kernel. */
void collective_arguments(struct trace *trace, const void *collective);

void machine_init(struct machine *machine, uint64_t seed);
void machine_copy(struct machine *to, const struct machine *from);

void machine_on(struct machine *machine, enum host_thread thread);
/* Let the current thread wait until TIME. */
void machine_wait(struct machine *machine, int64_t time);
/* Let the current thread compute for about NS. */
void machine_work(struct machine *machine, int64_t ns);

/*
 * Spans of the current thread; NAME and the texts of CALL must stay valid until the span is closed.
 */
void machine_operator(struct machine *machine, const char *name, const struct call *call);
void machine_annotation(struct machine *machine, const char *name);
void machine_frame(struct machine *machine, const char *name);
void machine_module(struct machine *machine, const char *name, int64_t index);
void machine_close(struct machine *machine);
void machine_close_many(struct machine *machine, int count);

void machine_launch(struct machine *machine, const struct kernel *kernel, enum gpu_stream stream);
/* Earliest start of the collective if no other rank is late. */
int64_t machine_collective_ready(const struct machine *machine);
void machine_launch_collective(struct machine *machine, const struct demo_collective *collective);
void machine_memcpy(struct machine *machine, const char *kind, int64_t bytes,
		    enum gpu_stream stream);
void machine_memset(struct machine *machine, int64_t bytes, enum gpu_stream stream);
/* Block the current thread until the stream is idle. */
void machine_synchronize(struct machine *machine, enum gpu_stream stream);
void machine_synchronize_device(struct machine *machine); /* cudaDeviceSynchronize */
/* Make work launched on STREAM from now on wait for the present work of OTHER. */
void machine_stream_wait(struct machine *machine, enum gpu_stream stream, enum gpu_stream other);

void machine_allocate(struct machine *machine, struct tensor *tensor, int64_t bytes);
void machine_release(struct machine *machine, struct tensor *tensor);

/* Tail (forward) and head (backward) of the flow arrow between the spans of a sequence number. */
int64_t machine_flow_tail(struct machine *machine);
void machine_flow_head(struct machine *machine, int64_t flow);

/* Write names of process, threads and streams, and profiler overhead. */
void machine_describe(struct machine *machine, int rank, bool distributed);
