/*
 * Finishes a profile: tracks, preorder, launch links and time zero.
 */
#include "base/compare.h"
#include "base/error.h"
#include "base/id_index.h"
#include "base/number.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "model/builder_private.h"
#include "model/threads.h"

static const char nesting_stage[] = "nesting", linking_stage[] = "linking";

/* ---- rows outside the capture ---- */

/*
 * A time near most rows: the median of an even sample of spans and activities, or of stack samples
 * if there are no others.
 */
static int64_t typical_start(const struct profile *profile)
{
	enum { SAMPLES = 1001 };
	int64_t sample[SAMPLES];
	size_t rows = (size_t)profile->spans + profile->activities, count = 0;
	size_t total = rows ? rows : profile->sample_count, stride = total / SAMPLES + 1;
	for (size_t i = 0; i < total && count < SAMPLES; i += stride)
		sample[count++] = !rows ? profile->samples[i].time
				  : i < profile->spans
					  ? profile->span_start[i]
					  : profile->activity_start[i - profile->spans];
	qsort(sample, count, sizeof *sample, compare_int64);
	return count ? sample[count / 2] : 0;
}

/* ---- nesting ---- */

struct open_span {
	uint32_t row;
	int64_t end; /* for nesting: clamped to the parent's end */
};

/* Results per track. */
struct track_result {
	int64_t end; /* the latest, before shifting */
	uint64_t overruns, too_deep, doubles;
};

struct finish_nesting {
	GROWING(struct open_span, stack, depth);
};

/* Does a span that starts at START and lasts DUR lie mostly outside one that ends at OUTER? */
static bool is_outside(int64_t outer, int64_t start, int64_t dur)
{
	return outer <= start || (outer - start < dur && outer - start < dur - (outer - start));
}

/*
 * Compute parents and subtree sizes of one track. A span that overruns the one it starts in is its
 * child if most of its time lies inside (clocks are rounded), clamped to the parent's end for
 * nesting. Otherwise the outer span is closed there: an annotation opened by a Python function
 * outlives it.
 *
 * Spans deeper than NESTING_MAX lose their duration, which bounds walks to the root and leaves
 * their time to the ancestors.
 */
static bool nest_track(struct profile *profile, const struct track *track,
		       struct track_result *found, const struct progress *progress)
{
	struct finish_nesting nesting = { 0 };
	uint32_t end_row = track->first_span + track->spans;
	bool ok = true;
	for (uint32_t i = track->first_span; i < end_row && ok; i++) {
		ok = progress_row(progress, nesting_stage, i, profile->spans);
		int64_t start = profile->span_start[i], end = start + profile->span_dur[i];
		struct open_span *top = nesting.stack + nesting.depth;
		while (nesting.depth && is_outside(top[-1].end, start, end - start)) {
			nesting.depth--, top--;
			found->overruns += top->end > start;
			profile->span_size[top->row] = i - top->row;
		}
		profile->span_parent[i] = nesting.depth ? top[-1].row : NO_ROW;
		if (nesting.depth == NESTING_MAX) {
			found->too_deep++;
			profile->span_dur[i] = 0;
			profile->span_size[i] = 1;
			continue;
		}
		if (nesting.depth && end > top[-1].end) {
			end = top[-1].end;
			found->overruns++;
		}
		*mem_push(nesting.stack, nesting.depth) =
			(struct open_span){ .row = i, .end = end };
	}
	while (nesting.depth--)
		profile->span_size[nesting.stack[nesting.depth].row] =
			end_row - nesting.stack[nesting.depth].row;
	mem_free(nesting.stack);
	return ok;
}

/* ---- one track at a time ---- */

struct finishing {
	struct profile *profile;
	int64_t zero;
	struct track_result *lanes;
};

/* Shift COUNT rows by ZERO; returns the latest end before. */
static int64_t shift(int64_t *start, const int64_t *dur, uint32_t count, int64_t zero)
{
	int64_t end = INT64_MIN;
	for (uint32_t i = 0; i < count; i++) {
		end = start[i] + dur[i] > end ? start[i] + dur[i] : end;
		start[i] -= zero;
	}
	return end;
}

