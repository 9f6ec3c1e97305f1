/*
 * Python profilers: readers of their files and the reports they print.
 */
#ifndef STRATA_TOOLS_PYTHON_PYTHON_TOOL_PRIVATE_H
#define STRATA_TOOLS_PYTHON_PYTHON_TOOL_PRIVATE_H

#include "input/reader.h"
#include "report/format.h"

/* cProfile (marshal) and line_profiler (pickle): totals without timeline. */
extern const struct reader pstats_reader, lprof_reader;

/* Lines and functions with shares of the run's time and memory, as JSON, any version. */
extern const struct reader scalene_reader;

/*
 * Memory samples become the curve; calls of profiled functions become Python spans with attributes
 * "start MiB" and "end MiB"; child processes become counters.
 */
extern const struct reader mprof_reader;

format_writer pstats_print, lprof_print, mprof_print;

#endif
