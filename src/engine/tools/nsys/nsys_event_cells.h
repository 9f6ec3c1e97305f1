/*
 * Cells of the reports of nsys stats with a row per event; private to nsys_events.c.
 */
#ifndef STRATA_TOOLS_NSYS_EVENT_CELLS_H
#define STRATA_TOOLS_NSYS_EVENT_CELLS_H

#include "table/view.h"

/* A row: a call, GPU work, or a kernel and its call. */
struct nsys_event {
	int64_t start;
	uint32_t activity, call; /* NO_ROW: none */
	uint32_t order;          /* of equal starts */
};

struct nsys_events {
	const struct profile *profile;
	struct nsys_event *event;
	size_t count, capacity;
	struct value *devices;        /* by track: "NVIDIA A100 (0)" */
	struct value *grids, *blocks; /* by launch configuration */
	struct value *sources,
		*targets; /* by name: memory kinds of copies and sets; filled for them */
};

typedef struct value nsys_event_cell(const struct nsys_events *events,
				     const struct nsys_event *event);

/* Columns by report, and the functions that compute them, in the same order. */
#define API_COLUMNS(_)                                                                             \
	_(clock_ns)                                                                                \
	_(dur_ns)                                                                                  \
	_(api_name)                                                                                \
	_(result)                                                                                  \
	_(correlation)                                                                             \
	_(pid)                                                                                     \
	_(tid)                                                                                     \
	_(priority)                                                                                \
	_(thread_name)

#define GPU_COLUMNS(_)                                                                             \
	_(clock_ns)                                                                                \
	_(dur_ns)                                                                                  \
	_(correlation)                                                                             \
	_(grid_x)                                                                                  \
	_(grid_y)                                                                                  \
	_(grid_z)                                                                                  \
	_(block_x)                                                                                 \
	_(block_y)                                                                                 \
	_(block_z)                                                                                 \
	_(regs_per_thread)                                                                         \
	_(static_bytes)                                                                            \
	_(dynamic_bytes)                                                                           \
	_(bytes)                                                                                   \
	_(bytes_per_s)                                                                             \
	_(source_memory)                                                                           \
	_(target_memory)                                                                           \
	_(gpu_name)                                                                                \
	_(context)                                                                                 \
	_(green_context)                                                                           \
	_(stream)                                                                                  \
	_(name)

#define EXEC_COLUMNS(_)                                                                            \
	_(api_clock_ns)                                                                            \
	_(api_dur_ns)                                                                              \
	_(queue_clock_ns)                                                                          \
	_(queue_ns)                                                                                \
	_(gpu_clock_ns)                                                                            \
	_(dur_ns)                                                                                  \
	_(whole_ns)                                                                                \
	_(pid)                                                                                     \
	_(tid)                                                                                     \
	_(device_id)                                                                               \
	_(api_name)                                                                                \
	_(grid_xyz)                                                                                \
	_(block_xyz)                                                                               \
	_(name)

#define MPI_COLUMNS(_)                                                                             \
	_(clock_ns)                                                                                \
	_(clock_end_ns)                                                                            \
	_(dur_ns)                                                                                  \
	_(function)                                                                                \
	_(pid)                                                                                     \
	_(tid)                                                                                     \
	_(tag)                                                                                     \
	_(rank)                                                                                    \
	_(peer_rank)                                                                               \
	_(root_rank)                                                                               \
	_(message_bytes)                                                                           \
	_(sent_bytes)                                                                              \
	_(received_bytes)

extern nsys_event_cell *const nsys_api_cells[];
extern nsys_event_cell *const nsys_gpu_cells[];
extern nsys_event_cell *const nsys_exec_cells[];
extern nsys_event_cell *const nsys_mpi_cells[];

#endif
