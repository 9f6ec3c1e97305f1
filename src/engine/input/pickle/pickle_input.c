/*
 * The bytes of a pickle, as a window over its stream.
 */
#include "base/error.h"
#include "input/pickle/pickle_private.h"
#include "input/source.h"

enum { WINDOW = 1 << 18 };

uint64_t plain_pickle_bytes(const struct plain_pickle *pickle)
{
	return pickle->before + pickle->at;
}

bool pickle_wrong(struct plain_pickle *pickle, const char *what)
{
	return error_input(pickle->error, "is a damaged Python pickle (%s at byte %llu)", what,
			   (unsigned long long)plain_pickle_bytes(pickle));
}

bool pickle_fill(struct plain_pickle *pickle, uint64_t count)
{
	while (pickle->filled - pickle->at < count && !pickle->ended) {
		size_t kept = pickle->filled - pickle->at;
		if (kept)
			memmove(pickle->window, pickle->window + pickle->at, kept);
		pickle->before += pickle->at;
		pickle->at = 0;
		pickle->filled = kept;
		mem_grow(pickle->window, kept + WINDOW);
		ptrdiff_t got = source_read(pickle->source, (char *)pickle->window + kept,
					    mem_size(pickle->window) - kept, pickle->error);
		if (got < 0)
			return false;
		pickle->ended = got == 0;
		pickle->filled += (size_t)got;
	}
	return pickle->filled - pickle->at >= count || pickle_wrong(pickle, "truncated");
}

bool pickle_take_number(struct plain_pickle *pickle, size_t width, uint64_t *number)
{
	const unsigned char *bytes = pickle_take(pickle, width);
	*number = 0;
	for (size_t i = bytes ? width : 0; i-- > 0;)
		*number = *number << 8 | bytes[i];
	return bytes != NULL;
}

bool pickle_skip(struct plain_pickle *pickle, uint64_t count)
{
	while (count) {
		uint64_t part = count < WINDOW ? count : WINDOW;
		if (!pickle_take(pickle, part))
			return false;
		count -= part;
	}
	return true;
}

bool pickle_take_line(struct plain_pickle *pickle, const char **line, size_t *length)
{
	size_t seen = 0;
	for (;;) {
		if (!pickle_fill(pickle, seen + 1))
			return false;
		const unsigned char *from = pickle->window + pickle->at;
		const unsigned char *end =
			memchr(from + seen, '\n', pickle->filled - pickle->at - seen);
		if (end) {
			*line = (const char *)from;
			*length = (size_t)(end - from);
			pickle->at += *length + 1;
			return true;
		}
		seen = pickle->filled - pickle->at;
	}
}
