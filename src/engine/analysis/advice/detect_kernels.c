/*
 * Detectors of kernels that do not fill the device: small grids, low memory bandwidth, low
 * occupancy.
 */
#include "analysis/advice/judge_kernels.h"
#include "base/text_slice.h"
#include "derived/activity_order.h"

#include <math.h>

enum { KERNEL_LIMIT_ROWS(_) };

/* ---- memory bandwidth ---- */

/* The share of a memory-bound kernel of the memory bandwidth. */
struct detect_kernels_bandwidth {
	bool unknown; /* its bytes or the peak are unknown */
	bool low;     /* it moves more than caches hold, far below the peak… */
	bool high;    /* …or near it */
	double share; /* 0 to 1; at most… */
	double least; /* …and at least */
};

/* Of a kernel whose name tells the bytes of a block. */
static void bytes_by_launch(const struct diagnosis *diagnosis, uint32_t activity, double *least,
			    double *most)
{
	const struct profile *profile = diagnosis->profile;
	const struct launch_config *config = profile_config(profile, activity);
	const struct kernel_sum *block = &diagnosis->kernel_sums[profile->activity_name[activity]];
	if (!config || config->grid[0] <= 0 || !block->most)
		return;
	*least = (double)config->grid[0] * block->least;
	*most = (double)config->grid[0] * block->most;
}

static struct detect_kernels_bandwidth bandwidth_of(const struct diagnosis *diagnosis,
						    uint32_t activity)
{
	double dur = (double)diagnosis->profile->activity_dur[activity];
	struct detect_kernels_bandwidth of = { .share = 1, .least = 1 };
	if (dur <= 0)
		return of;
	double bytes = work_of_activity(diagnosis->work, diagnosis->profile, activity).bytes;
	double least = bytes;
	if (!isfinite(bytes))
		bytes_by_launch(diagnosis, activity, &least, &bytes);
	of.share = 1e9 * bytes / diagnosis->rates.bytes / dur;
	of.least = 1e9 * least / diagnosis->rates.bytes / dur;
	of.unknown = !isfinite(of.share);
	bool large = !of.unknown && bytes > BANDWIDTH_BYTES;
	of.low = large && 100 * of.share < BANDWIDTH_LOW;
	of.high = large && 100 * of.least >= BANDWIDTH_LOW;
	return of;
}

static JUDGE_KERNEL(judge_bandwidth)
{
	struct detect_kernels_bandwidth of = bandwidth_of(diagnosis, activity);
	return (struct judgment){ of.unknown, of.low, of.low ? 1 - of.least : 0 };
}

void detect_memory_bound_kernels(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct judged all =
		check_kernels(diagnosis, finding, &(struct kernel_check){ judge_bandwidth });
	if (finding->answer == ANSWER_FIRED && all.worst != NO_ROW)
		buffer_printf(&finding->evidence, "; the worst reaches %s %% of it",
			      PERCENT(bandwidth_of(diagnosis, all.worst).share, 1));
}

/* ---- small grids ---- */

/* By activity: another kernel of its device runs at the same time. NULL when cancelled. */
static uint8_t *find_overlapped(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	const uint32_t *order = derived_by_start(diagnosis->derived, diagnosis->progress);
	uint8_t *overlapped = order ? mem_zalloc((size_t)profile->activities + 1, 1) : NULL;
	uint32_t latest = NO_ROW; /* the kernel that ends last so far */
	for (uint32_t i = 0; order && i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t at = order[i];
		if (profile->activity_kind[at] != ACTIVITY_KERNEL ||
		    profile_activity_device(profile, at) != diagnosis->device->device)
			continue;
		int64_t end = profile_activity_end(profile, at);
		int64_t busy_until =
			latest == NO_ROW ? INT64_MIN : profile_activity_end(profile, latest);
		if (profile->activity_start[at] < busy_until)
			overlapped[at] = overlapped[latest] = 1;
		if (end > busy_until)
			latest = at;
	}
	return overlapped;
}

static JUDGE_KERNEL(judge_blocks)
{
	const uint8_t *overlapped = context;
	double blocks = device_blocks_per_sm(diagnosis->profile, activity);
	struct judgment at = { !isfinite(blocks) || blocks < 0, false, 0 };
	at.hit = !at.unknown && blocks < 1 && !overlapped[activity] &&
		 !bandwidth_of(diagnosis, activity).high &&
		 !(kernel_named(diagnosis, activity).traits & KERNEL_SPLIT);
	at.saved = at.hit ? 1 - blocks : 0;
	return at;
}

void detect_few_blocks(const struct diagnosis *diagnosis, struct finding *finding)
{
	AUTO_FREE uint8_t *overlapped = find_overlapped(diagnosis);
	if (!overlapped)
		return; /* cancelled */
	check_kernels(diagnosis, finding, &(struct kernel_check){ judge_blocks, NULL, overlapped });
}

/* ---- occupancy ---- */

/* Low occupancy harms what hides memory latency with warps, and only a resource can raise it. */
static JUDGE_KERNEL(judge_occupancy)
{
	struct detect_kernels_bandwidth of = bandwidth_of(diagnosis, activity);
	struct judgment at = { of.unknown, false, 0 };
	if (!of.low)
		return at;
	const struct launch_config *config = profile_config(diagnosis->profile, activity);
	const struct device *device = judged_device(diagnosis);
	double resident = config ? kernel_resident_blocks(device, config) : NAN;
	at.unknown = !isfinite(resident) || !(config->occupancy_pct >= 0);
	if (at.unknown)
		return at;
	double threads = resident * config->block[0] * config->block[1] * config->block[2];
	at.hit = config->occupancy_pct < OCCUPANCY_LOW &&
		 2 * threads < (double)device->max_threads_per_sm;
	at.saved = at.hit ? 1 - of.least : 0;
	return at;
}

void detect_low_occupancy(const struct diagnosis *diagnosis, struct finding *finding)
{
	check_kernels(diagnosis, finding, &(struct kernel_check){ judge_occupancy });
}
