/*
 * The reports that Python profilers print.
 */
#pragma once

#include "report/format.h"

format_writer pstats_print, lprof_print, mprof_print;
