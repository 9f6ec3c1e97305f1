#include "analysis/causes.h"

#include "facts/facts.h"
#include "facts/selection.h"
#include "analysis/shared.h"

static const char stage[] = "finding causes";

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

/* ---- causes implied by spans ---- */

/* By span: 1 for a call that blocked until its copy was done. */
static bool mark_waiting_copies(const struct profile *profile, uint8_t *waits,
				const struct progress *progress)
{
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t launch = profile->activity_launch[i];
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		if (launch != NO_ROW && profile->activity_kind[i] == ACTIVITY_MEMCPY &&
		    profile->activity_start[i] + profile->activity_dur[i] <=
			    profile->span_start[launch] + profile->span_dur[launch])
			waits[launch] = 1;
	}
	return true;
}

static enum time_cause cause_of_call(uint16_t role, bool waits)
{
	if (role & NAME_BLOCKING || waits)
		return CAUSE_SYNC;
	if (role & NAME_ALLOCATOR)
		return CAUSE_ALLOCATOR;
	return role & NAME_COMPILE ? CAUSE_COMPILE : CAUSE_LAUNCH;
}

/* The cause a span implies by itself; CAUSE_UNKNOWN: use the enclosing span's. */
static enum time_cause own_cause(const struct facts *facts, uint32_t span, bool waits)
{
	const struct profile *profile = facts->profile;
	uint32_t name = profile->span_name[span];
	uint16_t role = facts->role[name];
	switch (profile->span_kind[span]) {
	case SPAN_RUNTIME: return cause_of_call(role, waits);
	case SPAN_OVERHEAD: return role & NAME_COMPILE ? CAUSE_COMPILE : CAUSE_OVERHEAD;
	case SPAN_OPERATOR:
	case SPAN_ANNOTATION:
		if (role & NAME_STEP)
			return CAUSE_UNKNOWN;
		if (role & NAME_DATALOADER)
			return CAUSE_DATALOADER;
		break;
	case SPAN_GPU_ANNOTATION:
	case SPAN_INSTANT: return CAUSE_UNKNOWN;
	default: break;
	}
	if (role & NAME_COMPILE)
		return CAUSE_COMPILE;
	const uint32_t *count = facts->gpu_count_prefix;
	if (profile->span_kind[span] == SPAN_OPERATOR &&
	    count[span + profile->span_size[span]] > count[span])
		return CAUSE_LAUNCH;
	return CAUSE_HOST;
}

/* These causes override those of spans inside them. */
static bool rules_inside(enum time_cause cause)
{
	return cause == CAUSE_OVERHEAD || cause == CAUSE_DATALOADER || cause == CAUSE_COMPILE;
}

/* NULL when cancelled. */
static uint8_t *causes_of_spans(const struct selection *selection, const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	uint8_t *cause = mem_alloc((size_t)profile->spans + 1);
	uint8_t *waits = mem_zalloc((size_t)profile->spans + 1, 1);
	bool on = mark_waiting_copies(profile, waits, progress);
	for (uint32_t i = 0; i < profile->spans && on; i++) {
		uint32_t parent = profile->span_parent[i];
		enum time_cause above =
			parent == NO_ROW ? CAUSE_UNKNOWN : (enum time_cause)cause[parent];
		enum time_cause own = !selection_has_span(selection, i)
					      ? CAUSE_UNKNOWN
					      : own_cause(selection->facts, i, waits[i]);
		if (own == CAUSE_UNKNOWN || (own == CAUSE_HOST && above != CAUSE_UNKNOWN) ||
		    (rules_inside(above) && own != CAUSE_OVERHEAD))
			own = above;
		cause[i] = (uint8_t)own;
		on = progress_row(progress, stage, i, profile->spans);
	}
	mem_free(waits);
	if (on)
		return cause;
	mem_free(cause);
	return NULL;
}

/* ---- sets ---- */

static void collect_steps(const struct facts *facts, struct intervals *steps)
{
	for (uint32_t i = 0; i < facts->step_count; i++)
		intervals_add(steps, facts->steps[i].start, facts->steps[i].end);
	intervals_merge(steps);
}

/* Without a device: communication on the host. */
static bool collect_host_communication(const struct facts *facts, const struct selection *selection,
				       struct intervals *set, const struct progress *progress)
{
	const struct profile *profile = facts->profile;
	for (uint32_t i = 0; i < profile->spans; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		if ((profile->span_kind[i] == SPAN_OPERATOR ||
		     profile->span_kind[i] == SPAN_ANNOTATION) &&
		    facts->role[profile->span_name[i]] & NAME_COMMUNICATION &&
		    selection_has_span(selection, i))
			intervals_add(set, profile->span_start[i],
				      profile->span_start[i] + profile->span_dur[i]);
	}
	return true;
}

