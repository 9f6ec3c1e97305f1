/*
 * One event of a Chrome trace, taken apart in one pass over its text.
 */
#ifndef STRATA_INPUT_KINETO_EVENT_H
#define STRATA_INPUT_KINETO_EVENT_H

#include "input/json.h"

/* Arguments that have a column of their own. */
enum event_argument {
	ARGUMENT_EXTERNAL_ID, ARGUMENT_CORRELATION, ARGUMENT_DEVICE, ARGUMENT_STREAM,
	ARGUMENT_COPY_BYTES, ARGUMENT_GRID, ARGUMENT_BLOCK, ARGUMENT_REGISTERS,
	ARGUMENT_SHARED_MEMORY, ARGUMENT_BLOCKS_PER_SM, ARGUMENT_WARPS_PER_SM,
	ARGUMENT_OCCUPANCY, ARGUMENT_SHAPES, ARGUMENT_TYPES, ARGUMENT_STRIDES, ARGUMENT_CONCRETE,
	ARGUMENT_STACK, ARGUMENT_HIERARCHY, ARGUMENT_SEQUENCE, ARGUMENT_FORWARD_THREAD,
	ARGUMENT_MODULE_ID, ARGUMENT_ADDRESS, ARGUMENT_BYTES, ARGUMENT_TOTAL_ALLOCATED,
	ARGUMENT_TOTAL_RESERVED, ARGUMENT_DEVICE_TYPE, ARGUMENT_DEVICE_ID, ARGUMENT_NAME,
	ARGUMENT_LABELS, ARGUMENT_SORT_INDEX,
	ARGUMENT_COUNT,
	ARGUMENT_IGNORED = ARGUMENT_COUNT,	/* of no use to any view */
};

enum { EVENT_OTHERS_MAX = 64 };

struct event {
	char phase;			/* 0 when the event has none */
	bool has_cat, has_name, has_ts, has_dur, has_id, has_args;
	bool is_document;		/* not an event: another trace begins, the cursor is in its events */
	unsigned duplicates;		/* keys seen twice; the last one wins */
	struct json_slice cat, name, pid, tid, ts, dur, id;
	uint64_t have;			/* bit by enum event_argument */
	struct json_slice argument[ARGUMENT_COUNT];
	size_t others;			/* arguments without a column */
	struct json_slice other_key[EVENT_OTHERS_MAX], other_value[EVENT_OTHERS_MAX];
	bool args_not_object;
	bool bare_word;			/* a value such as nan or N/A, read as missing */
};

static inline const struct json_slice *event_argument(const struct event *event,
						      enum event_argument argument)
{
	return event->have >> argument & 1 ? &event->argument[argument] : (void *)0;
}

/*
 * Take the object at the cursor apart; the slices point into the window.  On JSON_OK the cursor
 * stands behind the object.
 */
enum json_status event_parse(struct json_cursor *cursor, struct event *event);

#endif
