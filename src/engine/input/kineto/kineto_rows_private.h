/*
 * State and helpers shared by the files that make rows of events.
 */
#pragma once

#include "base/buffer.h"
#include "base/hash.h"
#include "input/kineto/category.h"
#include "input/kineto/kineto_rows.h"

#include <math.h>

/* A category seen before, found by its text. */
struct known_category {
	const char *text;
	size_t length;
	const struct category *category;
};

enum { DEVICE_PIDS = 1024 }; /* a larger pid is a process of the host, or moved by a merge */

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

/* The id of a kept array (json_slice). */
enum { ARRAYS_KEPT = 1 << 12 };
struct kept_array {
	const char *text; /* NULL: none */
	uint32_t id;
};

/* A thread of a process whose name says what its events are. */
struct process_lane {
	int64_t pid, tid;                /* NO_VALUE: not a number */
	const struct category *category; /* NULL: the name says nothing */
	int64_t host_pid;                /* process whose threads these are; NO_VALUE: its own */
	int32_t device;
	uint32_t pid_label; /* 0: the pid is a number */
};

/* The name of a process or track, which may be anywhere in a trace: kept until all tracks exist. */
struct lane_name {
	uint32_t process;
	int64_t tid; /* NO_VALUE and no label: names the process */
	uint32_t tid_label, text;
	int64_t sort_index; /* NO_VALUE: a name, not a sort index */
};

/* A span apart from any thread. */
struct apart {
	uint32_t span, process, category; /* builder handle, index, string id */
	uint64_t group;                   /* the spans with this nest */
	int64_t start, end;
};

/* An end of an arrow from an operator to work launched by another thread. */
struct queued_end {
	int64_t id, time;
	uint32_t track;
	bool start;
};

static inline uint64_t rows_place_key(uint32_t track, int64_t time)
{
	return hash_pair(track, (uint64_t)time);
}

enum { NAME_BITS = 14 };