/* Device activity, or without a device host activity. */
struct device_work {
	struct intervals compute, communication, copies, both;
};

static bool collect_device_work(struct device_work *work, const struct selection *selection,
				const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	const struct facts *facts = selection->facts;
	for (uint32_t i = 0; i < profile->activities; i++) {
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		struct intervals *set = profile->activity_kind[i] != ACTIVITY_KERNEL ? &work->copies
					: facts_is_communication(facts, i) ? &work->communication
									   : &work->compute;
		if (profile->activity_kind[i] != ACTIVITY_SYNC &&
		    selection_has_activity(selection, i))
			intervals_add(set, profile->activity_start[i],
				      profile->activity_start[i] + profile->activity_dur[i]);
	}
	return profile->activities ||
	       collect_host_communication(facts, selection, &work->communication, progress);
}

/* Move the part of LEFT in SET to a cause. */
static bool assign(struct causes *causes, struct intervals *left, const struct intervals *set,
		   enum time_cause cause, const struct progress *progress)
{
	intervals_move(left, set, &causes->set[cause]);
	return progress_update(progress, stage, 0, 0, 0);
}

/* Attribute LEFT by device activity; idle time remains. */
static bool assign_device_work(struct causes *causes, const struct selection *selection,
			       struct intervals *left, const struct progress *progress)
{
	struct device_work work = { 0 };
	bool on = collect_device_work(&work, selection, progress);
	if (on) {
		intervals_merge(&work.compute);
		intervals_merge(&work.communication);
		intervals_merge(&work.copies);
		intervals_intersect(&work.compute, &work.communication, &work.both);
		on = assign(causes, left, &work.both, CAUSE_OVERLAPPED, progress) &&
		     assign(causes, left, &work.compute, CAUSE_COMPUTE, progress) &&
		     assign(causes, left, &work.communication, CAUSE_COMMUNICATION, progress) &&
		     assign(causes, left, &work.copies, CAUSE_COPY, progress);
	}
	intervals_free(&work.compute);
	intervals_free(&work.communication);
	intervals_free(&work.copies);
	intervals_free(&work.both);
	return on;
}

/* ---- idle time ---- */

struct stretch {
	int64_t start, end;
	enum time_cause cause;
};

/* What a host track was doing while the devices were idle, sorted by time. */
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

/* Device activities by start. */
struct starts {
	const struct selection *selection;
	const uint32_t *activity;
	size_t next, count;
};

static bool was_launched(const struct selection *selection, uint32_t activity)
{
	return selection->profile->activity_kind[activity] != ACTIVITY_SYNC &&
	       selection->profile->activity_launch[activity] != NO_ROW &&
	       selection_has_activity(selection, activity);
}

/* The track that launched the first work from TIME on, the smallest if several; NO_ROW. */
static uint32_t next_launcher(struct starts *starts, int64_t time)
{
	const struct profile *profile = starts->selection->profile;
	const int64_t *start = profile->activity_start;
	uint32_t track = NO_ROW;
	while (starts->next < starts->count &&
	       (start[starts->activity[starts->next]] < time ||
		!was_launched(starts->selection, starts->activity[starts->next])))
		starts->next++;
	for (size_t i = starts->next; i < starts->count; i++) {
		uint32_t activity = starts->activity[i];
		if (start[activity] != start[starts->activity[starts->next]])
			break;
		if (!was_launched(starts->selection, activity))
			continue;
		uint32_t own = profile->span_track[profile->activity_launch[activity]];
		track = own < track ? own : track;
	}
	return track;
}

