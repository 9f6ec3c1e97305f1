#include "analysis/causes.h"

#include "analysis/host_lanes.h"
#include "base/any_of.h"
#include "base/compare.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "derived/activity_order.h"
#include "derived/derived_cache.h"
#include "derived/selection.h"

#include <stdlib.h>

static const char stage[] = "finding causes";

const struct device_causes *causes_of_device(const struct causes *causes, int32_t device)
{
	return first_of(at, causes->devices, causes->device_count, at->device == device);
}

int64_t causes_busy(const int64_t ns[TIME_CAUSES])
{
	return ns[CAUSE_COMPUTE] + ns[CAUSE_OVERLAPPED] + ns[CAUSE_COMMUNICATION] + ns[CAUSE_COPY];
}

/* ---- device work ---- */

/* What a device does, or without a device the host. */
struct causes_work {
	int32_t device;
	struct intervals compute, communication, copies, both;
	struct intervals left; /* steps not attributed yet */
	struct intervals idle; /* of it, in the analysis window */
	uint64_t operations;   /* sum over the names of its communication; 0: none */
};

STATIC_FREE_MEMBERS(free_busy, struct causes_work,
		    OWN_IN(intervals_free, compute) OWN_IN(intervals_free, communication)
			    OWN_IN(intervals_free, copies) OWN_IN(intervals_free, both))

static void free_work(struct causes_work *work, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free_busy(&work[i]);
		intervals_free(&work[i].left);
		intervals_free(&work[i].idle);
	}
	mem_free(work);
}

COMPARE_MEMBERS(compare_devices, struct causes_work, UP(device))

/* One element per ordinal with work in scope, sorted; NULL when cancelled. */
static struct causes_work *find_devices(const struct selection *selection, size_t *count,
					const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	struct causes_work *work = mem_zalloc(profile->track_count + 1, sizeof *work);
	*count = 0;
	for_each (track, profile->tracks, profile->track_count) {
		uint32_t i = track->first_activity, end = i + track->activities;
		size_t at = 0;
		while (at < *count && work[at].device != track->device)
			at++;
		for (; at == *count && i < end; i++) {
			if (!progress_row(progress, stage, i, profile->activities)) {
				mem_free(work);
				return NULL;
			}
			if (profile->activity_kind[i] != ACTIVITY_SYNC &&
			    selection_has_activity(selection, i))
				work[(*count)++].device = track->device;
		}
	}
	qsort(work, *count, sizeof *work, compare_devices);
	return work;
}

/* Add the activities of lane T in scope to WORK. */
static bool collect_lane(struct causes_work *work, size_t t, const struct selection *selection,
			 const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	const struct track *track = &profile->tracks[t];
	const uint32_t end = track->first_activity + track->activities;
	for (uint32_t i = track->first_activity; i < end; i++) {
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		if (profile->activity_kind[i] == ACTIVITY_SYNC ||
		    !selection_has_activity(selection, i))
			continue;
		bool communicates = derived_is_communication(selection->derived, i);
		if (communicates)
			work->operations += hash_pair(profile->activity_name[i], 1);
		intervals_add(communicates                                   ? &work->communication
			      : profile->activity_kind[i] == ACTIVITY_KERNEL ? &work->compute
									     : &work->copies,
			      profile->activity_start[i], profile_activity_end(profile, i));
	}
	return true;
}

static bool collect_work(struct causes_work *work, size_t count, const struct selection *selection,
			 const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	for (size_t t = 0; t < profile->track_count; t++) {
		size_t d = 0;
		while (d < count && work[d].device != profile->tracks[t].device)
			d++;
		if (d < count)
			intervals_reserve(&work[d].compute, profile->tracks[t].activities);
		if (d < count && !collect_lane(&work[d], t, selection, progress))
			return false;
	}
	return true;
}

/* Without a device: communication on the host. */
static bool collect_host_communication(const struct derived *derived,
				       const struct selection *selection, struct intervals *set,
				       const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	for (uint32_t i = 0; !profile->activities && i < profile->spans; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		if ((profile->span_kind[i] == SPAN_OPERATOR ||
		     profile->span_kind[i] == SPAN_ANNOTATION) &&
		    derived->role[profile->span_name[i]] & NAME_COMMUNICATION &&
		    selection_has_span(selection, i))
			intervals_add(set, profile->span_start[i], profile_span_end(profile, i));
	}
	return true;
}

/* Move the part of the time left in SET to a cause. */
static bool assign(struct device_causes *causes, struct causes_work *work,
		   const struct intervals *set, enum time_cause cause,
		   const struct progress *progress)
{
	intervals_move(&work->left, set, &causes->set[cause]);
	return progress_update(progress, stage, 0, 0, 0);
}

static void assign_compute(struct device_causes *causes, struct causes_work *work)
{
	if (!work->compute.count)
		return;
	causes->ns[CAUSE_COMPUTE] = intervals_length(&work->left);
	intervals_subtract(&work->left, &work->compute, &work->left);
	intervals_free(&work->compute);
	causes->ns[CAUSE_COMPUTE] -= intervals_length(&work->left);
}

