/*
 * Iterations as DLProf tells them apart: by the ends of one op, its key node.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_ITERATIONS_H
#define STRATA_TOOLS_DLPROF_DLPROF_ITERATIONS_H

#include "tools/dlprof/dlprof_aggregate.h"

/* The first op with this id or name; NO_ROW: there is none. */
uint32_t dlprof_op_named(const struct dlprof *dlprof, const struct intern *strings,
			 const char *key);

/* Fill the key, the iterations and the range of OUT.  False with ERROR_USAGE. */
bool dlprof_find_iterations(const struct dlprof *dlprof, const struct intern *strings,
			    const struct dlprof_range *range, struct dlprof_aggregation *out,
			    struct error *error);

/* The index of the iteration inside the range of AGGREGATION in which TIME lies; SIZE_MAX: none. */
size_t dlprof_iteration_at(const struct dlprof_aggregation *aggregation, int64_t time);

#endif
