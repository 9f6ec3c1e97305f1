/*
 * Readers for nvprof and Visual Profiler databases (nvprof -o FILE.nvvp): CUPTI activity records;
 * and for the summary that nvprof prints.
 */
#ifndef STRATA_INPUT_NVPROF_NVPROF_H
#define STRATA_INPUT_NVPROF_NVPROF_H

#include "input/reader.h"

extern const struct reader nvprof_reader, nvprof_printed_reader;

#endif
