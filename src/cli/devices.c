#include "cli/devices.h"

#include "analysis/work/device_peaks.h"
#include "base/buffer.h"
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

static void read_lines(struct session *session, struct buffer *lines, const char *path)
{
	size_t at = 0, length;
	const char *line;
	for (int number = 1; (line = small_file_line(lines, &at, &length)); number++) {
		struct error error = { 0 };
		if (device_peaks_add(session->peaks, line, length, &error))
			continue;
		struct buffer text = { 0 };
		buffer_printf(&text, "%s:%d: %s; line ignored", path, number, error.message);
		session_warn(session, buffer_text(&text));
		buffer_free(&text);
	}
}

bool devices_read(struct session *session)
{
	const char *named = session->options->device_peaks;
	struct buffer path = { 0 }, text = { 0 };
	struct error error = { 0 };
	session->peaks = device_peaks_new();
	if (named)
		buffer_puts(&path, named);
	else
		default_path(&path);
	FILE *file = path.length ? fopen(path.data, "r") : NULL;
	bool done = file && small_file_read(&text, file, "file of devices", path.data, &error);
	if (done)
		read_lines(session, &text, path.data);
	else if (file && !named)
		session_warn(session, error.message);
	else if (file)
		session->error = error;
	else if (named)
		error_set(&session->error, ERROR_USAGE, "%s: cannot read: %s", named,
			  strerror(errno));
	if (file)
		fclose(file);
	buffer_free(&text);
	buffer_free(&path);
	return done || !named;
}
