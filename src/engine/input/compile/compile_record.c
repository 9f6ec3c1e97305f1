#include "input/compile/compile_record.h"

#include "base/ahead.h"
#include "base/buffer.h"
#include "base/error.h"
#include "input/text_lines.h"
#include "model/profile.h"

enum {
	RECORDS_CHUNK = 1 << 20, /* bytes read at a time, and those of a batch of records */
	RECORD_MAX = 1 << 26, /* limit: bytes of a line or payload of a log; longer ones are cut */
};

/* Records with the whole payloads of those that are wanted. */
struct record_batch {
	struct arena *lines; /* the slices of the records point into it */
	struct buffer payloads;
	struct numbered_record {
		struct compile_record record;
		size_t payload;     /* where it begins */
		const char *damage; /* the record is none; NULL: nothing is */
	} * at;
	size_t count, cap;
};

/* The lines of the log. What reading ahead sets is for the caller after its last batch. */
struct record_reading {
	struct compile_records *records;
	struct buffer text; /* read; the lines before AT are taken */
	size_t at;
	uint64_t offset, events; /* of the text in the log; lines so far */
	ptrdiff_t got;           /* by the last read */
	struct record_batch batch[AHEAD_BATCHES];
	struct ahead ahead;
};

/*
 * "V0524 12:48:44.657000 1401 torch/_logging/structured.py:19] {": the JSON, or NULL, and the
 * number of the process.
 */
static const char *json_of_line(struct text_slice line, int64_t *pid)
{
	const char *json = slice_find(line, "] {");
	struct text_slice rest = slice_until(line, json ?: line.text), day = slice_next(&rest),
			  time = slice_next(&rest), id = slice_next(&rest);
	bool record = day.length == 5 && strchr("VDIWEC", *day.text) &&
		      slice_count(slice_from(day, day.text + 1), pid) && time.length >= 8 &&
		      time.text[2] == ':' && time.text[5] == ':' && slice_count(id, pid);
	return record ? json + 2 : NULL;
}

bool compile_record_begins(const char *head)
{
	const char *end = strchrnul(head, '\n');
	int64_t pid;
	return *head == 'V' &&
	       json_of_line((struct text_slice){ head, (size_t)(end - head) }, &pid);
}

/* False when the JSON is broken. */
static bool take_members(struct compile_record *record, struct text_slice json)
{
	struct json_slice object = { json.text, json.length, JSON_OBJECT, false, false };
	struct json_members at = json_members(&object);
	while (json_each(&at)) {
		if (!record->event.length) {
			record->event = at.key;
			record->value = at.value;
		}
		int64_t *number = json_equal(&at.key, "rank")                   ? &record->rank
				  : json_equal(&at.key, "frame_id")             ? &record->frame
				  : json_equal(&at.key, "frame_compile_id")     ? &record->number
				  : json_equal(&at.key, "attempt")              ? &record->attempt
				  : json_equal(&at.key, "compiled_autograd_id") ? &record->autograd
										: NULL;
		if (number && !json_id(&at.value, number))
			*number = NO_VALUE;
	}
	return slice_ends(json, "}") && at.cursor.at >= at.cursor.end;
}

/* ---- reading ahead ---- */

static void batch_clear(struct record_batch *batch)
{
	arena_free(batch->lines);
	batch->lines = NULL;
	buffer_free(&batch->payloads);
	batch->count = 0;
}

/* A line that begins a record; OFFSET in the log. */
static void begin_record(struct record_reading *reading, struct record_batch *batch,
			 struct text_slice line, uint64_t offset)
{
	struct numbered_record *at = mem_push(batch->at, batch->count, batch->cap);
	struct compile_record *record = &at->record;
	*record = (struct compile_record){ .range = { offset, 0 },
					   .rank = NO_VALUE,
					   .frame = NO_VALUE,
					   .number = NO_VALUE,
					   .attempt = NO_VALUE,
					   .autograd = NO_VALUE };
	at->payload = batch->payloads.length;
	const char *json = json_of_line(line, &record->pid);
	if (!json) {
		at->damage = "line that is no record";
		return;
	}
	reading->events++;
	size_t length = (size_t)(line.text + line.length - json);
	json = arena_strndup(batch->lines, json, length);
	if (take_members(record, slice_trim((struct text_slice){ json, length })))
		record->kind = reading->records->kind(record);
	else
		at->damage = "record whose JSON is broken";
}

