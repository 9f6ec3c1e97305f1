#include "base/error.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Format into OUT, escaped and truncated at a character boundary. */
static void format_safe(char *out, size_t size, const char *format, va_list args)
{
	char raw[1024];
	vsnprintf(raw, sizeof raw, format, args);
	size_t length = strlen(raw), used = 0;
	for (size_t i = 0; i < length;) {
		int32_t point;
		size_t bytes = text_decode(raw + i, length - i, &point);
		char piece[16];
		size_t piece_length = bytes;
		if (text_is_unsafe(point)) {
			piece_length = (size_t)snprintf(piece, sizeof piece, "\\x%02x",
							(unsigned char)raw[i]);
			bytes = 1;
		} else {
			memcpy(piece, raw + i, bytes);
		}
		if (used + piece_length + 1 > size)
			break;
		memcpy(out + used, piece, piece_length);
		used += piece_length;
		i += bytes;
	}
	out[used] = 0;
}

bool error_set(struct error *error, enum error_code code, const char *format, ...)
{
	if (!error)
		return false;
	va_list args;
	va_start(args, format);
	format_safe(error->message, sizeof error->message, format, args);
	va_end(args);
	error->where[0] = error->brief[0] = 0;
	error->code = code;
	return false;
}

void error_where(struct error *error, const char *format, ...)
{
	if (!error)
		return;
	va_list args;
	va_start(args, format);
	format_safe(error->where, sizeof error->where, format, args);
	va_end(args);
}

void error_brief(struct error *error, const char *format, ...)
{
	if (!error)
		return;
	va_list args;
	va_start(args, format);
	format_safe(error->brief, sizeof error->brief, format, args);
	va_end(args);
}
