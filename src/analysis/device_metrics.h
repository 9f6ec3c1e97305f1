/*
 * How well each device was used.
 */
#ifndef STRATA_ANALYSIS_DEVICE_METRICS_H
#define STRATA_ANALYSIS_DEVICE_METRICS_H

#include "model/profile.h"

struct facts;
struct selection;

struct device_metrics {
	int32_t device;
	double gpu_util_pct;		/* union of kernels in the window / window; NaN: no window */
	double sm_efficiency_pct;	/* integral of min(1, sum of blocks per SM) / window; NaN */
	double occupancy_pct;		/* mean by duration over kernels that have it; NaN: none has */
	double tensor_core_pct;		/* share of kernel time; NaN: no kernels */
	int64_t unknown_tensor_ns;	/* kernel time whose names do not tell */
	int64_t kernel_ns;		/* sum over streams, inside the window */
};

/* One per device with kernels, by ordinal; *COUNT of them; the caller frees with mem_free. */
struct device_metrics *device_metrics(const struct facts *facts,
				      const struct selection *selection, int64_t window_start,
				      int64_t window_end, size_t *count);

#endif
