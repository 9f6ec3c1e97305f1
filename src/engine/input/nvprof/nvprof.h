/*
 * Reader for nvprof and Visual Profiler databases (nvprof -o FILE.nvvp): CUPTI activity records.
 */
#ifndef STRATA_INPUT_NVPROF_NVPROF_H
#define STRATA_INPUT_NVPROF_NVPROF_H

#include "input/reader.h"

extern const struct reader nvprof_reader;

#endif
