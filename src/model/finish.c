/*
 * Putting a profile in order: lanes, preorder, links from device activities to their launches, and
 * the zero of time.
 */
#include "base/error.h"
#include "model/builder_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows that cannot belong to the capture ---- */

#define DAY_NS (24 * 3600 * INT64_C(1000000000))

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* A start that most rows are near: the median of an even sample of spans and activities. */
static int64_t typical_start(const struct profile *profile)
{
	enum { SAMPLES = 1001 };
	int64_t sample[SAMPLES];
	size_t total = (size_t)profile->spans + profile->activities, count = 0;
	size_t stride = total / SAMPLES + 1;
	for (size_t i = 0; i < total && count < SAMPLES; i += stride)
		sample[count++] = i < profile->spans
					  ? profile->span_start[i]
					  : profile->activity_start[i - profile->spans];
	qsort(sample, count, sizeof *sample, compare_times);
	return count ? sample[count / 2] : 0;
}

static bool outside(int64_t start, int64_t dur, int64_t typical)
{
	int64_t distance;
	if (__builtin_sub_overflow(start, typical, &distance))
		return true;
	return distance > DAY_NS || distance < -DAY_NS || dur > DAY_NS;
}

/* ---- order ---- */

struct entry {
	int64_t start, dur;
	uint32_t row;
};

static bool before(const struct entry *a, const struct entry *b)
{
	return a->start != b->start ? a->start < b->start : a->dur > b->dur;
}

/* Stable merge sort that takes the runs it finds: traces are sorted in long stretches. */
static void sort_entries(struct entry *entries, struct entry *scratch, size_t count)
{
	for (;;) {
		size_t runs = 0, out = 0;
		for (size_t i = 0; i < count; runs++) {
			size_t middle = i + 1, end;
			while (middle < count && !before(&entries[middle], &entries[middle - 1]))
				middle++;
			for (end = middle + (middle < count);
			     end < count && !before(&entries[end], &entries[end - 1]);)
				end++;
			size_t a = i, b = middle;
			while (a < middle && b < end)
				scratch[out++] = before(&entries[b], &entries[a]) ? entries[b++]
										 : entries[a++];
			while (a < middle)
				scratch[out++] = entries[a++];
			while (b < end)
				scratch[out++] = entries[b++];
			i = end;
		}
		memcpy(entries, scratch, count * sizeof *entries);
		if (runs <= 1)
			return;
	}
}

/*
 * The order of COUNT rows by (track, start, longer first, file): an array of old row numbers that the
 * caller frees.  Rows whose KEEP is 0 are left out.  FIRST and NUMBER (by track) receive each lane's
 * range; *KEPT the length.
 */
static uint32_t *lane_order(const int64_t *start, const int64_t *dur, const uint32_t *track,
			    const uint8_t *keep, uint32_t count, size_t tracks, uint32_t *first,
			    uint32_t *number, uint32_t *kept)
{
	memset(number, 0, tracks * sizeof *number);
	for (uint32_t i = 0; i < count; i++)
		number[track[i]] += keep[i];
	uint32_t at = 0;
	uint32_t most = 0;
	for (size_t t = 0; t < tracks; t++) {
		first[t] = at;
		at += number[t];
		most = number[t] > most ? number[t] : most;
	}
	*kept = at;
	uint32_t *order = mem_alloc(((size_t)at + 1) * sizeof *order);
	uint32_t *fill = mem_alloc((tracks + 1) * sizeof *fill);
	memcpy(fill, first, tracks * sizeof *fill);
	for (uint32_t i = 0; i < count; i++)
		if (keep[i])
			order[fill[track[i]]++] = i;
	struct entry *entries = mem_alloc(((size_t)most + 1) * 2 * sizeof *entries);
	for (size_t t = 0; t < tracks; t++) {
		for (uint32_t i = 0; i < number[t]; i++) {
			uint32_t row = order[first[t] + i];
			entries[i] = (struct entry){ start[row], dur[row], row };
		}
		sort_entries(entries, entries + most, number[t]);
		for (uint32_t i = 0; i < number[t]; i++)
			order[first[t] + i] = entries[i].row;
	}
	mem_free(entries);
	mem_free(fill);
	return order;
}

/* Replace a column by its rows in ORDER. */
#define reorder(column, order, count) \
	do { \
		void *old_ = (column); \
		const __typeof__(*(column)) *from_ = (column); \
		(column) = mem_alloc(((size_t)(count) + 1) * sizeof *(column)); \
		for (uint32_t i_ = 0; i_ < (count); i_++) \
			(column)[i_] = from_[(order)[i_]]; \
		mem_free(old_); \
	} while (0)

