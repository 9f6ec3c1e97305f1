#include "report/format.h"

#include "base/error.h"

#include <string.h>

static const struct format formats[] = {
	{ "table", "txt", false, format_write_table },
	{ "csv", "csv", true, format_write_csv },
	{ "json", "json", true, format_write_json },
	{ "ndjson", "ndjson", true, format_write_ndjson },
	{ "markdown", "md", false, format_write_markdown },
};

enum { FORMATS = sizeof formats / sizeof *formats, CHECK_EVERY = 4096 };

const struct format *format_find(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (strcmp(formats[i].name, name) == 0)
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
	if (row % CHECK_EVERY ||
	    progress_update(progress, "writing", row, extract->row_count, row))
		return true;
	return error_set(error, ERROR_CANCELLED, "interrupted");
}
