/*
 * Joins to a timeline kernels that were measured one by one (Nsight Compute), samples of GPUs, logs
 * of torch.compile, and the functions that a Python profiler summed up.
 */
#pragma once

#include "base/progress.h"
#include "model/profile.h"

/*
 * Give the kernels of TIMELINE, which has no facts yet, the metrics of the results in REPORT with
 * their base name, grid and block; of several results, those of the median duration. Counts what
 * matched in the metadata. False when cancelled.
 */
bool join_report(struct profile *timeline, const struct profile *report,
		 const struct progress *progress);

/*
 * Add the counters of SAMPLES within TIMELINE, and of one sample's distance around it, which has no
 * derived data yet. Local times are of the zone, in quarters of an hour, in which they overlap it
 * longest. The metadata (TELEMETRY_JOINED) say what was assumed, or why nothing was added.
 */
void join_telemetry(struct profile *timeline, const struct profile *samples);

/*
 * Move the functions and lines of REPORT, a Python profile without samples, to TIMELINE, whose view
 * python then has them. False if it is no such profile or TIMELINE has functions already.
 */
bool join_python(struct profile *timeline, struct profile *report);

/* Move the requests of REPORT to TIMELINE, unless it has some. */
void join_requests(struct profile *timeline, struct profile *report);

/*
 * Move the log of torch.compile in REPORT to TIMELINE, unless it has one or is of another rank, and
 * give kernels the place of their generated code. False when cancelled.
 */
bool join_compile(struct profile *timeline, struct profile *report,
		  const struct progress *progress);

/* For what joins: text ID of another profile, interned in TIMELINE; 0 stays 0. */
uint32_t join_text(struct profile *timeline, const struct profile *other, uint32_t id);
/* The order of attributes by their rows. */
int join_compare_rows(const void *a, const void *b);
/* Add a line to the metadata. */
void join_note(struct profile *profile, const char *key, const char *text);

/* The function in a signature: "void at::f<int>(long)" is "f". Sets *LENGTH. */
const char *join_base_name(const char *name, size_t *length);

/* ---- calls of an execution trace ---- */

/*
 * Give the operators of TIMELINE, which has no facts yet, the shapes, types and values of the calls
 * in TRACE (model/totals.h) with their record function id and name, where they have none. A
 * timeline without such ids is joined by its external ids. Counts what matched in the metadata; a
 * trace of another process is left alone. False when cancelled.
 */
bool join_calls(struct profile *timeline, const struct profile *trace,
		const struct progress *progress);
