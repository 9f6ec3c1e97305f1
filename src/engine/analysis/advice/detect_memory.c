/*
 * Detectors of device memory problems.
 */
#include "analysis/advice/refill.h"
#include "analysis/memory.h"

#include <stdlib.h>

enum { MEMORY_LIMIT_ROWS(_) };

/* Where memory no longer grows: after the first step, or in the second half of the window. */
static int64_t steady_from(const struct diagnosis *diagnosis)
{
	const struct derived *derived = diagnosis->derived;
	const struct intervals *window = &diagnosis->window;
	if (derived->steps_from_profile && derived->step_count > 1)
		return derived->steps[0].end;
	if (!window->count)
		return 0;
	int64_t start = window->item[0].start, end = window->item[window->count - 1].end;
	return start + (end - start) / 2;
}

void detect_allocation(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	const struct derived *derived = diagnosis->derived;
	AUTO_INTERVALS struct intervals steady = { 0 };
	int64_t early = 0, early_ns = 0, count = 0, ns = 0, from = steady_from(diagnosis);
	uint32_t spans = spans_in_role(diagnosis, NAME_ALLOCATOR);
	for (uint32_t i = 0; i < spans && detect_row(diagnosis, i); i++) {
		if (profile->span_kind[i] != SPAN_RUNTIME || !span_counts(diagnosis, i) ||
		    !(derived->role[profile->span_name[i]] & NAME_ALLOCATOR))
			continue;
		bool is_early = profile->span_start[i] < from;
		*(is_early ? &early : &count) += 1;
		*(is_early ? &early_ns : &ns) += profile->span_dur[i];
		blame_span(diagnosis, finding, i, profile->span_dur[i]);
	}
	bool marked = derived->steps_from_profile && derived->step_count > 1;
	/* about as many calls at the start as later are no warm-up */
	bool warms_up = 2 * early * (marked ? derived->step_count - 1 : 1) > 3 * count;
	count += warms_up ? 0 : early;
	ns += warms_up ? 0 : early_ns;
	intervals_add(&steady, warms_up ? from : INT64_MIN, INT64_MAX);
	struct refill idle = claim_refill(diagnosis, finding, CAUSE_ALLOCATOR, &steady);
	if ((marked && count >= derived->step_count - warms_up) ||
	    window_percent(diagnosis, idle.in_calls + idle.after) >= ALLOCATION_PERCENT) {
		report_problem(finding,
			       "%s allocator call%s%s take%s %s; the GPU is idle in them for %s",
			       COUNT(count), PLURAL(count), warms_up ? " after warm-up" : "",
			       count == 1 ? "s" : "", DURATION(ns),
			       share_of_time(SHARE, diagnosis, idle.in_calls));
		tell_refill(diagnosis, finding, &idle);
	} else
		report_ok(finding,
			  "%s allocator calls after warm-up; the GPU is idle in them for %s.",
			  COUNT(count), share_of_time(SHARE, diagnosis, idle.in_calls));
}

/* ---- peaks ---- */

struct detect_memory_peak {
	int64_t allocated;                    /* highest recorded; NO_VALUE */
	int64_t reserved, reserved_allocated; /* highest recorded, and allocated at that time */
};

static struct detect_memory_peak peak_of(const struct diagnosis *diagnosis, int32_t device)
{
	const struct profile *profile = diagnosis->profile;
	struct detect_memory_peak peak = { NO_VALUE, NO_VALUE, NO_VALUE };
	for (size_t i = 0; i < profile->memory_count && detect_row(diagnosis, i); i++) {
		const struct memory_event *event = &profile->memory_events[i];
		if (memory_is_host(event) || event->device_id != device || event->part)
			continue;
		raise_to(peak.allocated, event->total_allocated);
		if (event->total_reserved > peak.reserved) {
			peak.reserved = event->total_reserved;
			peak.reserved_allocated = event->total_allocated;
		}
	}
	return peak;
}

