/*
 * Start, loop and end of the explorer.
 */
#include "session/load.h"
#include "base/mem.h"
#include "tui/core/app.h"
#include "tui/core/shared_run.h"
#include "tui/core/pane.h"
#include "tui/app/spool.h"
#include "tui/plot/plot_pane.h"
#include "tui/table/table_pane.h"
#include "tui/term/signals.h"
#include "tui/timeline/timeline_pane.h"
#include "table/view.h"

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	LOAD_GRACE_MS = 80,    /* a file read within this time is never seen being read */
	SMALL_GRACE_MS = 2000, /* nor is a small one, unless something is wrong */
	SMALL_BYTES = 65536,
	LARGE_GRACE_MS = 10, /* of a large one something is to be seen at once */
	LARGE_BYTES = 256 << 20,
	WORK_GRACE_MS = 100, /* work that takes longer is stopped by any key */
	WORK_REDRAW_MS = 100,
	FIRST_LOOK_MS = 20, /* until something of the file is there to be shown */
	TWICE_MS = 2000,
	DEFAULT_ROWS = 45,
	DEFAULT_COLUMNS = 160,
};

struct pane *tui_pane(struct tui *tui)
{
	return tui->nav.here ? tui->nav.here->pane : NULL;
}

/* ---- messages ---- */

void tui_say(struct tui *tui, enum message_kind kind, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(tui->message, sizeof tui->message, format, arguments);
	va_end(arguments);
	tui->message_kind = kind;
	tui->dirty = true;
	if (tui->prompt.open) {
		snprintf(tui->prompt.note, sizeof tui->prompt.note, "%.199s", tui->message);
		tui->prompt.note_is_error = kind == MESSAGE_ERROR;
	}
}

void tui_say_error(struct tui *tui, const struct error *error)
{
	if (tui->replacing && error->code == ERROR_CANCELLED)
		return;
	if (error->where[0])
		tui_say(tui, MESSAGE_ERROR, "%s (%s)", error->message, error->where);
	else
		tui_say(tui, error->code == ERROR_CANCELLED ? MESSAGE_INFO : MESSAGE_ERROR, "%s",
			error->message);
}

bool tui_twice(struct tui *tui, const char *question)
{
	int64_t now = clock_ns();
	bool twice = tui->asked == tui->acting && now - tui->asked_ns < (int64_t)TWICE_MS * 1000000;
	tui->asked = tui->acting;
	tui->asked_ns = now;
	if (!twice)
		tui_say(tui, MESSAGE_WARNING, "%s", question);
	return twice;
}

/* ---- the terminal ---- */

void tui_resize(struct tui *tui)
{
	int rows, columns;
	tui->term->ops->size(tui->term, &rows, &columns);
	if (rows != tui->grid.rows || columns != tui->grid.columns)
		grid_resize(&tui->grid, rows, columns);
	tui->dirty = true;
}

void tui_suspend(struct tui *tui)
{
	tui->term->ops->suspend(tui->term);
	tui_resize(tui);
}

bool tui_set_theme(struct tui *tui, const char *name, struct error *error)
{
	if (!theme_load(&tui->theme, name, tui->term->colors, error))
		return false;
	tui->term->ops->theme(tui->term, &tui->theme);
	tui->dirty = true;
	return true;
}

/* Is this variable of the environment set, and not empty? */
static bool wanted(const char *variable)
{
	const char *value = getenv(variable);
	return value && *value;
}

static int wanted_colors(const struct tui_options *options)
{
	if (options->color == TUI_COLOR_NEVER)
		return 0;
	return options->color == TUI_COLOR_AUTO && wanted("NO_COLOR") ? 0 : -1;
}

/* The command line, the environment, the configuration, in this order; one that is none is told of
 * in the explorer. */
static void choose_theme(struct tui *tui)
{
	const char *variable = getenv("STRATA_THEME");
	const char *wanted = tui->options->theme     ? tui->options->theme
			     : variable && *variable ? variable
			     : tui->config.theme     ? tui->config.theme
						     : "default";
	struct error problem = { 0 };
	theme_mono(&tui->theme);
	if (tui_set_theme(tui, wanted, &problem))
		return;
	if (!tui_set_theme(tui, "default", NULL))
		tui->term->ops->theme(tui->term, &tui->theme);
	tui_say_error(tui, &problem);
}

