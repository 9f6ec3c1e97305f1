#include "session/load.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- names in the directory ---- */

/* A number that tells one state of one file from others (FNV-1a). */
static uint64_t state_of(const struct stat *status)
{
	const uint64_t parts[] = { (uint64_t)status->st_dev, (uint64_t)status->st_ino,
				   (uint64_t)status->st_size, (uint64_t)status->st_mtim.tv_sec,
				   (uint64_t)status->st_mtim.tv_nsec };
	return hash_stable(STABLE_HASH, parts, sizeof parts);
}

/* ---- the program ---- */

/* Runs in a process group of its own; what it prints goes to LOG. Returns its id, or -1. */
static pid_t start(const char *report, const char *output, const char *log,
		   const struct convert_options *options)
{
	char *const arguments[] = { (char[]){ "nsys" },
				    (char[]){ "export" },
				    (char[]){ "--type" },
				    (char[]){ "sqlite" },
				    (char[]){ "--force-overwrite" },
				    (char[]){ "true" },
				    (char[]){ "--output" },
				    (char *)(uintptr_t)output,
				    (char *)(uintptr_t)report,
				    NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	pid_t child = -1;
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC,
					 0600);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	errno = posix_spawn(&child, options->program, &actions, &attributes, arguments,
			    options->environment);
	bool started = errno == 0;
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return started ? child : -1;
}

/* True when it ends with status 0; false and *CANCELLED when it was ended. */
static bool wait_for(pid_t child, const struct progress *progress, bool *cancelled)
{
	const struct timespec pause = { 0, 20 * 1000000 };
	int status = 0;
	for (;;) {
		pid_t got = waitpid(child, &status, WNOHANG);
		if (got == child)
			return WIFEXITED(status) && WEXITSTATUS(status) == 0;
		if (got < 0 && errno != EINTR)
			return false;
		if (!progress_update(progress, "converting with nsys export", 0, 0, 0)) {
			*cancelled = true;
			kill(-child, SIGKILL);
			while (waitpid(child, &status, 0) < 0 && errno == EINTR)
				;
			return false;
		}
		nanosleep(&pause, NULL);
	}
}

/* ---- what it printed ---- */

/* The last line with text. */
static void last_line(const char *log, struct buffer *line)
{
	enum { TAIL = 4096 };
	char tail[TAIL + 1];
	FILE *file = fopen(log, "re");
	if (!file)
		return;
	if (fseek(file, -TAIL, SEEK_END) != 0)
		rewind(file);
	size_t length = fread(tail, 1, TAIL, file);
	fclose(file);
	while (length && strchr(" \t\r\n", tail[length - 1]))
		length--;
	size_t from = length;
	while (from && tail[from - 1] != '\n')
		from--;
	from += strspn(tail + from, " \t") < length - from ? strspn(tail + from, " \t") : 0;
	buffer_add(line, tail + from, length - from);
}

static void nsys_export_refuse(const char *log, struct error *error)
{
	AUTO_BUFFER struct buffer line = { 0 };
	last_line(log, &line);
	error_input(
		error,
		"is an Nsight Systems report that nsys does not export%s%.300s; a newer nsys may, or export it where it was recorded: nsys export -t sqlite FILE",
		line.length ? ": " : "", buffer_text(&line));
}

/* ---- the whole ---- */

static bool convert(const char *report, const char *partial, const char *log,
		    const struct convert_options *options, const struct progress *progress,
		    struct error *error)
{
	bool cancelled = false;
	struct stat status;
	pid_t child = start(report, partial, log, options);
	if (child < 0)
		return error_input(error, "cannot run %s: %s", options->program, strerror(errno));
	bool good = wait_for(child, progress, &cancelled) && stat(partial, &status) == 0;
	if (cancelled)
		return error_cancelled(error);
	if (!good)
		nsys_export_refuse(log, error);
	return good;
}

char *convert_report(const char *path, const char *directory, const struct convert_options *options,
		     const struct progress *progress, struct error *error)
{
	struct stat status, made;
	if (stat(path, &status) != 0) {
		error_input(error, "cannot read: %s", strerror(errno));
		return NULL;
	}
	if (!index_create_directory(directory, 0700, error))
		return NULL;
	char *final = mem_printf("%s/nsys-%016" PRIx64 ".sqlite", directory, state_of(&status));
	size_t length = strlen(final) - strlen(".sqlite");
	AUTO_FREE char *partial =
		mem_printf("%.*s-%ld.tmp.sqlite", (int)length, final, (long)getpid());
	AUTO_FREE char *log = mem_printf("%.*s-%ld.log", (int)length, final, (long)getpid());
	bool good = stat(final, &made) == 0;
	if (!good) {
		good = convert(path, partial, log, options, progress, error);
		if (good && rename(partial, final) != 0)
			good = error_input(error, "cannot keep the database of nsys: %s",
					   strerror(errno));
		unlink(partial);
		unlink(log);
	}
	return mem_if(good, final);
}
