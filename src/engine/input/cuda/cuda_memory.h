/*
 * Memory as the CUDA driver knows it: allocations, and what unified memory did by itself.
 */
#ifndef STRATA_INPUT_CUDA_CUDA_MEMORY_H
#define STRATA_INPUT_CUDA_CUDA_MEMORY_H

#include "input/cuda/cuda_names.h"
#include "model/builder.h"

/* The process's lane for what belongs to no thread. */
uint32_t cuda_memory_track(struct builder *builder, struct profile *profile, uint32_t process);

struct cuda_allocation {
	int64_t time, address, bytes;
	int64_t kind; /* of memory, in the profiler's numbers; NO_VALUE: a device's */
	enum cuda_numbering numbering;
	int64_t device;
	uint32_t track;
	bool release;
};

/* False, counted, when it has no place in time or no size. */
bool cuda_memory_add(struct builder *builder, struct profile *profile,
		     const struct cuda_allocation *allocation);

/*
 * All allocations were added: each gets what was in use on its device after it.  What was allocated
 * before the capture began is not in it.
 */
void cuda_memory_finish(struct profile *profile);

/* The lanes of calls, by process and correlation id: where an allocation was asked for. */
struct hash *cuda_call_tracks(const struct profile *profile);
/* FALLBACK when there is no such call. */
uint32_t cuda_call_track(const struct hash *tracks, uint32_t process, int64_t correlation,
			 uint32_t fallback);

/* ---- unified memory ---- */

struct page_fault {
	int64_t start, dur; /* dur: of those of a device */
	int64_t address;    /* NO_VALUE: not known */
	int64_t count;      /* faults of the same page together; NO_VALUE */
	const char *access; /* "read"; NULL */
	uint32_t function;  /* interned: where the host was; 0 */
};

void cuda_page_fault_host(struct builder *builder, struct profile *profile, uint32_t process,
			  const struct page_fault *fault);
void cuda_page_fault_device(struct builder *builder, struct profile *profile, uint32_t process,
			    int64_t device, const struct page_fault *fault);

/* "read", "write"… of a number of CUPTI's; NULL. */
const char *cuda_access_name(int64_t access);

#endif
