/*
 * Spans begun and ended by events of their own: on a thread's stack (B, E), or apart from any
 * thread (b, n, e). The latter get lanes of their own: they say nothing about what a thread did.
 */
#include "base/compare.h"
#include "base/sort.h"
#include "input/kineto/kineto_rows_private.h"

/* ---- on a thread ---- */

/* Marks an activity among the open spans. */
#define OPEN_ACTIVITY (UINT32_C(1) << 31)

static uint32_t *track_top(struct rows *rows, uint32_t track)
{
	mem_grow_filled(rows->top, (size_t)track + 1, 0xff); /* NO_ROW */
	return &rows->top[track];
}

/* Push a span onto the stack whose top is BELOW; returns its index. */
static uint32_t push_open(struct rows *rows, uint32_t span, uint32_t below)
{
	mem_grow(rows->open, rows->open_count + 1);
	mem_grow(rows->open_below, rows->open_count + 1);
	rows->open[rows->open_count] = span;
	rows->open_below[rows->open_count] = below;
	return (uint32_t)rows->open_count++;
}

void rows_begin_span(struct rows *rows, const struct event *event, enum span_kind kind,
		     int64_t time, uint64_t offset)
{
	uint32_t span = rows_add_span(rows, event, kind, time, -1, offset);
	uint32_t *top = track_top(rows, rows_host_track(rows, event));
	*top = push_open(rows, span, *top);
}

void rows_begin_activity(struct rows *rows, const struct event *event, enum activity_kind kind,
			 int64_t time, uint64_t offset)
{
	rows_add_activity(rows, event, kind, time, 0, offset);
	rows->open_work++;
	uint32_t *top = track_top(rows, rows_device_track(rows, event));
	*top = push_open(rows, (rows->profile->activities - 1) | OPEN_ACTIVITY, *top);
}

static void end_activity(struct rows *rows, uint32_t activity, int64_t end)
{
	struct profile *profile = rows->profile;
	int64_t start = profile->activity_start[activity], dur;
	rows->open_work--;
	if (end > start && !__builtin_sub_overflow(end, start, &dur))
		profile->activity_dur[activity] = dur;
}

void rows_end_span(struct rows *rows, const struct event *event, int64_t time, uint64_t offset)
{
	const struct category *category = rows_category(rows, event);
	bool work = category && category->lane == LANE_ACTIVITY && category->of_op;
	uint32_t *top = track_top(rows, work ? rows_device_track(rows, event)
					     : rows_host_track(rows, event));
	if (*top == NO_ROW) {
		profile_damage(rows->profile, "end without begin", "skipped", offset);
		return;
	}
	uint32_t open = rows->open[*top];
	if (open & OPEN_ACTIVITY)
		end_activity(rows, open & ~OPEN_ACTIVITY, time);
	else
		builder_span_end(rows->builder, open, time);
	*top = rows->open_below[*top];
}

/* ---- apart from any thread ---- */

/*
 * A span is paired by category, id and name within a process, because it may end on another
 * thread; the spans of one id nest.
 */
struct kineto_async_pairing {
	uint32_t process, category;
	uint64_t group, key; /* the spans that nest, and those that pair */
};

static struct kineto_async_pairing pairing_of(struct rows *rows, const struct event *event)
{
	/* evaluated first: a new track moves the array */
	uint32_t track = rows_host_track(rows, event);
	uint64_t id = event->has_id ? rows_keep_text(rows, &event->id) : 0;
	uint64_t name = event->has_name ? rows_keep_text(rows, &event->name) : 0;
	struct kineto_async_pairing pairing = {
		.process = rows->profile->tracks[track].process,
		.category = event->has_cat ? rows_keep_text(rows, &event->cat) : 0,
	};
	pairing.group = hash_pair(id, hash_pair(pairing.category, pairing.process));
	pairing.key = hash_pair(pairing.group, name);
	return pairing;
}

static uint32_t add_apart(struct rows *rows, const struct event *event, enum span_kind kind,
			  const struct kineto_async_pairing *pairing, int64_t time, int64_t dur,
			  uint64_t offset)
{
	uint32_t span = rows_add_span(rows, event, kind, time, dur, offset);
	*mem_push(rows->apart, rows->apart_count) = (struct apart){
		.span = span,
		.process = pairing->process,
		.category = pairing->category,
		.group = pairing->group,
	};
	return span;
}

