#include "cli/session.h"

#include "analysis/work/device_peaks.h"
#include "base/clock.h"
#include "base/embedded.h"
#include "base/inputs.h"
#include "base/mask.h"
#include "base/platform.h"
#include "base/text.h"
#include "cli/device_file.h"
#include "session/baselines.h"
#include "session/runs/run_files.h"
#include "session/runs/runs.h"
#include "tui/term/xdg.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { LINE_EVERY_NS = 100000000 };

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

/*
 * SIGBUS: a mapped file was truncated or its disk failed. The process exits with a message;
 * async-signal-safe.
 */
static void on_bus_error(int number)
{
	static const char text[] =
		"strata: an open file was truncated by another program; open it again\n";
	ssize_t sent = write(STDERR_FILENO, text, sizeof text - 1);
	(void)sent;
	_exit(STATUS_INPUT);
}

/*
 * A second interrupt ends the process, in case the work does not poll. Ignored signals (nohup) stay
 * ignored.
 */
static void catch_signals(void)
{
	const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct sigaction before;
		sigaction(numbers[i], NULL, &before);
		if (before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
	struct sigaction lost = { .sa_handler = on_bus_error, .sa_flags = SA_ONSTACK };
	sigaction(SIGBUS, &lost, NULL);
	/* exceeding the file size limit then fails the write */
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigaction(SIGXFSZ, &ignore, NULL);
}

/* ---- progress ---- */

static void session_draw_line(struct session *session, const char *stage, uint64_t done,
			      uint64_t total)
{
	fprintf(stderr, "\r\033[Kstrata: %s", stage);
	if (total)
		fprintf(stderr, " %d%%", (int)(100.0 * (double)done / (double)total));
	fflush(stderr);
	session->shown = true;
}

static bool on_progress(void *context, const char *stage, uint64_t done, uint64_t total,
			uint64_t rows)
{
	struct session *session = context;
	if (interrupted)
		return false;
	if (session->options->verbose && (!session->stage || strcmp(session->stage, stage) != 0)) {
		session_clear_progress(session);
		fprintf(stderr, "strata: %s\n", stage);
	}
	session->stage = stage;
	if (!session->visible)
		return true;
	int64_t now = clock_ns();
	if (now >= session->next_ns) {
		session_draw_line(session, stage, done, total);
		session->next_ns = now + LINE_EVERY_NS;
	}
	return true;
}

void session_clear_progress(struct session *session)
{
	if (session->shown)
		fputs("\r\033[K", stderr);
	session->shown = false;
}

/* ---- messages ---- */

static void say(const char *text)
{
	AUTO_BUFFER struct buffer safe = { 0 };
	text_escape(&safe, text, strlen(text));
	fputs(buffer_text(&safe), stderr);
}

/* Path to prefix to the message, unless it starts with one already. */
static const char *message_path(const struct session *session)
{
	const char *message = session->error.message, *base = session->base;
	if (session->error.code != ERROR_INPUT || !session->path_count)
		return NULL;
	for (size_t i = 0; i < session->path_count; i++)
		if (strncmp(message, session->paths[i], strlen(session->paths[i])) == 0)
			return NULL;
	if (base && strncmp(message, base, strlen(base)) == 0)
		return NULL;
	return session->paths[0];
}

static int status_of(enum error_code code)
{
	switch (code) {
	case ERROR_INPUT:
	case ERROR_MEMORY: return STATUS_INPUT;
	case ERROR_OUTPUT: return STATUS_OUTPUT;
	case ERROR_CANCELLED: return interrupted ? 128 + interrupted : STATUS_INTERRUPTED;
	default: return STATUS_USAGE;
	}
}

int session_fail(struct session *session)
{
	session_clear_progress(session);
	const struct error *error = &session->error;
	const char *path = message_path(session);
	fputs("strata: ", stderr);
	if (path) {
		say(path);
		fputs(": ", stderr);
	}
	fprintf(stderr, *error->where ? "%s (%s)\n" : "%s\n", error->message, error->where);
	return status_of(error->code);
}

static void say_line(struct session *session, const char *format, va_list arguments)
{
	AUTO_BUFFER struct buffer text = { 0 };
	session_clear_progress(session);
	buffer_vprintf(&text, format, arguments);
	fputs("strata: ", stderr);
	say(buffer_text(&text));
	fputc('\n', stderr);
}

void session_note(struct session *session, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	if (!session->options->quiet)
		say_line(session, format, arguments);
	va_end(arguments);
}

void session_warn(struct session *session, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say_line(session, format, arguments);
	va_end(arguments);
}

void session_note_runs(struct session *session)
{
	const struct run *run = session->run;
	const struct load_options *load = &session->options->load;
	if (run->runs > 1 && !load->run && !load->run_name)
		session_note(
			session,
			"%zu runs, of which %s is shown (--run NAME chooses; view runs lists them)",
			run->runs, runs_name(run, run->ranks[0].run));
}

bool session_truncated(const struct run *run)
{
	bool truncated = false;
	for (size_t i = 0; run && i < run->rank_count; i++) {
		AUTO_RANK struct rank *rank = run_peek(run, run->ranks[i].number);
		truncated |= rank && rank->profile->truncated;
	}
	return truncated;
}

/* Of the ranks in memory. */
static void note_truncated(struct session *session)
{
	const struct run *run = session->run;
	for (size_t i = 0; i < run->rank_count; i++) {
		AUTO_RANK struct rank *rank = run_peek(run, run->ranks[i].number);
		if (rank && rank->profile->truncated)
			session_note(session, "%s: the file ends early; complete events are loaded",
				     rank->path);
	}
}

int session_status(struct session *session, int status)
{
	if (session->run)
		note_truncated(session);
	if (!session->options->strict || !session->run || !run_damaged(session->run) ||
	    status > STATUS_NO_MATCH)
		return status;
	session_warn(session, "input was damaged; see `strata info`");
	return STATUS_DAMAGED;
}

/* ---- files ---- */

char *session_find_program(const char *name)
{
	const char *at = getenv("PATH");
	while (at && *at) {
		size_t length = strcspn(at, ":");
		char *path = mem_printf("%.*s/%s", (int)length, at, name);
		if (length && at[0] == '/' && access(path, X_OK) == 0)
			return path;
		mem_free(path);
		at += length + (at[length] == ':');
	}
	return NULL;
}

/* What is read besides the run: none of it is written. */
static void note_inputs(struct session *session)
{
	const struct options *options = session->options;
	const char *const read[] = { options->device_peaks, options->script, options->theme,
				     options->config };
	struct stat status;
	session->inputs = inputs_new();
	for (size_t i = 0; i < sizeof read / sizeof *read; i++)
		if (read[i])
			inputs_add(session->inputs, read[i]);
	if (fstat(STDIN_FILENO, &status) == 0)
		inputs_add_status(session->inputs, &status);
}

void session_begin(struct session *session, struct options *options)
{
	char cache[XDG_PATH_MAX];
	*session = (struct session){ .options = options };
	session->cache = xdg_cache(cache) ? mem_strdup(cache) : NULL;
	if (!options->memory_given)
		options->load.memory_max = platform_memory_free() / 10 * 7;
	mem_set_limit(options->load.memory_max);
	options->load.index.directory =
		options->no_cache || options->follow ? NULL : session->cache;
	session->nsys = session_find_program("nsys");
	options->load.convert = (struct convert_options){ session->nsys, environ };
	session->progress = (struct progress){ .update = on_progress, .context = session };
	session->visible = !options->quiet && isatty(STDERR_FILENO);
	session->next_ns = clock_ns() + LINE_EVERY_NS;
	if (options->show_secrets)
		mask_nothing();
	note_inputs(session);
	interrupted = 0;
	catch_signals();
}

/* Path of strata's data file NAME, or NULL. The caller frees it. */
static char *data_file(const char *name)
{
	char program[4096];
	if (!platform_program(program, sizeof program))
		*program = 0;
	char *slash = strrchr(program, '/');
	if (slash)
		*slash = 0;
	char share[4096 + 32];
	snprintf(share, sizeof share, "%s/../share/strata", program);
	const char *const places[] = { getenv("STRATA_DATADIR"), program, share, PKGDATADIR };
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (!places[i] || !*places[i])
			continue;
		char *path = mem_printf("%s/%s", places[i], name);
		if (access(path, R_OK) == 0)
			return path;
		mem_free(path);
	}
	return NULL;
}