/* The id of a call or operator; 0: none. */
static int64_t id_of_span(const struct profile *profile, uint32_t span)
{
	const struct call_info *call = profile_call_info(profile, span);
	const struct op_ids *op = call ? NULL : profile_op_ids(profile, span);
	int64_t id = call ? call->correlation : op ? op->external_id : 0;
	return id > 0 ? id : 0;
}

/* Rows equal to the next in what cannot happen twice: work at a time on a stream, an id. */
static uint64_t count_doubles(const struct profile *profile, const struct track *track)
{
	uint64_t doubles = 0;
	const int64_t *start = profile->span_start, *dur = profile->span_dur;
	const uint32_t *name = profile->span_name;
	for (uint32_t i = track->first_span, n = 1; n < track->spans; i++, n++)
		doubles += start[i] == start[i + 1] && dur[i] == dur[i + 1] &&
			   name[i] == name[i + 1] && id_of_span(profile, i) &&
			   id_of_span(profile, i) == id_of_span(profile, i + 1);
	start = profile->activity_start, dur = profile->activity_dur;
	name = profile->activity_name;
	for (uint32_t i = track->first_activity, n = 1; n < track->activities; i++, n++)
		doubles += start[i] == start[i + 1] && dur[i] > 0 && dur[i] == dur[i + 1] &&
			   name[i] == name[i + 1] && profile_is_work(profile, i);
	return doubles;
}

static bool finish_track(void *context, size_t lane, const struct progress *progress)
{
	const struct finishing *finishing = context;
	struct profile *profile = finishing->profile;
	const struct track *track = &profile->tracks[lane];
	uint32_t span = track->first_span, activity = track->first_activity;
	struct track_result found = { 0 };
	int64_t spans_end = shift(profile->span_start + span, profile->span_dur + span,
				  track->spans, finishing->zero);
	int64_t activities_end =
		shift(profile->activity_start + activity, profile->activity_dur + activity,
		      track->activities, finishing->zero);
	found.end = spans_end > activities_end ? spans_end : activities_end;
	bool ok = progress_update(progress, nesting_stage, 0, 0, 0) &&
		  nest_track(profile, track, &found, progress);
	found.doubles = count_doubles(profile, track);
	finishing->lanes[lane] = found;
	return ok;
}

/* ---- launches ---- */

/* Calls compared per correlation id at most. */
enum { CANDIDATES_MAX = 64 };

/* The latest call with the same correlation id that started before the activity. */
static uint32_t find_launch(const struct profile *profile, const struct id_index *calls,
			    uint32_t activity)
{
	int64_t id = profile->activity_correlation[activity];
	if (id == NO_VALUE || id == 0 || id == -1)
		return NO_ROW;
	uint32_t space = profile_id_space(profile, profile->activity_track[activity]);
	struct id_walk walk;
	uint32_t best = NO_ROW;
	int tried = 0;
	for (uint32_t row = id_index_first(calls, space, id, &walk); row != NO_ROW;
	     row = id_index_next(calls, &walk)) {
		if (best == NO_ROW ||
		    (profile->span_start[row] <= profile->activity_start[activity] &&
		     profile->span_start[row] >= profile->span_start[best]))
			best = row;
		if (++tried == CANDIDATES_MAX)
			break;
	}
	return best;
}

/* NULL when cancelled. */
static struct id_index *calls_by_correlation(const struct profile *profile,
					     const struct progress *progress)
{
	int64_t least = INT64_MAX, max = INT64_MIN;
	for (size_t i = 0; i < profile->call_info_count; i++) {
		int64_t id = profile->call_infos[i].correlation;
		if (id == NO_VALUE)
			continue;
		least = id < least ? id : least;
		max = id > max ? id : max;
	}
	struct id_index *calls = id_index_new(least, max, profile->call_info_count);
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, linking_stage) {
		const struct call_info *info = profile_call_info(profile, i);
		if (info && info->correlation != NO_VALUE)
			id_index_add(calls, profile_id_space(profile, profile->span_track[i]),
				     info->correlation, i);
	}
	return keep_if(ok, calls, id_index_free);
}

