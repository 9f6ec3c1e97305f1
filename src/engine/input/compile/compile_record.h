/*
 * The records of a structured log of torch.compile: lines of glog form, whose JSON names an event,
 * each with its payload, lines after a tab.
 */
#pragma once

#include "base/text_slice.h"
#include "input/json.h"
#include "input/source_text.h"
#include "model/compile_log.h"

struct log_event;

/* {"artifact": {...}, "frame_id": 0}: its first member is the event. Lasts until the next one. */
struct compile_record {
	struct json_slice event, value;
	int64_t pid, rank, frame, number, attempt, autograd; /* NO_VALUE */
	struct compile_range range; /* of the payload, with its tabs; without one, of the record */
	struct text_slice payload;  /* with its tabs */
	const struct log_event *kind;
};

struct compile_records {
	struct input *input;
	/*
	 * The kind of a record whose own line was read; NULL: none that is taken. In any thread.
	 */
	const struct log_event *(*kind)(const struct compile_record *record);
	void (*take)(void *context, const struct compile_record *record);
	void *context;
};

/*
 * Take all of them, in this thread; another one reads ahead. False with the input's error.
 */
bool compile_records_read(struct compile_records *records);

/* Does HEAD begin with the line of such a record? */
bool compile_record_begins(const char *head);
