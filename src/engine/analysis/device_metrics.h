/*
 * Device utilization metrics.
 */
#pragma once

#include "base/progress.h"
#include "model/profile.h"

struct selection;

struct device_metrics {
	int32_t device;
	double gpu_util_pct;      /* union of kernels / all steps; NaN */
	double sm_efficiency_pct; /* integral of min(1, blocks per SM) / window; NaN */
	double occupancy_pct;     /* duration-weighted mean over kernels with a value; NaN */
	double tensor_core_pct;   /* share of kernel time of known use on tensor cores; NaN */
	/* Share of kernel time in the window with a value; the figure is NaN below COVERAGE_MIN. */
	double sm_known_pct, occupancy_known_pct; /* NaN: no kernel time in the window */
	int64_t known_tensor_ns;                  /* kernel time of known tensor core use */
	int64_t kernel_ns;                        /* summed over streams */
};

/*
 * One element per device with kernels, by ordinal; *COUNT of them. The window is that of the
 * complete steps in scope; without steps each device has its own (analysis/work_window.h). The
 * caller frees with mem_free; NULL when cancelled.
 */
struct device_metrics *device_metrics(const struct selection *selection, size_t *count,
				      const struct progress *progress);

/* Blocks per SM of a launch, computed from its grid if not recorded; NaN unknown. */
double device_blocks_per_sm(const struct profile *profile, uint32_t activity);

/* Metrics of a device over a time bucket. */
struct device_bucket {
	int32_t device;
	int64_t start, dur;
	double gpu_util_pct, sm_efficiency_pct; /* NaN: too few kernels have block counts */
};

/*
 * Divide the window of each device with kernels (device_metrics) into buckets of equal length: the
 * smallest power of ten in us that gives at most MAX buckets, the last extended to the window's
 * end. *COUNT of them, by device and time. The caller frees with mem_free; NULL when cancelled.
 */
struct device_bucket *device_buckets(const struct selection *selection, int64_t max, size_t *count,
				     const struct progress *progress);

/* A time in which the load of a device's SMs, min(1, blocks per SM), is the same. */
struct device_load {
	int64_t start, end;
	double load;
};

/*
 * The load of a device by time, where kernels run; none if too few kernels have block counts.
 * *COUNT of them. The caller frees with mem_free; NULL when cancelled.
 */
struct device_load *device_loads(const struct selection *selection, int32_t device, size_t *count,
				 const struct progress *progress);
