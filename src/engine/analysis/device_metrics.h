/*
 * How well each device was used.
 */
#ifndef STRATA_ANALYSIS_DEVICE_METRICS_H
#define STRATA_ANALYSIS_DEVICE_METRICS_H

#include "base/progress.h"
#include "model/profile.h"

struct facts;
struct selection;

struct device_metrics {
	int32_t device;
	double gpu_util_pct;       /* union of kernels in the window / window; NaN */
	double sm_efficiency_pct;  /* integral of min(1, sum of blocks per SM) / window; NaN */
	double occupancy_pct;      /* mean by duration over kernels that have it; NaN */
	double tensor_core_pct;    /* share of kernel time; NaN: no kernels */
	int64_t unknown_tensor_ns; /* kernel time whose names do not tell */
	int64_t kernel_ns;         /* sum over streams, inside the window */
};

/*
 * One per device with kernels, by ordinal; *COUNT of them; the caller frees with mem_free.  NULL
 * when cancelled.
 */
struct device_metrics *device_metrics(const struct selection *selection, int64_t window_start,
				      int64_t window_end, size_t *count,
				      const struct progress *progress);

/*
 * What a launch put on each multiprocessor, from its grid where the profile lacks it; NaN unknown.
 */
double device_blocks_per_sm(const struct profile *profile, uint32_t activity);

/* A stretch of a device's time, the same two rates as above. */
struct device_bucket {
	int32_t device;
	int64_t start, dur;
	double gpu_util_pct, sm_efficiency_pct; /* NaN: no kernel has its blocks */
};

/*
 * The window of each device with kernels in buckets of equal length: the smallest power of ten in
 * us that gives at most MAX of them, the last stretched to the window's end.  *COUNT of them, by
 * device and time; the caller frees with mem_free.  NULL when cancelled.
 */
struct device_bucket *device_buckets(const struct selection *selection, int64_t window_start,
				     int64_t window_end, int64_t max, size_t *count,
				     const struct progress *progress);

#endif
