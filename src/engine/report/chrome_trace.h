/*
 * A profile as a Chrome trace, in the words of PyTorch's: for Perfetto, for other tools, and for
 * strata itself, which reads from it what it read from the profile.
 */
#ifndef STRATA_REPORT_CHROME_TRACE_H
#define STRATA_REPORT_CHROME_TRACE_H

#include "base/progress.h"
#include "model/run.h"
#include "model/scope.h"

struct error;

/*
 * Write what is in SCOPE on its rank: spans, device activities, launches and forward–backward pairs
 * as arrows, allocations, counters, devices and metadata; samples of threads and their times on
 * processors have no place in a trace.  Times are those of the file.  PATH is replaced whole or
 * stays as it was.  False with ERROR.
 */
bool chrome_trace_write(const struct run *run, const struct scope *scope, const char *path,
			const struct progress *progress, struct error *error);

#endif