static int compare_attributes(const void *a, const void *b)
{
	const struct attribute *x = a, *y = b;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

/* Rename the rows of attributes after ROWS old rows were put into ORDER (KEPT of them). */
static void move_attributes(struct attribute *attributes, size_t *count, const uint32_t *order,
			    uint32_t kept, uint32_t rows)
{
	if (!*count)
		return;
	uint32_t *new_row = mem_alloc(((size_t)rows + 1) * sizeof *new_row);
	memset(new_row, 0xff, ((size_t)rows + 1) * sizeof *new_row);
	for (uint32_t i = 0; i < kept; i++)
		new_row[order[i]] = i;
	size_t out = 0;
	for (size_t i = 0; i < *count; i++) {
		struct attribute attribute = attributes[i];
		attribute.row = new_row[attribute.row];
		if (attribute.row != NO_ROW)
			attributes[out++] = attribute;
	}
	*count = out;
	qsort(attributes, out, sizeof *attributes, compare_attributes);
	mem_free(new_row);
}

/* 1 for the rows that belong to the capture; the others are counted as damage. */
static uint8_t *rows_to_keep(struct profile *profile, const int64_t *start, const int64_t *dur,
			     uint32_t count, int64_t typical)
{
	uint8_t *keep = mem_alloc((size_t)count + 1);
	for (uint32_t i = 0; i < count; i++) {
		keep[i] = !outside(start[i], dur[i], typical);
		if (!keep[i])
			profile_damage(profile, "time more than a day outside the capture",
				       "set aside", UINT64_MAX);
	}
	return keep;
}

static void order_spans(struct profile *profile, int64_t typical)
{
	size_t tracks = profile->track_count;
	uint32_t *first = mem_alloc((tracks * 2 + 1) * sizeof *first), *number = first + tracks;
	uint32_t kept, rows = profile->spans;
	uint8_t *keep = rows_to_keep(profile, profile->span_start, profile->span_dur, rows,
				     typical);
	uint32_t *order = lane_order(profile->span_start, profile->span_dur, profile->span_track,
				     keep, rows, tracks, first, number, &kept);
	mem_free(keep);
	for (size_t t = 0; t < tracks; t++) {
		profile->tracks[t].first_span = first[t];
		profile->tracks[t].spans = number[t];
	}
	mem_free(first);
	reorder(profile->span_start, order, kept);
	reorder(profile->span_dur, order, kept);
	reorder(profile->span_name, order, kept);
	reorder(profile->span_track, order, kept);
	reorder(profile->span_info, order, kept);
	reorder(profile->span_kind, order, kept);
	profile->spans = kept;
	move_attributes(profile->span_attributes, &profile->span_attribute_count, order, kept,
			rows);
	mem_free(order);
}

static void order_activities(struct profile *profile, int64_t typical)
{
	size_t tracks = profile->track_count;
	uint32_t *first = mem_alloc((tracks * 2 + 1) * sizeof *first), *number = first + tracks;
	uint32_t kept, rows = profile->activities;
	uint8_t *keep = rows_to_keep(profile, profile->activity_start, profile->activity_dur,
				     rows, typical);
	uint32_t *order = lane_order(profile->activity_start, profile->activity_dur,
				     profile->activity_track, keep, rows, tracks, first, number,
				     &kept);
	mem_free(keep);
	for (size_t t = 0; t < tracks; t++) {
		profile->tracks[t].first_activity = first[t];
		profile->tracks[t].activities = number[t];
	}
	mem_free(first);
	reorder(profile->activity_start, order, kept);
	reorder(profile->activity_dur, order, kept);
	reorder(profile->activity_correlation, order, kept);
	reorder(profile->activity_external, order, kept);
	reorder(profile->activity_bytes, order, kept);
	reorder(profile->activity_name, order, kept);
	reorder(profile->activity_track, order, kept);
	reorder(profile->activity_config, order, kept);
	reorder(profile->activity_kind, order, kept);
	profile->activities = kept;
	move_attributes(profile->activity_attributes, &profile->activity_attribute_count, order,
			kept, rows);
	profile->activity_order = order;
}

/* ---- nesting ---- */

struct open_span {
	uint32_t row;
	int64_t end;	/* for nesting: never past the parent's */
};

struct nesting {
	struct open_span *stack;
	size_t depth, capacity;
	uint64_t overruns, too_deep;
};

/* Has a span that starts at START and lasts DUR nothing to do with the one that ends at OUTER? */
static bool is_outside(int64_t outer, int64_t start, int64_t dur)
{
	return outer <= start || (outer - start < dur && outer - start < dur - (outer - start));
}

/*
 * Parents and subtree sizes of one lane in preorder.  A span that overruns the one it starts in
 * belongs to it when most of its time lies inside (clocks are rounded); it is then clamped for nesting
 * only: what starts after the parent's end is no longer inside either.  Otherwise the outer one counts
 * as ended there: an annotation opened by a Python function goes on when that has returned.
 *
 * Spans deeper than NESTING_MOST lose their duration, so that whoever walks up from a row has an end
 * and the time of the rows above stays theirs.
 */
static void nest_lane(struct profile *profile, const struct track *track, struct nesting *nesting)
{
	uint32_t end_row = track->first_span + track->spans;
	for (uint32_t i = track->first_span; i < end_row; i++) {
		int64_t start = profile->span_start[i], end = start + profile->span_dur[i];
		struct open_span *top = nesting->stack + nesting->depth;
		while (nesting->depth && is_outside(top[-1].end, start, end - start)) {
			nesting->depth--, top--;
			nesting->overruns += top->end > start;
			profile->span_size[top->row] = i - top->row;
		}
		profile->span_parent[i] = nesting->depth ? top[-1].row : NO_ROW;
		if (nesting->depth == NESTING_MOST) {
			nesting->too_deep++;
			profile->span_dur[i] = 0;
			profile->span_size[i] = 1;
			continue;
		}
		if (nesting->depth && end > top[-1].end) {
			end = top[-1].end;
			nesting->overruns++;
		}
		mem_grow(nesting->stack, nesting->capacity, nesting->depth + 1);
		nesting->stack[nesting->depth++] = (struct open_span){ .row = i, .end = end };
	}
	while (nesting->depth--)
		profile->span_size[nesting->stack[nesting->depth].row] =
			end_row - nesting->stack[nesting->depth].row;
	nesting->depth = 0;
}

static void nest_spans(struct profile *profile)
{
	struct nesting nesting = { 0 };
	profile->span_parent = mem_alloc(((size_t)profile->spans + 1) * sizeof(uint32_t));
	profile->span_size = mem_alloc(((size_t)profile->spans + 1) * sizeof(uint32_t));
	for (size_t t = 0; t < profile->track_count; t++)
		nest_lane(profile, &profile->tracks[t], &nesting);
	mem_free(nesting.stack);
	if (nesting.overruns)
		profile_damage_many(profile, "span ends after the one it starts in", "noted",
				    UINT64_MAX, nesting.overruns);
	if (nesting.too_deep)
		profile_damage_many(profile, "spans nested too deeply", "read as without duration",
				    UINT64_MAX, nesting.too_deep);
}

/* ---- launches ---- */

/* How many calls with one correlation id are weighed against each other. */
enum { CANDIDATES_MOST = 64 };

static uint64_t correlation_key(const struct profile *profile, uint32_t track, int64_t id)
{
	return hash_pair(profile_id_space(profile, track), (uint64_t)id);
}

/* Of the calls with the same id, the latest that started before the activity did. */
static uint32_t find_launch(const struct profile *profile, const struct hash *calls,
			    uint32_t activity)
{
	int64_t id = profile->activity_correlation[activity];
	if (id == NO_VALUE || id == 0 || id == -1)
		return NO_ROW;
	uint64_t key = correlation_key(profile, profile->activity_track[activity], id);
	size_t cursor;
	uint32_t best = NO_ROW;
	int tried = 0;
	for (uint32_t row = hash_find(calls, key, &cursor); row != NO_ROW;
	     row = hash_next(calls, &cursor)) {
		if (best == NO_ROW ||
		    (profile->span_start[row] <= profile->activity_start[activity] &&
		     profile->span_start[row] >= profile->span_start[best]))
			best = row;
		if (++tried == CANDIDATES_MOST)
			break;
	}
	return best;
}

static void link_launches(struct profile *profile)
{
	struct hash *calls = hash_new(profile->activities);
	for (uint32_t i = 0; i < profile->spans; i++) {
		const struct call_info *info = profile_call_info(profile, i);
		if (info && info->correlation != NO_VALUE)
			hash_add(calls,
				 correlation_key(profile, profile->span_track[i],
						 info->correlation),
				 i);
	}
	profile->activity_launch = mem_alloc(((size_t)profile->activities + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < profile->activities; i++)
		profile->activity_launch[i] = find_launch(profile, calls, i);
	hash_free(calls);
}

/* ---- time ---- */

static int compare_memory(const void *a, const void *b)
{
	const struct memory_event *x = a, *y = b;
	return (x->time > y->time) - (x->time < y->time);
}

/* The first instant of the capture becomes zero; the last end becomes end_ns. */
static void set_zero(struct profile *profile)
{
	int64_t zero = INT64_MAX, end = INT64_MIN;
	for (uint32_t i = 0; i < profile->spans; i++) {
		int64_t start = profile->span_start[i];
		zero = start < zero ? start : zero;
		end = start + profile->span_dur[i] > end ? start + profile->span_dur[i] : end;
	}
	for (uint32_t i = 0; i < profile->activities; i++) {
		int64_t start = profile->activity_start[i];
		zero = start < zero ? start : zero;
		end = start + profile->activity_dur[i] > end ? start + profile->activity_dur[i]
							     : end;
	}
	if (zero == INT64_MAX)
		zero = end = profile->memory_count ? profile->memory_events[0].time : 0;
	for (uint32_t i = 0; i < profile->spans; i++)
		profile->span_start[i] -= zero;
	for (uint32_t i = 0; i < profile->activities; i++)
		profile->activity_start[i] -= zero;
	profile->base_ns = zero;
	profile->end_ns = end - zero;
}

/* Records beside the rows move with the zero; those outside the capture are set aside. */
static void shift_records(struct profile *profile, int64_t typical)
{
	size_t out = 0;
	for (size_t i = 0; i < profile->memory_count; i++) {
		struct memory_event event = profile->memory_events[i];
		if (outside(event.time, 0, typical))
			continue;
		event.time -= profile->base_ns;
		profile->memory_events[out++] = event;
	}
	profile->memory_count = out;
	bool sorted = true;
	for (size_t i = 1; i < out; i++)
		sorted &= profile->memory_events[i - 1].time <= profile->memory_events[i].time;
	if (!sorted)
		qsort(profile->memory_events, out, sizeof *profile->memory_events,
		      compare_memory);
	for (size_t i = 0; i < profile->flow_count; i++)
		if (__builtin_sub_overflow(profile->flows[i].time, profile->base_ns,
					   &profile->flows[i].time))
			profile->flows[i].time = NO_VALUE;
	for (size_t i = 0; i < profile->counter_count; i++)
		if (__builtin_sub_overflow(profile->counters[i].time, profile->base_ns,
					   &profile->counters[i].time))
			profile->counters[i].time = NO_VALUE;
}

/* Spans that were begun and never ended last until the capture ends. */
static void close_open_spans(struct profile *profile, int64_t typical)
{
	int64_t last = INT64_MIN;
	uint64_t open = 0;
	for (uint32_t i = 0; i < profile->spans; i++) {
		int64_t start = profile->span_start[i], dur = profile->span_dur[i];
		open += dur == OPEN_DURATION;
		if (!outside(start, dur, typical) && start + (dur > 0 ? dur : 0) > last)
			last = start + (dur > 0 ? dur : 0);
	}
	for (uint32_t i = 0; open && i < profile->spans; i++)
		if (profile->span_dur[i] == OPEN_DURATION)
			profile->span_dur[i] = outside(profile->span_start[i], 0, typical)
						       ? 0
						       : last - profile->span_start[i];
	if (open)
		profile_damage_many(profile, "begun and never ended", "ended with the capture",
				    UINT64_MAX, open);
}

bool profile_finish(struct builder *builder, const struct progress *progress,
		    struct error *error)
{
	struct profile *profile = builder->profile;
	uint64_t rows = (uint64_t)profile->spans + profile->activities;
	if (!progress_update(progress, "ordering", 0, 4, rows))
		return error_set(error, ERROR_CANCELLED, "cancelled");
	int64_t typical = typical_start(profile);
	close_open_spans(profile, typical);
	order_spans(profile, typical);
	if (!progress_update(progress, "nesting", 1, 4, rows))
		return error_set(error, ERROR_CANCELLED, "cancelled");
	order_activities(profile, typical);
	set_zero(profile);
	shift_records(profile, typical);
	nest_spans(profile);
	if (!progress_update(progress, "linking", 2, 4, rows))
		return error_set(error, ERROR_CANCELLED, "cancelled");
	link_launches(profile);
	if (!progress_update(progress, "linking", 3, 4, rows))
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return true;
}
