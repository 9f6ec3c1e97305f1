/*
 * Names of the CUDA functions that nvprof knows by number only.
 */
#ifndef STRATA_INPUT_NVPROF_NVPROF_NAMES_H
#define STRATA_INPUT_NVPROF_NVPROF_NAMES_H

#include <stdint.h>

enum nvprof_api { NVPROF_RUNTIME, NVPROF_DRIVER };

/* The function with this callback id, without version suffixes; NULL when it is not known. */
const char *nvprof_call_name(enum nvprof_api api, int64_t id);

#endif
