#include "input/compile/compile_record.h"

#include "base/ahead.h"
#include "base/error.h"
#include "base/platform.h"
#include "input/text_lines.h"
#include "model/profile.h"

enum {
	RECORDS_CHUNK = 1 << 18, /* bytes read at a time */
	RECORD_MAX = 1 << 26,    /* limit: bytes of a record that is taken; longer ones are cut */
};

/* Whole records; the slices of these point into their text. */
struct record_batch {
	struct buffer text;
	uint64_t offset; /* of the text in the log */
	size_t length;   /* of the records; the rest is for the next batch */
	struct record_of_batch {
		struct compile_record record;
		const char *damage; /* the record is none; NULL: nothing is */
	} * at;
	size_t count;
};

/* What reading ahead sets is for the caller after its last batch. */
struct record_reading {
	struct compile_records *records;
	struct record_batch batch[AHEAD_BATCHES], *last; /* the one filled last; NULL: none */
	uint64_t dropped;     /* bytes of its last record, which is too long, after its text */
	uint64_t end, events; /* of the batches in the log; records so far */
	ptrdiff_t got;        /* by the last read */
	struct ahead ahead;
};

/*
 * "V0524 12:48:44.657000 1401 torch/_logging/structured.py:19] {": the JSON, or NULL, and the
 * number of the process.
 */
static const char *json_of_line(struct text_slice line, int64_t *pid)
{
	const char *json = line.text, *end = line.text + line.length;
	while ((json = memchr(json, ']', (size_t)(end - json))) &&
	       !slice_begins(slice_from(line, json), "] {"))
		json++;
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

/* A line that begins a record; OFFSET in the log. */
static struct record_of_batch *begin_record(struct record_reading *reading,
					    struct record_batch *batch, struct text_slice line,
					    uint64_t offset)
{
	struct record_of_batch *at = mem_push(batch->at, batch->count);
	struct compile_record *record = &at->record;
	*at = (struct record_of_batch){ .record = { .range = { offset, 0 },
						    .payload = { "", 0 },
						    .rank = NO_VALUE,
						    .frame = NO_VALUE,
						    .number = NO_VALUE,
						    .attempt = NO_VALUE,
						    .autograd = NO_VALUE } };
	const char *json = json_of_line(line, &record->pid);
	if (!json) {
		at->damage = "line that is no record";
		return at;
	}
	reading->events++;
	if (take_members(record, slice_trim(slice_from(line, json))))
		record->kind = reading->records->kind(record);
	else
		at->damage = "record whose JSON is broken";
	return at;
}

/* Does a record begin at AT, after the end of a line? Lines of payloads have a tab, or nothing. */
static bool begins_record(const char *at)
{
	return *at != '\t' && *at != '\n';
}

/* The first newline from AT on after which a record begins, or END. */
static const char *record_end(const char *at, const char *end)
{
#ifdef __SSE2__
	const __m128i newline = _mm_set1_epi8('\n'), tab = _mm_set1_epi8('\t');
	for (; end - at > 16; at += 16) {
		__m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i next = _mm_loadu_si128((const __m128i *)(const void *)(at + 1));
		__m128i inner =
			_mm_or_si128(_mm_cmpeq_epi8(next, newline), _mm_cmpeq_epi8(next, tab));
		int mask =
			_mm_movemask_epi8(_mm_andnot_si128(inner, _mm_cmpeq_epi8(block, newline)));
		if (mask)
			return at + __builtin_ctz((unsigned)mask);
	}
#endif
	while (at < end && !(*at == '\n' && at + 1 < end && begins_record(at + 1)))
		at++;
	return at;
}

static void take_lines(struct record_reading *reading, struct record_batch *batch)
{
	const char *text = batch->text.data, *at = text, *end = text + batch->length;
	struct record_of_batch *last = NULL;
	while (at < end) {
		struct text_slice line = { at, (size_t)(end - at) };
		line = slice_until(line, memchr(at, '\n', line.length) ?: end);
		const char *payload = line.text + line.length;
		if (begins_record(at))
			last = begin_record(reading, batch, line,
					    batch->offset + (size_t)(at - text));
		at = record_end(payload, end);
		at += at < end;
		payload += payload < end;
		if (!last || last->damage || at == payload)
			continue;
		struct compile_record *record = &last->record;
		record->payload = (struct text_slice){ payload, (size_t)(at - payload) };
		record->range.offset = batch->offset + (size_t)(payload - text);
		record->range.length = record->payload.length;
	}
	if (!last || !last->record.range.length || !reading->dropped)
		return;
	struct text_slice *cut = &last->record.payload;
	last->record.range.length += reading->dropped;
	cut->length = cut->text < text + RECORD_MAX ? (size_t)(text + RECORD_MAX - cut->text) : 0;
}

/* The last record that begins in TEXT after its start and FROM, or 0. */
static size_t last_begin(const struct buffer *text, size_t from)
{
	for (size_t at = text->length; at > from;) {
		const char *newline = platform_memrchr(text->data + from, '\n', at - from);
		at = newline ? (size_t)(newline - text->data) : from;
		if (newline && at + 1 < text->length && begins_record(newline + 1))
			return at + 1;
	}
	return 0;
}

/* Read more of the log; false at its end. */
static bool read_more(struct record_reading *reading, struct buffer *text)
{
	struct input *input = reading->records->input;
	mem_grow(text->data, text->length + RECORDS_CHUNK + 1);
	reading->got =
		source_read(input->source, text->data + text->length, RECORDS_CHUNK, input->error);
	text->length += reading->got > 0 ? (size_t)reading->got : 0;
	source_report(input->source, reading->events, reading->events);
	return reading->got > 0;
}

/* What the last batch has after its records, and a chunk or more, up to the last record in it. */
static bool fill_batch(void *context, size_t place)
{
	struct record_reading *reading = context;
	struct record_batch *batch = &reading->batch[place], *last = reading->last;
	struct buffer *text = &batch->text;
	size_t from = 0;
	buffer_clear(text);
	if (last)
		buffer_add(text, last->text.data + last->length, last->text.length - last->length);
	batch->offset = reading->end;
	batch->length = batch->count = reading->dropped = 0;
	reading->last = batch;
	while (!batch->length && read_more(reading, text)) {
		batch->length = last_begin(text, from);
		from = text->length - 1;
		if (batch->length || text->length <= RECORD_MAX + RECORDS_CHUNK)
			continue;
		/* the rest of the record is skipped, but for its last byte */
		reading->dropped += text->length - 1 - RECORD_MAX;
		text->data[RECORD_MAX] = text->data[from];
		from = RECORD_MAX;
		text->length = RECORD_MAX + 1;
	}
	batch->length = batch->length ?: text->length;
	take_lines(reading, batch);
	reading->end += batch->length + reading->dropped;
	return reading->got > 0;
}

/* ---- taking ---- */

static void take_batch(struct compile_records *records, const struct record_batch *batch)
{
	struct profile *profile = records->input->profile;
	for_each (at, batch->at, batch->count) {
		if (at->damage)
			profile_damage(profile, at->damage, "skipped", at->record.range.offset);
		else
			records->take(records->context, &at->record);
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
		buffer_free(&reading.batch[i].text);
		mem_free(reading.batch[i].at);
	}
	if (wanted)
		mem_fail(wanted);
	records->input->profile->events += reading.events;
	records->input->profile->text_bytes = reading.end;
	return reading.got == 0;
}
