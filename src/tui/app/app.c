/*
 * Start, main loop and end of the explorer.
 */
#include "session/load.h"
#include "tui/app/app.h"
#include "tui/app/read_on.h"
#include "tui/app/spool.h"
#include "tui/term/emergency.h"

#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { APP_LIMIT_ROWS(_) };

/* ---- messages ---- */

bool app_twice(struct app *app, const char *question)
{
	int64_t now = clock_ns();
	bool twice = app->asked == app->acting && now - app->asked_ns < (int64_t)TWICE_MS * 1000000;
	app->asked = app->acting;
	app->asked_ns = now;
	if (!twice)
		app_say(app, MESSAGE_WARNING, "%s", question);
	return twice;
}

/* ---- the terminal ---- */

void app_resize(struct app *app)
{
	int rows, columns;
	app->term->ops->size(app->term, &rows, &columns);
	if (rows != app->tui.grid.rows || columns != app->tui.grid.columns)
		grid_resize(&app->tui.grid, rows, columns);
	buffer_clear(&app->links.sent.plain); /* the whole screen is sent */
	app->tui.dirty = true;
}

void app_suspend(struct app *app)
{
	app->term->ops->suspend(app->term);
	app_resize(app);
}

/* As the terminal answered, else as the environment says. */
static enum background known_background(const struct app *app)
{
	const char *numbers = getenv("COLORFGBG");
	enum background told = app->term->ops->background ? app->term->ops->background(app->term)
							  : BACKGROUND_UNKNOWN;
	return told == BACKGROUND_UNKNOWN && numbers ? background_of_numbers(numbers) : told;
}

bool app_set_theme(struct app *app, const char *name, struct error *error)
{
	bool chosen = strcmp(name, "default") != 0;
	if (chosen ? !theme_load(&app->tui.theme, name, app->term->colors, error)
		   : !theme_load_default(&app->tui.theme, known_background(app), app->term->colors,
					 error))
		return false;
	app->term->ops->theme(app->term, &app->tui.theme);
	app->tui.dirty = true;
	return true;
}

bool app_is_set(const char *variable)
{
	const char *value = getenv(variable);
	return value && *value;
}

int app_colors(const struct tui_options *options)
{
	if (options->color == TUI_COLOR_NEVER)
		return 0;
	return options->color == TUI_COLOR_AUTO && app_is_set("NO_COLOR") ? 0 : -1;
}

/* If it decides on the theme. */
static void ask_background(struct app *app)
{
	if (app->term->ops->ask_background && app->term->colors >= 256 &&
	    !strcmp(app->tui.theme.name, "default") && known_background(app) == BACKGROUND_UNKNOWN)
		app->term->ops->ask_background(app->term);
}

/*
 * From command line, environment or configuration, in this order; an unknown one is reported in the
 * explorer.
 */
static void choose_theme(struct app *app)
{
	const char *variable = getenv("STRATA_THEME");
	const char *wanted = app->options->theme     ? app->options->theme
			     : variable && *variable ? variable
			     : app->config.theme     ? app->config.theme
						     : "default";
	struct error problem = { 0 };
	theme_mono(&app->tui.theme);
	if (app_set_theme(app, wanted, &problem)) {
		ask_background(app);
		return;
	}
	if (!app_set_theme(app, "default", NULL))
		app->term->ops->theme(app->term, &app->tui.theme);
	tui_say_error(&app->tui, &problem);
}

bool app_parse_size(const char *text, int *columns, int *rows, struct error *error)
{
	char end;
	return (sscanf(text, "%dx%d%c", columns, rows, &end) == 2 && *columns >= 1 && *rows >= 1 &&
		*columns <= 1000 && *rows <= 1000) ||
	       error_usage(error, "size must be COLUMNSxROWS");
}

