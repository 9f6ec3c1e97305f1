#include "analysis/device_metrics.h"

#include "analysis/coverage.h"
#include "analysis/work_window.h"
#include "derived/selection.h"
#include "model/recording.h"

/* Sums over the kernels of a device. */
struct device_metrics_measure {
	double occupancy_weighted, occupancy_ns;
	int64_t tensor_ns, known_ns, kernel_ns; /* known_ns: of kernels of known tensor core use */
	int64_t window_ns, blocks_ns; /* kernel time in the window; of it with a number of blocks */
};

static const char stage[] = "measuring devices";

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

/* The window of a device, in which what its kernels do is added up. */
struct window {
	const struct selection *selection;
	int32_t device;
	int64_t from, to;
};

/* The part of a kernel in the window; false: none. */
static bool clip(const struct window *window, uint32_t activity, int64_t *start, int64_t *end)
{
	const struct profile *profile = window->selection->profile;
	*start = profile->activity_start[activity];
	*end = *start + profile->activity_dur[activity];
	*start = *start < window->from ? window->from : *start;
	*end = *end > window->to ? window->to : *end;
	return *start < *end;
}

static void device_metrics_add_kernel(struct device_metrics_measure *measure,
				      const struct window *window, uint32_t activity)
{
	const struct derived *derived = window->selection->derived;
	const struct profile *profile = derived->profile;
	int64_t ns = profile->activity_dur[activity], start, end;
	uint8_t use = derived->activity_tensor[activity];
	measure->kernel_ns += ns;
	measure->tensor_ns += use == TENSOR_YES ? ns : 0;
	measure->known_ns += use == TENSOR_UNKNOWN ? 0 : ns;
	if (!clip(window, activity, &start, &end))
		return;
	measure->window_ns += end - start;
	const struct launch_config *config = profile_config(profile, activity);
	if (config && !isnan(config->occupancy_pct) && config->occupancy_pct >= 0) {
		measure->occupancy_weighted += config->occupancy_pct * (double)(end - start);
		measure->occupancy_ns += (double)(end - start);
	}
}

/* ---- the load over time ---- */

/* A change of the blocks per SM running: the next kernel of a stream starts, or one ends. */
struct edge {
	int64_t time;
	uint32_t row;  /* the kernel */
	uint32_t last; /* row after those of the stream; 0: it ends */
	double blocks; /* of one that ends */
};

/* The edges to come, the first on top of a heap: by time, then row. */
struct edges {
	GROWING(struct edge, heap, count);
};

static bool is_before(const struct edge *a, const struct edge *b)
{
	return a->time != b->time ? a->time < b->time : a->row < b->row;
}

static void device_metrics_push(struct edges *edges, struct edge edge)
{
	size_t at = edges->count++;
	mem_grow(edges->heap, edges->count);
	for (; at && is_before(&edge, &edges->heap[(at - 1) / 2]); at = (at - 1) / 2)
		edges->heap[at] = edges->heap[(at - 1) / 2];
	edges->heap[at] = edge;
}

static struct edge pop(struct edges *edges)
{
	struct edge *heap = edges->heap, first = heap[0], last = heap[--edges->count];
	size_t at = 0;
	for (size_t child; (child = at * 2 + 1) < edges->count; at = child) {
		child += child + 1 < edges->count && is_before(&heap[child + 1], &heap[child]);
		if (!is_before(&heap[child], &last))
			break;
		heap[at] = heap[child];
	}
	heap[at] = last;
	return first;
}

/* Add the start of the first kernel from ROW on that runs in the window. */
static void push_start(struct edges *edges, const struct window *window, uint32_t row,
		       uint32_t last)
{
	const uint8_t *kind = window->selection->profile->activity_kind;
	for (int64_t start, end; row < last; row++)
		if (kind[row] == ACTIVITY_KERNEL &&
		    selection_has_activity(window->selection, row) &&
		    clip(window, row, &start, &end)) {
			device_metrics_push(edges, (struct edge){ start, row, last, 0 });
			return;
		}
}

/*
 * What a visit of a window passes on, in order of time: intervals in which kernels run; and those
 * in which the load of the SMs is known, full load counted as 1, adjoining where it changes.
 */
