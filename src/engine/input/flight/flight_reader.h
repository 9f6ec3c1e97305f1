/*
 * Reads dumps of PyTorch's flight recorder (NCCL), as pickles of plain data or JSON.
 */
#ifndef STRATA_INPUT_FLIGHT_FLIGHT_READER_H
#define STRATA_INPUT_FLIGHT_FLIGHT_READER_H

#include "input/reader.h"

extern const struct reader flight_pickle_reader, flight_json_reader;

#endif
