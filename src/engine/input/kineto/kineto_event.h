/*
 * One event of a Chrome trace, taken apart in one pass over its text.
 */
#ifndef STRATA_INPUT_KINETO_KINETO_EVENT_H
#define STRATA_INPUT_KINETO_KINETO_EVENT_H

#include "input/json.h"

struct category; /* input/kineto/category.h */

/* Arguments that have a column of their own. */
enum event_argument {
	ARGUMENT_EXTERNAL_ID,
	ARGUMENT_CORRELATION,
	ARGUMENT_DEVICE,
	ARGUMENT_STREAM,
	ARGUMENT_COPY_BYTES,
	ARGUMENT_GRID,
	ARGUMENT_BLOCK,
	ARGUMENT_REGISTERS,
	ARGUMENT_SHARED_MEMORY,
	ARGUMENT_BLOCKS_PER_SM,
	ARGUMENT_WARPS_PER_SM,
	ARGUMENT_OCCUPANCY,
	ARGUMENT_SHAPES,
	ARGUMENT_TYPES,
	ARGUMENT_STRIDES,
	ARGUMENT_CONCRETE,
	ARGUMENT_STACK,
	ARGUMENT_HIERARCHY,
	ARGUMENT_SEQUENCE,
	ARGUMENT_FORWARD_THREAD,
	ARGUMENT_MODULE_ID,
	ARGUMENT_ADDRESS,
	ARGUMENT_BYTES,
	ARGUMENT_TOTAL_ALLOCATED,
	ARGUMENT_TOTAL_RESERVED,
	ARGUMENT_DEVICE_TYPE,
	ARGUMENT_DEVICE_ID,
	ARGUMENT_NAME,
	ARGUMENT_LABELS,
	ARGUMENT_SORT_INDEX,
	ARGUMENT_COUNT,
	ARGUMENT_IGNORED = ARGUMENT_COUNT, /* of no use to any view */
};

enum { EVENT_OTHERS_MAX = 64, EVENT_VALUES_MAX = 64 };

/*
 * What has been found out from the members that are the same in every event of a layout, so that it
 * need not be looked up for each of them.  Filled by whoever keeps the rows.
 */
struct event_memo {
	bool has_category;
	const struct category *category;
	uint32_t host_track, device_track; /* NO_ROW: not yet */
	uint32_t other_keys;               /* how many keys of `others` are known… */
	uint32_t other_key[8];             /* …as interned text */
};

/*
 * The values of an event in the order of its text, for who wants to learn its layout.  INTO is
 * where in a struct event the slice was put (an offset), 0 when it is of no use.
 */
struct event_log {
	size_t count; /* above EVENT_VALUES_MAX: there were more */
	struct {
		struct json_slice value;
		size_t into;
	} value[EVENT_VALUES_MAX];
};

struct event {
	char phase; /* 0 when the event has none */
	bool has_cat, has_name, has_ts, has_dur, has_id, has_args;
	bool is_document; /* not an event: another trace begins, the cursor is in its events */
	bool args_not_object;
	bool bare_word;                     /* a value such as nan or N/A, read as missing */
	unsigned duplicates;                /* keys seen twice; the last one wins */
	uint32_t others;                    /* arguments without a column */
	uint64_t have;                      /* bit by enum event_argument */
	const struct json_slice *other_key; /* OTHERS of them */
	struct event_memo *memo;            /* NULL when nothing is known before */
	struct event_log *log;              /* NULL when nobody learns */
	/* Slices are only to be read where a flag, a bit or a count says so… */
	struct json_slice cat, pid, tid; /* …but these: text NULL when absent */
	struct json_slice name, ts, dur, id;
	struct json_slice argument[ARGUMENT_COUNT];
	struct json_slice other_value[EVENT_OTHERS_MAX];
	struct json_slice other_key_room[EVENT_OTHERS_MAX];
	struct json_slice unused;
};

static inline const struct json_slice *event_argument(const struct event *event,
						      enum event_argument argument)
{
	return event->have >> argument & 1 ? &event->argument[argument] : (void *)0;
}

/*
 * Take the object at the cursor apart; the slices point into the window.  On JSON_OK the cursor
 * stands behind the object.  LOG may be NULL.
 */
enum json_status event_parse(struct json_cursor *cursor, struct event *event,
			     struct event_log *log);

/* Does an event begin with this brace?  Then a quoted key that events have follows it. */
bool event_begins(const char *brace, const char *end);

/* A word other than the three of JSON stands for a value nobody knows. */
bool event_is_bare_word(const struct json_slice *value);

#endif