struct listener {
	void (*put_busy)(void *context, int64_t start, int64_t end);
	void (*put_load)(void *context, int64_t start, int64_t end, double load);
	void *context;
};

struct device_metrics_walk {
	const struct window *window;
	const struct listener *listener;
	struct edges edges;
	int64_t busy_until, at; /* AT: the time of the last edge with blocks */
	double running;
	size_t active;
	int64_t blocks_ns;
};

/* Blocks start, or end if negative. */
static void change_load(struct device_metrics_walk *walk, int64_t time, double blocks)
{
	if (walk->active && walk->at < time)
		walk->listener->put_load(walk->listener->context, walk->at, time,
					 walk->running > 1 ? 1 : walk->running);
	walk->at = time;
	walk->running += blocks;
	walk->active += blocks > 0 ? 1 : (size_t)-1;
	if (!walk->active)
		walk->running = 0; /* discard rounding errors */
}

static void start_kernel(struct device_metrics_walk *walk, uint32_t row)
{
	const struct profile *profile = walk->window->selection->profile;
	double blocks = device_blocks_per_sm(profile, row);
	int64_t start, end;
	clip(walk->window, row, &start, &end);
	if (end > walk->busy_until) {
		int64_t from = start > walk->busy_until ? start : walk->busy_until;
		walk->listener->put_busy(walk->listener->context, from, end);
		walk->busy_until = end;
	}
	walk->blocks_ns += isfinite(blocks) && blocks >= 0 ? end - start : 0;
	if (blocks > 0 && isfinite(blocks)) {
		change_load(walk, start, blocks);
		device_metrics_push(&walk->edges, (struct edge){ end, row, 0, blocks });
	}
}

/*
 * Tell LISTENER of the window; *BLOCKS_NS: the kernel time in it with a number of blocks. False
 * when cancelled.
 */
static bool walk_window(const struct window *window, const struct listener *listener,
			int64_t *blocks_ns, const struct progress *progress)
{
	const struct profile *profile = window->selection->profile;
	struct device_metrics_walk walk = { .window = window,
					    .listener = listener,
					    .busy_until = INT64_MIN };
	uint64_t row = 0;
	bool ok = true;
	for_each (track, profile->tracks, profile->track_count)
		if (track->device == window->device)
			push_start(&walk.edges, window, track->first_activity,
				   track->first_activity + track->activities);
	while (walk.edges.count && ok) {
		struct edge edge = pop(&walk.edges);
		ok = progress_row(progress, stage, row++, 2 * (uint64_t)profile->activities);
		if (!edge.last) {
			change_load(&walk, edge.time, -edge.blocks);
			continue;
		}
		start_kernel(&walk, edge.row);
		push_start(&walk.edges, window, edge.row + 1, edge.last);
	}
	mem_free(walk.edges.heap);
	*blocks_ns = walk.blocks_ns;
	return ok;
}

/* Buckets of SIZE from FROM on; the last of COUNT includes the rest. */
struct device_metrics_spread {
	int64_t from, size;
	size_t count;
	int64_t *busy_ns; /* by bucket: in which kernels run */
	double *sm_ns;    /* by bucket: SM-busy time */
};

/* The bucket of AT; *LIMIT: where the part of [AT, END) in it ends. */
static size_t bucket_of(const struct device_metrics_spread *spread, int64_t at, int64_t end,
			int64_t *limit)
{
	size_t bucket = (size_t)((at - spread->from) / spread->size);
	bucket = bucket < spread->count ? bucket : spread->count - 1;
	*limit = bucket + 1 == spread->count ? end
					     : spread->from + (int64_t)(bucket + 1) * spread->size;
	*limit = *limit < end ? *limit : end;
	return bucket;
}

static void spread_busy(void *context, int64_t at, int64_t end)
{
	const struct device_metrics_spread *spread = context;
	for (int64_t limit; at < end; at = limit) {
		size_t bucket = bucket_of(spread, at, end, &limit);
		spread->busy_ns[bucket] += limit - at;
	}
}

