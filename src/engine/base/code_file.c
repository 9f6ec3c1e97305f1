#include "base/code_file.h"

#include "base/buffer.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool code_file_read(struct buffer *text, const char *path, struct error *error)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat status;
	char bytes[1 << 14];
	size_t end = text->length + CODE_FILE_MAX;
	ssize_t count = fd < 0 || fstat(fd, &status) < 0 ? -1 : 0;
	bool regular = count == 0 && S_ISREG(status.st_mode);
	while (regular && text->length < end && (count = read(fd, bytes, sizeof bytes)) > 0)
		buffer_add(text, bytes, (size_t)count);
	if (count < 0)
		error_input(error, "%s: %s", path, strerror(errno));
	else if (!regular)
		error_input(error, "%s: not a regular file", path);
	if (fd >= 0)
		close(fd);
	return regular && count >= 0;
}

bool code_file_python(struct buffer *text, const char *path, const char *beside)
{
	const char *dot = strrchr(path, '.'), *slash = strrchr(beside, '/');
	if (!dot || strncmp(dot, ".py", 3) != 0 || strchr(dot, '/'))
		return false;
	if (code_file_read(text, path, NULL) || *path == '/' || !slash)
		return text->length > 0;
	AUTO_BUFFER struct buffer below = { 0 };
	buffer_printf(&below, "%.*s/%s", (int)(slash - beside), beside, path);
	code_file_read(text, buffer_text(&below), NULL);
	return text->length > 0;
}

size_t code_line_start(const char *text, size_t length, size_t number)
{
	const char *at = text, *end = text + length;
	while (number > 1 && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		at = newline ? newline + 1 : end;
		number--;
	}
	return (size_t)(at - text);
}
