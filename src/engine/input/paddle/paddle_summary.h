/*
 * Reads the summary that PaddlePaddle's profiler prints, and the report of its versions before 2.3.
 */
#ifndef STRATA_INPUT_PADDLE_PADDLE_SUMMARY_H
#define STRATA_INPUT_PADDLE_PADDLE_SUMMARY_H

#include "input/reader.h"

extern const struct reader paddle_summary_reader;

#endif