/* Attribute each gap to what the track that launches the next work was doing. */
static bool assign_by_launcher(struct causes *causes, struct lane *lanes, struct starts *starts,
			       struct intervals *idle, const struct progress *progress)
{
	struct intervals by_launcher[TIME_CAUSES] = { 0 };
	bool on = true;
	for (size_t i = 0; i < idle->count && on; i++) {
		struct interval gap = idle->item[i];
		on = progress_row(progress, stage, i, idle->count);
		uint32_t track = next_launcher(starts, gap.start);
		if (track == NO_ROW)
			break;
		struct lane *lane = &lanes[track];
		while (lane->at < lane->count && lane->stretches[lane->at].end <= gap.start)
			lane->at++;
		for (size_t k = lane->at; k < lane->count && lane->stretches[k].start < gap.end;
		     k++) {
			const struct stretch *stretch = &lane->stretches[k];
			if (stretch->cause != CAUSE_HOST)
				intervals_add(&by_launcher[stretch->cause],
					      stretch->start > gap.start ? stretch->start
									 : gap.start,
					      stretch->end < gap.end ? stretch->end : gap.end);
		}
	}
	for (int cause = 0; cause < TIME_CAUSES; cause++) {
		if (on) {
			intervals_merge(&by_launcher[cause]);
			on = assign(causes, idle, &by_launcher[cause], (enum time_cause)cause,
				    progress);
		}
		intervals_free(&by_launcher[cause]);
	}
	return on;
}

/* Idle time by cause over all tracks. */
static bool pool(const struct lane *lanes, size_t lane_count, struct intervals pooled[TIME_CAUSES],
		 const struct progress *progress)
{
	bool on = true;
	for (size_t t = 0; t < lane_count; t++)
		for (size_t i = 0; i < lanes[t].count && on; i++) {
			on = progress_row(progress, stage, i, lanes[t].count);
			intervals_add(&pooled[lanes[t].stretches[i].cause],
				      lanes[t].stretches[i].start, lanes[t].stretches[i].end);
		}
	for (int cause = 0; cause < TIME_CAUSES && on; cause++) {
		intervals_merge(&pooled[cause]);
		on = progress_update(progress, stage, (uint64_t)cause, TIME_CAUSES, 0);
	}
	return on;
}

static bool assign_idle(struct causes *causes, const struct selection *selection,
			struct intervals *idle, const struct progress *progress)
{
	static const enum time_cause order[] = { CAUSE_DATALOADER, CAUSE_COMPILE, CAUSE_ALLOCATOR,
						 CAUSE_LAUNCH,     CAUSE_SYNC,    CAUSE_HOST };
	const struct profile *profile = selection->profile;
	struct intervals pooled[TIME_CAUSES] = { 0 };
	struct lane *lanes = mem_zalloc(profile->track_count + 1, sizeof *lanes);
	struct starts starts = { selection, shared_by_start(selection->facts, progress), 0,
				 profile->activities };
	bool on = starts.activity != NULL;
	for (uint32_t t = 0; t < profile->track_count && on; t++) {
		lanes[t].causes = causes;
		if (profile->tracks[t].device < 0)
			on = host_walk(selection->facts, t, idle, add_stretch, &lanes[t], progress);
	}
	on = on && pool(lanes, profile->track_count, pooled, progress) &&
	     assign(causes, idle, &pooled[CAUSE_OVERHEAD], CAUSE_OVERHEAD, progress) &&
	     assign_by_launcher(causes, lanes, &starts, idle, progress);
	for (size_t i = 0; i < sizeof order / sizeof *order && on; i++)
		on = assign(causes, idle, &pooled[order[i]], order[i], progress);
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		intervals_free(&pooled[cause]);
	for (size_t t = 0; t < profile->track_count; t++)
		mem_free(lanes[t].stretches);
	mem_free(lanes);
	return on;
}

bool causes_of_steps(struct causes *causes, const struct selection *selection,
		     const struct progress *progress)
{
	const struct facts *facts = selection->facts;
	struct intervals left = { 0 };
	*causes = (struct causes){ .span_cause = causes_of_spans(selection, progress) };
	if (!causes->span_cause)
		return false;
	collect_steps(facts, &left);
	if (!assign_device_work(causes, selection, &left, progress) ||
	    !assign_idle(causes, selection, &left, progress)) {
		intervals_free(&left);
		causes_free(causes);
		return false;
	}
	causes->set[CAUSE_UNKNOWN] = left;
	causes->step_ns = mem_zalloc((size_t)facts->step_count + 1, sizeof *causes->step_ns);
	for (uint32_t i = 0; i < facts->step_count; i++)
		for (int cause = 0; cause < TIME_CAUSES; cause++)
			causes->step_ns[i][cause] = intervals_length_in(
				&causes->set[cause], facts->steps[i].start, facts->steps[i].end);
	return true;
}

void causes_free(struct causes *causes)
{
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		intervals_free(&causes->set[cause]);
	mem_free(causes->step_ns);
	mem_free(causes->span_cause);
	*causes = (struct causes){ 0 };
}