static bool assign_work(struct device_causes *causes, struct causes_work *work,
			const struct progress *progress)
{
	intervals_merge(&work->compute);
	intervals_merge(&work->communication);
	intervals_merge(&work->copies);
	intervals_intersect(&work->compute, &work->communication, &work->both);
	bool ok = assign(causes, work, &work->both, CAUSE_OVERLAPPED, progress);
	assign_compute(causes, work);
	ok = ok && assign(causes, work, &work->communication, CAUSE_COMMUNICATION, progress) &&
	     assign(causes, work, &work->copies, CAUSE_COPY, progress);
	free_busy(work);
	return ok;
}

/* ---- idle time ---- */

/* The idle time of a device in its analysis window; the rest of the steps is outside. */
static void find_idle(struct device_causes *causes, struct causes_work *work)
{
	intervals_cut(&work->left, causes->window.start, causes->window.end,
		      &causes->set[CAUSE_OUTSIDE]);
	work->idle = work->left;
	work->left = (struct intervals){ 0 };
}

/* Without device work: what any thread was doing. */
static bool assign_pooled(struct device_causes *causes, struct causes_work *work,
			  const struct host_lanes *lanes, const struct progress *progress)
{
	static const enum time_cause order[] = { CAUSE_OVERHEAD,  CAUSE_DATALOADER, CAUSE_COMPILE,
						 CAUSE_ALLOCATOR, CAUSE_LAUNCH,     CAUSE_SYNC,
						 CAUSE_HOST };
	struct intervals pooled[TIME_CAUSES] = { 0 };
	bool ok = host_lanes_pool(lanes, pooled, progress);
	for (size_t i = 0; i < sizeof order / sizeof *order && ok; i++)
		ok = assign(causes, work, &pooled[order[i]], order[i], progress);
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		intervals_free(&pooled[cause]);
	causes->set[CAUSE_UNKNOWN] = work->left;
	work->left = (struct intervals){ 0 };
	return ok;
}

/* Explain the idle time of each device by what the host was doing. */
static bool explain_idle(struct causes *causes, struct causes_work *work,
			 const struct selection *selection, const struct progress *progress)
{
	AUTO_INTERVALS struct intervals any = { 0 };
	const struct intervals *within =
		causes->devices->device == NO_DEVICE ? &work->left : &work->idle;
	for (size_t i = 1; i < causes->device_count; i++) {
		intervals_unite(within, &work[i].idle, &any);
		within = &any;
	}
	struct host_lanes *lanes =
		host_lanes_make(selection->derived, causes->span_cause, within, progress);
	bool ok = lanes != NULL;
	for (size_t i = 0; i < causes->device_count && ok; i++) {
		struct device_causes *device = &causes->devices[i];
		ok = device->device == NO_DEVICE
			     ? assign_pooled(device, &work[i], lanes, progress)
			     : gaps_find(&device->gaps, selection, lanes, device->device,
					 &work[i].idle, &device->window, progress);
		intervals_free(&work[i].idle);
	}
	host_lanes_free(lanes);
	return ok;
}

/* ---- all ---- */

/* What the idle time is explained from, found side by side. */
struct bases {
	struct causes *causes;
	struct causes_work *work;
	size_t count; /* of devices; 0: the host alone */
	const struct selection *selection;
};

static bool find_busy(const struct bases *bases, const struct progress *progress)
{
	const struct selection *selection = bases->selection;
	const struct derived *derived = selection->derived;
	bool ok = bases->count ? collect_work(bases->work, bases->count, selection, progress)
			       : collect_host_communication(derived, selection,
							    &bases->work->communication, progress);
	for (size_t i = 0; i < bases->causes->device_count && ok; i++) {
		struct device_causes *device = &bases->causes->devices[i];
		struct causes_work *work = &bases->work[i];
		device->device = bases->count ? work->device : NO_DEVICE;
		for (uint32_t step = 0; step < derived->step_count; step++)
			intervals_add(&work->left, derived->steps[step].start,
				      derived->steps[step].end);
		intervals_merge(&work->left);
		ok = assign_work(device, work, progress) &&
		     (!bases->count || work_window(&device->window, derived, selection->scope,
						   device->device, progress));
		if (ok && bases->count)
			find_idle(device, work);
	}
	return ok;
}

static bool find_base(void *context, size_t i, const struct progress *progress)
{
	const struct bases *bases = context;
	if (i == 0)
		return find_busy(bases, progress);
	if (i == 2)
		return derived_by_start(bases->selection->derived, progress) != NULL;
	bases->causes->span_cause = causes_of_spans(bases->selection, progress);
	return bases->causes->span_cause != NULL;
}

/*
 * Is A more critical than B? Of operations that both take part in, the transfers take as long on
 * both, so that the rest is waiting: the one that waits less is waited for.
 */
static bool is_more_critical(const struct device_causes *a, const struct device_causes *b,
			     bool matched)
{
	int64_t own = a->ns[CAUSE_OVERLAPPED] + a->ns[CAUSE_COMMUNICATION];
	int64_t other = b->ns[CAUSE_OVERLAPPED] + b->ns[CAUSE_COMMUNICATION];
	return matched && own != other ? own < other : causes_busy(a->ns) > causes_busy(b->ns);
}