static void spread_load(void *context, int64_t at, int64_t end, double load)
{
	const struct device_metrics_spread *spread = context;
	for (int64_t limit; at < end; at = limit) {
		size_t bucket = bucket_of(spread, at, end, &limit);
		spread->sm_ns[bucket] += load * (double)(limit - at);
	}
}

static bool spread_window(struct device_metrics_spread *spread,
			  struct device_metrics_measure *measure, const struct window *window,
			  const struct progress *progress)
{
	const struct listener listener = { spread_busy, spread_load, spread };
	return walk_window(window, &listener, &measure->blocks_ns, progress);
}

/*
 * Do enough kernels have a number of blocks? Those without add nothing to the integral, which would
 * pass for a bound from below only to who knows how many they are.
 */
static bool has_blocks(const struct device_metrics_measure *measure)
{
	return coverage_suffices((double)measure->blocks_ns, (double)measure->window_ns);
}

static double share_known(double known, const struct device_metrics_measure *measure)
{
	return 100 * known / (double)measure->window_ns;
}

static bool device_metrics_finish(struct device_metrics_measure *measure,
				  const struct window *window, struct device_metrics *metrics,
				  const struct progress *progress)
{
	double dur = (double)(window->to - window->from), sm_ns = 0;
	int64_t busy_ns = 0;
	struct device_metrics_spread spread = { window->from, window->to - window->from, 1,
						&busy_ns, &sm_ns };
	if (dur > 0 && !spread_window(&spread, measure, window, progress))
		return false;
	*metrics = (struct device_metrics){
		.device = window->device,
		.gpu_util_pct = dur > 0 ? 100.0 * (double)busy_ns / dur : NAN,
		.sm_efficiency_pct = dur > 0 && has_blocks(measure) ? 100.0 * sm_ns / dur : NAN,
		.occupancy_pct = NAN,
		.tensor_core_pct =
			coverage_share_pct((double)measure->tensor_ns, (double)measure->known_ns,
					   (double)measure->kernel_ns),
		.sm_known_pct = share_known((double)measure->blocks_ns, measure),
		.occupancy_known_pct = share_known(measure->occupancy_ns, measure),
		.known_tensor_ns = measure->known_ns,
		.kernel_ns = measure->kernel_ns
	};
	if (coverage_suffices(measure->occupancy_ns, (double)measure->window_ns))
		metrics->occupancy_pct = measure->occupancy_weighted / measure->occupancy_ns;
	return true;
}

static bool measure_device(struct device_metrics_measure *measure, const struct window *window,
			   const struct progress *progress)
{
	const struct profile *profile = window->selection->profile;
	*measure = (struct device_metrics_measure){ 0 };
	for_each (track, profile->tracks, profile->track_count) {
		uint32_t end = track->first_activity + track->activities;
		for (uint32_t i = track->first_activity; track->device == window->device && i < end;
		     i++) {
			if (!progress_row(progress, stage, i, profile->activities))
				return false;
			if (profile->activity_kind[i] == ACTIVITY_KERNEL &&
			    selection_has_activity(window->selection, i))
				device_metrics_add_kernel(measure, window, i);
		}
	}
	return true;
}

/*
 * The window of rates: the complete steps; without any the capture if the program bounds it, as in
 * the TensorBoard plugin, else what analysis_window finds for the device.
 */
static bool window_of(struct window *window, const struct selection *selection, int32_t device,
		      const struct progress *progress)
{
	struct work_window found;
	*window = (struct window){ selection, device, selection->window_start,
				   selection->window_end };
	if (selection->derived->steps_from_profile ||
	    profile_recording(selection->profile)->user_window)
		return true;
	if (!work_window(&found, selection->derived, selection->scope, device, progress))
		return false;
	if (found.start < found.end) {
		window->from = found.start;
		window->to = found.end;
	}
	return true;
}

