/*
 * PyProf: reads its net.dict of any generation (one kernel per line, as a Python dict) and
 * reproduces the table of its prof.py.
 *
 * The file holds only durations. Kernels are placed one after another in file order; layers,
 * operators and the launch enclosing them last as long as they do. Every member of a line is kept
 * as an attribute of its kernel, in Python syntax (strings unquoted); "line" is the line number.
 */
#ifndef STRATA_TOOLS_PYPROF_PYPROF_H
#define STRATA_TOOLS_PYPROF_PYPROF_H

#include "input/reader.h"
#include "report/format.h"

struct view;

extern const struct reader pyprof_reader;
extern const struct view view_pyprof;
extern const struct view view_net_dict; /* of export --net-dict only: not in the registry */

format_writer pyprof_print, pyprof_print_csv, pyprof_write_dict;

#endif
