#include "analysis/device_metrics.h"

#include "analysis/facts.h"
#include "analysis/intervals.h"
#include "analysis/selection.h"

#include <math.h>
#include <stdlib.h>

/* A change of the number of blocks per SM that run: +value at a kernel's start, -value at its end. */
struct edge { int64_t time; double blocks; };

struct measure {
	struct intervals busy;
	struct edge *edges;
	size_t edge_count, edge_cap;
	double occupancy_weighted, occupancy_ns;
	int64_t tensor_ns, kernel_ns, unknown_ns;
};

static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	return (x->time > y->time) - (x->time < y->time);
}

static void add_edge(struct measure *measure, int64_t time, double blocks)
{
	mem_grow(measure->edges, measure->edge_cap, measure->edge_count + 1);
	measure->edges[measure->edge_count++] = (struct edge){ time, blocks };
}

/* What a kernel without the value would have had: blocks of its grid over the device's SMs. */
static double blocks_per_sm(const struct profile *profile, uint32_t activity)
{
	const struct launch_config *config = profile_config(profile, activity);
	if (!config)
		return NAN;
	if (!isnan(config->blocks_per_sm))
		return config->blocks_per_sm;
	const struct device *device =
		profile_device(profile, profile_activity_device(profile, activity));
	if (!device || device->sm_count == NO_VALUE || device->sm_count <= 0 ||
	    config->grid[0] < 0 || config->grid[1] < 0 || config->grid[2] < 0)
		return NAN;
	return (double)config->grid[0] * config->grid[1] * config->grid[2] /
	       (double)device->sm_count;
}

static void add_kernel(struct measure *measure, const struct facts *facts, uint32_t activity,
		       int64_t from, int64_t to)
{
	const struct profile *profile = facts->profile;
	int64_t start = profile->activity_start[activity];
	int64_t end = start + profile->activity_dur[activity];
	enum tensor_use use =
		(enum tensor_use)facts->kernel_tensor[profile->activity_name[activity]];
	measure->kernel_ns += end - start;
	measure->tensor_ns += use == TENSOR_YES ? end - start : 0;
	measure->unknown_ns += use == TENSOR_UNKNOWN ? end - start : 0;
	start = start < from ? from : start;
	end = end > to ? to : end;
	if (start >= end)
		return;
	intervals_add(&measure->busy, start, end);
	double blocks = blocks_per_sm(profile, activity);
	if (blocks > 0 && isfinite(blocks)) {
		add_edge(measure, start, blocks);
		add_edge(measure, end, -blocks);
	}
	const struct launch_config *config = profile_config(profile, activity);
	if (config && !isnan(config->occupancy_pct) && config->occupancy_pct >= 0) {
		measure->occupancy_weighted += config->occupancy_pct * (double)(end - start);
		measure->occupancy_ns += (double)(end - start);
	}
}

/* Time during which SMs had blocks, an SM's full load counted as one. */
static double sm_time(struct measure *measure)
{
	double sum = 0, running = 0;
	size_t active = 0;
	qsort(measure->edges, measure->edge_count, sizeof *measure->edges, compare_edges);
	for (size_t i = 0; i < measure->edge_count; i++) {
		if (active)
			sum += (running > 1 ? 1 : running) *
			       (double)(measure->edges[i].time - measure->edges[i - 1].time);
		running += measure->edges[i].blocks;
		active += measure->edges[i].blocks > 0 ? 1 : (size_t)-1;
		if (!active)
			running = 0;	/* no residue of the sums is carried on */
	}
	return sum;
}

static struct device_metrics finish(struct measure *measure, int32_t device, double window)
{
	struct device_metrics metrics = {
		.device = device, .gpu_util_pct = NAN, .sm_efficiency_pct = NAN,
		.occupancy_pct = NAN, .tensor_core_pct = NAN,
		.unknown_tensor_ns = measure->unknown_ns, .kernel_ns = measure->kernel_ns,
	};
	intervals_merge(&measure->busy);
	if (window > 0) {
		metrics.gpu_util_pct = 100.0 * (double)intervals_length(&measure->busy) / window;
		if (measure->edge_count)
			metrics.sm_efficiency_pct = 100.0 * sm_time(measure) / window;
	}
	if (measure->occupancy_ns > 0)
		metrics.occupancy_pct = measure->occupancy_weighted / measure->occupancy_ns;
	if (measure->kernel_ns > 0)
		metrics.tensor_core_pct =
			100.0 * (double)measure->tensor_ns / (double)measure->kernel_ns;
	intervals_free(&measure->busy);
	mem_free(measure->edges);
	return metrics;
}

static int compare_ids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

/* Ordinals of the lanes that have device work, each once, ascending. */
static int32_t *devices_in_use(const struct profile *profile, size_t *count)
{
	int32_t *ids = mem_alloc((profile->track_count + 1) * sizeof *ids);
	size_t all = 0;
	for (size_t t = 0; t < profile->track_count; t++)
		if (profile->tracks[t].activities)
			ids[all++] = profile->tracks[t].device;
	qsort(ids, all, sizeof *ids, compare_ids);
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (!*count || ids[*count - 1] != ids[i])
			ids[(*count)++] = ids[i];
	return ids;
}

struct device_metrics *device_metrics(const struct facts *facts,
				      const struct selection *selection, int64_t window_start,
				      int64_t window_end, size_t *count)
{
	const struct profile *profile = facts->profile;
	size_t devices;
	int32_t *ids = devices_in_use(profile, &devices);
	struct device_metrics *result = mem_alloc((devices + 1) * sizeof *result);
	*count = 0;
	for (size_t d = 0; d < devices; d++) {
		struct measure measure = { 0 };
		for (size_t t = 0; t < profile->track_count; t++) {
			const struct track *track = &profile->tracks[t];
			uint32_t end = track->first_activity + track->activities;
			for (uint32_t i = track->first_activity;
			     track->device == ids[d] && i < end; i++)
				if (profile->activity_kind[i] == ACTIVITY_KERNEL &&
				    selection_has_activity(selection, i))
					add_kernel(&measure, facts, i, window_start, window_end);
		}
		if (measure.kernel_ns)
			result[(*count)++] = finish(&measure, ids[d],
						    (double)(window_end - window_start));
	}
	mem_free(ids);
	return result;
}