struct linking {
	struct profile *profile;
	const struct id_index *calls;
	uint32_t size; /* key of a call's size; NO_ROW: never recorded */
};

/* ROCm records the size of a copy or set on its call only. */
static void take_size(const struct linking *linking, size_t activity, uint32_t call)
{
	struct profile *profile = linking->profile;
	uint8_t kind = profile->activity_kind[activity];
	int64_t bytes;
	if ((kind != ACTIVITY_MEMCPY && kind != ACTIVITY_MEMSET) || call == NO_ROW ||
	    linking->size == NO_ROW || profile->activity_bytes[activity] != NO_VALUE)
		return;
	const char *text =
		profile_string(profile, profile_span_attribute(profile, call, linking->size));
	if (number_parse_int(text, strlen(text), &bytes) && bytes >= 0 &&
	    bytes <= SIZE_OF_MEMORY_MAX)
		profile->activity_bytes[activity] = bytes;
}

static void link_range(void *context, size_t from, size_t to)
{
	const struct linking *linking = context;
	for (size_t i = from; i < to; i++) {
		uint32_t call = find_launch(linking->profile, linking->calls, (uint32_t)i);
		linking->profile->activity_launch[i] = call;
		take_size(linking, i, call);
	}
}

static bool link_launches(struct profile *profile, const struct id_index *calls,
			  const struct progress *progress)
{
	struct linking linking = { profile, calls, profile_find(profile, "size") };
	profile->activity_launch = mem_alloc(((size_t)profile->activities + 1) * sizeof(uint32_t));
	return parallel_ranges(profile->activities, link_range, &linking, linking_stage, progress);
}

/* ---- time ---- */

COMPARE_MEMBERS(compare_memory, struct memory_event, UP(time))

/* Of a profile of counters alone. */
static void counters_range(const struct profile *profile, int64_t *first, int64_t *last)
{
	*first = *last = profile->counter_count ? profile->counters[0].time : 0;
	for (size_t i = 1; i < profile->counter_count; i++) {
		int64_t time = profile->counters[i].time;
		*first = time < *first ? time : *first;
		*last = time > *last ? time : *last;
	}
}

/* The earliest start; each track is sorted, so its first row suffices. */
static int64_t first_instant(const struct profile *profile)
{
	int64_t first = profile->left_out.rows ? profile->left_out.start : INT64_MAX;
	for_each (track, profile->tracks, profile->track_count) {
		if (track->spans && profile->span_start[track->first_span] < first)
			first = profile->span_start[track->first_span];
		if (track->activities && profile->activity_start[track->first_activity] < first)
			first = profile->activity_start[track->first_activity];
	}
	int64_t low, last;
	if (threads_range(profile, &low, &last)) {
		first = low < first ? low : first;
	} else if (first == INT64_MAX) {
		counters_range(profile, &first, &last);
		return profile->memory_count ? profile->memory_events[0].time : first;
	}
	return first;
}

