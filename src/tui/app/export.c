/*
 * The commands that put what is shown into files, or on the normal screen.
 */
#include "base/error.h"
#include "base/mem.h"
#include "report/format.h"
#include "tui/core/app.h"
#include "tui/core/pane.h"
#include "tui/plot/plot_pane.h"
#include "tui/term/screenshot.h"
#include "tui/table/table_pane.h"
#include "tui/text/text_pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLAIN_ROWS_MAX = 5000 };

/* ---- names of files ---- */

/* The file that was meant: "~/" is the home directory. */
static void expand_path(struct buffer *out, const char *argument)
{
	const char *home = getenv("HOME");
	if (!strncmp(argument, "~/", 2) && home)
		buffer_printf(out, "%s%s", home, argument + 1);
	else
		buffer_puts(out, argument);
}

/* Nothing is written over unless that was asked for; a device or a pipe is no file to be lost. */
static bool may_write(const char *path, bool over, const char *command, struct error *error)
{
	struct stat status;
	if (!*path)
		return error_set(error, ERROR_USAGE, "FILE required: :%s FILE", command);
	if (over || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return true;
	return error_set(error, ERROR_USAGE, "%s exists; not overwritten", path);
}

static const char *extension_of(const char *path)
{
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
	return dot && (!slash || dot > slash) ? dot + 1 : "";
}

/* ---- tables ---- */

/* The form that the end of the file's name asks for. */
static const struct format *format_of(const char *path)
{
	const char *extension = extension_of(path);
	for (size_t i = 0; format_at(i); i++) {
		if (!strcmp(format_at(i)->extension, extension) ||
		    !strcmp(format_at(i)->name, extension))
			return format_at(i);
	}
	return NULL;
}

/* The columns as they are shown, and at most MAX of the rows.  The rows stay the pane's. */
static struct extract shown_rows(const struct table_pane *table, size_t max)
{
	struct extract extract = { .table = table->box->table, .rows = table->order };
	extract.row_count = table->order_count < max ? table->order_count : max;
	extract.left_out = table->order_count - extract.row_count;
	extract.columns = mem_alloc((size_t)(table->column_count + 1) * sizeof *extract.columns);
	for (int i = 0; i < table->column_count; i++)
		extract.columns[extract.column_count++] = table->columns[i].index;
	return extract;
}

/* A table is written by the worker, from a copy of what was shown. */
struct write_job {
	struct job job;
	struct tui *tui;
	struct table_box *box;
	struct extract extract;
	const struct format *format;
	char *path;
};

static bool run_write(struct job *job, const struct progress *progress, struct error *error)
{
	struct write_job *self = (struct write_job *)job;
	const struct style style = { 0 };
	struct output output;
	if (!output_open(&output, self->path, STDOUT_FILENO, error))
		return false;
	if (self->format->write(&output, &self->extract, &style, progress, error))
		return output_commit(&output, error);
	output_discard(&output);
	return false;
}

static void finish_write(struct job *job, bool good, const struct error *error)
{
	struct write_job *self = (struct write_job *)job;
	struct tui *tui = self->tui;
	tui->dirty = true;
	if (good)
		tui_say(tui, MESSAGE_INFO, "%zu rows written to %s", self->extract.row_count,
			self->path);
	else if (error->code == ERROR_CANCELLED)
		tui_say(tui, MESSAGE_WARNING, "canceled; %s is unchanged", self->path);
	else
		script_complain(tui, error);
	table_box_drop(self->box);
	extract_clear(&self->extract);
	mem_free(self->path);
	mem_free(self);
}

static void write_table(struct tui *tui, const struct table_pane *table,
			const struct format *format, const char *path)
{
	struct write_job *self = mem_zalloc(1, sizeof *self);
	size_t bytes = table->order_count * sizeof *table->order;
	self->job.what = "Writing";
	self->job.background = true;
	self->job.run = run_write;
	self->job.finish = finish_write;
	self->tui = tui;
	self->box = table_box_hold(table->box);
	self->extract = shown_rows(table, SIZE_MAX);
	self->extract.rows = mem_alloc(bytes);
	if (bytes > 0)
		memcpy(self->extract.rows, table->order, bytes);
	self->format = format;
	self->path = mem_strdup(path);
	worker_submit(tui->worker, &self->job);
}

/* ---- texts ---- */

static bool write_text(struct tui *tui, struct pane *pane, const char *path, struct error *error)
{
	struct output output;
	if (!output_open(&output, path, STDOUT_FILENO, error))
		return false;
	pane->ops->copy(pane, tui, true, &output.text);
	return output_commit(&output, error);
}

static bool write_pane(struct tui *tui, const char *path, struct error *error)
{
	struct pane *pane = tui_pane(tui);
	const struct table_pane *table = table_pane_of(pane);
	const struct format *format = format_of(path);
	if (table && !table->box)
		return error_set(error, ERROR_USAGE, "table not ready yet");
	if (table && !format)
		return error_set(error, ERROR_USAGE,
				 "FILE must end in .csv, .json, .ndjson, .md or .txt");
	if (table) {
		write_table(tui, table, format, path);
		return true;
	}
	if (plot_pane_of(pane)) {
		if (!plot_pane_write(plot_pane_of(pane), tui, path, error))
			return false;
		tui_say(tui, MESSAGE_INFO, "plot written to %s", path);
		return true;
	}
	if (!pane->ops->copy || strcmp(extension_of(path), "txt") != 0)
		return error_set(error, ERROR_USAGE, "not a table: FILE must end in .txt");
	if (!write_text(tui, pane, path, error))
		return false;
	tui_say(tui, MESSAGE_INFO, "text written to %s", path);
	return true;
}

bool export_write(struct tui *tui, const struct command_info *command, const char *argument,
		  struct error *error)
{
	struct buffer path = { 0 };
	expand_path(&path, argument);
	bool good =
		may_write(buffer_text(&path), strchr(command->name, '!') != NULL, "write", error);
	if (!good && path.length > 0)
		error_set(error, ERROR_USAGE, "%s exists (:write! overwrites it)", path.data);
	good = good && write_pane(tui, path.data, error);
	buffer_free(&path);
	return good;
}

/* ---- the normal screen ---- */

static void print_plain(void *context)
{
	struct tui *tui = context;
	struct pane *pane = tui_pane(tui);
	const struct table_pane *table = table_pane_of(pane);
	const struct style style = { .width = (size_t)tui->grid.columns,
				     .unicode = !tui->settings.ascii,
				     .terminal = true };
	struct output output;
	output_open(&output, NULL, STDOUT_FILENO, NULL);
	if (table && table->box) {
		struct extract extract = shown_rows(table, PLAIN_ROWS_MAX);
		format_at(0)->write(&output, &extract, &style, NULL, NULL);
		mem_free(extract.columns);
	} else if (pane->ops->copy) {
		pane->ops->copy(pane, tui, true, &output.text);
	}
	if (table && table->box && table->order_count > PLAIN_ROWS_MAX)
		buffer_printf(&output.text, "(%zu more rows; :write FILE writes all)\n",
			      table->order_count - PLAIN_ROWS_MAX);
	output_commit(&output, NULL);
}

bool export_plain(struct tui *tui, const struct command_info *command, const char *argument,
		  struct error *error)
{
	(void)command, (void)argument, (void)error;
	tui->term->ops->outside(tui->term, print_plain, tui);
	tui_resize(tui);
	return true;
}

/* ---- the screen ---- */

bool export_screen(struct tui *tui, const struct command_info *command, const char *argument,
		   struct error *error)
{
	struct output output;
	const char *path = *argument && strcmp(argument, "-") ? argument : NULL;
	(void)command;
	if (!output_open(&output, path, STDOUT_FILENO, error))
		return false;
	frame_draw(tui);
	grid_dump(&tui->grid, &output.text);
	return output_commit(&output, error);
}

bool export_screenshot(struct tui *tui, const struct command_info *command, const char *argument,
		       struct error *error)
{
	struct buffer path = { 0 };
	struct output output;
	expand_path(&path, argument);
	bool good = may_write(buffer_text(&path), false, command->name, error) &&
		    output_open(&output, path.data, STDOUT_FILENO, error);
	if (good) {
		frame_draw(tui);
		if (!strcmp(extension_of(path.data), "ans"))
			screenshot_ansi(&tui->grid, &tui->theme, &output.text);
		else
			grid_dump(&tui->grid, &output.text);
		good = output_commit(&output, error);
	}
	if (good)
		tui_say(tui, MESSAGE_INFO, "screen written to %s", path.data);
	buffer_free(&path);
	return good;
}

/* ---- the configuration ---- */

/* Each line of TEXT an item of its own. */
static void add_lines(struct pane *pane, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		char *line = mem_strndup(text, length);
		text_pane_item(pane, "", line);
		mem_free(line);
		text += length + (text[length] == '\n');
	}
}

