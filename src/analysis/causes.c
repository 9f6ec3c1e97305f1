#include "analysis/causes.h"

#include "analysis/facts.h"
#include "analysis/selection.h"

#include <stdlib.h>

static const char *const columns[TIME_CAUSES] = {
	[CAUSE_COMPUTE] = "compute_ns",
	[CAUSE_OVERLAPPED] = "compute_overlapped_ns",
	[CAUSE_COMMUNICATION] = "exposed_communication_ns",
	[CAUSE_COPY] = "exposed_copy_ns",
	[CAUSE_LAUNCH] = "idle_launch_ns",
	[CAUSE_SYNC] = "idle_sync_ns",
	[CAUSE_DATALOADER] = "idle_dataloader_ns",
	[CAUSE_ALLOCATOR] = "idle_allocator_ns",
	[CAUSE_COMPILE] = "idle_compile_ns",
	[CAUSE_OVERHEAD] = "idle_overhead_ns",
	[CAUSE_HOST] = "idle_host_ns",
	[CAUSE_UNKNOWN] = "idle_unknown_ns",
};

const char *time_cause_column(enum time_cause cause)
{
	return columns[cause];
}

/* ---- what being in a span says ---- */

/* By span: 1 for a call that came back only when the copy it asked for was done. */
static uint8_t *mark_waiting_copies(const struct profile *profile)
{
	uint8_t *waits = mem_zalloc((size_t)profile->spans + 1, 1);
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t launch = profile->activity_launch[i];
		if (launch != NO_ROW && profile->activity_kind[i] == ACTIVITY_MEMCPY &&
		    profile->activity_start[i] + profile->activity_dur[i] <=
			    profile->span_start[launch] + profile->span_dur[launch])
			waits[launch] = 1;
	}
	return waits;
}

static enum time_cause cause_of_call(uint16_t role, bool waits)
{
	if (role & NAME_BLOCKING || waits)
		return CAUSE_SYNC;
	if (role & NAME_ALLOCATOR)
		return CAUSE_ALLOCATOR;
	return role & NAME_COMPILE ? CAUSE_COMPILE : CAUSE_LAUNCH;
}

/* CAUSE_UNKNOWN where the span itself says nothing; then what encloses it does. */
static enum time_cause own_cause(const struct facts *facts, uint32_t span, bool waits)
{
	const struct profile *profile = facts->profile;
	uint32_t name = profile->span_name[span];
	uint16_t role = facts->role[name];
	switch (profile->span_kind[span]) {
	case SPAN_RUNTIME:
		return cause_of_call(role, waits);
	case SPAN_OVERHEAD:
		return role & NAME_COMPILE ? CAUSE_COMPILE : CAUSE_OVERHEAD;
	case SPAN_OPERATOR:
	case SPAN_ANNOTATION:
		if (role & NAME_STEP)
			return CAUSE_UNKNOWN;
		if (role & NAME_DATALOADER)
			return CAUSE_DATALOADER;
		break;
	case SPAN_GPU_ANNOTATION:
	case SPAN_INSTANT:
		return CAUSE_UNKNOWN;
	default:
		break;
	}
	if (role & NAME_COMPILE)
		return CAUSE_COMPILE;
	const uint32_t *count = facts->gpu_count_prefix;
	if (profile->span_kind[span] == SPAN_OPERATOR &&
	    count[span + profile->span_size[span]] > count[span])
		return CAUSE_LAUNCH;
	return CAUSE_HOST;
}

/* These explain everything that happens inside them. */
static bool rules_inside(enum time_cause cause)
{
	return cause == CAUSE_OVERHEAD || cause == CAUSE_DATALOADER || cause == CAUSE_COMPILE;
}

static uint8_t *causes_of_spans(const struct facts *facts, const struct selection *selection)
{
	const struct profile *profile = facts->profile;
	uint8_t *cause = mem_alloc((size_t)profile->spans + 1);
	uint8_t *waits = mark_waiting_copies(profile);
	for (uint32_t i = 0; i < profile->spans; i++) {
		uint32_t parent = profile->span_parent[i];
		enum time_cause above = parent == NO_ROW ? CAUSE_UNKNOWN
							 : (enum time_cause)cause[parent];
		enum time_cause own = !selection_has_span(selection, i)
					      ? CAUSE_UNKNOWN
					      : own_cause(facts, i, waits[i]);
		if (own == CAUSE_UNKNOWN || (own == CAUSE_HOST && above != CAUSE_UNKNOWN) ||
		    (rules_inside(above) && own != CAUSE_OVERHEAD))
			own = above;
		cause[i] = (uint8_t)own;
	}
	mem_free(waits);
	return cause;
}

