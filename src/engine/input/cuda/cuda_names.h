/*
 * Names for CUPTI enumerations, spelled as in PyTorch traces.
 */
#pragma once

#include "model/profile.h"

/* CUPTI numbers memory kinds from 1 (pageable), Nsight Systems from 0. */
enum cuda_numbering { CUDA_MEMORY_FROM_0, CUDA_MEMORY_FROM_1 };

/* The interned "Memcpy HtoD (Pageable -> Device)", "Memset (Device)" or "Stream Sync". */
uint32_t cuda_copy_name(struct profile *profile, int64_t copy_kind, int64_t from, int64_t to,
			enum cuda_numbering numbering);
uint32_t cuda_set_name(struct profile *profile, int64_t memory_kind, enum cuda_numbering numbering);
uint32_t cuda_sync_name(struct profile *profile, int64_t sync_kind);

/*
 * "HtoD" of a text that has it, "H2D", "HostToDevice", "Host-to-Device" or "HOST_TO_DEVICE", and so
 * on; NULL.
 */
const char *cuda_copy_direction(const char *text);

/* Host memory, pageable or pinned; false for NO_VALUE. */
bool cuda_is_host_memory(int64_t kind, enum cuda_numbering numbering);

/* Length of a function name without version ("_v7000") and stream ("_ptsz") suffixes. */
size_t cuda_call_name_length(const char *name, size_t length);

/* Append "11.7" for "11070", as CUDA numbers its versions; other texts as they are. */
void cuda_version(struct buffer *out, const char *text, size_t length);

/* A grid or block size, register or byte count; -1 when invalid. */
static inline int32_t cuda_small(int64_t value)
{
	return value >= 0 && value <= INT32_MAX ? (int32_t)value : -1;
}