static bool open_terminal(struct app *app, struct error *error)
{
	const struct tui_options *options = app->options;
	int columns = DEFAULT_COLUMNS, rows = DEFAULT_ROWS;
	if (!app->headless) {
		if (!isatty(STDOUT_FILENO))
			return error_usage(error, "output is not a terminal; use 'strata report'");
		app->term = terminal_curses(app_colors(options), error);
	} else {
		if (options->size && !app_parse_size(options->size, &columns, &rows, error))
			return false;
		app->term = terminal_memory(rows, columns);
		if (options->color == TUI_COLOR_ALWAYS)
			app->term->colors = 256;
	}
	if (!app->term)
		return false;
	app_resize(app);
	choose_theme(app);
	app->tui.colors = app->term->colors;
	if (app->term->drawn_as)
		app_say(app, MESSAGE_WARNING, "unknown terminal '%s'; treated as %s",
			getenv("TERM"), app->term->drawn_as);
	app->term->ops->mouse(app->term, app->tui.settings.mouse);
	return true;
}

/* ---- the loop ---- */

static void drain_wake(struct app *app)
{
	char bytes[64];
	while (read(app->wake[0], bytes, sizeof bytes) > 0)
		;
	for (int number; (number = signals_take()) != 0;) {
		switch (number) {
		case SIGWINCH: app_resize(app); break;
		case SIGTSTP: app_suspend(app); break;
		case SIGCONT:
			app->term->ops->redraw(app->term);
			app_resize(app);
			break;
		default: app->tui.quit = true; app->status = 128 + number;
		}
	}
}

/*
 * A key typed before the user could see that work is running is meant for its result: hold it, and
 * those after it, until the work is done.
 */
static bool held(struct app *app, tui_key key)
{
	struct work_state work;
	if (app->prompt.open || load_is_awaited(app) || !worker_busy(app->tui.worker, &work) ||
	    work.background || key == tui_key_ctrl('c') || key >= TUI_KEY_MOUSE)
		return false;
	bool stops = key == TUI_KEY_ESCAPE || key == 'q';
	int64_t grace = key == TUI_KEY_ESCAPE ? WORK_SEEN_MS : WORK_GRACE_MS;
	return work_ms(&work) < grace || (app->held_count > 0 && !stops);
}

void app_hold(struct app *app, tui_key key)
{
	if (app->held_count < HELD_KEYS)
		app->held[app->held_count++] = key;
}

static tui_key next_held(struct app *app)
{
	struct work_state work;
	if (app->held_count == 0 || load_is_awaited(app))
		return TUI_KEY_NONE;
	/* once the work is visible, Esc cancels it */
	if (worker_busy(app->tui.worker, &work) &&
	    !(app->held[0] == TUI_KEY_ESCAPE && work_is_seen(&work)))
		return TUI_KEY_NONE;
	tui_key key = app->held[0];
	app->held_count--;
	for (int i = 0; i < app->held_count; i++)
		app->held[i] = app->held[i + 1];
	return key;
}

static void take_keys(struct app *app)
{
	tui_key key;
	while (!app->tui.quit && (key = next_held(app)) != TUI_KEY_NONE)
		app_press(app, key);
	while (!app->tui.quit && (key = app->term->ops->read(app->term)) != TUI_KEY_NONE) {
		if (held(app, key)) {
			app_hold(app, key);
			continue;
		}
		app->pressed_ns = clock_ns();
		if (worker_busy(app->tui.worker, NULL))
			app->held_count = 0; /* discard the keys waiting for it */
		app_press(app, key);
	}
}

static void play_script(struct app *app)
{
	if (!app->script || app->loading || worker_busy(app->tui.worker, NULL) || app->tui.quit)
		return;
	if (!script_step(app)) {
		script_close(app);
		app->tui.quit |= app->headless;
	}
}

