/*
 * CUDA memory events: driver allocations and unified memory page faults.
 */
#pragma once

#include "input/cuda/cuda_names.h"
#include "model/builder.h"

/* The process's track for events without a thread. */
uint32_t cuda_memory_track(struct builder *builder, struct profile *profile, uint32_t process);

struct cuda_allocation {
	int64_t time, address, bytes;
	int64_t kind; /* memory kind as the profiler numbers it; NO_VALUE: device memory */
	enum cuda_numbering numbering;
	int64_t device;
	uint32_t track;
	bool release;
};

/* False, counted as damage, without a valid time or size. */
bool cuda_memory_add(struct builder *builder, struct profile *profile,
		     const struct cuda_allocation *allocation);

/*
 * After the last allocation: compute the running total per device. Allocations from before the
 * capture are not included.
 */
void cuda_memory_finish(struct profile *profile);

/* The tracks of calls by (process, correlation id), to locate allocations. */
struct hash *cuda_call_tracks(const struct profile *profile);
/* FALLBACK without such a call. */
uint32_t cuda_call_track(const struct hash *tracks, uint32_t process, int64_t correlation,
			 uint32_t fallback);

/* ---- unified memory ---- */

struct page_fault {
	int64_t start, dur; /* dur: device faults only */
	int64_t address;    /* NO_VALUE: unknown */
	int64_t count;      /* faults on the same page; NO_VALUE */
	const char *access; /* "read"; NULL */
	uint32_t function;  /* interned: host function; 0 */
	uint32_t file;      /* interned: its source; 0 */
	int64_t line;       /* in it; NO_VALUE */
};

void cuda_page_fault_host(struct builder *builder, struct profile *profile, uint32_t process,
			  const struct page_fault *fault);
void cuda_page_fault_device(struct builder *builder, struct profile *profile, uint32_t process,
			    int64_t device, const struct page_fault *fault);

/* "read", "write"… by CUPTI number; NULL. */
const char *cuda_access_name(int64_t access);
