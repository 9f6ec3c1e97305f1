/*
 * State and helpers shared by the files that make rows of events.
 */
#ifndef STRATA_INPUT_KINETO_KINETO_ROWS_PRIVATE_H
#define STRATA_INPUT_KINETO_KINETO_ROWS_PRIVATE_H

#include "base/buffer.h"
#include "base/hash.h"
#include "input/kineto/category.h"
#include "input/kineto/kineto_rows.h"
#include "input/kineto/lane_names.h"

#include <math.h>

/* A category seen before, found by its text. */
struct known_category {
	const char *text;
	size_t length;
	const struct category *category;
};

/* The host track looked up last; the next event is probably on it. */
enum { KEPT_MAX = 24 };
struct kept_text {
	size_t length;
	enum json_type type;
	char text[KEPT_MAX];
};
struct known_lane {
	bool used;
	struct kept_text pid, tid;
	uint32_t track;
};

struct rows {
	bool is_part; /* a part of a profile (rows_mark_part) */
	bool refused; /* the part met an event it cannot contain */
	struct profile *profile;
	struct builder *builder;
	struct intern *raw;   /* texts before normalization… */
	uint32_t *normalized; /* …and their normalized ids; NO_ROW: not yet */
	size_t normalized_cap;
	struct buffer scratch;
	struct known_category category_cache[16]; /* by text length */
	struct known_lane lane_cache;
	struct lane_names names;
	uint32_t *open;       /* stacks of begun spans without an end… */
	uint32_t *open_below; /* …and the index of the one below each, or NO_ROW */
	size_t open_count, open_cap, open_below_cap;
	uint32_t *top; /* top of each track's stack… */
	size_t top_cap;
	struct hash *async_open; /* …and the latest asynchronous span by pairing key */
};

/* ---- values (kineto_values.c) ---- */

/* Intern a text that needs normalization: escapes, blanks in arrays. */
uint32_t rows_normalize(struct rows *rows, const struct json_slice *slice);

/* A pid or tid: a number, or a text kept as label. */
void rows_identity(struct rows *rows, const struct json_slice *slice, int64_t *number,
		   uint32_t *label);

uint32_t rows_find_host_track(struct rows *rows, const struct event *event);

/* The device track of an event, from its arguments, else from pid and tid. */
uint32_t rows_device_track(struct rows *rows, const struct event *event);

/* The event's name; control bytes in a new name count as damage. */
uint32_t rows_event_name(struct rows *rows, const struct event *event, uint64_t offset);

static inline uint32_t rows_keep_text(struct rows *rows, const struct json_slice *slice)
{
	bool as_is = slice->type == JSON_STRING
			     ? !slice->escaped
			     : slice->type == JSON_NUMBER || slice->type == JSON_WORD;
	return as_is ? intern_add(rows->profile->strings, slice->text, slice->length)
		     : rows_normalize(rows, slice);
}

static inline uint32_t rows_host_track(struct rows *rows, const struct event *event)
{
	struct event_memo *memo = event->memo;
	if (!memo)
		return rows_find_host_track(rows, event);
	if (memo->host_track == NO_ROW)
		memo->host_track = rows_find_host_track(rows, event);
	return memo->host_track;
}

static inline uint32_t argument_text(struct rows *rows, const struct event *event,
				     enum event_argument argument)
{
	const struct json_slice *slice = event_argument(event, argument);
	return slice ? rows_keep_text(rows, slice) : 0;
}

static inline int64_t argument_int(const struct event *event, enum event_argument argument)
{
	const struct json_slice *slice = event_argument(event, argument);
	int64_t value;
	return slice && json_int(slice, &value) ? value : NO_VALUE;
}

static inline float argument_real(const struct event *event, enum event_argument argument)
{
	const struct json_slice *slice = event_argument(event, argument);
	double value;
	return slice && json_real(slice, &value) && isfinite(value) ? (float)value : NAN;
}

/* ---- rows (kineto_columns.c) ---- */

/* Refine the kind from its category: modules are detected by name. */
enum span_kind rows_refine_kind(const struct event *event, enum span_kind kind);

uint32_t rows_add_span(struct rows *rows, const struct event *event, enum span_kind kind,
		       int64_t start, int64_t dur, uint64_t offset);
void rows_add_sample(struct rows *rows, const struct event *event, int64_t time);
void rows_add_activity(struct rows *rows, const struct event *event, enum activity_kind kind,
		       int64_t start, int64_t dur, uint64_t offset);
void rows_add_memory(struct rows *rows, const struct event *event, int64_t time);

/* ---- step filter (kineto_filter.c) ---- */

/* Add the row if the filter keeps it; otherwise create its track and count it. */
void rows_filter_span(struct rows *rows, const struct event *event, enum span_kind kind,
		      int64_t start, int64_t dur, uint64_t offset);
void rows_filter_activity(struct rows *rows, const struct event *event, enum activity_kind kind,
			  int64_t start, int64_t dur, uint64_t offset);

#endif
