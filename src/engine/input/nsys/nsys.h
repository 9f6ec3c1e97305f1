/*
 * Reader for Nsight Systems exports (nsys export -t sqlite) of any schema version.
 *
 * Tables and columns are probed; missing ones disable what depends on them. The recorded
 * environment of the profiled process is never read.
 */
#ifndef STRATA_INPUT_NSYS_NSYS_H
#define STRATA_INPUT_NSYS_NSYS_H

#include "input/reader.h"

extern const struct reader nsys_reader, nsys_printed_reader, nsys_trace_csv_reader;

#endif
