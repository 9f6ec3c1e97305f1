/*
 * Readers for AMD's profilers: rocpd (rocprofv3, rocprof-sys), RPD (rocmProfileData) and rocprofv3
 * JSON.
 */
#ifndef STRATA_INPUT_ROCM_ROCM_READERS_H
#define STRATA_INPUT_ROCM_ROCM_READERS_H

#include "input/reader.h"

extern const struct reader rocpd_reader, rpd_reader, rocprof_json_reader, rocprof_compute_reader;

#endif
