/*
 * PyProf: its net.dict, of any generation (one kernel a line, as the text of a Python dictionary),
 * and the table of its prof.py.
 *
 * The file holds durations only.  Kernels are laid one after the other in its order, and what they
 * ran under (layers, operators, the launch) lasts as long as they do.  Every member of a line is
 * kept as an attribute of its kernel, as Python writes it (texts bare), and "line" is its number.
 */
#ifndef STRATA_TOOLS_PYPROF_PYPROF_H
#define STRATA_TOOLS_PYPROF_PYPROF_H

#include "input/reader.h"
#include "report/format.h"

struct view;

extern const struct reader pyprof_reader;
extern const struct view view_pyprof; /* not in the registry */

format_writer pyprof_print, pyprof_print_csv;

#endif
