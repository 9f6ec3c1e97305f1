#include "input/file_likeness.h"

#include "base/buffer.h"
#include "base/error.h"
#include "input/proto/proto.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* "V0524 12:48:44.657000 140144363024384 torch/_logging/structured.py:19] {": glog's heading. */
bool is_compile_log(const char *head)
{
	int day, used = 0;
	const char *end = strchr(head, '\n'), *json = strstr(head, "] {\"");
	return sscanf(head, "V%4d %*2d:%*2d:%*f %*d %n", &day, &used) == 1 && used && json &&
	       (!end || json < end);
}

static bool is_text(const char *head, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)head[i] < ' ' && !memchr("\t\n\r\f\033", head[i], 5))
			return false;
	return true;
}

/* The fields of a message as HEAD has them; false unless it is one. */
static bool list_fields(const char *head, size_t length, struct buffer *out)
{
	enum { FIELDS_MAX = 64 }; /* of a message at its top; more are no sign of one */
	struct proto message = proto_of(head, length);
	struct proto_field field;
	uint64_t seen = 0;
	size_t fields = 0;
	for (; proto_next(&message, &field); fields++) {
		if (field.number >= FIELDS_MAX)
			return false;
		seen |= (uint64_t)1 << field.number;
	}
	for (unsigned i = 1; i < FIELDS_MAX; i++)
		if (seen >> i & 1)
			buffer_printf(out, "%s%u", out->length ? ", " : "", i);
	return fields > 1;
}

bool refuse_unknown(const char *head, size_t length, const char *wrapping, struct error *error)
{
	struct buffer likeness = { 0 }, fields = { 0 };
	size_t blank = strspn(head, " \t\r\n");
	const char *nearest;
	if (is_text(head, length)) {
		int line = (int)strcspn(head + blank, "\r\n");
		buffer_printf(&likeness, "text that begins '%.*s'", line < 48 ? line : 48,
			      head + blank);
		nearest = "tables are known by their headings";
	} else if (list_fields(head, length, &fields)) {
		buffer_printf(&likeness, "a protobuf message with fields %s", buffer_text(&fields));
		nearest = "of those, xplane.pb, Perfetto traces and pprof are read";
	} else {
		buffer_puts(&likeness, "binary that begins");
		for (size_t i = 0; i < length && i < 8; i++)
			buffer_printf(&likeness, " %02x", (unsigned char)head[i]);
		nearest = "open what its tool exports as JSON, CSV or SQLite";
	}
	error_set(error, ERROR_INPUT, "is not a known profile (%s%s%s); %s", wrapping,
		  *wrapping ? " of " : "", buffer_text(&likeness), nearest);
	buffer_free(&likeness);
	buffer_free(&fields);
	return false;
}