/* A line of the payload of the last record, after its tab. */
static void add_payload(struct record_reading *reading, struct record_batch *batch,
			struct text_slice line, uint64_t offset)
{
	struct numbered_record *at = &batch->at[batch->count - 1];
	struct compile_record *record = &at->record;
	if (at->damage)
		return;
	if (!record->range.length)
		record->range.offset = offset;
	record->range.length = offset + line.length + 2 - record->range.offset;
	if (!reading->records->wants(record->kind) ||
	    record->payload.length + line.length > RECORD_MAX)
		return;
	buffer_add(&batch->payloads, line.text, line.length);
	buffer_putc(&batch->payloads, '\n');
	record->payload.length += line.length + 1;
}

/* Read more after the text that is not taken; false at the end. */
static bool read_more(struct record_reading *reading)
{
	struct buffer *text = &reading->text;
	struct input *input = reading->records->input;
	if (reading->got <= 0)
		return false;
	if (reading->at)
		memmove(text->data, text->data + reading->at, text->length - reading->at);
	text->length -= reading->at;
	reading->offset += reading->at;
	reading->at = 0;
	mem_grow(text->data, text->capacity, text->length + RECORDS_CHUNK + 1);
	reading->got =
		source_read(input->source, text->data + text->length, RECORDS_CHUNK, input->error);
	text->length += reading->got > 0 ? (size_t)reading->got : 0;
	source_report(input->source, reading->events, reading->events);
	return reading->got > 0;
}

/* The next line, at the end the rest too; false without one. */
static bool next_line(struct record_reading *reading, struct text_slice *line)
{
	const char *end;
	size_t left;
	do {
		left = reading->text.length - reading->at;
		line->text = reading->text.data + reading->at;
		end = left ? memchr(line->text, '\n', left) : NULL;
	} while (!end && left < RECORD_MAX && read_more(reading));
	line->length = end ? (size_t)(end - line->text) : left;
	line->text = reading->text.data + reading->at; /* reading in vain may move it, too */
	return left && reading->got >= 0;
}

/* Whole records, until they are as long as a chunk. */
static bool fill_batch(void *context, size_t place)
{
	struct record_reading *reading = context;
	struct record_batch *batch = &reading->batch[place];
	struct text_slice line;
	uint64_t begin = reading->offset + reading->at;
	batch_clear(batch);
	batch->lines = arena_new();
	while (next_line(reading, &line)) {
		uint64_t offset = reading->offset + reading->at;
		bool begins = line.length && line.text[0] != '\t';
		if (begins && offset - begin >= RECORDS_CHUNK)
			return true;
		reading->at += line.length + (reading->at + line.length < reading->text.length);
		if (begins) {
			buffer_putc(&batch->payloads, 0);
			begin_record(reading, batch, line, offset);
		} else if (line.length && batch->count) {
			add_payload(reading, batch,
				    (struct text_slice){ line.text + 1, line.length - 1 }, offset);
		}
	}
	buffer_putc(&batch->payloads, 0);
	return false;
}

/* ---- taking ---- */

static void take_batch(struct compile_records *records, const struct record_batch *batch)
{
	struct profile *profile = records->input->profile;
	for (size_t i = 0; i < batch->count; i++) {
		const struct numbered_record *at = &batch->at[i];
		struct compile_record record = at->record;
		record.payload.text = batch->payloads.data + at->payload;
		if (at->damage)
			profile_damage(profile, at->damage, "skipped", record.range.offset);
		else
			records->take(records->context, &record);
	}
}

static void take_records(void *context)
{
	struct record_reading *reading = context;
	for (size_t at; (at = ahead_next(&reading->ahead)) != AHEAD_END;)
		take_batch(reading->records, &reading->batch[at]);
}

bool compile_records_read(struct compile_records *records)
{
	struct record_reading reading = { .records = records, .got = 1 };
	ahead_begin(&reading.ahead, fill_batch, &reading);
	size_t wanted = mem_try(take_records, &reading);
	ahead_end(&reading.ahead);
	for (size_t i = 0; i < AHEAD_BATCHES; i++) {
		batch_clear(&reading.batch[i]);
		mem_free(reading.batch[i].at);
	}
	buffer_free(&reading.text);
	if (wanted)
		mem_fail(wanted);
	records->input->profile->events += reading.events;
	records->input->profile->text_bytes = reading.offset + reading.at;
	return reading.got == 0;
}
