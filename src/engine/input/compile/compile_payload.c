#include "input/compile/compile_payload.h"

#include "base/hash.h"
#include "input/source.h"
#include "input/text_lines.h"

enum { SHOWN_MAX = 1 << 26 }; /* limit: bytes of a payload that is read to be shown */

void compile_payload_text(struct text_slice payload, struct buffer *out)
{
	const char *end = payload.text + payload.length, *line;
	size_t length;
	while (text_line(&payload.text, end, &line, &length)) {
		bool tab = length && *line == '\t';
		buffer_add(out, line + tab, length - tab);
		buffer_putc(out, '\n');
	}
}

bool compile_payload_read(const char *path, struct compile_range range, struct buffer *out)
{
	size_t wanted = range.length < SHOWN_MAX ? (size_t)range.length : SHOWN_MAX;
	AUTO_SOURCE struct source *source = source_open(path, NULL, NULL);
	AUTO_FREE char *raw = mem_alloc(wanted + 1);
	size_t have = 0;
	ptrdiff_t got = source && source_skip(source, range.offset, NULL);
	while (got > 0 && have < wanted) {
		got = source_read(source, raw + have, wanted - have, NULL);
		have += got > 0 ? (size_t)got : 0;
	}
	if (!have || *raw != '\t')
		return false;
	compile_payload_text((struct text_slice){ raw, have }, out);
	return true;
}

bool compile_graph_next(struct text_slice *text, struct buffer *out)
{
	const char *line, *end = text->text + text->length, *type, *close;
	size_t length;
	buffer_clear(out);
	while (text_line(&text->text, end, &line, &length)) {
		text->length = (size_t)(end - text->text);
		struct text_slice rest = slice_trim((struct text_slice){ line, length });
		if (!rest.length || *rest.text == '#')
			continue;
		while ((type = slice_find(rest, ": \"")) &&
		       (close = memchr(type + 3, '"',
				       (size_t)(rest.text + rest.length - type - 3)))) {
			buffer_add(out, rest.text, (size_t)(type - rest.text));
			rest = slice_from(rest, close + 1);
		}
		buffer_add(out, rest.text, rest.length);
		return true;
	}
	return false;
}

int64_t compile_graph_hash(struct text_slice graph)
{
	uint64_t hash = STABLE_HASH;
	AUTO_BUFFER struct buffer line = { 0 };
	while (compile_graph_next(&graph, &line))
		hash = hash_stable(hash, line.data, line.length + 1);
	return (int64_t)(hash >> 1);
}
