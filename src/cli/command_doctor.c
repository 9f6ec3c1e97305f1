/*
 * strata doctor: what of this host helps or hinders recording and reading profiles.
 */
#include "cli/commands.h"

#include "base/buffer.h"
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
#include <string.h>
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

/* FOUND NULL: nothing. */
static void add_check(struct table *table, const char *check, const char *state, const char *found,
		      const char *purpose, const char *remedy)
{
	bool mends = state && strcmp(state, "ok") != 0;
	table_add_values(table, (struct value[]){
					value_text(check),
					state ? value_text(state) : value_missing(),
					found ? table_printf(table, "%s", found) : value_missing(),
					value_text(purpose),
					mends ? table_printf(table, "%s", remedy) : value_missing(),
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

static void check_program(struct table *table, const char *name, const char *purpose,
			  const char *remedy)
{
	char text[4096];
	AUTO_FREE char *path = session_find_program(name);
	if (!path) {
		add_check(table, name, "missing", NULL, purpose, remedy);
		return;
	}
	ask_version(path, text, sizeof text);
	char *version = find_version(text);
	add_check(table, name, version ? "ok" : "limited",
		  version ? version : "it does not say its version", purpose, remedy);
}

/* ---- the system ---- */

/* A setting that limits what is above MOST, except for root. */
static void check_setting(struct table *table, const char *check, int64_t setting, long most,
			  const char *purpose, const char *remedy)
{
	char number[NUMBER_MAX];
	bool root = geteuid() == 0;
	add_check(table, check,
		  setting < 0               ? NULL
		  : setting <= most || root ? "ok"
					    : "limited",
		  setting < 0 ? NULL : number_count(number, setting), purpose, remedy);
}

static void check_counters(struct table *table)
{
	static const char purpose[] = "counters of kernels: ncu, rocprofv3 --pmc";
	if (access("/dev/kfd", F_OK) == 0)
		add_check(table, "GPU counters",
			  access("/dev/kfd", R_OK | W_OK) == 0 ? "ok" : "missing", "/dev/kfd",
			  purpose, "sudo usermod -aG render,video $USER");
	else
		check_setting(
			table, "GPU counters",
			platform_setting("/proc/driver/nvidia/params", "RmProfilingAdminOnly: "), 0,
			purpose,
			"echo options nvidia NVreg_RestrictProfilingToAdminUsers=0 | "
			"sudo tee /etc/modprobe.d/nvidia-profiling.conf && sudo reboot");
}

static void check_space(struct table *table, const char *check, const char *path,
			const char *purpose, const char *remedy)
{
	struct statvfs status;
	char size[NUMBER_MAX];
	bool known = path && statvfs(path, &status) == 0;
	double bytes = known ? (double)status.f_bavail * (double)status.f_frsize : 0;
	add_check(table, check,
		  !known                      ? NULL
		  : bytes < (double)(1 << 30) ? "limited"
					      : "ok",
		  known ? number_bytes(size, bytes) : NULL, purpose, remedy);
}

static void check_terminal(struct table *table)
{
	int known = 0;
	char colors[NUMBER_MAX];
	const char *name = getenv("TERM");
	bool found = name && *name && setupterm(name, STDOUT_FILENO, &known) == OK;
	int count = found ? tigetnum("colors") : 0;
	add_check(table, "terminal",
		  !found        ? "missing"
		  : count < 256 ? "limited"
				: "ok",
		  found ? name : NULL, "the explorer", "export TERM=xterm-256color");
	add_check(table, "colors",
		  !found        ? NULL
		  : count < 256 ? "limited"
				: "ok",
		  count > 0 ? number_count(colors, count) : NULL, "themes and plots",
		  "export TERM=xterm-256color");
	const char *charset = nl_langinfo(CODESET);
	add_check(table, "character set", strcmp(charset, "UTF-8") == 0 ? "ok" : "limited", charset,
		  "plots in blocks and dots", "export LC_ALL=C.UTF-8");
}

int command_doctor(struct session *session)
{
	AUTO_TABLE struct table *table =
		table_with(check_columns, sizeof check_columns / sizeof *check_columns);
	const char *daemon = getenv("KINETO_USE_DAEMON");
	char cache[XDG_PATH_MAX], *home = getenv("HOME");
	if (session->options->slice_count)
		return session_refuse(session, "strata doctor takes no argument \"%s\"",
				      session->options->words[0]);
	check_program(table, "nsys", "recording CUDA; reading .nsys-rep",
		      "https://developer.nvidia.com/nsight-systems");
	check_program(table, "ncu", "recording counters of CUDA kernels",
		      "https://developer.nvidia.com/nsight-compute");
	check_program(table, "rocprofv3", "recording AMD GPUs",
		      "https://rocm.docs.amd.com/projects/rocprofiler-sdk");
	check_program(table, "py-spy", "sampling Python", "pip install py-spy");
	check_setting(table, "perf_event_paranoid",
		      platform_setting("/proc/sys/kernel/perf_event_paranoid", ""), 2,
		      "CPU samples of nsys and perf", "sudo sysctl kernel.perf_event_paranoid=2");
	check_setting(table, "ptrace_scope",
		      platform_setting("/proc/sys/kernel/yama/ptrace_scope", ""), 0,
		      "py-spy on running programs", "sudo sysctl kernel.yama.ptrace_scope=0");
	check_counters(table);
	add_check(table, "KINETO_USE_DAEMON", daemon ? "ok" : "missing", daemon,
		  "traces of running PyTorch jobs", "export KINETO_USE_DAEMON=1");
	check_space(table, "space in /tmp", "/tmp", "traces that Kineto writes on demand",
		    "export KINETO_ONDEMAND_TRACE_DIR=$HOME");
	check_space(table, "space for indexes",
		    xdg_cache(cache) && access(cache, F_OK) == 0 ? cache : home,
		    "opening profiles again faster", "strata cache --clear");
	check_terminal(table);
	return print_table(session, table);
}