static bool open_terminal(struct tui *tui, struct error *error)
{
	const struct tui_options *options = tui->options;
	int columns = DEFAULT_COLUMNS, rows = DEFAULT_ROWS;
	char end;
	if (!tui->headless) {
		if (!isatty(STDOUT_FILENO))
			return error_set(error, ERROR_USAGE,
					 "output is not a terminal; use 'strata report'");
		tui->term = terminal_curses(wanted_colors(options), error);
	} else {
		if (options->size &&
		    (sscanf(options->size, "%dx%d%c", &columns, &rows, &end) != 2 || columns < 1 ||
		     rows < 1 || columns > 1000 || rows > 1000))
			return error_set(error, ERROR_USAGE, "size must be COLUMNSxROWS");
		tui->term = terminal_memory(rows, columns);
		if (options->color == TUI_COLOR_ALWAYS)
			tui->term->colors = 256;
	}
	if (!tui->term)
		return false;
	tui_resize(tui);
	choose_theme(tui);
	if (tui->term->drawn_as)
		tui_say(tui, MESSAGE_WARNING, "unknown terminal '%s'; treated as %s",
			getenv("TERM"), tui->term->drawn_as);
	tui->term->ops->mouse(tui->term, tui->settings.mouse);
	return true;
}

/* ---- the loop ---- */

static void drain_wake(struct tui *tui)
{
	char bytes[64];
	while (read(tui->wake[0], bytes, sizeof bytes) > 0)
		;
	for (int number; (number = signals_take()) != 0;) {
		switch (number) {
		case SIGWINCH: tui_resize(tui); break;
		case SIGTSTP: tui_suspend(tui); break;
		case SIGCONT:
			tui->term->ops->redraw(tui->term);
			tui_resize(tui);
			break;
		default: tui->quit = true; tui->status = 128 + number;
		}
	}
}

/*
 * A key that was typed before the user could see that there is something to wait for is meant for
 * what comes after it: it is held until the work is done, and so are those typed behind it.
 */
static bool held(struct tui *tui, tui_key key)
{
	struct work_state work;
	if (tui->prompt.open || load_is_awaited(tui) || !worker_busy(tui->worker, &work) ||
	    work.background || key == tui_key_ctrl('c') || key >= TUI_KEY_MOUSE)
		return false;
	bool stops = key == TUI_KEY_ESCAPE || key == 'q';
	int64_t grace = key == TUI_KEY_ESCAPE ? WORK_SEEN_MS : WORK_GRACE_MS;
	return work_ms(&work) < grace || (tui->held_count > 0 && !stops);
}

static void hold(struct tui *tui, tui_key key)
{
	if (tui->held_count < HELD_KEYS)
		tui->held[tui->held_count++] = key;
}

static tui_key next_held(struct tui *tui)
{
	struct work_state work;
	if (tui->held_count == 0)
		return TUI_KEY_NONE;
	/* of work that can be seen by now Esc is what stops it */
	if (worker_busy(tui->worker, &work) &&
	    !(tui->held[0] == TUI_KEY_ESCAPE && work_is_seen(&work)))
		return TUI_KEY_NONE;
	tui_key key = tui->held[0];
	tui->held_count--;
	for (int i = 0; i < tui->held_count; i++)
		tui->held[i] = tui->held[i + 1];
	return key;
}

static void take_keys(struct tui *tui)
{
	tui_key key;
	while (!tui->quit && (key = next_held(tui)) != TUI_KEY_NONE)
		tui_key_press(tui, key);
	while (!tui->quit && (key = tui->term->ops->read(tui->term)) != TUI_KEY_NONE) {
		if (held(tui, key)) {
			hold(tui, key);
			continue;
		}
		if (worker_busy(tui->worker, NULL))
			tui->held_count = 0; /* it stops what they were waiting for */
		tui_key_press(tui, key);
	}
}

static void play_script(struct tui *tui)
{
	if (!tui->script || tui->loading || worker_busy(tui->worker, NULL) || tui->quit)
		return;
	if (!script_step(tui)) {
		script_close(tui);
		tui->quit |= tui->headless;
	}
}

