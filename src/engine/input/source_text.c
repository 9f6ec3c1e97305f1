#include "input/source_text.h"

#include "base/error.h"

bool source_whole(struct source *source, size_t max, struct buffer *text, struct error *error)
{
	enum { PIECE = 1 << 16 };
	AUTO_FREE char *piece = mem_alloc(PIECE);
	ptrdiff_t got;
	while ((got = source_read(source, piece, PIECE, error)) > 0) {
		buffer_add(text, piece, (size_t)got);
		if (text->length > max) {
			got = -1;
			error_input(error,
				    "is larger than %zu bytes, too large for a file of this kind",
				    max);
			break;
		}
	}
	if (got < 0)
		buffer_free(text);
	return got >= 0;
}

bool source_text(struct source *source, struct buffer *text, struct error *error)
{
	return source_whole(source, SOURCE_TEXT_MAX, text, error);
}