static void add_path(struct session *session, char *path)
{
	session->paths =
		mem_realloc(session->paths, session->path_count + 1, sizeof *session->paths);
	session->paths[session->path_count++] = path;
}

static void warn_of_devices(void *context, const char *text)
{
	session_warn(context, "%s", text);
}

bool session_find_paths(struct session *session, size_t first)
{
	const struct options *options = session->options;
	char file[XDG_PATH_MAX];
	const char *baselines = xdg_state(file, "baselines") ? file : NULL;
	session->peaks = device_peaks_new();
	if (!devices_read(session->peaks, options->device_peaks, warn_of_devices, session,
			  &session->error))
		return false;
	session->load = options->load;
	if (options->base) {
		session->base = baselines_resolve(baselines, options->base);
		session->history = baselines ? baselines_history(baselines, options->base) : NULL;
		session->load.history = session->history;
	}
	session->load.derived.peaks = session->peaks;
	if (options->load.gpu && !(session->load.gpu = device_peaks_find(
					   session->peaks, options->load.gpu, &session->error)))
		return false;
	for (size_t i = first; i < options->slice_count; i++)
		add_path(session, mem_strdup(options->words[i]));
	if (options->demo) {
		char *path = data_file("demo.trace.json.gz");
		add_path(session, path ? path : mem_strdup(EMBEDDED_PREFIX "demo.trace.json.gz"));
	}
	return session->path_count ||
	       error_usage(&session->error, "PATH required (--demo opens the sample run)");
}