struct device_metrics *device_metrics(const struct selection *selection, size_t *count,
				      const struct progress *progress)
{
	size_t devices;
	/* without a timeline nothing is known of the time between kernels */
	bool durations_only = profile_times_modeled(selection->profile);
	AUTO_FREE int32_t *ids = profile_devices_of(selection->profile, NULL, &devices);
	struct device_metrics *result = mem_alloc((devices + 1) * sizeof *result);
	bool ok = true;
	*count = 0;
	for (size_t d = 0; d < devices && ok; d++) {
		struct device_metrics_measure measure;
		struct window window;
		ok = window_of(&window, selection, ids[d], progress) &&
		     measure_device(&measure, &window, progress);
		if (!ok || !measure.kernel_ns)
			continue;
		ok = device_metrics_finish(&measure, &window, &result[(*count)++], progress);
		if (ok && durations_only)
			result[*count - 1].gpu_util_pct = result[*count - 1].sm_efficiency_pct =
				NAN;
	}
	return mem_if(ok, result);
}

/* ---- over time ---- */

static int64_t bucket_size(int64_t window, int64_t max)
{
	int64_t size = 1000;
	while (window / size > max || (window / size == max && window % size))
		size *= 10;
	return size;
}

static bool add_buckets(struct device_bucket *out, struct device_metrics_measure *measure,
			const struct window *window, int64_t size, size_t count,
			const struct progress *progress)
{
	AUTO_FREE int64_t *busy = mem_zalloc(count, sizeof *busy);
	AUTO_FREE double *sm = mem_zalloc(count, sizeof *sm);
	struct device_metrics_spread spread = { window->from, size, count, busy, sm };
	bool ok = spread_window(&spread, measure, window, progress);
	for (size_t i = 0; i < count && ok; i++) {
		int64_t start = window->from + (int64_t)i * size;
		int64_t end = i + 1 == count ? window->to : start + size;
		double dur = (double)(end - start);
		out[i] = (struct device_bucket){
			window->device,
			start,
			end - start,
			100.0 * (double)busy[i] / dur,
			has_blocks(measure) ? 100.0 * sm[i] / dur : NAN,
		};
	}
	return ok;
}

/* Append the buckets of DEVICE to RESULT. */
static bool device_metrics_add_device(struct device_bucket **result, size_t *count,
				      const struct selection *selection, int32_t device,
				      int64_t max, const struct progress *progress)
{
	struct device_metrics_measure measure;
	struct window window;
	bool ok = window_of(&window, selection, device, progress);
	int64_t dur = window.to - window.from;
	if (!ok || dur <= 0)
		return ok;
	int64_t size = bucket_size(dur, max);
	size_t each = dur < size ? 1 : (size_t)(dur / size);
	ok = measure_device(&measure, &window, progress);
	if (ok && measure.kernel_ns) {
		mem_grow(*result, *count + each);
		ok = add_buckets(*result + *count, &measure, &window, size, each, progress);
		*count += each;
	}
	return ok;
}

struct device_bucket *device_buckets(const struct selection *selection, int64_t max, size_t *count,
				     const struct progress *progress)
{
	size_t devices;
	AUTO_FREE int32_t *ids = profile_devices_of(selection->profile, NULL, &devices);
	struct device_bucket *result = mem_alloc(sizeof *result);
	bool ok = true;
	*count = 0;
	for (size_t d = 0; d < devices && ok; d++)
		ok = device_metrics_add_device(&result, count, selection, ids[d], max, progress);
	return mem_if(ok, result);
}

/* ---- load ---- */

struct loads {
	GROWING(struct device_load, item, count);
};

static void add_load(void *context, int64_t at, int64_t end, double load)
{
	struct loads *loads = context;
	struct device_load *last = loads->count ? &loads->item[loads->count - 1] : NULL;
	if (last && last->end == at && last->load == load) {
		last->end = end;
		return;
	}
	*mem_push(loads->item, loads->count) = (struct device_load){ at, end, load };
}

static void ignore_busy(void *context, int64_t start, int64_t end) {}

struct device_load *device_loads(const struct selection *selection, int32_t device, size_t *count,
				 const struct progress *progress)
{
	struct device_metrics_measure measure;
	struct window all = { selection, device, 0, INT64_MAX };
	struct loads loads = { mem_alloc(sizeof *loads.item), 0 };
	const struct listener listener = { ignore_busy, add_load, &loads };
	bool ok = measure_device(&measure, &all, progress) &&
		  walk_window(&all, &listener, &measure.blocks_ns, progress);
	*count = ok && has_blocks(&measure) ? loads.count : 0;
	return mem_if(ok, loads.item);
}
