/*
 * The analysis window: the time of a device that rates and causes refer to.
 */
#pragma once

#include "derived/derived.h"

#define ANY_DEVICE INT32_MIN

/*
 * Recorded steps: from the start of the first step in scope to the end of the last. Otherwise from
 * the first to the last work of the device. Both within the scope's time. What comes before is
 * startup (imports, context creation), what follows is teardown (module unload, buffer flushes);
 * neither is workload.
 *
 * The head is the part of the window that waits for work queued before the capture began: until the
 * first activity whose launch was recorded, if others precede it; or until the end of a blocking
 * call before which the host launched nothing. Nothing can be said about the cause of idle time in
 * it.
 */
struct work_window {
	int64_t start, end; /* ns; equal: the device has no work in scope */
	int64_t head_end;   /* in [start, end]; start: no head */
	uint64_t unlinked;  /* activities of the head without a recorded launch */
	uint32_t blocked;   /* the blocking call of the head, a span; NO_ROW */
	bool from_steps;
};

/* The window of DEVICE, or of all (ANY_DEVICE). False when cancelled. */
bool work_window(struct work_window *window, const struct derived *derived,
		 const struct scope *scope, int32_t device, const struct progress *progress);
