/*
 * Reads PyProf's net.dict of any generation: one kernel per line, as a Python dict.
 *
 * The file holds only durations. Kernels are placed one after another in file order; layers,
 * operators and the launch enclosing them last as long as they do. Every member of a line is kept
 * as an attribute of its kernel, in Python syntax (strings unquoted); "line" is the line number.
 */
#ifndef STRATA_INPUT_PYPROF_PYPROF_READER_H
#define STRATA_INPUT_PYPROF_PYPROF_READER_H

#include "input/reader.h"

extern const struct reader pyprof_reader;

#endif
