/*
 * What calls cost beside their work: CPU time outside of runtime calls, and GPU idle time between
 * the events that they launch. Of any CPU event, with the work in scope.
 */
#pragma once

#include "base/marks.h"
#include "derived/intervals.h"
#include "derived/selection.h"

struct call_times {
	const struct profile *profile;
	struct marks calls;     /* the outermost runtime calls */
	int64_t *runtime;       /* by runtime call: time of the calls before it; at last of all */
	struct marks launchers; /* spans that launch work */
	uint32_t *first;      /* by launcher: where its work starts in ACTIVITY; at last the end */
	uint32_t *activity;   /* activities in the order of their launchers */
	struct intervals now; /* of the last call */
};

/* False when cancelled; the caller calls call_times_free in either case. */
bool call_times_make(struct call_times *times, const struct selection *selection,
		     const struct progress *progress);
void call_times_free(struct call_times *times);

/* CPU time outside of the runtime calls in it, ns (DLProf: CPU overhead). */
int64_t call_overhead(const struct call_times *times, uint32_t span);

/* Time without its work between the first and the last of it, over all devices, ns. */
int64_t call_idle(struct call_times *times, uint32_t span);

/* CPU time outside of the CPU events directly inside, ns. */
int64_t call_self(const struct call_times *times, uint32_t span);
