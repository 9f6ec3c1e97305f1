#include "analysis/device_metrics.h"

#include "analysis/coverage.h"
#include "analysis/window.h"
#include "facts/facts.h"
#include "facts/intervals.h"
#include "facts/selection.h"
#include "base/radix.h"
#include "model/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A change of the blocks per SM running: +blocks at a kernel's start, -blocks at its end. */
struct edge {
	int64_t time;
	double blocks;
};

struct measure {
	struct intervals busy;
	struct edge *edges;
	size_t edge_count, edge_cap;
	double occupancy_weighted, occupancy_ns;
	int64_t tensor_ns, known_ns, kernel_ns; /* known_ns: of kernels of known tensor core use */
	double window_ns, blocks_ns; /* kernel time in the window; of it with a number of blocks */
};

static const char stage[] = "measuring devices";

/* By time, stably. */
static bool sort_edges(struct measure *measure, const struct progress *progress)
{
	struct keys keys = keys_new(measure->edge_count);
	struct edge *sorted = mem_alloc((measure->edge_count + 1) * sizeof *sorted);
	bool on = true;
	for (size_t i = 0; i < measure->edge_count && on; i++) {
		on = progress_row(progress, stage, i, measure->edge_count);
		keys_add(&keys, key_of_int(measure->edges[i].time), (uint32_t)i);
	}
	on = on && radix_sort(&keys, progress);
	for (size_t i = 0; i < measure->edge_count && on; i++) {
		on = progress_row(progress, stage, i, measure->edge_count);
		sorted[i] = measure->edges[keys.place[i]];
	}
	keys_free(&keys);
	mem_free(measure->edges);
	measure->edges = sorted;
	measure->edge_cap = measure->edge_count;
	return on;
}

static void add_edge(struct measure *measure, int64_t time, double blocks)
{
	mem_grow(measure->edges, measure->edge_cap, measure->edge_count + 1);
	measure->edges[measure->edge_count++] = (struct edge){ time, blocks };
}

/*
 * HIP's call of this name takes threads where others take blocks; the profile records them as
 * given.
 */
static bool counts_threads(const struct profile *profile, uint32_t activity)
{
	uint32_t launch = profile->activity_launch[activity];
	return launch != NO_ROW && strcmp(profile_string(profile, profile->span_name[launch]),
					  "hipExtModuleLaunchKernel") == 0;
}

static double blocks_of(const struct profile *profile, uint32_t activity,
			const struct launch_config *config)
{
	bool threads = counts_threads(profile, activity);
	double blocks = 1;
	for (int i = 0; i < 3; i++)
		blocks *= threads && config->block[i] > 0
				  ? ceil((double)config->grid[i] / (double)config->block[i])
				  : (double)config->grid[i];
	return blocks;
}

/* Computed from the grid and the device's SM count. */
double device_blocks_per_sm(const struct profile *profile, uint32_t activity)
{
	const struct launch_config *config = profile_config(profile, activity);
	if (!config)
		return NAN;
	if (!isnan(config->blocks_per_sm))
		return config->blocks_per_sm;
	const struct device *device =
		profile_device(profile, profile_activity_device(profile, activity));
	/* a zero grid means not recorded (AMD) */
	if (!device || device->sm_count == NO_VALUE || device->sm_count <= 0 ||
	    config->grid[0] <= 0 || config->grid[1] <= 0 || config->grid[2] <= 0)
		return NAN;
	return blocks_of(profile, activity, config) / (double)device->sm_count;
}

