/*
 * Reads the times of layers that inference runtimes print: TensorRT's trtexec, TensorFlow Lite's
 * benchmark_model, TVM's profilers and OpenVINO's performance counters.
 */
#ifndef STRATA_INPUT_LAYER_TABLE_LAYER_TABLE_H
#define STRATA_INPUT_LAYER_TABLE_LAYER_TABLE_H

#include "input/reader.h"

extern const struct reader trtexec_table_reader, layer_table_reader;

#endif
