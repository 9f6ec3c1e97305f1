/*
 * Splits a profile of several processes that each drive a device into ranks.
 *
 * A rank is one correlation id space (profile_id_space): a process of an Nsight export, or the
 * processes of one label in a merged trace.
 */
#pragma once

#include "base/progress.h"
#include "model/profile.h"

/*
 * The id spaces with kernels, sorted by label, device and pid; *COUNT of them. NULL with 0 when
 * there is only one. The caller frees.
 */
uint32_t *processes_of_ranks(const struct profile *profile, size_t *count);

/*
 * Extract RANK as a finished profile with the time zero, end and row numbers (profile_span_id) of
 * WHOLE; metrics of its devices are included. Rank and world size come from the process, else from
 * the largest NCCL communicator it initialized. NULL with ERROR when WHOLE has no such rank or when
 * cancelled. The caller frees; WHOLE may be freed first.
 */
struct profile *processes_extract(const struct profile *whole, uint32_t rank,
				  const struct progress *progress, struct error *error);
