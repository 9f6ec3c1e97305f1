/*
 * The profilers of Python: their files, and the reports they print of them.
 */
#ifndef STRATA_TOOLS_PYTHON_PYTHON_H
#define STRATA_TOOLS_PYTHON_PYTHON_H

#include "input/reader.h"
#include "report/format.h"

/* cProfile (marshalled) and line_profiler (pickled): totals, no rows in time. */
extern const struct reader pstats_reader, lprof_reader;

/* Lines and functions with their shares of the run's time and memory, as JSON of any version. */
extern const struct reader scalene_reader;

/*
 * Samples of memory in use: they become the curve, calls of profiled functions Python spans with
 * the attributes "start MiB" and "end MiB", and the child processes counters.
 */
extern const struct reader mprof_reader;

/* "frame;frame 12", one stack a line (export_stacks, austin, perf scripts); other lines are counted
 * and skipped. */
extern const struct reader collapsed_reader;

format_writer pstats_print, lprof_print, mprof_print;

#endif
