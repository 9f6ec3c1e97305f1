/*
 * Single-pass parser of one Chrome trace event.
 */
#pragma once

#include "base/listed.h"
#include "input/json.h"
#include "text_tables.h"

struct category; /* input/kineto/category.h */

/* Arguments with a column of their own. */
enum event_argument {
	EVENT_ARGUMENT_ROWS(LISTED) /* ARGUMENT_EXTERNAL_ID… */
	ARGUMENT_COUNT,
	ARGUMENT_IGNORED = ARGUMENT_COUNT, /* not used by any view */
};

enum { EVENT_OTHERS_MAX = 64, EVENT_VALUES_MAX = 64 };

/*
 * Lookups cached per layout, for members equal in all of its events; filled by the owner of the
 * rows.
 */
struct event_memo {
	bool has_category;
	const struct category *category;
	uint32_t host_track, device_track; /* NO_ROW: not looked up yet */
	uint32_t other_keys;               /* number of keys of `others` interned… */
	uint32_t other_key[8];             /* …and their ids */
	uint32_t other_text[8];            /* ids of their last texts; at first 0, an empty one */
};

/*
 * The values of an event in text order, for learning its layout. INTO is the offset in struct event
 * the slice was stored at.
 */
struct event_log {
	size_t count; /* more than EVENT_VALUES_MAX: truncated */
	struct {
		struct json_slice value;
		size_t into;
	} value[EVENT_VALUES_MAX];
};

struct event {
	char phase; /* 0: none */
	bool has_phase, has_cat, has_pid, has_tid, has_name, has_ts, has_dur, has_id, has_args;
	bool is_document; /* not an event: another trace starts, the cursor is among its events */
	bool args_not_object;
	bool bare_word;                     /* a value such as nan or N/A, read as absent */
	unsigned duplicates;                /* repeated keys; the last one wins */
	uint32_t others;                    /* arguments without a column */
	uint64_t have;                      /* bitmask by enum event_argument */
	const struct json_slice *other_key; /* OTHERS keys */
	struct event_memo *memo;            /* NULL without a layout */
	struct event_log *log;              /* NULL when not learning */
	/* Slices are valid only when a flag, bit or count says so… */
	struct json_slice cat, pid, tid; /* …except these: text is NULL when absent */
	struct json_slice name, ts, dur, id, ph;
	struct json_slice argument[ARGUMENT_COUNT];
	struct json_slice other_value[EVENT_OTHERS_MAX];
	struct json_slice other_key_room[EVENT_OTHERS_MAX + 1];
	struct json_slice unused;
};

static inline const struct json_slice *event_argument(const struct event *event,
						      enum event_argument argument)
{
	return event->have >> argument & 1 ? &event->argument[argument] : (void *)0;
}

/*
 * Parse the object at the cursor; slices point into the window. On JSON_OK the cursor is after the
 * object. LOG may be NULL.
 */
enum json_status event_parse(struct json_cursor *cursor, struct event *event,
			     struct event_log *log);

/* Does an event start at this brace, that is, is it followed by a key that events have? */
bool event_begins(const char *brace, const char *end);

/* Bare words other than true, false and null represent unknown values. */
bool event_is_bare_word(const struct json_slice *value);
