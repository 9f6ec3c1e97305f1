/*
 * The step filter (model/profile.h).
 */
#include "input/timeline_rows.h"
#include "input/kineto/kineto_rows_private.h"

#define DAY_NS (24 * 3600 * INT64_C(1000000000))

/* The end of a row, saturating. */
static int64_t end_of(int64_t start, int64_t dur)
{
	int64_t end;
	return __builtin_add_overflow(start, dur, &end) ? INT64_MAX : end;
}

/* Rows this far away are dropped when the profile is finished and are not numbered. */
static bool is_far(const struct read_filter *filter, int64_t start, int64_t dur)
{
	int64_t distance;
	return __builtin_sub_overflow(start, filter->host_from, &distance) || distance > DAY_NS ||
	       distance < -DAY_NS || dur > DAY_NS;
}

/* Is it a Python function that runs a module? */
static bool runs_module(const struct event *event)
{
	static const char text[] = "_call_impl";
	return event->has_name && memmem(event->name.text, event->name.length, text, strlen(text));
}

static bool survey_keeps(const struct read_filter *filter, const struct event *event,
			 enum span_kind kind)
{
	if (filter->thorough)
		return kind != SPAN_PYTHON || runs_module(event);
	if (kind == SPAN_OPERATOR)
		return !filter->is_step ||
		       (event->has_name && filter->is_step(event->name.text, event->name.length));
	return kind == SPAN_ANNOTATION || kind == SPAN_RUNTIME;
}

static bool leave_out_span(struct rows *rows, const struct event *event, enum span_kind kind,
			   int64_t start, int64_t dur)
{
	const struct read_filter *filter = rows->profile->filter;
	int64_t end = end_of(start, dur);
	kind = rows_refine_kind(event, kind);
	if (filter->survey ? survey_keeps(filter, event, kind)
			   : start <= filter->host_to && end >= filter->host_from)
		return false;
	uint32_t track = kind == SPAN_GPU_ANNOTATION ? rows_device_track(rows, event)
						     : rows_host_track(rows, event);
	if (!filter->survey && is_far(filter, start, dur))
		return true;
	rows->profile->tracks[track].spans_out++;
	rows->profile->tracks[track].spans_out_before += end < filter->host_from;
	rows->profile->left_out.spans[kind]++;
	profile_leave_out(rows->profile, 1, start, end);
	return true;
}

static bool leave_out_activity(struct rows *rows, const struct event *event, int64_t start,
			       int64_t dur)
{
	const struct read_filter *filter = rows->profile->filter;
	int64_t end = end_of(start, dur);
	if (filter->survey || (start <= filter->device_to && end >= filter->device_from))
		return false;
	uint32_t track = rows_device_track(rows, event);
	if (is_far(filter, start, dur))
		return true;
	rows->profile->tracks[track].activities_out++;
	rows->profile->tracks[track].activities_out_before += end < filter->device_from;
	profile_leave_out(rows->profile, 1, start, end);
	return true;
}

/* Add a span without arguments; calls have no names. */
static void survey_span(struct rows *rows, const struct event *event, enum span_kind kind,
			int64_t start, int64_t dur, uint64_t offset)
{
	kind = rows_refine_kind(event, kind);
	bool is_call = kind == SPAN_RUNTIME;
	struct call_info info = { argument_id(rows, event, ARGUMENT_CORRELATION), NO_VALUE };
	uint32_t call = is_call && info.correlation != NO_VALUE
				? builder_call_info(rows->builder, &info)
				: NO_ROW;
	uint32_t name = is_call ? 0 : rows_event_name(rows, event, offset);
	builder_span(rows->builder, kind, rows_host_track(rows, event), name, start, dur, call);
}

static void survey_activity(struct rows *rows, const struct event *event, enum activity_kind kind,
			    int64_t start, int64_t dur, uint64_t offset)
{
	struct activity activity = activity_of(kind);
	activity.track = rows_device_track(rows, event);
	activity.name = rows->profile->filter->thorough ? rows_event_name(rows, event, offset) : 0;
	activity.start = start;
	activity.dur = dur;
	activity.correlation = argument_id(rows, event, ARGUMENT_CORRELATION);
	builder_activity(rows->builder, &activity);
}

void rows_filter_span(struct rows *rows, const struct event *event, enum span_kind kind,
		      int64_t start, int64_t dur, uint64_t offset)
{
	const struct read_filter *filter = rows->profile->filter;
	if (filter && leave_out_span(rows, event, kind, start, dur))
		return;
	if (filter && filter->survey)
		survey_span(rows, event, kind, start, dur, offset);
	else
		rows_add_span(rows, event, kind, start, dur, offset);
}

void rows_filter_activity(struct rows *rows, const struct event *event, enum activity_kind kind,
			  int64_t start, int64_t dur, uint64_t offset)
{
	const struct read_filter *filter = rows->profile->filter;
	if (filter && leave_out_activity(rows, event, start, dur))
		return;
	if (filter && filter->survey)
		survey_activity(rows, event, kind, start, dur, offset);
	else
		rows_add_activity(rows, event, kind, start, dur, offset);
}
