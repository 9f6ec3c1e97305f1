/*
 * strata doctor: what of this host helps or hinders recording and reading profiles.
 */
#include "cli/commands.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/platform.h"
#include "tui/term/xdg.h"

#include <ctype.h>
#include <curses.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <term.h>
#include <unistd.h>

static const struct column check_columns[] = {
	{ "check", "Check", UNIT_TEXT, 20, "Program or setting that was looked at." },
	{ "state", "State", UNIT_TEXT, 8, "ok, limited or missing; empty: unknown or not needed." },
	{ "found", "Found", UNIT_TEXT, 24, "Version or value; empty: none." },
	{ "purpose", "Purpose", UNIT_TEXT, 36, "What it is needed for." },
	{ "remedy", "Remedy", UNIT_TEXT, 50, "Command, or page, that mends it." },
};

/* A row of doctor_checks.txt. */
struct check {
	void (*run)(struct table *table, const struct check *check);
	const char *name, *subject, *purpose, *remedy;
	int64_t most;
};

/* FOUND NULL: nothing. */
static void add_check(struct table *table, const struct check *check, const char *state,
		      const char *found)
{
	bool mends = state && strcmp(state, "ok") != 0;
	table_add_values(table, (struct value[]){
					value_text(check->name),
					state ? value_text(state) : value_missing(),
					found ? table_printf(table, "%s", found) : value_missing(),
					value_text(check->purpose),
					mends ? value_text(check->remedy) : value_missing(),
				});
}

/* ---- programs ---- */

/* Read what comes until the end or a time; false: the time is over. */
static bool read_answer(int descriptor, char *text, size_t size)
{
	enum { WAIT_MS = 5000 };
	int64_t end = clock_ns() + WAIT_MS * 1000000LL;
	struct pollfd wait = { descriptor, POLLIN, 0 };
	size_t length = 0;
	for (int64_t left; (left = (end - clock_ns()) / 1000000) > 0;) {
		ssize_t got = poll(&wait, 1, (int)left) > 0 && length + 1 < size
				      ? read(descriptor, text + length, size - length - 1)
				      : 0;
		length += got > 0 ? (size_t)got : 0;
		text[length] = 0;
		if (got <= 0)
			return wait.revents != 0;
	}
	return false;
}

/* What PROGRAM prints to --version; "" if it does not answer in time. */
static void ask_version(const char *program, char *text, size_t size)
{
	char *const words[] = { (char *)(size_t)program, (char *)(size_t) "--version", NULL };
	posix_spawn_file_actions_t actions;
	pid_t child;
	int ends[2];
	*text = 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	bool started = posix_spawn(&child, program, &actions, NULL, words, environ) == 0;
	close(ends[1]);
	if (started) {
		if (!read_answer(ends[0], text, size))
			kill(child, SIGKILL);
		close(ends[0]);
		waitpid(child, NULL, 0);
	} else {
		close(ends[0]);
	}
	posix_spawn_file_actions_destroy(&actions);
}

/* The first number with a point in TEXT and what belongs to it ("2024.5.1.113"), or NULL. */
static char *find_version(char *text)
{
	for (char *at = text; *at; at++) {
		size_t digits = strspn(at, "0123456789");
		if (digits && at[digits] == '.' && isdigit((unsigned char)at[digits + 1])) {
			at[strspn(at, "0123456789.")] = 0;
			return at;
		}
		at += digits ? digits - 1 : 0;
	}
	return NULL;
}

static void check_program(struct table *table, const struct check *check)
{
	char text[4096];
	AUTO_FREE char *path = session_find_program(check->name);
	if (!path) {
		add_check(table, check, "missing", NULL);
		return;
	}
	ask_version(path, text, sizeof text);
	char *version = find_version(text);
	add_check(table, check, version ? "ok" : "limited",
		  version ? version : "it does not say its version");
}

/* ---- the system ---- */

/* A setting that limits what is above the most, except for root. */
static void add_setting(struct table *table, const struct check *check, int64_t setting)
{
	char number[NUMBER_MAX];
	bool root = geteuid() == 0;
	add_check(table, check,
		  setting < 0                      ? NULL
		  : setting <= check->most || root ? "ok"
						   : "limited",
		  setting < 0 ? NULL : number_count(number, setting));
}

static void check_setting(struct table *table, const struct check *check)
{
	add_setting(table, check, platform_setting(check->subject, ""));
}

static void check_amd_counters(struct table *table, const struct check *check)
{
	if (access(check->subject, F_OK) == 0)
		add_check(table, check, access(check->subject, R_OK | W_OK) == 0 ? "ok" : "missing",
			  check->subject);
}

static void check_nvidia_counters(struct table *table, const struct check *check)
{
	if (access("/dev/kfd", F_OK) != 0)
		add_setting(table, check,
			    platform_setting(check->subject, "RmProfilingAdminOnly: "));
}

static void check_daemon(struct table *table, const struct check *check)
{
	const char *daemon = getenv(check->name);
	add_check(table, check, daemon ? "ok" : "missing", daemon);
}

/* Where Kineto writes; SUBJECT NULL: where indexes are, or will be. */
static void check_space(struct table *table, const struct check *check)
{
	struct statvfs status;
	char size[NUMBER_MAX], cache[XDG_PATH_MAX];
	const char *path = check->subject ? getenv("KINETO_ONDEMAND_TRACE_DIR") ?: check->subject
			   : xdg_cache(cache) && access(cache, F_OK) == 0 ? cache
									  : getenv("HOME");
	bool known = path && statvfs(path, &status) == 0;
	double bytes = known ? (double)status.f_bavail * (double)status.f_frsize : 0;
	add_check(table, check,
		  !known                      ? NULL
		  : bytes < (double)(1 << 30) ? "limited"
					      : "ok",
		  known ? number_bytes(size, bytes) : NULL);
}

/* What the terminal database says of TERM, or NULL; its colors. */
static const char *terminal_named(int *colors)
{
	int known = 0;
	const char *name = getenv("TERM");
	bool found = name && *name && setupterm(name, STDOUT_FILENO, &known) == OK;
	*colors = found ? tigetnum("colors") : 0;
	if (found)
		del_curterm(cur_term);
	return found ? name : NULL;
}

static void check_terminal(struct table *table, const struct check *check)
{
	int count;
	const char *name = terminal_named(&count);
	add_check(table, check, !name ? "missing" : count < 256 ? "limited" : "ok", name);
}

static void check_colors(struct table *table, const struct check *check)
{
	int count;
	char colors[NUMBER_MAX];
	bool found = terminal_named(&count);
	add_check(table, check,
		  !found        ? NULL
		  : count < 256 ? "limited"
				: "ok",
		  count > 0 ? number_count(colors, count) : NULL);
}

static void check_charset(struct table *table, const struct check *check)
{
	const char *charset = nl_langinfo(CODESET);
	add_check(table, check, strcmp(charset, "UTF-8") == 0 ? "ok" : "limited", charset);
}

static const struct check checks[] = { DOCTOR_CHECKS_ROWS };

int command_doctor(struct session *session)
{
	AUTO_TABLE struct table *table =
		table_with(check_columns, sizeof check_columns / sizeof *check_columns);
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
		checks[i].run(table, &checks[i]);
	return print_table(session, table);
}
