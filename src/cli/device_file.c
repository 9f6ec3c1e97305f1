#include "cli/device_file.h"

#include "analysis/work/device_peaks.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/small_file.h"
#include "tui/term/xdg.h"

#include <errno.h>

static void device_file_read_lines(struct device_peaks *peaks, const char *path,
				   struct buffer *lines,
				   void (*warn)(void *context, const char *text), void *context)
{
	size_t at = 0, length;
	const char *line;
	for (int number = 1; (line = small_file_line(lines, &at, &length)); number++) {
		struct error error = { 0 };
		if (device_peaks_add(peaks, line, length, &error))
			continue;
		AUTO_FREE char *text =
			mem_printf("%s:%d: %s; line ignored", path, number, error.message);
		warn(context, text);
	}
}

bool devices_read(struct device_peaks *peaks, const char *named,
		  void (*warn)(void *context, const char *text), void *context, struct error *error)
{
	AUTO_BUFFER struct buffer text = { 0 };
	struct error own = { 0 };
	char room[XDG_PATH_MAX];
	const char *path = named ? named : xdg_config(room, "devices") ? room : NULL;
	FILE *file = path ? fopen(path, "r") : NULL;
	bool done = file && small_file_read(&text, file, "file of devices", path, &own);
	if (done)
		device_file_read_lines(peaks, path, &text, warn, context);
	else if (file && !named)
		warn(context, own.message);
	else if (file)
		*error = own;
	else if (named)
		error_usage(error, "%s: cannot read: %s", named, strerror(errno));
	if (file)
		fclose(file);
	return done || !named;
}
