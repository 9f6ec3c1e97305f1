/*
 * Ranks in one file: a profile of several processes that each drive a device, taken apart.
 *
 * A rank is what correlation ids are keyed by (profile_id_space): a process of an Nsight export,
 * the processes of one label in a merged trace.
 */
#ifndef STRATA_MODEL_PROCESSES_H
#define STRATA_MODEL_PROCESSES_H

#include "base/progress.h"
#include "model/profile.h"

struct error;

/*
 * The ranks of the profile, those whose kernels are in it, by label, device and process number.
 * *COUNT of them; NULL with 0 where it is of one alone.  The caller frees.
 */
uint32_t *processes_of_ranks(const struct profile *profile, size_t *count);

/*
 * The rows of one rank as a profile of their own, finished as WHOLE is: with its zero of time and
 * its end, and rows numbered as in WHOLE.  Metrics of devices that it uses are there too.  Its rank
 * is that of its process, else it and the world size are what NCCL said when it made the largest
 * communicator.  NULL with ERROR when WHOLE has no such rank, or cancelled.  The caller frees;
 * WHOLE need not stay.
 */
struct profile *processes_take(const struct profile *whole, uint32_t rank,
			       const struct progress *progress, struct error *error);

#endif
