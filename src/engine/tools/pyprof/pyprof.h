/*
 * PyProf: reproduces its net.dict and the table of its prof.py.
 */
#ifndef STRATA_TOOLS_PYPROF_PYPROF_H
#define STRATA_TOOLS_PYPROF_PYPROF_H

#include "report/format.h"

extern const struct view view_pyprof;
extern const struct view view_net_dict; /* of export --net-dict only: not in the registry */
view_builder build_pyprof, build_net_dict;

format_writer pyprof_print, pyprof_print_csv, pyprof_write_dict;

#endif
