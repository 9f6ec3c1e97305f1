/*
 * Generates profiles of a given size for benchmarks. All end the program when they cannot write.
 */
#pragma once

#include <stdint.h>

/* Nsight Systems: kernels, as many calls and ranges. */
void generate_nsys(const char *path, long kernels);
/* rocprofv3, schema 3: kernels, as many calls and ranges, each with its event. */
void generate_rocpd(const char *path, long kernels);
/* DLProf: kernels of a thousand ops, as many instances of these, iterations of 40 kernels. */
void generate_dlprof(const char *path, long kernels);
/*
 * A memory snapshot of about BYTES, pickled as Python does it: texts and frames are stored once,
 * every entry has a stack of its own. Returns the number of trace entries.
 */
long generate_snapshot(const char *path, uint64_t bytes);
