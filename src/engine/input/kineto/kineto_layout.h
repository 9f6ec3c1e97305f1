/*
 * Learned event layouts: parses events like earlier ones by comparing the bytes between values.
 *
 * A layout is a path in a tree: bytes that must match, then a value, and so on to the closing
 * brace. Members that identify the event and its track (ph, cat, pid, tid, device, stream) are part
 * of the bytes. An event whose bytes between the values, and whose kinds of values, equal those of
 * a parsed event parses equally; anything else is left to the parser.
 */
#pragma once

#include "input/kineto/kineto_event.h"

struct layouts;

struct layouts *layouts_new(void);
void layouts_free(struct layouts *layouts); /* NULL is fine */

/*
 * Parse the object at the cursor by a layout, or learn its layout. False for what is not a plain
 * event or is not complete; cursor and EVENT are then undefined.
 */
bool layouts_parse(struct layouts *layouts, struct json_cursor *cursor, struct event *event);
