/*
 * Splits the wall time of a range of iterations into DLProf's seven classes.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_SHARES_H
#define STRATA_TOOLS_DLPROF_DLPROF_SHARES_H

#include "tools/dlprof/dlprof_groups.h"

/*
 * Compute the shares of AGGREGATION from its iterations and wall time. Time that is in several
 * classes counts for the first: kernels with tensor cores, other kernels, memory, data loader, I/O
 * (unknown where no calls of the operating system were recorded), CPU, other; per device, then
 * averaged. False when cancelled.
 */
bool dlprof_share_time(struct dlprof_work *work, struct dlprof_aggregation *aggregation);

#endif
