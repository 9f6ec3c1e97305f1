/*
 * How each profiler is told to record what a profile lacks.
 */
#ifndef STRATA_MODEL_RECORDING_H
#define STRATA_MODEL_RECORDING_H

/* Who wrote the file; what readers set. */
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

/* What to do so that the profiler records it: sentences. */
struct recording {
	const char *device, *operators, *modules, *stacks, *shapes, *memory, *steps;
	const char *warm_up; /* how to begin after the first, slow steps */
	const char *lighter; /* how to slow the host less */
};

struct profile;
const struct recording *profile_recording(const struct profile *profile);

#endif
