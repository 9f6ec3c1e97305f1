/*
 * The reports that Python profilers print.
 */
#ifndef STRATA_TOOLS_PYTHON_PYTHON_TOOL_PRIVATE_H
#define STRATA_TOOLS_PYTHON_PYTHON_TOOL_PRIVATE_H

#include "report/format.h"

format_writer pstats_print, lprof_print, mprof_print;

#endif
