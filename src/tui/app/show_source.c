/*
 * The source of the selected row: finds the file on this machine, shows it, opens the editor.
 */
#include "base/code_file.h"
#include "base/any_of.h"
#include "base/number.h"
#include "base/platform.h"
#include "base/text.h"
#include "tui/app/app.h"
#include "tui/core/pane_job.h"
#include "tui/text/text_pane.h"
#include "views/source_place.h"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {

	LINES_AROUND = 2000, /* shown on either side of the line */
	TAB_WIDTH = 8,
};

/* ---- where files are ---- */

void source_map(struct app *app, const char *from, const char *to)
{
	struct config *config = &app->config;
	mem_grow(config->maps, config->map_count + 1);
	memmove(config->maps + 1, config->maps, config->map_count * sizeof *config->maps);
	config->maps[0] = (struct source_map){ from ? mem_strdup(from) : NULL, mem_strdup(to) };
	config->map_count++;
	source_links_free(&app->links);
}

struct source_job {
	struct pane_job job;
	struct ref ref;
	struct buffer frame; /* of the row's cells; may be empty */
	bool edit;
	struct source_map *maps; /* copies */
	size_t map_count;

	/* output */
	struct generated_code code; /* shown if it has a title */
	struct row_source source;
	struct buffer path, looked; /* the file, or else where it was looked for */
	struct buffer text;
};