/* Milliseconds until the next redraw without input; -1: none. */
static int redraw_after_ms(struct app *app)
{
	struct work_state work;
	bool busy = worker_busy(app->tui.worker, &work);
	if (app->tui.grid.later_rows)
		return REST_MS;
	if (busy && !work_is_seen(&work))
		return (int)(WORK_SEEN_MS - work_ms(&work)) + 1;
	if (!busy && !app->loading)
		return app->script ? 0 : app->options->follow ? FOLLOW_MS : -1;
	return app->spool && !app->tui.run ? FIRST_LOOK_MS : WORK_REDRAW_MS;
}

static void wait_for_something(struct app *app)
{
	struct pollfd fds[2] = { { app->wake[0], POLLIN, 0 }, { app->term->fd, POLLIN, 0 } };
	int timeout = redraw_after_ms(app);

	/* a closed terminal polls as readable forever */
	if (poll(fds, 2, timeout) > 0 && fds[1].revents & (POLLHUP | POLLERR | POLLNVAL))
		app_press(app, TUI_KEY_HANGUP);
}

static void app_collect(struct app *app)
{
	worker_collect(app->reader);
	worker_collect(app->previewer);
	worker_collect(app->tui.worker);
	renew_figures(app);
	preview_consider(app);
	follow_turn(app);
}

bool keys_rest(const struct app *app)
{
	return clock_ns() - app->pressed_ns > (int64_t)REST_MS * 1000000;
}

void app_turn(struct app *app)
{
	drain_wake(app);
	app_collect(app);
	if (!app->tui.quit)
		take_keys(app);
	if (app->tui.quit)
		return;
	if (app->tui.dirty || app->loading || worker_busy(app->tui.worker, NULL) ||
	    (app->tui.grid.later_rows && keys_rest(app))) {
		app->tui.dirty = false;
		split_update(app);
		frame_draw(app);
		source_link_draw(app);
	}
	play_script(app);
}

static void loop(struct app *app)
{
	app->tui.dirty = true;
	while (!app->tui.quit) {
		app_turn(app);
		if (!app->tui.quit && !app->tui.dirty)
			wait_for_something(app);
	}
}

/* ---- start and end ---- */

/* One line for all configuration errors; :config lists them. */
static void report_problems(struct app *app)
{
	const char *first = buffer_text(&app->config.problems);
	size_t more = app->config.problem_count - 1;
	if (app->config.problem_count == 0)
		return;
	if (more > 0)
		app_say(app, MESSAGE_WARNING, "%.*s (and %zu more; :config shows them)",
			(int)strcspn(first, "\n"), first, more);
	else
		app_say(app, MESSAGE_WARNING, "%.*s", (int)strcspn(first, "\n"), first);
}

static bool settle(struct app *app, struct error *error)
{
	const struct tui_options *options = app->options;
	app->tui.settings.detail = true;
	app->tui.settings.mouse = options->mouse;
	app->tui.settings.braille = options->braille;
	app->tui.settings.ascii = options->ascii || app_is_set("STRATA_ASCII") ||
				  strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	app->headless = options->script && !(options->size && !strcmp(options->size, "terminal"));
	app->tui.settings.clipboard = app->tui.settings.links = true;
	app->tui.settings.state = app->tui.settings.restore = true;
	app->settings_at_first = app->tui.settings;
	/* scripts do not depend on the user's configuration */
	return config_read(app, options->config, !options->ignore_config && !app->headless, error);
}

bool config_reload(struct app *app, const char *argument, struct error *error)
{
	const struct tui_options *options = app->options;
	config_clear(&app->config);
	action_bindings_reset();
	if (!config_read(app, options->config, !options->ignore_config, error))
		return false;
	choose_theme(app);
	app->term->ops->mouse(app->term, app->tui.settings.mouse);
	app_say(app, MESSAGE_INFO, "configuration read again");
	report_problems(app);
	return true;
}

/* Even on a busy machine, a small non-profile is refused before the screen opens. */
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

/* Load the state of earlier sessions. */
static void app_remember(struct app *app)
{
	const struct tui_options *options = app->options;
	state_open(&app->tui.state,
		   app->tui.settings.state && !options->no_state && !app->headless);
	state_read_history(&app->tui.state, app->histories);
	state_open_profile(&app->tui.state, options->paths, options->path_count);
}