/* Until the screen is drawn again though nothing happened; -1: not at all. */
static int redraw_after_ms(struct tui *tui)
{
	struct work_state work;
	bool busy = worker_busy(tui->worker, &work);
	if (busy && !work_is_seen(&work))
		return (int)(WORK_SEEN_MS - work_ms(&work)) + 1;
	if (!busy && !tui->loading)
		return tui->script ? 0 : -1;
	return tui->spool && !tui->run ? FIRST_LOOK_MS : WORK_REDRAW_MS;
}

static void wait_for_something(struct tui *tui)
{
	struct pollfd fds[2] = { { tui->wake[0], POLLIN, 0 }, { tui->term->fd, POLLIN, 0 } };
	int timeout = redraw_after_ms(tui);

	/* there is "input" on a terminal that is gone, its end, for ever */
	if (poll(fds, 2, timeout) > 0 && fds[1].revents & (POLLHUP | POLLERR | POLLNVAL))
		tui_key_press(tui, TUI_KEY_HANGUP);
}

static void collect(struct tui *tui)
{
	worker_collect(tui->reader);
	worker_collect(tui->previewer);
	worker_collect(tui->worker);
	preview_consider(tui);
}

void tui_turn(struct tui *tui)
{
	drain_wake(tui);
	collect(tui);
	if (!tui->quit)
		take_keys(tui);
	if (tui->quit)
		return;
	if (tui->dirty || tui->loading || worker_busy(tui->worker, NULL)) {
		tui->dirty = false;
		split_update(tui);
		frame_draw(tui);
		tui->term->ops->draw(tui->term, &tui->grid);
	}
	play_script(tui);
}

static void loop(struct tui *tui)
{
	tui->dirty = true;
	while (!tui->quit) {
		tui_turn(tui);
		if (!tui->quit && !tui->dirty)
			wait_for_something(tui);
	}
}

/* ---- start and end ---- */

/* One line for all that is wrong in the configuration; :config shows all. */
static void tell_problems(struct tui *tui)
{
	const char *first = buffer_text(&tui->config.problems);
	size_t more = tui->config.problem_count - 1;
	if (tui->config.problem_count == 0)
		return;
	if (more > 0)
		tui_say(tui, MESSAGE_WARNING, "%.*s (and %zu more; :config shows them)",
			(int)strcspn(first, "\n"), first, more);
	else
		tui_say(tui, MESSAGE_WARNING, "%.*s", (int)strcspn(first, "\n"), first);
}

static bool settle(struct tui *tui, struct error *error)
{
	const struct tui_options *options = tui->options;
	setlocale(LC_CTYPE, "");
	tui->settings.detail = true;
	tui->settings.mouse = options->mouse;
	tui->settings.braille = options->braille;
	tui->settings.ascii = options->ascii || wanted("STRATA_ASCII") ||
			      strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	tui->headless = options->script && !(options->size && !strcmp(options->size, "terminal"));
	tui->settings.clipboard = tui->settings.state = tui->settings.restore = true;
	tui->settings_at_first = tui->settings;
	/* a script does the same everywhere */
	return config_read(tui, options->config, !options->ignore_config && !tui->headless, error);
}

/* A small file that is no profile is refused on a busy machine too before the screen is taken. */
static int grace_ms(const struct tui_options *options)
{
	struct stat status;
	if (options->path_count != 1 || stat(options->paths[0], &status) != 0 ||
	    !S_ISREG(status.st_mode))
		return LOAD_GRACE_MS;
	return status.st_size < SMALL_BYTES   ? SMALL_GRACE_MS
	       : status.st_size < LARGE_BYTES ? LOAD_GRACE_MS
					      : LARGE_GRACE_MS;
}

/* What is kept of sessions before. */
static void remember(struct tui *tui)
{
	const struct tui_options *options = tui->options;
	state_open(&tui->state, tui->settings.state && !options->no_state && !tui->headless);
	state_read_history(&tui->state, tui->histories);
	if (!options->passing)
		state_open_profile(&tui->state, options->paths, options->path_count);
}

/* The view in which the file is left. */
static void keep_view(struct tui *tui)
{
	const struct level *root = tui->nav.here;
	while (root && root->above)
		root = root->above;
	const char *name = root && root->pane ? root->pane->ops->name(root->pane) : "";
	if (nav_tab_named(name).name && tui->settings.state && strcmp(name, "diff") != 0)
		state_set(&tui->state, "view", name);
	if (tui->settings.state)
		state_save(&tui->state);
}

