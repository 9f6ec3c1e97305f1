/*
 * Instructions for recording what a profile lacks, by profiler.
 */
#pragma once

#include "base/listed.h"
#include "text_tables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of data that a recording has or lacks. */
enum recorded { RECORDED_ROWS(LISTED) RECORDED_KINDS };

/* What is recorded, where the profiler alone tells. */
enum recording_of {
	RECORDING_OF_ANY,
	RECORDING_OF_XLA,
	RECORDING_OF_TENSORRT,
	RECORDING_OF_KERNELS
};

/*
 * Instructions per kind of data, as sentences. Those in the second line may be NULL: the general
 * ones apply (tools[0]).
 */
struct recording {
	/* from recordings.txt; NULL: the general ones apply (tools[0]) */
	union {
		struct {
			const char *device, *operators, *modules, *stacks, *shapes, *memory, *steps;
			const char *snapshot, *counters, *samples, *metrics, *ranks, *flight;
			const char *compile, *launches;
			const char *warm_up; /* start after the first, slow steps */
			const char *lighter; /* reduce profiler overhead */
			const char *host;    /* make a program faster that runs on the CPU alone */
		};
		const char *texts[18];
	};

	enum recording_of what;
	bool nvtx_ranges; /* CPU events are CUDA calls and NVTX ranges */
	bool totals_only; /* durations without a timeline */
	bool all_devices; /* every device of the program is listed, those without work too */
	bool machine;     /* the GPUs of the machine are listed, used or not */
	bool any_ranges;  /* the profiler is unknown: CPU events of no known kind are ranges */
	bool user_window; /* the program starts and stops the capture, around its workload */
};

/* What views, or without them columns, show only if it was recorded: a row of needs.txt. */
struct recording_need {
	const char *views, *columns; /* names and ids, separated by blanks; one is NULL */
	enum recorded data;
	bool whole; /* of columns: without it no value means anything, not only 0 */
};

const struct recording_need *recording_needs(void); /* end in one of RECORDED_ALWAYS */

struct profile;
const struct recording *profile_recording(const struct profile *profile);

/* Is the span a range that the program named? */
bool profile_is_range(const struct profile *profile, uint32_t span);

/* Did kernels run one by one, for their counters? The time between them is the profiler's. */
bool profile_ran_apart(const struct profile *profile);

/* Are durations of device work all that counts: laid end to end by the reader, or run apart? */
bool profile_times_modeled(const struct profile *profile);

/* How to record device work that is missing; names no device where one was recorded. */
const char *profile_recording_device(const struct profile *profile);

/* The NTH, from 0, of what a view, or with VIEW NULL a column, needs; NULL past the last. */
const struct recording_need *recording_need_of(const char *view, const char *column, size_t nth);
/* The first; RECORDED_ALWAYS without one. */
enum recorded recorded_for(const char *view, const char *column);

/* Does the profile have data of this kind? Linear in events. */
bool profile_has_recorded(const struct profile *profile, enum recorded data);

/* How to record data that the profile lacks; NULL if it has some. Linear in events. */
const char *profile_how_to_record(const struct profile *profile, enum recorded data);
