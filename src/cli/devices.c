#include "cli/devices.h"

#include "analysis/work/device_peaks.h"
#include "base/buffer.h"

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

static void read_lines(struct session *session, FILE *file, const char *path)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	for (int number = 1; (length = getline(&line, &room, file)) >= 0; number++) {
		struct error error = { 0 };
		if (device_peaks_add(session->peaks, line, (size_t)length, &error))
			continue;
		struct buffer text = { 0 };
		buffer_printf(&text, "%s:%d: %s; line ignored", path, number, error.message);
		session_warn(session, buffer_text(&text));
		buffer_free(&text);
	}
	int failure = errno;
	free(line);
	errno = failure;
}

bool devices_read(struct session *session)
{
	const char *named = session->options->device_peaks;
	struct buffer path = { 0 };
	session->peaks = device_peaks_new();
	if (named)
		buffer_puts(&path, named);
	else
		default_path(&path);
	FILE *file = path.length ? fopen(path.data, "r") : NULL;
	bool done = file != NULL;
	if (file) {
		read_lines(session, file, path.data);
		done = !ferror(file);
	}
	if (!done && named)
		error_set(&session->error, ERROR_USAGE, "%s: cannot read: %s", named,
			  strerror(errno));
	if (file)
		fclose(file);
	buffer_free(&path);
	return done || !named;
}
