#include "report/format.h"

#include "base/error.h"
#include "base/text.h"

static const struct format formats[] = { FORMAT_ROWS };

enum { FORMATS = sizeof formats / sizeof *formats };

const struct format *format_find(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++) {
		const char *alias = formats[i].alias;
		if (strcmp(formats[i].name, name) == 0 || (alias && strcmp(alias, name) == 0))
			return &formats[i];
	}
	return NULL;
}

const struct format *format_at(size_t index)
{
	return index < FORMATS ? &formats[index] : NULL;
}

bool format_go_on(const struct extract *extract, size_t row, const struct progress *progress,
		  struct error *error)
{
	if (progress_heavy_row(progress, "writing", row, extract->row_count, 128))
		return true;
	return error_cancelled(error);
}

void format_text(struct buffer *out, const char *text, size_t length, bool terminal)
{
	if (terminal)
		text_escape(out, text, length);
	else
		buffer_add(out, text, length);
}
