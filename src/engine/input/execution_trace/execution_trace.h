/*
 * Reads PyTorch's execution traces: operators and their arguments, without times.
 */
#ifndef STRATA_INPUT_EXECUTION_TRACE_EXECUTION_TRACE_H
#define STRATA_INPUT_EXECUTION_TRACE_EXECUTION_TRACE_H

#include "input/reader.h"

extern const struct reader execution_trace_reader;

#endif
