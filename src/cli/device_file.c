#include "cli/device_file.h"

#include "analysis/work/device_peaks.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/small_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Default path of the file, or "". */
static void default_path(struct buffer *path)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	if (config && *config)
		buffer_printf(path, "%s/strata/devices", config);
	else if (home && *home)
		buffer_printf(path, "%s/.config/strata/devices", home);
}

struct devices_reading {
	struct device_peaks *peaks;
	const char *path;
	void (*warn)(void *context, const char *text);
	void *context;
};

static void device_file_read_lines(const struct devices_reading *reading, struct buffer *lines)
{
	size_t at = 0, length;
	const char *line;
	for (int number = 1; (line = small_file_line(lines, &at, &length)); number++) {
		struct error error = { 0 };
		if (device_peaks_add(reading->peaks, line, length, &error))
			continue;
		struct buffer text = { 0 };
		buffer_printf(&text, "%s:%d: %s; line ignored", reading->path, number,
			      error.message);
		reading->warn(reading->context, buffer_text(&text));
		buffer_free(&text);
	}
}

bool devices_read(struct device_peaks *peaks, const char *named,
		  void (*warn)(void *context, const char *text), void *context, struct error *error)
{
	struct buffer path = { 0 }, text = { 0 };
	struct error own = { 0 };
	if (named)
		buffer_puts(&path, named);
	else
		default_path(&path);
	FILE *file = path.length ? fopen(path.data, "r") : NULL;
	bool done = file && small_file_read(&text, file, "file of devices", path.data, &own);
	struct devices_reading reading = { peaks, path.data, warn, context };
	if (done)
		device_file_read_lines(&reading, &text);
	else if (file && !named)
		warn(context, own.message);
	else if (file)
		*error = own;
	else if (named)
		error_set(error, ERROR_USAGE, "%s: cannot read: %s", named, strerror(errno));
	if (file)
		fclose(file);
	buffer_free(&text);
	buffer_free(&path);
	return done || !named;
}