/* Shift all tracks to time zero and combine their results. */
static bool finish_tracks(struct profile *profile, const struct progress *progress)
{
	struct finishing finishing = { .profile = profile, .zero = first_instant(profile) };
	uint64_t overruns = 0, too_deep = 0, doubles = 0;
	int64_t end = profile->left_out.rows && profile->left_out.end > finishing.zero
			      ? profile->left_out.end
			      : finishing.zero;
	finishing.lanes = mem_alloc((profile->track_count + 1) * sizeof *finishing.lanes);
	profile->span_parent = mem_alloc(((size_t)profile->spans + 1) * sizeof(uint32_t));
	profile->span_size = mem_alloc(((size_t)profile->spans + 1) * sizeof(uint32_t));
	bool done = parallel_try_rows(profile_rows(profile), profile->track_count, finish_track,
				      &finishing, nesting_stage, progress, NULL);
	for (size_t t = 0; t < profile->track_count && done; t++) {
		overruns += finishing.lanes[t].overruns;
		too_deep += finishing.lanes[t].too_deep;
		doubles += finishing.lanes[t].doubles;
		end = finishing.lanes[t].end > end ? finishing.lanes[t].end : end;
	}
	int64_t first, last = end;
	if (!threads_range(profile, &first, &last) && !profile->spans && !profile->activities)
		counters_range(profile, &first, &last);
	end = last > end ? last : end;
	mem_free(finishing.lanes);
	profile->base_ns = finishing.zero;
	profile->end_ns = end - finishing.zero;
	if (overruns)
		profile_damage_many(profile, "event ends after its parent", "noted", UINT64_MAX,
				    overruns);
	if (doubles)
		profile_damage_many(profile, "event recorded twice", "kept", UINT64_MAX, doubles);
	if (too_deep)
		profile_damage_many(profile, "events nested too deeply", "duration set to 0",
				    UINT64_MAX, too_deep);
	return done;
}

/* Shift the remaining records to time zero and drop those outside the capture. */
static bool shift_records(struct profile *profile, int64_t typical, const struct progress *progress)
{
	if (!shift_rows(profile, memory_events, memory_count, time, 0, typical, compare_memory,
			"ordering", progress))
		return false;
	for_each_mutable (flow, profile->flows, profile->flow_count)
		flow->time = sum_known(flow->time, -profile->base_ns);
	for_each_mutable (counter, profile->counters, profile->counter_count)
		counter->time = sum_known(counter->time, -profile->base_ns);
	return true;
}

/*
 * Spans without an end last until the capture ends, but for calls that others of the thread follow:
 * those returned before.
 */
static void close_open_spans(struct builder *builder, int64_t typical)
{
	struct profile *profile = builder->profile;
	if (!builder->begun)
		return;
	int64_t last = profile->left_out.rows ? profile->left_out.end : INT64_MIN;
	uint64_t open = 0;
	AUTO_FREE int64_t *called = mem_zalloc(profile->track_count + 1, sizeof *called);
	for (uint32_t i = 0; i < profile->spans; i++) {
		int64_t start = profile->span_start[i], dur = profile->span_dur[i];
		int64_t *call = &called[profile->span_track[i]];
		if (profile->span_kind[i] == SPAN_RUNTIME && start > *call)
			*call = start;
		open += dur == OPEN_DURATION;
		if (!outside_capture(start, dur, typical) && start + (dur > 0 ? dur : 0) > last)
			last = start + (dur > 0 ? dur : 0);
	}
	for (uint32_t i = 0; open && i < profile->spans; i++)
		if (profile->span_dur[i] == OPEN_DURATION)
			profile->span_dur[i] =
				outside_capture(profile->span_start[i], 0, typical) ||
						(profile->span_kind[i] == SPAN_RUNTIME &&
						 profile->span_start[i] <
							 called[profile->span_track[i]])
					? 0
					: last - profile->span_start[i];
	if (open)
		profile_damage_many(profile, "begin without end", "ended with the capture",
				    UINT64_MAX, open);
}

/* Number the rows: by track, omitted rows before the kept ones first. */
static void number_rows(struct profile *profile)
{
	uint32_t spans = 0, activities = 0;
	for (size_t t = 0; profile->left_out.rows && t < profile->track_count; t++) {
		struct track *track = &profile->tracks[t];
		track->span_shift = spans + track->spans_out_before - track->first_span;
		track->activity_shift =
			activities + track->activities_out_before - track->first_activity;
		spans += track->spans + track->spans_out;
		activities += track->activities + track->activities_out;
	}
}

COMPARE_MEMBERS(compare_devices, struct device, UP(id))