void rows_begin_async(struct rows *rows, const struct event *event, enum span_kind kind,
		      int64_t time, uint64_t offset)
{
	struct kineto_async_pairing pairing = pairing_of(rows, event);
	uint32_t span = add_apart(rows, event, kind, &pairing, time, -1, offset);
	hash_add(rows->async_open, pairing.key,
		 push_open(rows, span, hash_last(rows->async_open, pairing.key)));
}

void rows_end_async(struct rows *rows, const struct event *event, int64_t time, uint64_t offset)
{
	struct kineto_async_pairing pairing = pairing_of(rows, event);
	uint32_t last = hash_last(rows->async_open, pairing.key);
	if (last == NO_ROW) {
		profile_damage(rows->profile, "end without begin", "skipped", offset);
		return;
	}
	builder_span_end(rows->builder, rows->open[last], time);
	hash_add(rows->async_open, pairing.key, rows->open_below[last]);
}

void rows_async_instant(struct rows *rows, const struct event *event, int64_t time, uint64_t offset)
{
	struct kineto_async_pairing pairing = pairing_of(rows, event);
	add_apart(rows, event, SPAN_INSTANT, &pairing, time, 0, offset);
}

/* ---- lanes ---- */

enum { LANES_MAX = 256 }; /* limit: lanes of a category; what overlaps on more shares the last */

struct lane_state {
	uint64_t group;
	int64_t end; /* of the outermost span so far */
};

static int64_t end_of(const struct profile *profile, uint32_t span)
{
	int64_t end;
	return profile->span_dur[span] < 0 || __builtin_add_overflow(profile->span_start[span],
								     profile->span_dur[span], &end)
		       ? INT64_MAX
		       : end;
}

/* By process and category, then the outer span first. */
COMPARE_MEMBERS(compare_apart, struct apart, UP(process) UP(category) UP(start) DOWN(end) UP(span))

/* The lane that holds the spans around this one, else the first that is free. */
static size_t find_lane(struct lane_state *lanes, size_t *count, const struct apart *apart)
{
	size_t found = *count;
	for (size_t i = 0; i < *count; i++) {
		if (lanes[i].group == apart->group && apart->start < lanes[i].end &&
		    apart->end <= lanes[i].end)
			return i;
		if (found == *count && lanes[i].end <= apart->start)
			found = i;
	}
	if (found == LANES_MAX)
		found = LANES_MAX - 1;
	if (found == *count)
		lanes[(*count)++] = (struct lane_state){ .end = INT64_MIN };
	if (apart->end > lanes[found].end)
		lanes[found] = (struct lane_state){ apart->group, apart->end };
	return found;
}

/* The track of a lane, named after the category: "async CATEGORY", "async CATEGORY 2"… */
static uint32_t lane_track(struct rows *rows, const struct apart *apart, size_t number)
{
	const char *category = profile_string(rows->profile, apart->category);
	buffer_clear(&rows->scratch);
	buffer_printf(&rows->scratch, "async%s%s", *category ? " " : "", category);
	if (number)
		buffer_printf(&rows->scratch, " %zu", number + 1);
	uint32_t label = intern_add(rows->profile->strings, BUFFERED(&rows->scratch));
	return builder_track(rows->builder, apart->process, NO_VALUE, label, -1);
}

void rows_place_async(struct rows *rows)
{
	struct lane_state lanes[LANES_MAX];
	size_t count = 0;
	for_each_mutable (apart, rows->apart, rows->apart_count) {
		apart->start = rows->profile->span_start[apart->span];
		apart->end = end_of(rows->profile, apart->span);
	}
	sort_items(rows->apart, rows->apart_count, compare_apart);
	for (size_t i = 0; i < rows->apart_count; i++) {
		const struct apart *apart = &rows->apart[i];
		if (i == 0 || apart->process != apart[-1].process ||
		    apart->category != apart[-1].category)
			count = 0;
		size_t lane = find_lane(lanes, &count, apart);
		builder_span_move(rows->builder, apart->span, lane_track(rows, apart, lane));
	}
}
