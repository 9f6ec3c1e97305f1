/*
 * Exports a profile as a Chrome trace with PyTorch's conventions, for Perfetto and other tools;
 * strata reads it back as an equal profile.
 */
#pragma once

#include "base/progress.h"
#include "model/run.h"

/*
 * Write the part of a rank selected by SCOPE: spans, device activities, launches and
 * forward–backward pairs as arrows, allocations, counters, devices, metadata and CPU samples as
 * instants; scheduling data is omitted. Times are those of the file. PATH is replaced as by
 * output_open. False with ERROR.
 */
bool chrome_trace_write(const struct run *run, const struct scope *scope, const char *path,
			bool force, const struct progress *progress, struct error *error);
