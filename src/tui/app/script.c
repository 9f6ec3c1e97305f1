/*
 * Plays scripts, one key or command at a time (format: explorer.h).
 */
#include "base/small_file.h"
#include "tui/app/app.h"

#include <errno.h>

bool script_open(struct app *app, const char *path, struct error *error)
{
	AUTO_BUFFER struct buffer text = { 0 };
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	if (!file)
		return error_usage(error, "%s: %s", path, strerror(errno));
	bool good = small_file_read(&text, file, "script", path, error);
	if (file != stdin)
		fclose(file);
	app->script = mem_strdup(buffer_text(&text));
	app->script_line = 1;
	return good;
}

void script_close(struct app *app)
{
	mem_free(app->script);
	app->script = NULL;
}

static void fail(struct app *app, int status, const struct error *error)
{
	app->failure = *error;
	error_where(&app->failure, "script line %d", app->script_line);
	app->status = status;
	app->tui.quit = true;
}

void script_fail(struct tui *tui, const struct error *error)
{
	struct app *app = app_of(tui);
	tui_say_error(tui, error);
	if (app->script && error->code == ERROR_OUTPUT)
		fail(app, 5, error);
}

static void play_command(struct app *app, const char *line, size_t length)
{
	AUTO_FREE char *command = mem_strndup(line + 1, length - 1);
	struct error error = { 0 };
	app->tui.dirty = true;
	if (!command_run(app, command, &error) && error.code == ERROR_OUTPUT)
		fail(app, 5, &error);
}

static void play_key(struct app *app, const char *text)
{
	struct error error = { 0 };
	tui_key key;
	size_t used = tui_key_parse(text, strcspn(text, "\n"), &key);
	if (used == 0) {
		error_usage(&error, "unknown key '%.*s'",
			    (int)strcspn(text, "> \n") + (text[strcspn(text, "> \n")] == '>'),
			    text);
		fail(app, 2, &error);
		return;
	}
	app->script_at += used;
	app_press(app, key);
}

bool script_step(struct app *app)
{
	bool line_start = app->script_at == 0 || app->script[app->script_at - 1] == '\n';
	const char *text = app->script + app->script_at;
	size_t length = strcspn(text, "\n");
	if (!*text)
		return false;
	if (line_start && (*text == '#' || *text == ':')) {
		app->script_at += length;
		if (*text == ':')
			play_command(app, text, length);
	} else if (*text == '\n') {
		app->script_at++;
		app->script_line++;
	} else if (*text == ' ' || *text == '\t' || *text == '\r') {
		app->script_at++;
	} else {
		play_key(app, text);
	}
	return true;
}