/* The device with the largest share of its memory in use; NULL: unknown. */
static const struct device *fullest(const struct diagnosis *diagnosis,
				    struct detect_memory_peak *peak)
{
	const struct profile *profile = diagnosis->profile;
	const struct device *best = NULL;
	for (size_t i = 0; i < profile->device_count; i++) {
		const struct device *device = &profile->devices[i];
		struct detect_memory_peak at = peak_of(diagnosis, device->id);
		if (device->memory_bytes == NO_VALUE || device->memory_bytes <= 0 ||
		    at.allocated == NO_VALUE)
			continue;
		if (!best || (double)at.allocated * (double)best->memory_bytes >
				     (double)peak->allocated * (double)device->memory_bytes) {
			best = device;
			*peak = at;
		}
	}
	return best;
}

static const struct device *need_peak(const struct diagnosis *diagnosis, struct finding *finding,
				      struct detect_memory_peak *peak)
{
	const struct device *device = fullest(diagnosis, peak);
	if (!device)
		report_unknown(finding, NULL,
			       "No GPU has both its memory size and its memory use recorded.");
	return device;
}

void detect_memory_capacity(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct detect_memory_peak peak;
	const struct device *device = need_peak(diagnosis, finding, &peak);
	if (!device)
		return;
	if (percent_of((double)peak.allocated, (double)device->memory_bytes) > FULL_PERCENT)
		report_problem(finding, "Memory peaks at %s of %s on %s (%s %%)",
			       BYTES(peak.allocated), BYTES(device->memory_bytes),
			       DEVICE(device->id), PERCENT(peak.allocated, device->memory_bytes));
	else
		report_ok(finding, "Memory peaks at %s %% on %s.",
			  PERCENT(peak.allocated, device->memory_bytes), DEVICE(device->id));
}

/* Is launching what binds, and nothing that a larger batch makes longer, too? */
static bool larger_batch_helps(const struct diagnosis *diagnosis)
{
	static const enum time_cause others[] = { CAUSE_COPY, CAUSE_DATALOADER, CAUSE_ALLOCATOR,
						  CAUSE_COMPILE, CAUSE_HOST };
	const int64_t *ns = diagnosis->cause_ns;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (window_percent(diagnosis, ns[others[i]]) >= BINDS_PERCENT)
			return false;
	return window_percent(diagnosis, ns[CAUSE_LAUNCH]) >= LAUNCHING_PERCENT;
}

void detect_unused_memory(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct detect_memory_peak peak;
	const struct device *device = need_peak(diagnosis, finding, &peak);
	if (!device || !need_all_work(diagnosis, finding))
		return;
	bool helps = larger_batch_helps(diagnosis);
	double share = percent_of((double)peak.allocated, (double)device->memory_bytes);
	if (!helps || share >= HARDLY_PERCENT) {
		report_ok(finding, "Memory peaks at %s %%%s.", PERCENT(share, 100),
			  helps ? "" : ", and launching is not all that binds");
		return;
	}
	report_problem(
		finding,
		"Memory peaks at %s of %s on %s (%s %%) while the GPU is idle for launches in %s",
		BYTES(peak.allocated), BYTES(device->memory_bytes), DEVICE(device->id),
		PERCENT(share, 100),
		share_of_time(SHARE, diagnosis, diagnosis->cause_ns[CAUSE_LAUNCH]));
	finding->recommendation = share < QUARTER_PERCENT ? "Try four times the batch size."
							  : "Try twice the batch size.";
}

void detect_fragmentation(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct detect_memory_peak peak;
	const struct device *device = need_peak(diagnosis, finding, &peak);
	if (!device)
		return;
	if (peak.reserved == NO_VALUE || peak.reserved_allocated == NO_VALUE) {
		report_unknown(finding, NULL, "Reserved memory was not recorded.");
		return;
	}
	int64_t held = peak.reserved - peak.reserved_allocated;
	if (2 * peak.reserved > device->memory_bytes &&
	    percent_of((double)held, (double)peak.reserved) > FRAGMENTED_PERCENT)
		report_problem(finding, "Of %s reserved on %s, only %s is in use",
			       BYTES(peak.reserved), DEVICE(device->id),
			       BYTES(peak.reserved_allocated));
	else
		report_ok(finding, "%s reserved, %s of it in use, on a GPU with %s.",
			  BYTES(peak.reserved), BYTES(peak.reserved_allocated),
			  BYTES(device->memory_bytes));
}

