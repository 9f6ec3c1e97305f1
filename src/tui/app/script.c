/*
 * Scripts: keys and commands from a file, one step at a time (explorer.h states the form).
 */
#include "base/buffer.h"
#include "base/mem.h"
#include "tui/core/app.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool script_open(struct tui *tui, const char *path, struct error *error)
{
	struct buffer text = { 0 };
	char part[4096];
	size_t got;
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	if (!file)
		return error_set(error, ERROR_USAGE, "%s: %s", path, strerror(errno));
	while ((got = fread(part, 1, sizeof part, file)) > 0)
		buffer_add(&text, part, got);
	bool good = !ferror(file) ||
		    error_set(error, ERROR_USAGE, "%s: cannot read: %s", path, strerror(errno));
	if (file != stdin)
		fclose(file);
	tui->script = mem_strdup(buffer_text(&text));
	tui->script_line = 1;
	buffer_free(&text);
	return good;
}

void script_close(struct tui *tui)
{
	mem_free(tui->script);
	tui->script = NULL;
}

static void fail(struct tui *tui, int status, const struct error *error)
{
	tui->failure = *error;
	error_where(&tui->failure, "script line %d", tui->script_line);
	tui->status = status;
	tui->quit = true;
}

void script_fail(struct tui *tui, const struct error *error)
{
	tui_say_error(tui, error);
	if (tui->script && error->code == ERROR_OUTPUT)
		fail(tui, 5, error);
}

static void play_command(struct tui *tui, const char *line, size_t length)
{
	char *command = mem_strndup(line + 1, length - 1);
	struct error error = { 0 };
	tui->dirty = true;
	if (!command_run(tui, command, &error) && error.code == ERROR_OUTPUT)
		fail(tui, 5, &error);
	mem_free(command);
}

static void play_key(struct tui *tui, const char *text)
{
	struct error error = { 0 };
	tui_key key;
	size_t used = tui_key_parse(text, strcspn(text, "\n"), &key);
	if (used == 0) {
		error_set(&error, ERROR_USAGE, "unknown key '%.*s'",
			  (int)strcspn(text, "> \n") + (text[strcspn(text, "> \n")] == '>'), text);
		fail(tui, 2, &error);
		return;
	}
	tui->script_at += used;
	tui_key_press(tui, key);
}

bool script_step(struct tui *tui)
{
	bool line_start = tui->script_at == 0 || tui->script[tui->script_at - 1] == '\n';
	const char *text = tui->script + tui->script_at;
	size_t length = strcspn(text, "\n");
	if (!*text)
		return false;
	if (line_start && (*text == '#' || *text == ':')) {
		tui->script_at += length;
		if (*text == ':')
			play_command(tui, text, length);
	} else if (*text == '\n') {
		tui->script_at++;
		tui->script_line++;
	} else if (*text == ' ' || *text == '\t' || *text == '\r') {
		tui->script_at++;
	} else {
		play_key(tui, text);
	}
	return true;
}