/* Save the current view for the next session. */
static void keep_view(struct app *app)
{
	const struct level *root = app->tui.nav.here;
	while (root && root->above)
		root = root->above;
	const char *name = root && root->pane ? root->pane->name : "";
	if (nav_tab_named(name).name && app->tui.settings.state && strcmp(name, "diff") != 0)
		state_set(&app->tui.state, "view", name);
	if (app->tui.settings.state)
		state_save(&app->tui.state);
}

bool app_start(struct app *app, struct error *error)
{
	/* of the command line: it must be valid; other errors are reported later */
	struct theme theme;
	app->tui.host = &app_host;
	if (!settle(app, error) ||
	    (app->options->theme && !theme_load(&theme, app->options->theme, 0, error)))
		return false;
	app_remember(app);
	if (app->options->view && !nav_tab_named(app->options->view).name)
		return nav_unknown(app->options->view, error);
	if (pipe2(app->wake, O_NONBLOCK | O_CLOEXEC) != 0)
		return error_set(error, ERROR_LIMIT, "cannot create a pipe");
	signals_install(app->wake[1]);
	if (app->options->script && !script_open(app, app->options->script, error))
		return false;
	app->tui.worker = worker_new(app->wake[1]);
	app->reader = worker_new(app->wake[1]);
	app->previewer = worker_new(app->wake[1]);
	if (!app->tui.worker || !app->reader || !app->previewer)
		return error_set(error, ERROR_LIMIT, "cannot start a thread");
	/* so that an unreadable file is reported without opening the screen */
	load_files(app, NULL);
	worker_wait(app->reader, grace_ms(app->options));
	worker_collect(app->reader);
	if (!app->tui.quit && !open_terminal(app, error))
		return false;
	report_problems(app);
	return true;
}

void app_stop(struct app *app)
{
	app->tui.quit = true;
	if (app->term)
		app->term->ops->free(app->term);
	app->term = NULL;
	worker_free(app->reader);
	worker_free(app->previewer);
	worker_free(app->tui.worker);
	spool_free(app->spool);
	what_if_close(app);
	keep_view(app);
	state_close(&app->tui.state);
	load_clear(app);
	place_clear(&app->tui.search_origin);
	find_clear(app);
	prompt_free(&app->prompt);
	for (int i = 0; i < PROMPT_KINDS; i++)
		history_free(&app->histories[i]);
	menu_close(&app->tui.menu);
	script_close(app);
	grid_free(&app->tui.grid);
	source_links_free(&app->links);
	if (app->status < 128) /* after a signal, do not wait for the index writer */
		run_settle(app->tui.run);
	shared_run_drop(app->tui.shared);
	path_list_clear(&app->base);
	path_list_clear(&app->added);
	config_clear(&app->config);
	mem_free(app->key_node);
	signals_restore();
	if (app->wake[1] > 0) {
		close(app->wake[0]);
		close(app->wake[1]);
	}
}

static bool session(void *context)
{
	struct app *app = context;
	if (!app_start(app, &app->failure)) {
		app->status = 2;
		return false;
	}
	loop(app);
	return true;
}

static void complain(const struct app *app)
{
	const struct error *error = &app->failure;
	if (error->code == ERROR_NONE || error->code == ERROR_CANCELLED)
		return;
	fprintf(stderr, "strata: %s%s%s%s\n", error->message, error->where[0] ? " (" : "",
		error->where, error->where[0] ? ")" : "");
}

int tui_main(const struct tui_options *options)
{
	AUTO_FREE struct app *app = mem_zalloc(1, sizeof *app);
	app->options = options;
	if (!mem_guard(session, app, &app->failure) && app->status == 0)
		app->status = 4;
	app_stop(app);
	complain(app);
	return app->status;
}
