#include "base/small_file.h"

#include "base/buffer.h"
#include "base/error.h"

#include <errno.h>

enum {
	BYTES_MAX = 1 << 20, /* limit: bytes of a configuration, theme, script or device file */
};

bool small_file_read(struct buffer *text, FILE *file, const char *what, const char *path,
		     struct error *error)
{
	char part[4096];
	size_t got;
	while (text->length <= BYTES_MAX && (got = fread(part, 1, sizeof part, file)) > 0)
		buffer_add(text, part, got);
	bool good = !ferror(file) ||
		    error_usage(error, "cannot read the %s: %s", what, strerror(errno));
	if (good && text->length > BYTES_MAX)
		good = error_usage(error, "the %s is larger than %d bytes", what, BYTES_MAX);
	if (!good)
		error_where(error, "%s", path);
	return good;
}

char *small_file_line(struct buffer *text, size_t *at, size_t *length)
{
	if (*at >= text->length)
		return NULL;
	char *line = text->data + *at, *end = memchr(line, '\n', text->length - *at);
	*length = end ? (size_t)(end - line) : text->length - *at;
	line[*length] = 0;
	*at += *length + 1;
	return line;
}
