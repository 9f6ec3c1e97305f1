/*
 * Names of CUDA functions by CUPTI callback id, which is all nvprof stores.
 */
#ifndef STRATA_INPUT_NVPROF_NVPROF_NAMES_H
#define STRATA_INPUT_NVPROF_NVPROF_NAMES_H

#include <stdint.h>

enum nvprof_api { NVPROF_RUNTIME, NVPROF_DRIVER };

/* The function without version suffix; NULL when unknown. */
const char *nvprof_call_name(enum nvprof_api api, int64_t id);

#endif
