/*
 * Where the time of a step goes, in the eight classes of the TensorBoard plugin.
 */
#ifndef STRATA_ANALYSIS_BREAKDOWN_H
#define STRATA_ANALYSIS_BREAKDOWN_H

#include "base/progress.h"

struct selection;

/* In order of priority: an instant counts for the first class that has it. */
enum time_class {
	TIME_KERNEL,
	TIME_MEMCPY,
	TIME_MEMSET,
	TIME_COMMUNICATION,
	TIME_RUNTIME,
	TIME_DATALOADER,
	TIME_CPU_EXEC,
	TIME_OTHER,
	TIME_CLASSES
};

/* The column id of a class ("kernel_ns"). */
const char *time_class_column(enum time_class time_class);

struct breakdown {
	int64_t ns[TIME_CLASSES]; /* sums to the step exactly */
	int64_t gpu_busy_ns;      /* union of kernels inside the step, all devices pooled */
};

/*
 * One breakdown per step (the caller frees with mem_free), over the rows of SELECTION.  All devices
 * and threads are pooled.  Kernel = kernels that are not communication; Communication =
 * communication kernels, and where the profile has no device the host intervals of communication
 * operators; CPU Exec = operators and annotations other than steps.  NULL when cancelled.
 */
struct breakdown *breakdown_of_steps(const struct selection *selection,
				     const struct progress *progress);

#endif
