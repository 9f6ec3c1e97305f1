/*
 * Profiles that Python's own profilers keep as one object: cProfile's (pstats, marshalled) and
 * line_profiler's (.lprof, pickled).
 */
#ifndef STRATA_TOOLS_PYTHON_PSTATS_H
#define STRATA_TOOLS_PYTHON_PSTATS_H

#include "input/source.h"
#include "model/profile.h"

/* False with ERROR.  The profile's python_stats are filled; it has no rows in time. */
bool pstats_read(struct source *source, struct profile *profile, struct error *error);
bool lprof_read(struct source *source, struct profile *profile, struct error *error);

#endif