/*
 * ROCm numbers the devices of the machine, PyTorch the visible ones: when one device is described
 * and all work ran on another, they are the same device.
 */
static void match_device(struct profile *profile)
{
	int32_t worked = -1;
	if (profile->device_count != 1)
		return;
	for (size_t i = 0; i < profile->track_count; i++) {
		int32_t device = profile->tracks[i].device;
		if (device < 0 || device == worked)
			continue;
		if (worked >= 0 || device == profile->devices[0].id)
			return;
		worked = device;
	}
	if (worked >= 0)
		profile->devices[0].work_id = worked;
}

/* Distinct ordinals, up to a limit; sorted. */
struct finish_ordinals {
	int32_t id[64];
	size_t count;
	bool too_many;
};

static void add_ordinal(struct finish_ordinals *ordinals, int32_t id)
{
	size_t at = ordinals->count;
	for (size_t i = 0; i < ordinals->count; i++)
		if (ordinals->id[i] == id)
			return;
	if (ordinals->count == sizeof ordinals->id / sizeof *ordinals->id) {
		ordinals->too_many = true;
		return;
	}
	for (ordinals->count++; at && ordinals->id[at - 1] > id; at--)
		ordinals->id[at] = ordinals->id[at - 1];
	ordinals->id[at] = id;
}

/*
 * The difference between a device's ordinal in its work and its ordinal in HIP's memory events:
 * ROCm's tracer counts the processors of the machine before its devices. 0 unless the difference is
 * the same for each device.
 */
static int32_t agents_before_devices(const struct profile *profile)
{
	struct finish_ordinals work = { 0 }, memory = { 0 };
	for (size_t i = 0; i < profile->track_count; i++)
		if (profile->tracks[i].device >= 0)
			add_ordinal(&work, profile->tracks[i].device);
	for (size_t i = 0; i < profile->memory_count; i++)
		if (profile->memory_events[i].device_type == DEVICE_TYPE_HIP &&
		    profile->memory_events[i].device_id >= 0)
			add_ordinal(&memory, profile->memory_events[i].device_id);
	if (!work.count || work.count != memory.count || work.too_many || memory.too_many)
		return 0;
	for (size_t i = 1; i < work.count; i++)
		if (work.id[i] - memory.id[i] != work.id[0] - memory.id[0])
			return 0;
	return work.id[0] > memory.id[0] ? work.id[0] - memory.id[0] : 0;
}

/* Give the work of HIP's devices the ordinals of their memory events, which PyTorch uses. */
static void match_memory(struct profile *profile)
{
	int32_t before = agents_before_devices(profile);
	for (size_t i = 0; before && i < profile->track_count; i++)
		if (profile->tracks[i].device >= before)
			profile->tracks[i].device -= before;
}

struct nesting_and_calls {
	struct profile *profile;
	struct id_index *calls;
};

/* Listing calls needs their order only. */
static bool nest_or_list_calls(void *context, size_t calls, const struct progress *progress)
{
	struct nesting_and_calls *both = context;
	if (!calls)
		return finish_tracks(both->profile, progress);
	both->calls = calls_by_correlation(both->profile, progress);
	return both->calls;
}

bool profile_finish(struct builder *builder, const struct progress *progress, struct error *error)
{
	struct profile *profile = builder->profile;
	int64_t typical = typical_start(profile);
	close_open_spans(builder, typical);
	match_memory(profile);
	sort_items(profile->devices, profile->device_count, compare_devices);
	match_device(profile);
	if (!profile_order(profile, typical, progress))
		return error_cancelled(error);
	number_rows(profile);
	struct nesting_and_calls both = { profile, NULL };
	bool done = parallel_try_rows(profile_rows(profile), 2, nest_or_list_calls, &both,
				      nesting_stage, progress, NULL) &&
		    shift_records(profile, typical, progress) &&
		    threads_finish(builder, typical, progress) &&
		    link_launches(profile, both.calls, progress);
	id_index_free(both.calls);
	builder_fit(builder);
	return done || error_cancelled(error);
}
