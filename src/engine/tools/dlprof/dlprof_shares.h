/*
 * The wall time of a range of iterations, shared out among DLProf's seven classes.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_SHARES_H
#define STRATA_TOOLS_DLPROF_DLPROF_SHARES_H

#include "tools/dlprof/dlprof_groups.h"

/*
 * Fill the shares of AGGREGATION, whose iterations and wall time are known.  A class has what no
 * class before it has: kernels with tensor cores, other kernels, memory, data loader, CPU, the
 * rest; for each device, then averaged over all of them.  Nothing tells input and output apart.
 * False when cancelled.
 */
bool dlprof_share_time(struct dlprof_work *work, struct dlprof_aggregation *aggregation);

#endif