struct rows {
	bool is_part; /* a part of a profile (rows_mark_part) */
	bool refused; /* the part met an event it cannot contain */
	struct profile *profile;
	struct builder *builder;
	struct intern *raw;   /* texts before normalization… */
	uint32_t *normalized; /* …and their normalized ids; NO_ROW: not yet */
	struct kept_array kept_arrays[ARRAYS_KEPT]; /* by address */
	uint32_t last_name, names_before;           /* a hash of the last few names */
	uint32_t name_after[1 << NAME_BITS]; /* by it: the name that last came then; 0: none */
	struct intern *configs;              /* arguments of launches as written… */
	uint32_t *config; /* …and their configurations; NO_ROW: of damaged ones */
	struct buffer scratch;
	struct known_category category_cache[64]; /* by length and letters */
	struct known_lane lane_cache;
	GROWING(struct lane_name, names, name_count);
	uint32_t *open;       /* stacks of begun spans without an end… */
	uint32_t *open_below; /* …and the index of the one below each, or NO_ROW */
	size_t open_count;
	uint32_t *top;           /* top of each track's stack… */
	uint64_t open_work;      /* activities without an end */
	struct hash *async_open; /* …and the latest asynchronous span by pairing key */
	GROWING(struct apart, apart, apart_count);
	uint64_t empty; /* events without a member */
	bool has_lanes; /* some process is in the table of lane kinds by its name */
	struct process_lane lane_of[32]; /* looked up before */
	size_t lane_of_count;
	GROWING(struct queued_end, queued, queued_count);
	struct queued_end *called; /* starts of arrows from calls */
	size_t called_count;
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

/* The device track of a counter; the host track where no device is named. */
uint32_t rows_counter_track(struct rows *rows, const struct event *event);

/* The event's name; control bytes in a new name count as damage. */
uint32_t rows_event_name(struct rows *rows, const struct event *event, uint64_t offset);

/* Is this kept as it is written? */
static inline bool rows_is_plain(const struct json_slice *slice)
{
	return slice->type == JSON_STRING ? !slice->escaped
					  : slice->type == JSON_NUMBER || slice->type == JSON_WORD;
}

static inline uint32_t rows_keep_text(struct rows *rows, const struct json_slice *slice)
{
	if (!rows_is_plain(slice))
		return rows_normalize(rows, slice);
	return slice->length ? intern_add(rows->profile->strings, slice->text, slice->length) : 0;
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

/* An id; one of 2^63 or more is counted as damage. */
static inline int64_t argument_id(struct rows *rows, const struct event *event,
				  enum event_argument argument)
{
	int64_t value = argument_int(event, argument);
	if (value < INT64_MAX && value != -INT64_MAX)
		return value;
	profile_damage(rows->profile, "id of 2^63 or more", "treated as missing", UINT64_MAX);
	return NO_VALUE;
}

static inline float argument_real(const struct event *event, enum event_argument argument)
{
	const struct json_slice *slice = event_argument(event, argument);
	double value;
	return slice && json_real(slice, &value) && isfinite(value) ? (float)value : NAN;
}

/* ---- names with more than a name (kineto_names.c) ---- */

/* What the name of an event says besides. */
struct name_details {
	size_t length; /* bytes at the end of the name */
	bool has_grid;
	int32_t grid[3], block[3];
	int64_t bytes; /* of a copy; NO_VALUE */
};
/* False when it is only a name. */
bool rows_read_details(const struct event *event, struct name_details *details);

/* The name alone. */
struct json_slice rows_plain_name(struct rows *rows, const struct event *event);

/* What the event's category or lane makes of it; NULL when unknown. */
const struct category *rows_category(struct rows *rows, const struct event *event);

/* ---- lanes by name (kineto_lanes.c) ---- */

/* The lane of the event's process and thread in the table of lane kinds, or NULL. */
const struct process_lane *rows_lane(struct rows *rows, const struct event *event);
const struct process_lane *rows_named_lane(struct rows *rows, int64_t pid, uint32_t pid_label,
					   int64_t tid);

/* A process or thread was named; copied. */
void rows_name_lane(struct rows *rows, const struct lane_name *name);

/* Apply all names, and give devices the numbers that those of processes say. */
void rows_apply_names(struct rows *rows);
void rows_tell_listed_again(struct rows *rows); /* after names are applied */
void rows_place_annotations(struct rows *rows);

void rows_add_queued(struct rows *rows, const struct event *event, int64_t time);
void rows_link_queued(struct rows *rows); /* after the last event */

/* ---- GPU time of operators (kineto_nested.c) ---- */

/* Processes of traces without categories, with device work. */
#define LEGACY_CUDA "CUDA functions"
#define LEGACY_GPU "GPU functions"

void rows_separate_nested(struct rows *rows); /* after arrows to their starts are followed */

/* ---- work whose launch no correlation id tells (kineto_calls.c) ---- */

void rows_add_called(struct rows *rows, const struct event *event, int64_t time);
void rows_link_called(struct rows *rows);   /* after the last event */
void rows_link_external(struct rows *rows); /* after that: by external id */

/* ---- spans begun and ended by two events (kineto_async.c) ---- */

void rows_begin_span(struct rows *rows, const struct event *event, enum span_kind kind,
		     int64_t time, uint64_t offset);
void rows_begin_activity(struct rows *rows, const struct event *event, enum activity_kind kind,
			 int64_t time, uint64_t offset);
void rows_end_span(struct rows *rows, const struct event *event, int64_t time, uint64_t offset);
void rows_begin_async(struct rows *rows, const struct event *event, enum span_kind kind,
		      int64_t time, uint64_t offset);
void rows_end_async(struct rows *rows, const struct event *event, int64_t time, uint64_t offset);
void rows_async_instant(struct rows *rows, const struct event *event, int64_t time,
			uint64_t offset);
void rows_place_async(struct rows *rows); /* after the last event */

/* ---- rows (kineto_columns.c) ---- */

/* The kind of an event of a category with tasks. */
enum activity_kind rows_task_kind(const struct event *event, const struct category *category);

/* Refine the kind from its category: modules are detected by name. */
enum span_kind rows_refine_kind(const struct event *event, enum span_kind kind);

uint32_t rows_add_span(struct rows *rows, const struct event *event, enum span_kind kind,
		       int64_t start, int64_t dur, uint64_t offset);
void rows_add_sample(struct rows *rows, const struct event *event, int64_t time);
void rows_add_activity(struct rows *rows, const struct event *event, enum activity_kind kind,
		       int64_t start, int64_t dur, uint64_t offset);
void rows_add_memory(struct rows *rows, const struct event *event, int64_t time);

/* ---- step filter (kineto_filter.c) ---- */

/* Add the row unless there is a filter that does not keep it; then create its track and count it.
 */
void rows_filter_span(struct rows *rows, const struct event *event, enum span_kind kind,
		      int64_t start, int64_t dur, uint64_t offset);
void rows_filter_activity(struct rows *rows, const struct event *event, enum activity_kind kind,
			  int64_t start, int64_t dur, uint64_t offset);
