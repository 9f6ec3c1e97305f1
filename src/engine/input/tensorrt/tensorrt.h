/*
 * Reads what TensorRT's trtexec exports: layer times, run times, layers.
 */
#ifndef STRATA_INPUT_TENSORRT_TENSORRT_H
#define STRATA_INPUT_TENSORRT_TENSORRT_H

#include "input/reader.h"

extern const struct reader tensorrt_reader;

#endif