bool show_configuration(struct tui *tui, const struct command_info *command, const char *argument,
			struct error *error)
{
	struct pane *pane = text_pane_new("config");
	struct buffer text = { 0 };
	(void)command, (void)argument, (void)error;
	text_pane_heading(pane, tui->config.path ? tui->config.path : "No configuration file");
	if (tui->config.problem_count > 0)
		text_pane_heading(pane, "Errors");
	add_lines(pane, buffer_text(&tui->config.problems));
	text_pane_heading(pane, "Current settings (:save-config FILE saves them)");
	config_print(tui, &text);
	add_lines(pane, text.length > 0 ? text.data : "all defaults");
	buffer_free(&text);
	nav_push(tui, pane, NULL);
	return true;
}

static bool write_configuration(struct tui *tui, const char *path, struct error *error)
{
	struct output output;
	if (!output_open(&output, path, STDOUT_FILENO, error))
		return false;
	config_print(tui, &output.text);
	return output_commit(&output, error);
}

/* The user's own file is never written over. */
bool export_config(struct tui *tui, const struct command_info *command, const char *argument,
		   struct error *error)
{
	struct buffer path = { 0 };
	if (!*argument)
		return show_configuration(tui, command, argument, error);
	expand_path(&path, argument);
	bool good = may_write(path.data, false, command->name, error) &&
		    write_configuration(tui, path.data, error);
	if (good)
		tui_say(tui, MESSAGE_INFO, "settings written to %s", path.data);
	buffer_free(&path);
	return good;
}
