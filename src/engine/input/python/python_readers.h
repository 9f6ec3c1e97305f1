/*
 * Readers of what Python profilers write, print and export.
 */
#ifndef STRATA_INPUT_PYTHON_PYTHON_READERS_H
#define STRATA_INPUT_PYTHON_PYTHON_READERS_H

#include "input/reader.h"

/* cProfile (marshal) and line_profiler (pickle): totals without timeline. */
extern const struct reader pstats_reader, lprof_reader;

/* Lines and functions with shares of the run's time and memory, as JSON, any version. */
extern const struct reader scalene_reader;

/*
 * Memory samples become the curve; calls of profiled functions become Python spans with attributes
 * "start MiB" and "end MiB"; child processes become counters.
 */
extern const struct reader mprof_reader;

/*
 * "frame;frame 12", one stack per line (export_stacks, austin, py-spy record -f raw,
 * stackcollapse); other lines are counted and skipped.
 */
extern const struct reader collapsed_reader;

/* Functions and calls with times, as yappi and pyprof2calltree write them for KCachegrind. */
extern const struct reader callgrind_reader;

/* What py-spy dump prints, as text and JSON: the stack of each thread at one moment. */
extern const struct reader dump_reader;

/* What memray stats --json and memray transform csv write: places that allocate, or stacks. */
extern const struct reader memray_reader;

/* What python -X importtime prints: modules, and the imports in which they were imported. */
extern const struct reader importtime_reader;

/*
 * Printed tables of pstats, Lightning, memory_profiler, torch.utils.bottleneck and key_averages,
 * alone or among other lines.
 */
extern const struct reader printed_reader;

/* speedscope's JSON, as py-spy, pyinstrument and others write it. */
extern const struct reader speedscope_reader;

/* What perf script prints. */
extern const struct reader perf_script_reader;

#endif
