#include "input/compile/compile_record.h"

#include "base/error.h"
#include "input/text_lines.h"
#include "model/profile.h"

enum {
	RECORDS_CHUNK = 1 << 20,
	RECORD_MAX = 1 << 26, /* limit: bytes of a line or payload of a log; longer ones are cut */
};

/* The lines of the log, and the record whose payload may go on. */
struct record_reading {
	struct compile_records *records;
	struct compile_record record;
	struct buffer line; /* of the record: its slices point into it */
	bool open, wanted;
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

static void finish_record(struct record_reading *reading)
{
	if (reading->open)
		reading->records->take(reading->records->context, &reading->record);
	reading->open = false;
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

/* A line that begins a record; OFFSET in the text. */
static void begin_record(struct record_reading *reading, struct text_slice line, uint64_t offset)
{
	struct compile_record *record = &reading->record;
	struct profile *profile = reading->records->input->profile;
	finish_record(reading);
	buffer_clear(&reading->line);
	buffer_clear(&record->payload);
	*record = (struct compile_record){ .payload = record->payload,
					   .range = { offset, 0 },
					   .rank = NO_VALUE,
					   .frame = NO_VALUE,
					   .number = NO_VALUE,
					   .attempt = NO_VALUE,
					   .autograd = NO_VALUE };
	const char *json = json_of_line(line, &record->pid);
	if (!json) {
		profile_damage(profile, "line that is no record", "skipped", offset);
		return;
	}
	profile->events++;
	buffer_add(&reading->line, json, (size_t)(line.text + line.length - json));
	if (!take_members(record, slice_trim((struct text_slice){ buffer_text(&reading->line),
								  reading->line.length }))) {
		profile_damage(profile, "record whose JSON is broken", "skipped", offset);
		return;
	}
	reading->open = true;
	reading->wanted = reading->records->wants(reading->records->context, record);
}

/* A line of a payload, after its tab. */
static void add_payload(struct record_reading *reading, struct text_slice line, uint64_t offset)
{
	struct compile_record *record = &reading->record;
	if (!record->range.length)
		record->range.offset = offset;
	record->range.length = offset + line.length + 2 - record->range.offset;
	if (!reading->open || !reading->wanted || record->payload.length + line.length > RECORD_MAX)
		return;
	buffer_add(&record->payload, line.text, line.length);
	buffer_putc(&record->payload, '\n');
}

static void take_line(struct record_reading *reading, struct text_slice line, uint64_t offset)
{
	if (line.length && line.text[0] == '\t')
		add_payload(reading, (struct text_slice){ line.text + 1, line.length - 1 }, offset);
	else if (line.length)
		begin_record(reading, line, offset);
}

/* Take the whole lines of TEXT, at its end the rest too; returns the bytes taken. */
static size_t take_lines(struct record_reading *reading, const struct buffer *text, uint64_t offset,
			 bool last)
{
	size_t at = 0;
	while (at < text->length) {
		const char *line = text->data + at;
		const char *end = memchr(line, '\n', text->length - at);
		size_t length = end ? (size_t)(end - line) : text->length - at;
		if (!end && !last && length < RECORD_MAX)
			break;
		take_line(reading, (struct text_slice){ line, length }, offset + at);
		at += length + (end != NULL);
	}
	return at;
}

bool compile_records_read(struct compile_records *records)
{
	struct record_reading reading = { .records = records };
	struct input *input = records->input;
	AUTO_BUFFER struct buffer text = { 0 };
	uint64_t offset = 0;
	ptrdiff_t got;
	do {
		mem_grow(text.data, text.capacity, text.length + RECORDS_CHUNK + 1);
		got = source_read(input->source, text.data + text.length, RECORDS_CHUNK,
				  input->error);
		text.length += got > 0 ? (size_t)got : 0;
		size_t taken = take_lines(&reading, &text, offset, got == 0);
		memmove(text.data, text.data + taken, text.length - taken);
		text.length -= taken;
		offset += taken;
		source_report(input->source, profile_rows(input->profile), input->profile->events);
	} while (got > 0);
	finish_record(&reading);
	input->profile->text_bytes = offset;
	buffer_free(&reading.line);
	buffer_free(&reading.record.payload);
	return got == 0;
}
