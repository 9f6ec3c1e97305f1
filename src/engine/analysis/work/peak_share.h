/*
 * The share of a device's peak that a kernel launch achieves, and why it is not given.
 */
#pragma once

#include "analysis/work/work.h"

struct peak_shares;

/* Found at first use and kept with DERIVED; NULL when cancelled. */
const struct peak_shares *derived_peak_shares(const struct derived *derived,
					      const struct progress *progress);

/* The note of kernels whose work was measured; it comes before others. */
#define PEAK_MEASURED "FLOPs and bytes were measured by Nsight Compute."

struct peak_share {
	double pct;       /* 0 to 100 of the dense peak for the type; NaN: not given */
	const char *note; /* why not, or what it rests on; NULL: nothing to say. Static. */
};

/*
 * The kernels of a call share its work by duration, hence also its peak: that of tensor cores if
 * one of them uses these. More than the peak is no share of it, and is not given.
 */
struct peak_share peak_share_of(const struct peak_shares *shares, uint32_t activity);
