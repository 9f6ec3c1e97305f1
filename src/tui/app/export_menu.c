/*
 * Commands that write to files or the normal screen.
 */
#include "report/output.h"
#include "tui/app/app.h"
#include "tui/text/text_pane.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- file names ---- */

/* Expand "~/" to the home directory. */
static void expand_path(struct buffer *out, const char *argument)
{
	const char *home = getenv("HOME");
	if (!strncmp(argument, "~/", 2) && home)
		buffer_printf(out, "%s%s", home, argument + 1);
	else
		buffer_puts(out, argument);
}

/* Existing files are overwritten only on request (OVER); devices and pipes are not at risk. */
static bool may_write(const char *path, bool over, const char *command, struct error *error)
{
	struct stat status;
	if (!*path)
		return error_usage(error, "FILE required: :%s FILE", command);
	if (over || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return true;
	return error_usage(error, "%s exists; not overwritten", path);
}

static const char *extension_of(const char *path)
{
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
	return dot && (!slash || dot > slash) ? dot + 1 : "";
}

/* ---- contents ---- */

/* WHAT that the program shows, to the file named by the user, unless it exists. */
static bool write_new(struct app *app, const char *argument,
		      void (*fill)(struct app *app, const char *path, struct buffer *out),
		      const char *what, struct error *error)
{
	AUTO_BUFFER struct buffer path = { 0 };
	struct buffer text = { 0 };
	expand_path(&path, argument);
	bool good = may_write(buffer_text(&path), false, app->command->name, error);
	if (good) {
		fill(app, path.data, &text);
		good = tui_write(&app->tui, path.data, what, &text, error);
	}
	return good;
}

static bool write_pane(struct app *app, const char *path, struct error *error)
{
	struct pane *pane = app_pane(app);
	struct buffer text = { 0 };
	if (pane->ops->write)
		return pane->ops->write(pane, &app->tui, path, extension_of(path), error);
	if (strcmp(extension_of(path), "txt") != 0)
		return error_usage(error, "not a table: FILE must end in .txt");
	pane->ops->copy(pane, &app->tui, true, &text);
	return tui_write(&app->tui, path, "text", &text, error);
}

bool export_write(struct app *app, const char *argument, struct error *error)
{
	AUTO_BUFFER struct buffer path = { 0 };
	expand_path(&path, argument);
	bool good = may_write(buffer_text(&path), strchr(app->command->name, '!') != NULL, "write",
			      error);
	if (!good && path.length > 0)
		error_usage(error, "%s exists (:write! overwrites it)", path.data);
	return good && write_pane(app, path.data, error);
}

/* ---- the normal screen ---- */

static void print_plain(void *context)
{
	struct app *app = context;
	struct pane *pane = app_pane(app);
	struct output output;
	output_open(&output, NULL, STDOUT_FILENO, false, NULL);
	if (pane->ops->print)
		pane->ops->print(pane, &app->tui, &output);
	else
		pane->ops->copy(pane, &app->tui, true, &output.text);
	output_commit(&output, NULL);
}

bool export_plain(struct app *app, const char *argument, struct error *error)
{
	app->term->ops->outside(app->term, print_plain, app);
	app_resize(app);
	return true;
}

/* ---- the screen ---- */

/* As shown: with colors as SVG or ANSI text, else as plain text, as on a screen without them. */
static void write_screen(struct app *app, const char *path, struct buffer *out)
{
	bool svg = !strcmp(extension_of(path), "svg"), ansi = !strcmp(extension_of(path), "ans");
	int colors = app->tui.colors;
	app->tui.colors = svg || ansi ? colors : 0;
	frame_draw(app);
	app->tui.colors = colors;
	if (svg)
		screenshot_svg(&app->tui.grid, &app->tui.theme, out);
	else if (ansi)
		screenshot_ansi(&app->tui.grid, &app->tui.theme, out);
	else
		grid_dump(&app->tui.grid, out);
}

bool export_screen(struct app *app, const char *argument, struct error *error)
{
	const char *path = *argument && strcmp(argument, "-") ? argument : NULL;
	struct buffer text = { 0 };
	write_screen(app, path ? path : "", &text);
	return tui_write(&app->tui, path, NULL, &text, error);
}

bool export_screenshot(struct app *app, const char *argument, struct error *error)
{
	return write_new(app, argument, write_screen, "screen", error);
}

/* ---- the configuration ---- */

/* Each line of TEXT becomes an item. */
static void add_lines(struct pane *pane, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		AUTO_FREE char *line = mem_strndup(text, length);
		text_pane_item(pane, "", line);
		text += length + (text[length] == '\n');
	}
}

bool show_configuration(struct app *app, const char *argument, struct error *error)
{
	struct pane *pane = text_pane_new("config");
	AUTO_BUFFER struct buffer text = { 0 };
	text_pane_heading(pane, app->config.path ? app->config.path : "No configuration file");
	if (app->config.problem_count > 0)
		text_pane_heading(pane, "Errors");
	add_lines(pane, buffer_text(&app->config.problems));
	text_pane_heading(pane, "Current settings (:save-config FILE saves them)");
	config_print(app, &text);
	add_lines(pane, text.length > 0 ? text.data : "all defaults");
	nav_push(&app->tui, pane, NULL);
	return true;
}

static void write_configuration(struct app *app, const char *path, struct buffer *out)
{
	config_print(app, out);
}

/* The user's own configuration file is never overwritten. */
bool export_config(struct app *app, const char *argument, struct error *error)
{
	return *argument ? write_new(app, argument, write_configuration, "settings", error)
			 : show_configuration(app, argument, error);
}
