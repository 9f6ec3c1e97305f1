/*
 * Instructions for recording what a profile lacks, by profiler.
 */
#ifndef STRATA_MODEL_RECORDING_H
#define STRATA_MODEL_RECORDING_H

#include <stdbool.h>

/* Instructions per kind of data, as sentences. */
struct recording {
	const char *device, *operators, *modules, *stacks, *shapes, *memory, *steps;
	const char *warm_up; /* start after the first, slow steps */
	const char *lighter; /* reduce profiler overhead */

	bool nvtx_ranges; /* CPU events are CUDA calls and NVTX ranges */
	bool totals_only; /* durations without a timeline */
	bool all_devices; /* every device of the program is listed, those without work too */
	bool user_window; /* the program starts and stops the capture, around its workload */
};

struct profile;
const struct recording *profile_recording(const struct profile *profile);

/* Has the file only durations of device work, which its reader laid end to end? */
bool profile_times_modeled(const struct profile *profile);

/* How to record device work that is missing; names no device where one was recorded. */
const char *profile_recording_device(const struct profile *profile);

#endif