/* ---- sets ---- */

/* Move what LEFT has in common with SET from LEFT to OUT; all merged. */
static void take(struct intervals *left, const struct intervals *set, struct intervals *out)
{
	struct intervals common = { 0 }, rest = { 0 };
	intervals_intersect(left, set, &common);
	intervals_subtract(left, set, &rest);
	for (size_t i = 0; i < common.count; i++)
		intervals_add(out, common.item[i].start, common.item[i].end);
	intervals_merge(out);
	intervals_free(&common);
	intervals_free(left);
	*left = rest;
}

static void collect_steps(const struct facts *facts, struct intervals *steps)
{
	for (uint32_t i = 0; i < facts->step_count; i++)
		intervals_add(steps, facts->steps[i].start, facts->steps[i].end);
	intervals_merge(steps);
}

/* Where there is no device, communication is what the host did of it. */
static void collect_host_communication(const struct facts *facts,
				       const struct selection *selection, struct intervals *set)
{
	const struct profile *profile = facts->profile;
	for (uint32_t i = 0; i < profile->spans; i++)
		if ((profile->span_kind[i] == SPAN_OPERATOR ||
		     profile->span_kind[i] == SPAN_ANNOTATION) &&
		    facts->role[profile->span_name[i]] & NAME_COMMUNICATION &&
		    selection_has_span(selection, i))
			intervals_add(set, profile->span_start[i],
				      profile->span_start[i] + profile->span_dur[i]);
}

/* Part LEFT by what the devices did; what remains in it is idle. */
static void take_device_work(struct causes *causes, const struct facts *facts,
			     const struct selection *selection, struct intervals *left)
{
	const struct profile *profile = facts->profile;
	struct intervals compute = { 0 }, communication = { 0 }, copies = { 0 }, both = { 0 };
	for (uint32_t i = 0; i < profile->activities; i++) {
		struct intervals *set = profile->activity_kind[i] != ACTIVITY_KERNEL ? &copies
					: facts_is_communication(facts, i) ? &communication
									   : &compute;
		if (profile->activity_kind[i] != ACTIVITY_SYNC &&
		    selection_has_activity(selection, i))
			intervals_add(set, profile->activity_start[i],
				      profile->activity_start[i] + profile->activity_dur[i]);
	}
	if (!profile->activities)
		collect_host_communication(facts, selection, &communication);
	intervals_merge(&compute);
	intervals_merge(&communication);
	intervals_merge(&copies);
	intervals_intersect(&compute, &communication, &both);
	take(left, &both, &causes->set[CAUSE_OVERLAPPED]);
	take(left, &compute, &causes->set[CAUSE_COMPUTE]);
	take(left, &communication, &causes->set[CAUSE_COMMUNICATION]);
	take(left, &copies, &causes->set[CAUSE_COPY]);
	intervals_free(&compute);
	intervals_free(&communication);
	intervals_free(&copies);
	intervals_free(&both);
}

/* ---- idle time ---- */

struct stretch { int64_t start, end; enum time_cause cause; };

/* What one host lane was in while the devices were idle, in order of time. */
struct lane {
	const struct causes *causes;
	struct stretch *stretches;
	size_t count, capacity, at;
};

static void add_stretch(void *context, uint32_t span, int64_t start, int64_t end)
{
	struct lane *lane = context;
	enum time_cause cause = (enum time_cause)lane->causes->span_cause[span];
	if (cause == CAUSE_UNKNOWN)
		return;
	struct stretch *last = lane->count ? &lane->stretches[lane->count - 1] : NULL;
	if (last && last->cause == cause && last->end == start) {
		last->end = end;
		return;
	}
	mem_grow(lane->stretches, lane->capacity, lane->count + 1);
	lane->stretches[lane->count++] = (struct stretch){ start, end, cause };
}

/* When device work began, and the host lane that launched it. */
struct begin { int64_t start; uint32_t track; };

static int compare_begins(const void *a, const void *b)
{
	const struct begin *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->track > y->track) - (x->track < y->track);
}