/* ---- growth ---- */

/* Memory in use on a device at TIME as last recorded, or NO_VALUE. AT advances with time. */
static int64_t in_use_at(const struct profile *profile, int32_t device, int64_t time, size_t *at,
			 int64_t last)
{
	for (; *at < profile->memory_count && profile->memory_events[*at].time <= time; ++*at) {
		const struct memory_event *event = &profile->memory_events[*at];
		if (!memory_is_host(event) && event->device_id == device && !event->part &&
		    event->total_allocated != NO_VALUE)
			last = event->total_allocated;
	}
	return last;
}

struct growth {
	int64_t steps, first, last;
	bool steady;
};

static struct growth growth_of(const struct diagnosis *diagnosis, int32_t device)
{
	struct growth growth = { 0, NO_VALUE, NO_VALUE, true };
	size_t at = 0;
	int64_t now = NO_VALUE;
	for (uint32_t i = 0; i < diagnosis->derived->step_count; i++) {
		const struct step *step = &diagnosis->derived->steps[i];
		now = in_use_at(diagnosis->profile, device, step->end, &at, now);
		if (now == NO_VALUE || !in_window(diagnosis, step->start))
			continue;
		if (growth.steps++ && now <= growth.last)
			growth.steady = false;
		growth.first = growth.first == NO_VALUE ? now : growth.first;
		growth.last = now;
	}
	return growth;
}

void detect_memory_growth(const struct diagnosis *diagnosis, struct finding *finding)
{
	/* a period may be a layer, whose activations stay until the backward pass */
	bool measured = false, periods = diagnosis->derived->step_source == STEPS_PERIOD;
	for (size_t i = 0; i < diagnosis->device_count && !periods; i++) {
		int32_t id = diagnosis->devices[i].device;
		struct growth growth = growth_of(diagnosis, id);
		measured |= growth.steps >= GROWTH_STEPS;
		if (growth.steps < GROWTH_STEPS || !growth.steady ||
		    growth.last - growth.first <= growth.first / 1000)
			continue;
		report_problem(
			finding,
			"Memory in use on %s at the end of each of %s steps grows from %s to %s, by %s per step",
			DEVICE(id), COUNT(growth.steps), BYTES(growth.first), BYTES(growth.last),
			BYTES((growth.last - growth.first) / (growth.steps - 1)));
		return;
	}
	if (measured)
		report_ok(finding, "Memory in use does not grow every step.");
	else
		report_unknown(finding, how_to_get_steps(diagnosis),
			       "Fewer than three steps have GPU memory recorded.");
}

void detect_memory_contents(const struct diagnosis *diagnosis, struct finding *finding)
{
	report_elsewhere(finding, "The profile is no memory snapshot.");
}

/* ---- requests that fail ---- */

void detect_out_of_memory(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	int64_t calls = 0, failed = 0;
	bool recorded = false;
	uint32_t spans = spans_in_role(diagnosis, NAME_ALLOCATOR);
	uint32_t result = profile_find(profile, CALL_RESULT);
	for (uint32_t i = 0; i < spans && detect_row(diagnosis, i); i++) {
		if (profile->span_kind[i] != SPAN_RUNTIME ||
		    !(diagnosis->derived->role[profile->span_name[i]] & NAME_ALLOCATOR) ||
		    !selection_has_span(diagnosis->selection, i))
			continue;
		uint32_t text = profile_span_attribute(profile, i, result);
		calls++;
		recorded |= text != NO_ROW; /* by some profilers only */
		if (strtol(profile_string(profile, text), NULL, 10) == 0)
			continue;
		failed++;
		finding->longest =
			(struct interval){ profile->span_start[i], profile_span_end(profile, i) };
	}
	if (failed)
		report_problem(finding, "%s of %s allocator calls returned an error", COUNT(failed),
			       COUNT(calls));
	else if (calls && !recorded)
		report_elsewhere(finding, "What allocator calls returned was not recorded.");
	else
		report_ok(finding, "No allocator call failed.");
}
