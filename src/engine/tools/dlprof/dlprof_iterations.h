/*
 * DLProf's iterations, delimited by the ends of an op, the key node.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_ITERATIONS_H
#define STRATA_TOOLS_DLPROF_DLPROF_ITERATIONS_H

#include "tools/dlprof/dlprof_aggregate.h"

/* First op with this id or name, or NO_ROW. */
uint32_t dlprof_op_named(const struct dlprof *dlprof, const struct intern *strings,
			 const char *key);

/* Make OUT with its key, iterations and range. False with ERROR_USAGE or when cancelled. */
bool dlprof_find_iterations(const struct dlprof *dlprof, const struct intern *strings,
			    const struct dlprof_range *range, struct dlprof_aggregation *out,
			    const struct progress *progress, struct error *error);

/* Index of the iteration in AGGREGATION's range that contains TIME; SIZE_MAX: none. */
size_t dlprof_iteration_at(const struct dlprof_aggregation *aggregation, int64_t time);

#endif
