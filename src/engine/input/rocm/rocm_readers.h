/*
 * Readers for AMD's profilers: rocpd (rocprofv3, rocprof-sys), RPD (rocmProfileData), rocprofv3
 * JSON, and tables of rocprof, rocprofv2 and rocprofv3.
 */
#ifndef STRATA_INPUT_ROCM_ROCM_READERS_H
#define STRATA_INPUT_ROCM_ROCM_READERS_H

#include "input/reader.h"

extern const struct reader rocpd_reader, rpd_reader, rocprof_json_reader, rocprof_csv_reader,
	rocprof_trace_reader, rocprof_stats_reader, rocprof_compute_reader;

/*
 * Is NAME a table that is read with that of the kernels of its run? Then KERNELS, of SIZE bytes, is
 * the name of that.
 */
bool rocprof_is_beside(const char *name, char *kernels, size_t size);

#endif
