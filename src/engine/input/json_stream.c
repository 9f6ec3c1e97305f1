#include "input/json_stream.h"

#include "base/error.h"
#include "model/profile.h"

enum {
	CHUNK = 1 << 18,
	VALUE_MAX = 1 << 28, /* limit: bytes of one record of a JSON file that is no trace */
	DEPTH_MAX = 16,      /* of what is walked; values inside records may nest deeper */
	KEY_MAX = 64,
};

/* Read as much as is there already, so that a long value is scanned a few times only. */
static bool read_more(struct stream *stream)
{
	struct buffer *text = &stream->text;
	if (stream->ended || stream->failed)
		return false;
	if (stream->at) {
		memmove(text->data, text->data + stream->at, text->length - stream->at);
		text->length -= stream->at;
		stream->taken += stream->at;
		stream->at = 0;
	}
	if (text->length > VALUE_MAX) {
		stream->failed = true;
		return error_input(stream->error, "has a record of more than %d MiB",
				   VALUE_MAX >> 20);
	}
	size_t size = text->length > CHUNK ? text->length : CHUNK;
	mem_grow(text->data, text->length + size + 1);
	ptrdiff_t got = source_read(stream->source, text->data + text->length, size, stream->error);
	stream->failed = got < 0;
	stream->ended = got == 0;
	text->length += got > 0 ? (size_t)got : 0;
	text->data[text->length] = 0;
	return got > 0;
}

static struct json_cursor cursor_of(const struct stream *stream)
{
	const char *text = buffer_text(&stream->text);
	return (struct json_cursor){ .at = text + stream->at,
				     .end = text + stream->text.length,
				     .final = stream->ended };
}

static void keep_place(struct stream *stream, const struct json_cursor *cursor)
{
	stream->at = (size_t)(cursor->at - buffer_text(&stream->text));
}

char stream_peek(struct stream *stream)
{
	char next = 0;
	do {
		struct json_cursor cursor = cursor_of(stream);
		bool found = json_next(&cursor, &next) == JSON_OK;
		keep_place(stream, &cursor);
		if (found)
			return next;
	} while (read_more(stream));
	return 0;
}

bool stream_value(struct stream *stream, struct json_slice *value)
{
	if (stream->cut || !stream_peek(stream))
		return false;
	for (;;) {
		struct json_cursor cursor = cursor_of(stream);
		enum json_status status = json_value(&cursor, value);
		if (status == JSON_OK) {
			keep_place(stream, &cursor);
			return true;
		}
		if (status == JSON_BAD || !read_more(stream)) {
			stream->cut = true;
			return false;
		}
	}
}

bool stream_record(struct stream *stream, struct json_slice *value)
{
	if (!stream_value(stream, value))
		return false;
	if (!progress_row(stream->progress, stream->stage, (size_t)stream->records++, SIZE_MAX))
		stream->failed = !error_cancelled(stream->error);
	return !stream->failed;
}

static void skip_member(void *context, struct stream *stream, const char *key)
{
	stream_skip(stream);
}

/* Arrays are skipped by element, so that long ones need no memory. */
void stream_skip(struct stream *stream)
{
	struct json_slice value;
	if (stream_peek(stream) == '[' && stream->depth < DEPTH_MAX)
		stream_walk(stream, skip_member, NULL);
	else
		stream_value(stream, &value);
}

static bool take_key_json_stream(struct stream *stream, char key[KEY_MAX])
{
	struct json_slice name;
	if (!stream_value(stream, &name) || name.type != JSON_STRING)
		return false;
	size_t length = name.length < KEY_MAX - 1 ? name.length : KEY_MAX - 1;
	memcpy(key, name.text, length);
	key[length] = 0;
	if (stream_peek(stream) != ':')
		return false;
	stream->at++;
	return true;
}

void stream_walk(struct stream *stream, stream_take *take, void *context)
{
	char open = stream_peek(stream), close = open == '{' ? '}' : ']', key[KEY_MAX] = "";
	struct json_slice value;
	if ((open != '{' && open != '[') || stream->depth == DEPTH_MAX) {
		stream_value(stream, &value);
		return;
	}
	stream->at++;
	stream->depth++;
	while (!stream->cut && !stream->failed) {
		char next = stream_peek(stream);
		if (next == close)
			break;
		if (next == ',')
			stream->at++;
		if (!stream_peek(stream) || (open == '{' && !take_key_json_stream(stream, key))) {
			stream->cut = true;
			break;
		}
		take(context, stream, key);
	}
	if (!stream->cut && !stream->failed)
		stream->at++;
	stream->depth--;
}

bool stream_finish(struct stream *stream, struct profile *profile)
{
	profile->text_bytes = stream->taken + stream->text.length;
	buffer_free(&stream->text);
	if (stream->cut && !stream->failed) {
		profile->truncated = true;
		profile_damage(profile, "the file is truncated", "loaded up to there", UINT64_MAX);
	}
	return !stream->failed;
}
