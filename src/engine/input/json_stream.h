/*
 * Walks a JSON document of any size; one value at a time is in memory.
 */
#pragma once

#include "input/json.h"
#include "input/source_text.h"

struct stream {
	struct source *source;
	const struct progress *progress;
	const char *stage;
	struct error *error;
	struct buffer text;
	size_t at;      /* of the next byte in it */
	uint64_t taken; /* bytes before it */
	uint64_t records;
	bool ended, failed; /* failed: with the error set */
	bool cut;           /* the document ends early, or is no JSON from here on */
	int depth;
};

/* STAGE is what progress calls the records. */
static inline struct stream stream_of(const struct input *input, const char *stage)
{
	return (struct stream){ .source = input->source,
				.progress = input->progress,
				.stage = stage,
				.error = input->error };
}

/* The next byte that is not blank, without taking it; 0 at the end. */
char stream_peek(struct stream *stream);

/* Take a whole value, valid until the next call. False at the end or when it is no JSON. */
bool stream_value(struct stream *stream, struct json_slice *value);

/* Likewise, a value that is counted; cancelled, the walk ends and the stream has failed. */
bool stream_record(struct stream *stream, struct json_slice *value);

/* Take a value without keeping it. */
void stream_skip(struct stream *stream);

/*
 * Take an object or array (another value is skipped): TAKE must take each value. KEY is "" in
 * arrays, cut off where it is long.
 */
typedef void stream_take(void *context, struct stream *stream, const char *key);
void stream_walk(struct stream *stream, stream_take *take, void *context);

/* At the end: count the bytes of text, and damage where it was cut. False with the error. */
bool stream_finish(struct stream *stream, struct profile *profile);
