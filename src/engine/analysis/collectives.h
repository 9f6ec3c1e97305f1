/*
 * Communication operations of one profile.
 */
#ifndef STRATA_ANALYSIS_COLLECTIVES_H
#define STRATA_ANALYSIS_COLLECTIVES_H

#include "analysis/rank_summary.h"

/*
 * Fill SUMMARY->collectives from communication kernels (name or arguments say so), or where there
 * is no device from the host side.  What PyTorch recorded of an operation (collective name, sizes,
 * group, sequence) stands on the kernel, on record_param_comms above its launch, or follows from
 * the shapes of the annotation; what NCCL itself recorded (message, communicator) on its NVTX range
 * above the launch; kernels of one such call are one operation.
 */
bool collectives_collect(const struct facts *facts, struct rank_summary *summary,
			 const struct progress *progress); /* false: cancelled */

#endif