static void find_critical(struct causes *causes, const struct causes_work *work)
{
	bool matched = work->operations != 0;
	for (size_t i = 0; i < causes->device_count; i++) {
		struct device_causes *device = &causes->devices[i];
		matched &= work[i].operations == work->operations;
		for (int cause = CAUSE_COMPUTE + 1; cause < CAUSE_LAUNCH; cause++)
			device->ns[cause] = intervals_length(&device->set[cause]);
	}
	for (size_t i = 1; i < causes->device_count; i++)
		if (is_more_critical(&causes->devices[i], critical_device(causes), matched))
			causes->critical = i;
}

static bool find_gaps(struct causes *causes, struct causes_work *work, size_t count,
		      const struct selection *selection, const struct progress *progress)
{
	struct bases bases = { causes, work, count, selection };
	causes->device_count = count ? count : 1;
	causes->devices = mem_zalloc(causes->device_count, sizeof *causes->devices);
	if (!parallel_try_rows(profile_rows(selection->profile), count ? 3 : 2, find_base, &bases,
			       stage, progress, NULL) ||
	    !explain_idle(causes, work, selection, progress))
		return false;
	find_critical(causes, work);
	return true;
}

/* The time of DEVICE that findings and shares refer to, and its causes there. */
static void find_window(struct device_causes *device, const struct selection *selection)
{
	struct analysis_window *window = &device->analysis_window;
	analysis_window_find(window, selection, &device->window, &device->gaps,
			     &device->set[CAUSE_OUTSIDE], causes_busy(device->ns));
	causes_measure_in(device, &window->window, window->cause_ns, window->cause_longest);
}

/* Add what the gaps and the work come to. */
static bool complete(struct causes *causes, const struct selection *selection,
		     const struct progress *progress)
{
	bool ok = true;
	for (size_t i = 0; i < causes->device_count && ok; i++) {
		struct device_causes *device = &causes->devices[i];
		ok = causes_add_up(device, selection->derived, progress);
		if (ok)
			find_window(device, selection);
		ok = ok && progress_row(progress, stage, i, causes->device_count);
	}
	if (!ok)
		causes_free(causes);
	return ok;
}

static bool causes_find_gaps(struct causes *gaps, const struct selection *selection,
			     const struct progress *progress)
{
	size_t count;
	struct causes_work *work = find_devices(selection, &count, progress);
	*gaps = (struct causes){ 0 };
	if (!work)
		return false;
	bool ok = find_gaps(gaps, work, count, selection, progress);
	free_work(work, count ? count : 1);
	if (!ok)
		causes_free(gaps);
	return ok;
}

void causes_free(struct causes *causes)
{
	for_each_mutable (device, causes->devices, causes->device_count) {
		for (int cause = 0; cause < TIME_CAUSES && !causes->is_completion; cause++)
			intervals_free(&device->set[cause]);
		mem_free(device->step_ns);
		if (!causes->is_completion)
			gaps_free(&device->gaps);
		analysis_window_free(&device->analysis_window);
	}
	mem_free(causes->devices);
	if (!causes->is_completion)
		mem_free(causes->span_cause);
	*causes = (struct causes){ 0 };
}

/* ---- cached ---- */

static void free_cached(void *made)
{
	causes_free(made);
	mem_free(made);
}

static void *make_gaps(const void *selection, const struct progress *progress)
{
	struct causes *made = mem_alloc(sizeof *made);
	return mem_if(causes_find_gaps(made, selection, progress), made);
}

const struct causes *derived_gaps(const struct selection *selection, struct causes *own,
				  const struct progress *progress)
{
	static const struct derived_slot slot = { make_gaps, free_cached };
	*own = (struct causes){ 0 };
	if (selection->span)
		return causes_find_gaps(own, selection, progress) ? own : NULL;
	return derived_cache_get(selection->derived, &slot, selection, progress);
}

/* The gaps of all rows are cached, too: what completes them refers to them. */
static void *make_causes(const void *from, const struct progress *progress)
{
	const struct selection *selection = from;
	struct causes own;
	const struct causes *gaps = derived_gaps(selection, &own, progress);
	if (!gaps)
		return NULL;
	struct causes *made = mem_alloc(sizeof *made);
	*made = *gaps;
	made->is_completion = true;
	made->devices = mem_zalloc(gaps->device_count, sizeof *made->devices);
	memcpy(made->devices, gaps->devices, gaps->device_count * sizeof *made->devices);
	return mem_if(complete(made, selection, progress), made);
}

const struct causes *derived_causes(const struct selection *selection, struct causes *own,
				    const struct progress *progress)
{
	static const struct derived_slot slot = { make_causes, free_cached };
	*own = (struct causes){ 0 };
	if (selection->span)
		return causes_find_gaps(own, selection, progress) &&
				       complete(own, selection, progress)
			       ? own
			       : NULL;
	return derived_cache_get(selection->derived, &slot, selection, progress);
}