static void add_kernel(struct measure *measure, const struct facts *facts, uint32_t activity,
		       int64_t from, int64_t to)
{
	const struct profile *profile = facts->profile;
	int64_t start = profile->activity_start[activity];
	int64_t end = start + profile->activity_dur[activity];
	uint8_t use = facts->activity_tensor[activity];
	measure->kernel_ns += end - start;
	measure->tensor_ns += use == TENSOR_YES ? end - start : 0;
	measure->known_ns += use == TENSOR_UNKNOWN ? 0 : end - start;
	start = start < from ? from : start;
	end = end > to ? to : end;
	if (start >= end)
		return;
	intervals_add(&measure->busy, start, end);
	measure->window_ns += (double)(end - start);
	double blocks = device_blocks_per_sm(profile, activity);
	measure->blocks_ns += isfinite(blocks) && blocks >= 0 ? (double)(end - start) : 0;
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

/*
 * Call PUT for each interval in which kernels run, with the load of the SMs, full load counted as
 * 1: in order of time, adjoining where the load changes.
 */
static bool walk_load(struct measure *measure, void (*put)(void *, int64_t, int64_t, double),
		      void *context, const struct progress *progress)
{
	double running = 0;
	size_t active = 0;
	if (!sort_edges(measure, progress))
		return false;
	for (size_t i = 0; i < measure->edge_count; i++) {
		if (!progress_row(progress, stage, i, measure->edge_count))
			return false;
		int64_t at = i ? measure->edges[i - 1].time : 0, end = measure->edges[i].time;
		if (active && at < end)
			put(context, at, end, running > 1 ? 1 : running);
		running += measure->edges[i].blocks;
		active += measure->edges[i].blocks > 0 ? 1 : (size_t)-1;
		if (!active)
			running = 0; /* discard rounding errors */
	}
	return true;
}

/* SM-busy time per bucket of SIZE from FROM on; the last of COUNT buckets includes the rest. */
struct spread {
	int64_t from, size;
	size_t count;
	double *out;
};

static void spread_load(void *context, int64_t at, int64_t end, double load)
{
	const struct spread *spread = context;
	while (at < end) {
		size_t bucket = (size_t)((at - spread->from) / spread->size);
		bucket = bucket < spread->count ? bucket : spread->count - 1;
		int64_t limit = bucket + 1 == spread->count
					? end
					: spread->from + (int64_t)(bucket + 1) * spread->size;
		limit = limit < end ? limit : end;
		spread->out[bucket] += load * (double)(limit - at);
		at = limit;
	}
}

static bool spread_sm_time(struct measure *measure, int64_t from, int64_t size, size_t count,
			   double *out, const struct progress *progress)
{
	struct spread spread = { from, size, count, out };
	return walk_load(measure, spread_load, &spread, progress);
}

/*
 * Do enough kernels have a number of blocks? Those without add nothing to the integral, which would
 * pass for a bound from below only to who knows how many they are.
 */
static bool has_blocks(const struct measure *measure)
{
	return coverage_suffices(measure->blocks_ns, measure->window_ns);
}

static void measure_clear(struct measure *measure)
{
	intervals_free(&measure->busy);
	mem_free(measure->edges);
}

static bool finish(struct measure *measure, int32_t device, int64_t from, int64_t to,
		   struct device_metrics *metrics, const struct progress *progress)
{
	double window = (double)(to - from), sm_ns = 0;
	*metrics = (struct device_metrics){
		.device = device,
		.gpu_util_pct = NAN,
		.sm_efficiency_pct = NAN,
		.occupancy_pct = NAN,
		.tensor_core_pct = NAN,
		.sm_known_pct = 100 * measure->blocks_ns / measure->window_ns,
		.occupancy_known_pct = 100 * measure->occupancy_ns / measure->window_ns,
		.known_tensor_ns = measure->known_ns,
		.kernel_ns = measure->kernel_ns
	};
	intervals_merge(&measure->busy);
	if (window > 0) {
		metrics->gpu_util_pct = 100.0 * (double)intervals_length(&measure->busy) / window;
		if (!spread_sm_time(measure, from, to - from, 1, &sm_ns, progress))
			return false;
		if (has_blocks(measure))
			metrics->sm_efficiency_pct = 100.0 * sm_ns / window;
	}
	if (coverage_suffices(measure->occupancy_ns, measure->window_ns))
		metrics->occupancy_pct = measure->occupancy_weighted / measure->occupancy_ns;
	metrics->tensor_core_pct = coverage_share_pct(
		(double)measure->tensor_ns, (double)measure->known_ns, (double)measure->kernel_ns);
	return true;
}

static int compare_ids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

/* Distinct ordinals of tracks with device work, ascending. */
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

static bool measure_device(struct measure *measure, const struct selection *selection,
			   int32_t device, int64_t from, int64_t to,
			   const struct progress *progress)
{
	const struct facts *facts = selection->facts;
	const struct profile *profile = facts->profile;
	*measure = (struct measure){ 0 };
	for (size_t t = 0; t < profile->track_count; t++) {
		const struct track *track = &profile->tracks[t];
		uint32_t end = track->first_activity + track->activities;
		for (uint32_t i = track->first_activity; track->device == device && i < end; i++) {
			if (!progress_row(progress, stage, i, profile->activities))
				return false;
			if (profile->activity_kind[i] == ACTIVITY_KERNEL &&
			    selection_has_activity(selection, i))
				add_kernel(measure, facts, i, from, to);
		}
	}
	return true;
}

/*
 * The window of rates: the complete steps; without any the capture if the program bounds it, as in
 * the TensorBoard plugin, else what analysis_window finds for the device.
 */
static bool window_of(const struct selection *selection, int32_t device, int64_t *from, int64_t *to,
		      const struct progress *progress)
{
	struct analysis_window window;
	*from = selection->window_start;
	*to = selection->window_end;
	if (selection->facts->steps_from_profile ||
	    profile_recording(selection->profile)->user_window)
		return true;
	if (!analysis_window(&window, selection->facts, selection->scope, device, progress))
		return false;
	if (window.start < window.end) {
		*from = window.start;
		*to = window.end;
	}
	return true;
}

struct device_metrics *device_metrics(const struct selection *selection, size_t *count,
				      const struct progress *progress)
{
	size_t devices;
	/* without a timeline nothing is known of the time between kernels */
	bool durations_only = profile_times_modeled(selection->profile);
	int32_t *ids = devices_in_use(selection->profile, &devices);
	struct device_metrics *result = mem_alloc((devices + 1) * sizeof *result);
	bool on = true;
	*count = 0;
	for (size_t d = 0; d < devices && on; d++) {
		struct measure measure = { 0 };
		int64_t from, to;
		on = window_of(selection, ids[d], &from, &to, progress) &&
		     measure_device(&measure, selection, ids[d], from, to, progress);
		if (on && measure.kernel_ns)
			on = finish(&measure, ids[d], from, to, &result[(*count)++], progress);
		if (on && measure.kernel_ns && durations_only)
			result[*count - 1].gpu_util_pct = result[*count - 1].sm_efficiency_pct =
				NAN;
		measure_clear(&measure);
	}
	mem_free(ids);
	if (on)
		return result;
	mem_free(result);
	return NULL;
}

/* ---- over time ---- */

static int64_t bucket_size(int64_t window, int64_t max)
{
	int64_t size = 1000;
	while (window / size > max || (window / size == max && window % size))
		size *= 10;
	return size;
}

static bool add_buckets(struct device_bucket *out, struct measure *measure, int32_t device,
			int64_t from, int64_t to, int64_t size, size_t count,
			const struct progress *progress)
{
	double *sm = mem_zalloc(count, sizeof *sm);
	intervals_merge(&measure->busy);
	bool on = spread_sm_time(measure, from, size, count, sm, progress);
	for (size_t i = 0; i < count && on; i++) {
		int64_t start = from + (int64_t)i * size;
		int64_t end = i + 1 == count ? to : start + size;
		double dur = (double)(end - start);
		int64_t busy = intervals_length_in(&measure->busy, start, end);
		out[i] = (struct device_bucket){
			device,
			start,
			end - start,
			100.0 * (double)busy / dur,
			has_blocks(measure) ? 100.0 * sm[i] / dur : NAN,
		};
	}
	mem_free(sm);
	return on;
}

/* Append the buckets of DEVICE to RESULT. */
static bool add_device(struct device_bucket **result, size_t *count, size_t *capacity,
		       const struct selection *selection, int32_t device, int64_t max,
		       const struct progress *progress)
{
	struct measure measure = { 0 };
	int64_t from, to;
	bool on = window_of(selection, device, &from, &to, progress);
	if (!on || to <= from)
		return on;
	int64_t window = to - from, size = bucket_size(window, max);
	size_t each = window < size ? 1 : (size_t)(window / size);
	on = measure_device(&measure, selection, device, from, to, progress);
	if (on && measure.kernel_ns) {
		mem_grow(*result, *capacity, *count + each);
		on = add_buckets(*result + *count, &measure, device, from, to, size, each,
				 progress);
		*count += each;
	}
	measure_clear(&measure);
	return on;
}

struct device_bucket *device_buckets(const struct selection *selection, int64_t max, size_t *count,
				     const struct progress *progress)
{
	size_t devices, capacity = 1;
	int32_t *ids = devices_in_use(selection->profile, &devices);
	struct device_bucket *result = mem_alloc(capacity * sizeof *result);
	bool on = true;
	*count = 0;
	for (size_t d = 0; d < devices && on; d++)
		on = add_device(&result, count, &capacity, selection, ids[d], max, progress);
	mem_free(ids);
	if (on)
		return result;
	mem_free(result);
	return NULL;
}

/* ---- load ---- */

struct loads {
	struct device_load *item;
	size_t count, capacity;
};

static void add_load(void *context, int64_t at, int64_t end, double load)
{
	struct loads *loads = context;
	struct device_load *last = loads->count ? &loads->item[loads->count - 1] : NULL;
	if (last && last->end == at && last->load == load) {
		last->end = end;
		return;
	}
	mem_grow(loads->item, loads->capacity, loads->count + 1);
	loads->item[loads->count++] = (struct device_load){ at, end, load };
}

struct device_load *device_loads(const struct selection *selection, int32_t device, size_t *count,
				 const struct progress *progress)
{
	struct measure measure = { 0 };
	struct loads loads = { mem_alloc(sizeof *loads.item), 0, 1 };
	bool on = measure_device(&measure, selection, device, 0, INT64_MAX, progress) &&
		  (!has_blocks(&measure) || walk_load(&measure, add_load, &loads, progress));
	measure_clear(&measure);
	*count = loads.count;
	if (on)
		return loads.item;
	mem_free(loads.item);
	return NULL;
}
