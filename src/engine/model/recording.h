/*
 * How to make each profiler record what a profile lacks.
 */
#ifndef STRATA_MODEL_RECORDING_H
#define STRATA_MODEL_RECORDING_H

/* The profiler that wrote the file; set by readers. */
enum recorder {
	RECORDER_OTHER,
	RECORDER_PYTORCH,
	RECORDER_NSYS,
	RECORDER_NVPROF,
	RECORDER_DLPROF,
	RECORDER_PYPROF,
	RECORDER_PYTHON,
	RECORDERS
};

/* Instructions per kind of data, as sentences. */
struct recording {
	const char *device, *operators, *modules, *stacks, *shapes, *memory, *steps;
	const char *warm_up; /* start after the first, slow steps */
	const char *lighter; /* reduce profiler overhead */
};

struct profile;
const struct recording *profile_recording(const struct profile *profile);

#endif