/* Whether nsys may have to run: for reports, which may be anywhere in a directory. */
static bool may_convert(const struct session *session, const char *path)
{
	struct stat status;
	return session->nsys && session->load.index.directory &&
	       (text_ends_with(path, ".nsys-rep") || text_ends_with(path, ".qdrep") ||
		(stat(path, &status) == 0 && S_ISDIR(status.st_mode)));
}

/* The files of PATH, where links lead to, and what is beside them: several formats are of more. */
static void allow_input(const struct sandbox *sandbox, const char *path)
{
	AUTO(run_files_free) struct run_files files = { 0 };
	sandbox_allow(sandbox, path, false);
	run_files_find(&files, &path, 1, 1, NULL, NULL);
	for (size_t i = 0; i < files.count; i++) {
		char *part = files.item[i].path, *slash = strrchr(part, '/');
		sandbox_allow(sandbox, part, false);
		if (slash)
			slash[slash == part] = 0;
		sandbox_allow(sandbox, slash ? part : ".", false);
	}
}

struct sandbox_state session_confine(struct session *session)
{
	const struct options *options = session->options;
	const char *const outputs[] = { options->output,
					options->sqlite,
					options->trace,
					options->stacks,
					options->speedscope,
					options->net_dict,
					session->load.index.directory };
	struct sandbox sandbox;
	bool converts = session->base && may_convert(session, session->base);
	for (size_t i = 0; i < session->path_count; i++)
		converts |= may_convert(session, session->paths[i]);
	if (converts)
		return (struct sandbox_state){ false, false };
	sandbox_begin(&sandbox);
	if (session->load.index.directory)
		index_create_directory(session->load.index.directory, 0700, NULL);
	for (size_t i = 0; i < session->path_count; i++)
		allow_input(&sandbox, session->paths[i]);
	if (session->base)
		allow_input(&sandbox, session->base);
	if (options->load.from_trace) /* it is where the summary says */
		sandbox_allow(&sandbox, "/", false);
	for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
		if (outputs[i])
			sandbox_allow_output(&sandbox, outputs[i]);
	return sandbox_enter(&sandbox);
}

static bool open_base(struct session *session)
{
	const char *path = session->base;
	struct run *base = run_open(&path, 1, &session->load, &session->progress, &session->error);
	struct error cause = session->error;
	if (base) {
		run_compare(session->run, base);
		return true;
	}
	error_set(&session->error, cause.code, "%s: %s", path, cause.message);
	error_where(&session->error, "%s", cause.where);
	return false;
}

bool session_open(struct session *session, size_t first)
{
	const struct options *options = session->options;
	if (options->scope.ranks.count > 1 && options->load.one_rank)
		return error_usage(
			&session->error,
			"--rank takes one rank here, or all; only reports with a column rank accept several");
	if (!session_find_paths(session, first))
		return false;
	session_confine(session);
	session->run = run_open((const char *const *)session->paths, session->path_count,
				&session->load, &session->progress, &session->error);
	return session->run && (!session->options->base || open_base(session));
}

struct table *session_table(struct session *session, const struct view *view, const char *group)
{
	return view_build(view, session->run, &session->options->scope, group, &session->progress,
			  &session->error);
}

void session_end(struct session *session)
{
	session_clear_progress(session);
	if (session->options->verbose)
		fprintf(stderr, "strata: memory allocated at the peak: %zu bytes\n", mem_peak());
	if (!interrupted)
		run_settle(session->run);
	run_free(session->run);
	inputs_free(session->inputs);
	device_peaks_free(session->peaks);
	mem_free_all(session->cache, session->nsys, session->base, session->history);
	mem_free_each(session->paths, session->path_count);
	mem_free(session->paths);
}
