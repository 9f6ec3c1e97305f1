/*
 * Readers of what Ascend's profilers (torch_npu, msprof) write, apart from the trace, which is
 * Chrome's (input/kineto).
 */
#ifndef STRATA_INPUT_ASCEND_ASCEND_READERS_H
#define STRATA_INPUT_ASCEND_ASCEND_READERS_H

#include "input/reader.h"

extern const struct reader ascend_database_reader; /* ascend_pytorch_profiler_0.db, msprof_1.db */
extern const struct reader ascend_kernels_reader;  /* kernel_details.csv */

#endif
