/*
 * What the formats of AMD's profilers (rocpd, RPD, rocprofv3 JSON) share: kinds of calls, names of
 * copies, launch parameters.
 */
#pragma once

#include "input/timeline_rows.h"

struct nvtx;

/* What a call or range of a category ("HIP_RUNTIME_API", "MARKER_CORE_RANGE_API") is. */
enum rocm_call {
	ROCM_API,    /* HIP, HSA, RCCL */
	ROCM_MARKER, /* a range that the program marked with ROCTX */
	ROCM_OTHER,
};
enum rocm_call rocm_call_of(const char *category);

/* The end of a range with a name. */
struct rocm_range {
	uint32_t track;
	uint32_t category; /* interned, 0: none */
	uint32_t name;     /* of the function, interned */
	uint32_t message;  /* of a marker, interned, 0: none */
	int64_t start, dur, correlation;
};

/* Add a range as a call, annotation or other span, with its category as domain. */
void rocm_add_range(struct builder *builder, struct profile *profile, struct nvtx *nvtx,
		    const struct rocm_range *range);
/* Add a point in time; DUR and CORRELATION are not used. */
void rocm_add_mark(struct builder *builder, const struct rocm_range *mark);

enum rocm_side { ROCM_HOST, ROCM_DEVICE, ROCM_UNKNOWN };
/*
 * The interned "Memcpy HtoD" for a copy that the file calls TEXT ("MEMORY_COPY_HOST_TO_DEVICE",
 * "CopyHostToDevice"; may be NULL); without a direction in it, from the two sides.
 */
uint32_t rocm_copy_name(struct profile *profile, const char *text, enum rocm_side from,
			enum rocm_side to);

/* The length of a kernel's NAME without the ".kd" of its descriptor. */
size_t rocm_kernel_length(const char *name);

/* The launch parameters of a kernel; NO_VALUE where they are unknown. */
struct rocm_launch {
	int64_t grid[3]; /* in work-items if ITEMS, else in workgroups */
	int64_t block[3];
	int64_t registers, shared;
	bool items;
};
uint32_t rocm_config(struct builder *builder, const struct rocm_launch *launch);

/* The duration of a row by the rule of these formats. */
static inline bool rocm_times(struct profile *profile, int64_t start, int64_t end, int64_t *dur)
{
	return row_times(profile, TIMES_ZEROS, start, end, dur);
}

/* A device ordinal or NO_VALUE as a track's device. */
static inline int32_t rocm_device(int64_t device)
{
	return device >= 0 && device <= INT32_MAX ? (int32_t)device : 0;
}

/*
 * Is NAME a table that is read with that of the kernels of its run? Then KERNELS, of SIZE bytes, is
 * the name of that.
 */
bool rocprof_is_beside(const char *name, char *kernels, size_t size);
