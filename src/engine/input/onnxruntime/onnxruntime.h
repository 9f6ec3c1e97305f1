/*
 * Reads ONNX Runtime's profiles: nodes, session events, kernels.
 */
#ifndef STRATA_INPUT_ONNXRUNTIME_ONNXRUNTIME_H
#define STRATA_INPUT_ONNXRUNTIME_ONNXRUNTIME_H

#include "input/reader.h"

extern const struct reader onnxruntime_reader;

#endif