static struct begin *collect_begins(const struct facts *facts, const struct selection *selection,
				    size_t *count)
{
	const struct profile *profile = facts->profile;
	struct begin *begins = mem_alloc(((size_t)profile->activities + 1) * sizeof *begins);
	*count = 0;
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t launch = profile->activity_launch[i];
		if (profile->activity_kind[i] == ACTIVITY_SYNC || launch == NO_ROW ||
		    !selection_has_activity(selection, i))
			continue;
		begins[(*count)++] = (struct begin){ profile->activity_start[i],
						     profile->span_track[launch] };
	}
	qsort(begins, *count, sizeof *begins, compare_begins);
	return begins;
}

/* Give each gap to what the lane was in that launches the work which ends it. */
static void take_led(struct causes *causes, struct lane *lanes, const struct begin *begins,
		     size_t begin_count, struct intervals *idle)
{
	struct intervals led[TIME_CAUSES] = { 0 };
	for (size_t i = 0, next = 0; i < idle->count; i++) {
		struct interval gap = idle->item[i];
		while (next < begin_count && begins[next].start < gap.start)
			next++;
		if (next == begin_count)
			break;
		struct lane *lane = &lanes[begins[next].track];
		while (lane->at < lane->count && lane->stretches[lane->at].end <= gap.start)
			lane->at++;
		for (size_t k = lane->at; k < lane->count && lane->stretches[k].start < gap.end;
		     k++) {
			const struct stretch *stretch = &lane->stretches[k];
			if (stretch->cause != CAUSE_HOST)
				intervals_add(&led[stretch->cause],
					      stretch->start > gap.start ? stretch->start
									 : gap.start,
					      stretch->end < gap.end ? stretch->end : gap.end);
		}
	}
	for (int cause = 0; cause < TIME_CAUSES; cause++) {
		intervals_merge(&led[cause]);
		take(idle, &led[cause], &causes->set[cause]);
		intervals_free(&led[cause]);
	}
}

/* What any lane was in during CAUSE. */
static void take_pooled(struct causes *causes, const struct lane *lanes, size_t lane_count,
			enum time_cause cause, struct intervals *idle)
{
	struct intervals pooled = { 0 };
	for (size_t t = 0; t < lane_count; t++)
		for (size_t i = 0; i < lanes[t].count; i++)
			if (lanes[t].stretches[i].cause == cause)
				intervals_add(&pooled, lanes[t].stretches[i].start,
					      lanes[t].stretches[i].end);
	intervals_merge(&pooled);
	take(idle, &pooled, &causes->set[cause]);
	intervals_free(&pooled);
}

static void take_idle(struct causes *causes, const struct facts *facts,
		      const struct selection *selection, struct intervals *idle)
{
	static const enum time_cause order[] = { CAUSE_DATALOADER, CAUSE_COMPILE, CAUSE_ALLOCATOR,
						 CAUSE_LAUNCH, CAUSE_SYNC, CAUSE_HOST };
	const struct profile *profile = facts->profile;
	struct lane *lanes = mem_zalloc(profile->track_count + 1, sizeof *lanes);
	for (uint32_t t = 0; t < profile->track_count; t++) {
		lanes[t].causes = causes;
		if (profile->tracks[t].device < 0)
			host_walk(facts, t, idle, add_stretch, &lanes[t]);
	}
	size_t begin_count;
	struct begin *begins = collect_begins(facts, selection, &begin_count);
	take_pooled(causes, lanes, profile->track_count, CAUSE_OVERHEAD, idle);
	take_led(causes, lanes, begins, begin_count, idle);
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		take_pooled(causes, lanes, profile->track_count, order[i], idle);
	mem_free(begins);
	for (size_t t = 0; t < profile->track_count; t++)
		mem_free(lanes[t].stretches);
	mem_free(lanes);
}

struct causes causes_of_steps(const struct facts *facts, const struct selection *selection)
{
	struct causes causes = { 0 };
	struct intervals left = { 0 };
	causes.span_cause = causes_of_spans(facts, selection);
	collect_steps(facts, &left);
	take_device_work(&causes, facts, selection, &left);
	take_idle(&causes, facts, selection, &left);
	causes.set[CAUSE_UNKNOWN] = left;
	causes.step_ns = mem_zalloc((size_t)facts->step_count + 1, sizeof *causes.step_ns);
	for (uint32_t i = 0; i < facts->step_count; i++)
		for (int cause = 0; cause < TIME_CAUSES; cause++)
			causes.step_ns[i][cause] =
				intervals_length_in(&causes.set[cause], facts->steps[i].start,
						    facts->steps[i].end);
	return causes;
}

void causes_free(struct causes *causes)
{
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		intervals_free(&causes->set[cause]);
	mem_free(causes->step_ns);
	mem_free(causes->span_cause);
}