/* What was asked for on the command line has to be there; another theme that is not is told of
 * later. */
static bool check_theme(const struct tui_options *options, struct error *error)
{
	struct theme theme;
	return !options->theme || theme_load(&theme, options->theme, 0, error);
}

static struct pane *make_pane(struct tui *tui, const struct subject *subject)
{
	static struct pane *(*const kinds[PANE_KINDS])(const struct subject *) = {
		[PANE_TABLE] = table_pane_new,
		[PANE_TIMELINE] = timeline_pane_new,
		[PANE_PLOT] = plot_pane_new,
	};
	struct subject whole = *subject;
	config_complete(&tui->config, &whole);
	return kinds[subject->kind](&whole);
}

static const struct tui_host host = {
	.make = make_pane,
	.ask = tui_prompt,
	.iterate = tui_load_iterations_of,
	.fail = script_fail,
};

bool tui_start(struct tui *tui, struct error *error)
{
	tui->host = &host;
	if (!settle(tui, error) || !check_theme(tui->options, error))
		return false;
	remember(tui);
	if (tui->options->view && !nav_tab_named(tui->options->view).name)
		return error_set(error, ERROR_USAGE, "unknown view '%s'; did you mean '%s'?",
				 tui->options->view, view_nearest(tui->options->view));
	if (pipe2(tui->wake, O_NONBLOCK | O_CLOEXEC) != 0)
		return error_set(error, ERROR_LIMIT, "cannot create a pipe");
	signals_install(tui->wake[1]);
	if (tui->options->script && !script_open(tui, tui->options->script, error))
		return false;
	tui->worker = worker_new(tui->wake[1]);
	tui->reader = worker_new(tui->wake[1]);
	tui->previewer = worker_new(tui->wake[1]);
	if (!tui->worker || !tui->reader || !tui->previewer)
		return error_set(error, ERROR_LIMIT, "cannot start a thread");
	/* so that a file that cannot be read is told of without the screen being taken over */
	tui_load(tui, NULL);
	worker_wait(tui->reader, grace_ms(tui->options));
	worker_collect(tui->reader);
	if (!tui->quit && !open_terminal(tui, error))
		return false;
	tell_problems(tui);
	return true;
}

void tui_stop(struct tui *tui)
{
	tui->quit = true;
	if (tui->term)
		tui->term->ops->free(tui->term);
	tui->term = NULL;
	worker_free(tui->reader);
	worker_free(tui->previewer);
	worker_free(tui->worker);
	spool_free(tui->spool);
	keep_view(tui);
	state_close(&tui->state);
	nav_clear(&tui->nav);
	place_clear(&tui->search_origin);
	find_clear(tui);
	prompt_free(&tui->prompt);
	for (int i = 0; i < PROMPT_KINDS; i++)
		history_free(&tui->histories[i]);
	menu_close(&tui->menu);
	script_close(tui);
	grid_free(&tui->grid);
	if (tui->status < 128) /* a signal does not wait for an index */
		run_settle(tui->run);
	shared_run_drop(tui->shared);
	mem_free(tui->base);
	config_clear(&tui->config);
	mem_free(tui->key_node);
	signals_restore();
	if (tui->wake[1] > 0) {
		close(tui->wake[0]);
		close(tui->wake[1]);
	}
}

static bool session(void *context)
{
	struct tui *tui = context;
	if (!tui_start(tui, &tui->failure)) {
		tui->status = 2;
		return false;
	}
	loop(tui);
	return true;
}

static void complain(const struct tui *tui)
{
	const struct error *error = &tui->failure;
	if (error->code == ERROR_NONE || error->code == ERROR_CANCELLED)
		return;
	fprintf(stderr, "strata: %s%s%s%s\n", error->message, error->where[0] ? " (" : "",
		error->where, error->where[0] ? ")" : "");
}

int tui_main(const struct tui_options *options)
{
	struct tui *tui = mem_zalloc(1, sizeof *tui);
	tui->options = options;
	if (!mem_guard(session, tui, &tui->failure) && tui->status == 0)
		tui->status = 4;
	tui_stop(tui);
	complain(tui);
	int status = tui->status;
	mem_free(tui);
	return status;
}