static bool is_file(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Take the file FOLDER/NAME if it exists. */
static bool try_path(struct source_job *self, const char *folder, size_t length, const char *name)
{
	bool slash = length && folder[length - 1] != '/' && *name;
	buffer_clear(&self->path);
	buffer_add(&self->path, folder, length);
	buffer_printf(&self->path, "%s%s", slash ? "/" : "", name);
	if (is_file(buffer_text(&self->path)))
		return true;
	buffer_printf(&self->looked, "%s%s", self->looked.length ? ", " : "",
		      buffer_text(&self->path));
	return false;
}

/* The rest of PATH below FROM; NULL: it is elsewhere. */
static const char *show_source_below(const char *path, const char *from)
{
	size_t length = strlen(from);
	while (length > 1 && from[length - 1] == '/')
		length--;
	if (strncmp(path, from, length) != 0)
		return NULL;
	path += length;
	return *path == '/' ? path + 1 : *path == '\0' || from[length - 1] == '/' ? path : NULL;
}

static bool find_file(struct source_job *self)
{
	const char *file = buffer_text(&self->source.file);
	const struct rank *rank = run_rank(self->job.tui->run, self->job.scope.rank);
	const char *profile = rank && rank->path ? rank->path : "";
	const char *slash = strrchr(profile, '/');
	for_each (map, self->maps, self->map_count) {
		const char *rest = map->from      ? show_source_below(file, map->from)
				   : *file == '/' ? NULL
						  : file;
		if (rest && try_path(self, map->to, strlen(map->to), rest))
			return true;
	}
	if (try_path(self, "", 0, file))
		return true;
	return *file != '/' && slash && try_path(self, profile, (size_t)(slash - profile), file);
}

static bool show_source_run(struct job *job, const struct progress *progress, struct error *error)
{
	struct source_job *self = (struct source_job *)job;
	if (!self->edit && view_generated_code(self->job.tui->run, &self->job.scope, self->ref,
					       &self->code, progress))
		return true;
	if (!view_source(self->job.tui->run, &self->job.scope, self->ref, buffer_text(&self->frame),
			 &self->source, progress)) {
		if (!progress_update(progress, "source", 0, 0, 0))
			return error_set(error, ERROR_CANCELLED, "canceled");
		return self->frame.length
			       ? error_usage(error, "no source file: %s", buffer_text(&self->frame))
		       : self->source.why
			       ? error_usage(error, "no source line is known. %s", self->source.why)
			       : error_usage(error, "this row has no source line");
	}
	if (!find_file(self))
		return error_input(
			error, "%s:%lld is not here (:source DIR names its folder); looked for %s",
			buffer_text(&self->source.file), (long long)self->source.line,
			buffer_text(&self->looked));
	return self->edit || code_file_read(&self->text, buffer_text(&self->path), error);
}

/* ---- showing ---- */

static int64_t time_of_line(const struct row_source *source, int64_t line)
{
	for (size_t i = 0; i < source->count; i++)
		if (source->times[i].line == line)
			return source->times[i].ns;
	return 0;
}

/* LINE with blanks for tabs. */
static void show_source_add_line(struct pane *pane, const struct source_job *self, int64_t number,
				 const char *line, size_t length)
{
	char time[NUMBER_MAX] = "";
	AUTO_BUFFER struct buffer label = { 0 }, text = { 0 };
	int64_t ns = time_of_line(&self->source, number);
	if (length && line[length - 1] == '\r')
		length--;
	for (size_t i = 0; i < length; i++) {
		if (line[i] != '\t')
			buffer_putc(&text, line[i] ? line[i] : ' ');
		else
			buffer_printf(&text, "%*s", (int)(TAB_WIDTH - text.length % TAB_WIDTH), "");
	}
	if (ns > 0)
		number_duration(time, ns);
	if (self->source.count)
		buffer_printf(&label, "%9s ", time);
	buffer_printf(&label, "%c%6lld", number == self->source.line ? '>' : ' ',
		      (long long)number);
	text_pane_item(pane, buffer_text(&label), buffer_text(&text));
}

static void show(struct source_job *self)
{
	struct pane *pane = text_pane_new("source");
	AUTO_BUFFER struct buffer title = { 0 };
	const char *text = buffer_text(&self->text), *end = text + self->text.length;
	int64_t wanted = self->source.line, first = wanted - LINES_AROUND, number = 1;
	first = first < 1 ? 1 : first;
	for (; text < end && number <= wanted + LINES_AROUND; number++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = newline ? (size_t)(newline - text) : (size_t)(end - text);
		if (number >= first)
			show_source_add_line(pane, self, number, text, length);
		text += length + (newline != NULL);
	}
	buffer_printf(&title, "%s:%lld", buffer_text(&self->path), (long long)wanted);
	if (self->source.time)
		buffer_printf(&title, "  %s of each line", self->source.time);
	text_pane_file(pane, buffer_text(&title), buffer_text(&self->path), first, wanted);
	nav_push(self->job.tui, pane, NULL);
	if (number <= wanted)
		tui_say(self->job.tui, MESSAGE_WARNING, "the file has only %lld lines",
			(long long)number - 1);
}

/* Python lines, nodes of the graph and the kernel, beside each other. */
static void show_generated(struct source_job *self)
{
	static const char *const names[CODE_PARTS] = { "Python", "FX nodes", "Generated code" };
	struct pane *pane = text_pane_new("code"), *parts[CODE_PARTS];
	for (int i = 0; i < CODE_PARTS; i++) {
		parts[i] = text_pane_lines(names[i], buffer_text(&self->code.text[i]));
		text_pane_file(parts[i], buffer_text(&self->code.title), NULL, 0,
			       (int64_t)self->code.line[i]);
	}
	text_pane_parts(pane, parts);
	nav_push(self->job.tui, pane, NULL);
}

static void show_source_arrive(struct job *job, bool good, const struct error *error)
{
	struct source_job *self = (struct source_job *)job;
	if (!good)
		tui_say_error(self->job.tui, error);
	else if (self->code.title.length)
		show_generated(self);
	else if (self->edit)
		source_edit(self->job.tui, buffer_text(&self->path), self->source.line);
	else
		show(self);
}

static void show_source_clear(struct job *job)
{
	struct source_job *self = (struct source_job *)job;
	for (size_t i = 0; i < self->map_count; i++)
		mem_free_all(self->maps[i].from, self->maps[i].to);
	mem_free(self->maps);
	generated_code_clear(&self->code);
	row_source_clear(&self->source);
	buffer_free(&self->frame);
	buffer_free(&self->path);
	buffer_free(&self->looked);
	buffer_free(&self->text);
}

/* ---- asking ---- */

static void read_cells(const struct app *app, struct buffer *frame)
{
	const struct pane *pane = app_pane(app);
	const struct table *table = pane->ops->table ? pane->ops->table(pane) : NULL;
	size_t row = table ? pane->ops->row(pane) : SIZE_MAX;
	if (row < (table ? table->rows : 0))
		source_of_cells(table, row, frame);
}

void source_show(struct app *app, bool edit)
{
	static const struct pane_job_kind kind = { show_source_run, show_source_arrive,
						   show_source_clear, true };
	struct pane *pane = app_pane(app);
	struct source_job *self = pane_job_new(sizeof *self, &kind, pane, &app->tui, "Source");
	const struct config *config = &app->config;
	self->edit = edit;
	self->ref = pane_ref(pane, &app->tui);
	read_cells(app, &self->frame);
	self->map_count = config->map_count;
	self->maps = mem_zalloc(self->map_count + 1, sizeof *self->maps);
	for (size_t i = 0; i < self->map_count; i++)
		self->maps[i] =
			(struct source_map){ config->maps[i].from ? mem_strdup(config->maps[i].from)
								  : NULL,
					     mem_strdup(config->maps[i].to) };
	pane_job_submit(&self->job);
}

bool source_can(struct app *app)
{
	const struct pane *pane = app_pane(app);
	AUTO_BUFFER struct buffer frame = { 0 };
	read_cells(app, &frame);
	return frame.length ||
	       view_has_source(app->tui.run, &pane->level->scope, pane_ref(pane, &app->tui));
}

bool source_command(struct app *app, const char *argument, struct error *error)
{
	size_t length = strcspn(argument, " ");
	const char *to = argument + length + strspn(argument + length, " ");
	if (!*argument) {
		app_act(app, ACTION_SOURCE);
		return true;
	}
	AUTO_FREE char *from = *to ? mem_strndup(argument, length) : NULL;
	source_map(app, from, *to ? to : argument);
	app_say(app, MESSAGE_INFO, "%s%s looked for in %s", from ? "files of " : "relative files",
		from ? from : "", *to ? to : argument);
	return true;
}

/* ---- the link ---- */

/* Terminals that follow links; of others, some print them. */
static bool follows_links(const struct app *app)
{
	static const char *const marks[][2] = { LINKING_TERMINALS };
	return app->tui.settings.links && app->tui.colors > 0 && app->term->ops->send &&
	       any_of(i, sizeof marks / sizeof *marks,
		      app_is_set(marks[i][0]) &&
			      !strncmp(getenv(marks[i][0]), marks[i][1], strlen(marks[i][1])));
}

/* What the row's cells, or else its details, name as a line of a file: of a stack, the innermost.
 */
static bool place_of_row(const struct app *app, const char *details, struct buffer *file)
{
	struct code_place place;
	struct strip_line line;
	AUTO_BUFFER struct buffer frame = { 0 };
	read_cells(app, &frame);
	bool found = code_place_parse(BUFFERED(&frame), &place);
	while (!found && strip_next(&details, &line)) {
		const char *outer = platform_memrchr(line.text, ';', line.text_length);
		size_t skip = outer ? (size_t)(outer + 1 - line.text) : 0;
		found = code_place_parse(line.text + skip, line.text_length - skip, &place);
	}
	if (found)
		buffer_add(file, place.file, place.length);
	return found;
}

void source_links_free(struct source_links *links)
{
	mem_free_each(links->paths, links->count);
	mem_free(links->paths);
	intern_free(links->known);
	buffer_free(&links->now.link);
	buffer_free(&links->now.plain);
	buffer_free(&links->sent.link);
	buffer_free(&links->sent.plain);
	*links = (struct source_links){ .count = 0 };
}

/* Where FILE is; NULL: not here. Asks the file system once for each. */
static const char *path_of(struct app *app, const struct buffer *file)
{
	struct source_links *links = &app->links;
	struct source_job job = { .maps = app->config.maps, .map_count = app->config.map_count };
	job.job.tui = &app->tui;
	job.job.scope.rank = app->tui.nav.here->scope.rank;
	const struct rank *rank = run_rank(app->tui.run, job.job.scope.rank);
	AUTO_FREE char *key =
		mem_printf("%s\n%s", buffer_text(file), rank && rank->path ? rank->path : "");
	links->known = links->known ?: intern_new();
	uint32_t id = intern_add(links->known, key, strlen(key));
	if (id < links->count)
		return links->paths[id];
	while (links->count <= id)
		*mem_push(links->paths, links->count) = NULL;
	job.source.file = *file;
	if (find_file(&job))
		links->paths[id] = realpath(buffer_text(&job.path), NULL);
	buffer_free(&job.path);
	buffer_free(&job.looked);
	return links->paths[id];
}

/* The cells of the screen that show NAME, linked to the file at PATH. */
static void link_cells(struct app *app, int row, const char *name, const char *path)
{
	static const char plain[] = "/._-0123456789"
				    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	AUTO_BUFFER struct buffer text = { 0 };
	struct buffer *link = &app->links.now.link, *start = &app->links.now.plain;
	grid_row_text(&app->tui.grid, row, &text);
	const char *at = strstr(buffer_text(&text), name);
	if (!at)
		return;
	int column = (int)text_width(text.data, (size_t)(at - text.data));
	buffer_printf(start, "\0337\033[%d;%dH", row + 1, column + 1);
	look_start(start, &app->tui.theme.look[grid_cell(&app->tui.grid, row, column)->role]);
	buffer_printf(link, "%s\033]8;;file://", buffer_text(start));
	for (const char *c = path; *c; c++)
		buffer_printf(link, strchr(plain, *c) ? "%c" : "%%%02X", (unsigned char)*c);
	/* the name is safe, as it is on the screen */
	buffer_printf(link, "\033\\%s\033]8;;\033\\\0338", name);
	buffer_printf(start, "%s\0338", name);
}

void source_link(struct app *app, struct rect strip, const char *details)
{
	AUTO_BUFFER struct buffer file = { 0 };
	const char *path = follows_links(app) && place_of_row(app, details, &file)
				   ? path_of(app, &file)
				   : NULL;
	for (int i = 0; path && i <= strip.rows && !app->links.now.link.length; i++)
		link_cells(app, i < strip.rows ? strip.row + i : app->tui.grid.cursor_row,
			   text_file_name(buffer_text(&file)), path);
}

static void send_cells(struct app *app, const struct buffer *cells)
{
	if (cells->length)
		app->term->ops->send(app->term, cells->data, cells->length);
}

void source_link_draw(struct app *app)
{
	struct linked_cells now = app->links.now;
	if (app->tui.grid.later_rows) { /* links are of what is drawn later */
		app->term->ops->draw(app->term, &app->tui.grid);
		return;
	}
	if (strcmp(buffer_text(&now.link), buffer_text(&app->links.sent.link)) != 0)
		send_cells(app, &app->links.sent.plain);
	app->term->ops->draw(app->term, &app->tui.grid);
	send_cells(app, &now.link);
	app->links.now = app->links.sent;
	app->links.sent = now;
}

/* ---- the editor ---- */

enum { WORDS_MAX = 16 };

struct editing {
	char *argv[WORDS_MAX + 3];
	int status; /* of the editor; -1: it could not be run */
	int problem;
};

/* In the editor signals have their default effect; stopping it stops this program, too. */
static void run_editor(void *context)
{
	extern char **environ;
	struct editing *self = context;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, normal = { .sa_handler = SIG_DFL };
	struct sigaction interrupt, quit, stop;
	posix_spawnattr_t attributes;
	sigset_t all, none;
	pid_t editor;
	sigfillset(&all);
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	sigaction(SIGTSTP, &normal, &stop);
	self->problem =
		posix_spawnp(&editor, self->argv[0], NULL, &attributes, self->argv, environ);
	if (!self->problem) /* the handlers of other signals restart it */
		waitpid(editor, &self->status, 0);
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	sigaction(SIGTSTP, &stop, NULL);
	posix_spawnattr_destroy(&attributes);
}

static const char *editor_of_user(void)
{
	static const char *const variables[] = { "VISUAL", "EDITOR" };
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = getenv(variables[i]);
		if (value && value[strspn(value, " ")])
			return value;
	}
	return "vi";
}

void source_edit(struct tui *tui, const char *path, int64_t line)
{
	struct app *app = app_of(tui);
	struct editing editing = { .status = 0 };
	AUTO_FREE char *words = mem_strdup(editor_of_user());
	AUTO_FREE char *place = mem_printf("+%lld", (long long)line);
	/* no name is an option */
	AUTO_FREE char *file = mem_printf("%s%s", *path == '-' || *path == '+' ? "./" : "", path);
	int count = 0;
	char *rest;
	for (char *word = strtok_r(words, " ", &rest); word && count < WORDS_MAX;
	     word = strtok_r(NULL, " ", &rest))
		editing.argv[count++] = word;
	editing.argv[count++] = place;
	editing.argv[count++] = file;
	app->term->ops->lend(app->term, run_editor, &editing);
	app_resize(app);
	if (editing.problem)
		app_say(app, MESSAGE_ERROR, "cannot run %s: %s", editing.argv[0],
			strerror(editing.problem));
	else if (editing.status != 0)
		app_say(app, MESSAGE_WARNING, "%s failed", editing.argv[0]);
}
