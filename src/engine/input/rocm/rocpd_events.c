/*
 * Events: the category, message and correlation of a recording's rows.
 */
#include "base/buffer.h"
#include "base/compare.h"
#include "input/json.h"
#include "input/rocm/rocpd_private.h"

#include <stdlib.h>

/* ---- messages of markers ---- */

static const char wanted[] = "message";

static uint32_t message_in_text(struct rocpd *rocpd, const char *text, size_t length)
{
	struct json_slice object;
	return json_document(text, length, JSON_OBJECT, &object, NULL)
		       ? json_find_text(&object, wanted, rocpd->profile->strings)
		       : 0;
}

/* An element of JSONB: its type, and where its payload is. */
struct element {
	unsigned type;
	const unsigned char *payload, *end;
};

/* Read the element at AT, before END: a byte of type and size, then the size if it is long. */
static bool read_element(const unsigned char *at, const unsigned char *end, struct element *element)
{
	if (at >= end)
		return false;
	unsigned size = *at >> 4, extra = size < 12 ? 0 : 1u << (size - 12);
	uint64_t length = size;
	element->type = *at++ & 15;
	if ((size_t)(end - at) < extra)
		return false;
	if (extra)
		length = 0;
	for (unsigned i = 0; i < extra; i++)
		length = length << 8 | *at++;
	element->payload = at;
	if (length > (size_t)(end - at))
		return false;
	element->end = at + length;
	return true;
}

static uint32_t message_in_blob(struct rocpd *rocpd, const void *blob, size_t length)
{
	enum { TEXT = 7, TEXT_ESCAPED = 8, TEXT_RAW = 10, OBJECT = 12 };
	struct element object, key, value;
	const unsigned char *from = blob;
	if (!read_element(from, from + length, &object) || object.type != OBJECT)
		return 0;
	for (const unsigned char *at = object.payload;
	     read_element(at, object.end, &key) && read_element(key.end, object.end, &value);
	     at = value.end) {
		size_t size = (size_t)(value.end - value.payload);
		if ((size_t)(key.end - key.payload) != sizeof wanted - 1 ||
		    memcmp(key.payload, wanted, sizeof wanted - 1) != 0 || value.type < TEXT ||
		    value.type > TEXT_RAW)
			continue;
		struct json_slice slice = { .text = (const char *)value.payload, .length = size };
		struct buffer plain = { 0 };
		if (value.type == TEXT || value.type == TEXT_RAW)
			buffer_add(&plain, slice.text, size);
		else
			json_unescape(&plain, &slice);
		return profile_take(rocpd->profile, &plain);
	}
	return 0;
}

/* The text of member "message" of a JSON or JSONB column, interned; 0: none. */
static uint32_t rocpd_message(struct rocpd *rocpd, const struct sqlite_rows *rows, size_t column)
{
	enum { EMPTY = 2 }; /* "{}" */
	size_t length;
	if (sqlite_is_blob(rows, column)) {
		const void *blob = sqlite_blob(rows, column, &length);
		return blob ? message_in_blob(rocpd, blob, length) : 0;
	}
	const char *text = sqlite_text(rows, column, &length);
	return text && length > EMPTY ? message_in_text(rocpd, text, length) : 0;
}

/* ---- events ---- */

COMPARE_MEMBERS(rocpd_events_compare_events, struct rocpd_event, UP(id))

/* By id, as the table usually is. */
static void sort_events(struct rocpd *rocpd)
{
	size_t i = 1;
	while (i < rocpd->event_count && rocpd->events[i - 1].id < rocpd->events[i].id)
		i++;
	if (i < rocpd->event_count)
		qsort(rocpd->events, rocpd->event_count, sizeof *rocpd->events,
		      rocpd_events_compare_events);
}

/* Ids are mostly consecutive: the place follows from the first. */
struct rocpd_event *rocpd_event(const struct rocpd *rocpd, int64_t id)
{
	if (id == NO_VALUE || !rocpd->event_count || id < rocpd->events[0].id)
		return NULL;
	uint64_t guess = (uint64_t)id - (uint64_t)rocpd->events[0].id;
	if (guess < rocpd->event_count && rocpd->events[guess].id == id)
		return &rocpd->events[guess];
	struct rocpd_event key = { .id = id };
	return bsearch(&key, rocpd->events, rocpd->event_count, sizeof key,
		       rocpd_events_compare_events);
}

/* Categories are strings, or since schema 4 in a table of their own. */
static uint32_t category_of(const struct rocpd *rocpd, int64_t id)
{
	uint32_t category = id_find(rocpd->categories, id);
	return category != NO_ROW ? category : rocpd_string(rocpd, id);
}

void rocpd_read_events(struct rocpd *rocpd)
{
	enum { ID, CATEGORY, STACK, EXTRA, COLUMNS };
	rocpd_each (rows, rocpd, "event", "id! category_id stack_id extdata:text", COLUMNS) {
		struct rocpd_event event = { .id = sqlite_int(rows, ID),
					     .stack = sqlite_int(rows, STACK),
					     .category =
						     category_of(rocpd, sqlite_int(rows, CATEGORY)),
					     .activity = NO_ROW,
					     .sample = NO_ROW };
		if (event.id == NO_VALUE)
			continue;
		if (rocm_call_of(profile_string(rocpd->profile, event.category)) == ROCM_MARKER)
			event.message = rocpd_message(rocpd, rows, EXTRA);
		*mem_push(rocpd->events, rocpd->event_count) = event;
	}
	sort_events(rocpd);
}
