/*
 * The layouts of events that have been seen, so that the next event like one of them is taken apart
 * by comparing the bytes between its values instead of by parsing them.
 *
 * A layout is a path through a tree: bytes that must stand there, then a value, and so on to the
 * closing brace.  The members that say what and where an event is (ph, cat, pid, tid, device,
 * stream) belong to the bytes.  The parser goes by nothing but the text, so an event whose bytes
 * between the values equal those of an event it has parsed, and whose values are of the same kinds,
 * is what the parser would make of it; whatever does not fit is left to the parser.
 */
#ifndef STRATA_INPUT_KINETO_KINETO_LAYOUT_H
#define STRATA_INPUT_KINETO_KINETO_LAYOUT_H

#include "input/kineto/kineto_event.h"

struct layouts;

struct layouts *layouts_new(void);
void layouts_free(struct layouts *layouts); /* NULL is fine */

/*
 * Learn from an event that was parsed strictly, without anything to repair: TEXT is where its brace
 * stands, END behind it.  EVENT and LOG are what event_parse made of it.
 */
void layouts_learn(struct layouts *layouts, const char *text, const char *end,
		   const struct event *event, const struct event_log *log);

/* Is it worth while to learn from the next event?  Not while all are different. */
bool layouts_learning(const struct layouts *layouts);

/*
 * Take the object at the cursor apart by a layout.  False when none fits: the cursor has not moved
 * and EVENT is to be filled by event_parse.
 */
bool layouts_take(struct layouts *layouts, struct json_cursor *cursor, struct event *event);

#endif
