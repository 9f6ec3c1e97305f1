/*
 * Learned event layouts: parses events like earlier ones by comparing the bytes between values.
 *
 * A layout is a path in a tree: bytes that must match, then a value, and so on to the closing
 * brace. Members that identify the event and its track (ph, cat, pid, tid, device, stream) are part
 * of the bytes. An event whose bytes between the values, and whose kinds of values, equal those of
 * a parsed event parses equally; anything else is left to the parser.
 */
#ifndef STRATA_INPUT_KINETO_KINETO_LAYOUT_H
#define STRATA_INPUT_KINETO_KINETO_LAYOUT_H

#include "input/kineto/kineto_event.h"

struct layouts;

struct layouts *layouts_new(void);
void layouts_free(struct layouts *layouts); /* NULL is fine */

/* Learn from a cleanly parsed event in TEXT to END; EVENT and LOG are from event_parse. */
void layouts_learn(struct layouts *layouts, const char *text, const char *end,
		   const struct event *event, const struct event_log *log);

/* Is it worth learning from the next event? Not while all events differ. */
bool layouts_learning(const struct layouts *layouts);

/*
 * Parse the object at the cursor by a layout. False when none matches: the cursor is unchanged and
 * EVENT must be filled by event_parse.
 */
bool layouts_match(struct layouts *layouts, struct json_cursor *cursor, struct event *event);

#endif
