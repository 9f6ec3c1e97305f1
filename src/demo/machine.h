/*
 * A computer that runs a training process in simulated time: host threads that open and close
 * spans, a GPU whose streams run kernels in order, and the profiler that watches both and writes
 * what it sees.
 *
 * The value may be copied: a copy with its trace silenced plays the future without telling it.
 */
#ifndef STRATA_DEMO_MACHINE_H
#define STRATA_DEMO_MACHINE_H

#include "demo/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SPANS_MAX = 128,  /* nesting of one thread */
	FRAMES_MAX = 100, /* Python frames among them */
};

enum host_thread { THREAD_MAIN, THREAD_AUTOGRAD, THREADS };
enum gpu_stream { STREAM_COMPUTE, STREAM_COPY, STREAM_NCCL, STREAMS };

/* What the profiler records of a call beside its times; NULL and 0 are left out. */
struct call {
	const char *dims, *types, *concrete; /* JSON arrays */
	int64_t sequence;
	bool backward; /* the sequence number names a forward operator */
	void (*more)(struct trace *trace, const void *context); /* further arguments */
	const void *context;
};

struct kernel {
	const char *name;
	int grid[3], block[3];
	int registers, shared_bytes, occupancy;
	int64_t ns;  /* how long it runs */
	bool driver; /* launched with cuLaunchKernel, as Triton does */
};

/* A block of device memory; the caching allocator gives a tensor the same address every time. */
struct tensor {
	int64_t address, bytes;
	bool live;
};

struct span {
	const char *category, *name;
	struct call call;
	int64_t start, id, parent_id;
	int64_t module; /* index among its class, -1: not a module */
	bool hidden;    /* takes part in the nesting but is not recorded */
	int64_t gpu_first[STREAMS], gpu_last[STREAMS]; /* work launched under an annotation */
};

struct thread {
	int64_t id, now;
	int depth;
	struct span spans[SPANS_MAX];
};

struct machine {
	struct trace trace;
	struct thread threads[THREADS];
	struct thread *on;            /* the thread that runs */
	int64_t stream_free[STREAMS]; /* when the last work of a stream ends */
	uint64_t random;
	int64_t next_id, next_python_id, next_correlation, next_event, next_flow, next_sequence;
	int64_t next_address, allocated, reserved;
	double kernel_factor; /* of every kernel launched from now on */
	double slowness;      /* of this whole GPU; 1 as built */
	bool record_shapes, record_modules;
	int stack_depth; /* deepest Python frame recorded, modules not counted */
};

struct collective {
	const char *name;
	int64_t elements;
	int group_size;
	int64_t sequence;
	int64_t start, end; /* of the kernel, decided by all ranks */
};

/* What the profiler writes of a struct collective, on its operator and on its kernel. */
void collective_arguments(struct trace *trace, const void *collective);

void machine_init(struct machine *machine, uint64_t seed);
void machine_copy(struct machine *to, const struct machine *from);
double machine_random(struct machine *machine); /* in [0, 1) */

void machine_on(struct machine *machine, enum host_thread thread);
/* The running thread waits until TIME. */
void machine_wait(struct machine *machine, int64_t time);
/* The running thread computes for about NS. */
void machine_work(struct machine *machine, int64_t ns);

/* Spans of the running thread; NAME and what CALL points to stay valid until the span is closed. */
void machine_operator(struct machine *machine, const char *name, const struct call *call);
void machine_annotation(struct machine *machine, const char *name);
void machine_frame(struct machine *machine, const char *name);
void machine_module(struct machine *machine, const char *name, int64_t index);
void machine_close(struct machine *machine);
void machine_close_many(struct machine *machine, int count);

void machine_launch(struct machine *machine, const struct kernel *kernel, enum gpu_stream stream);
/* When the collective could start if no other rank were late. */
int64_t machine_collective_ready(const struct machine *machine);
void machine_launch_collective(struct machine *machine, const struct collective *collective);
void machine_memcpy(struct machine *machine, const char *kind, int64_t bytes,
		    enum gpu_stream stream);
void machine_memset(struct machine *machine, int64_t bytes, enum gpu_stream stream);
/* Block the running thread until the stream is empty. */
void machine_synchronize(struct machine *machine, enum gpu_stream stream);
/* Work of STREAM launched from now on starts after what OTHER has been given. */
void machine_stream_wait(struct machine *machine, enum gpu_stream stream, enum gpu_stream other);

void machine_allocate(struct machine *machine, struct tensor *tensor, int64_t bytes);
void machine_release(struct machine *machine, struct tensor *tensor);

/* The tail (forward) and head (backward) of the arrow that ties the two by sequence number. */
int64_t machine_flow_tail(struct machine *machine);
void machine_flow_head(struct machine *machine, int64_t flow);

/* Names of the process, its threads and streams; the profiler's own overhead. */
void machine_describe(struct machine *machine, int rank, bool distributed);

#endif
