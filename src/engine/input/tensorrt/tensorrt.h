/*
 * Reads what TensorRT's trtexec exports (layer times, run times, layers), and the table of layer
 * times that it prints.
 */
#ifndef STRATA_INPUT_TENSORRT_TENSORRT_H
#define STRATA_INPUT_TENSORRT_TENSORRT_H

#include "input/reader.h"

extern const struct reader tensorrt_reader, trtexec_table_reader;

#endif
