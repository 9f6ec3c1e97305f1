/*
 * The records of a structured log of torch.compile: lines of glog form, whose JSON names an event,
 * each with its payload, lines after a tab. Of payloads that are not wanted only the place is kept.
 */
#pragma once

#include "base/buffer.h"
#include "input/json.h"
#include "input/source_text.h"
#include "model/compile_log.h"

/* {"artifact": {...}, "frame_id": 0}: its first member is the event. Lasts until the next one. */
struct compile_record {
	struct json_slice event, value;
	int64_t pid, rank, frame, number, attempt, autograd; /* NO_VALUE */
	struct compile_range range; /* of the payload, with its tabs; before it: of the record */
	struct buffer payload;      /* without tabs; empty unless wanted */
};

struct compile_records {
	struct input *input;
	/* Is the payload of the record wanted? Asked when the record's own line was read. */
	bool (*wants)(void *context, const struct compile_record *record);
	void (*take)(void *context, const struct compile_record *record);
	void *context;
};

/* Take all of them. False with the input's error. */
bool compile_records_read(struct compile_records *records);

/* Does HEAD begin with the line of such a record? */
bool compile_record_begins(const char *head);
