/*
 * fresh STRATA FILE...: opens each file in a new process and a terminal of 160x45: when the first
 * row of operators is shown, the first finding, when all is.
 *
 * The columns are explained in tests/bench/README.md.
 */
#include "moment.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_MAX = 24, QUIET_MS = 1000, LONGEST_MS = 60000, OUTPUT_MAX = 1 << 20 };

struct shown {
	double text_ms; /* when TEXT was sent; 0: it was not */
	double last_ms; /* when something was sent last */
	size_t bytes;
};

/* The first cell of a report: so much of it as stands in one line of the terminal. */
static bool read_first(const char *strata, const char *view, const char *column, const char *file,
		       char text[TEXT_MAX])
{
	char command[4096];
	bool found = false;
	snprintf(
		command, sizeof command,
		"'%s' report %s -q --no-cache -n 1 -c %s -f csv '%s' 2>/dev/null | sed '1d; s/^\"//'",
		strata, view, column, file);
	FILE *output = popen(command, "r");
	if (output && fgets(text, TEXT_MAX, output)) {
		text[strcspn(text, "\r\n")] = 0;
		found = *text;
	}
	if (output)
		pclose(output);
	return found;
}

static pid_t open_explorer(const char *strata, const char *view, const char *file, int *terminal)
{
	struct winsize size = { .ws_row = 45, .ws_col = 160 };
	pid_t child = forkpty(terminal, NULL, NULL, &size);
	if (child == 0) {
		setenv("TERM", "xterm-256color", 1);
		setenv("LC_ALL", "C.UTF-8", 1);
		execl(strata, strata, "--no-cache", "--view", view, file, (char *)NULL);
		_exit(127);
	}
	return child;
}

/* Of reading the bytes of a file, which are in memory. */
static double read_ms(const char *path)
{
	static char bytes[1 << 20];
	double start = now().wall;
	FILE *file = fopen(path, "r");
	if (!file)
		return 0;
	setvbuf(file, NULL, _IONBF, 0);
	while (fread(bytes, 1, sizeof bytes, file) > 0)
		;
	fclose(file);
	return (now().wall - start) * 1e3;
}

/* Until nothing was sent for a while. */
static struct shown watch(const char *strata, const char *view, const char *file, const char *text)
{
	static char output[OUTPUT_MAX + 1];
	struct shown shown = { 0 };
	int terminal;
	double start = now().wall;
	pid_t child = open_explorer(strata, view, file, &terminal);
	struct pollfd input = { .fd = terminal, .events = POLLIN };
	while (child > 0 && shown.last_ms < LONGEST_MS && shown.bytes < OUTPUT_MAX &&
	       poll(&input, 1, QUIET_MS) > 0) {
		ssize_t got = read(terminal, output + shown.bytes, OUTPUT_MAX - shown.bytes);
		if (got <= 0)
			break;
		shown.bytes += (size_t)got;
		output[shown.bytes] = 0;
		shown.last_ms = (now().wall - start) * 1e3;
		if (!shown.text_ms && memmem(output, shown.bytes, text, strlen(text)))
			shown.text_ms = shown.last_ms;
	}
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		close(terminal);
	}
	return shown;
}

/* The best of some. */
static struct shown measure(const char *strata, const char *view, const char *file,
			    const char *text)
{
	enum { ROUNDS = 3 };
	struct shown best = watch(strata, view, file, text);
	for (int i = 1; i < ROUNDS; i++) {
		struct shown next = watch(strata, view, file, text);
		if (next.text_ms < best.text_ms)
			best.text_ms = next.text_ms;
		if (next.last_ms < best.last_ms) {
			best.last_ms = next.last_ms;
			best.bytes = next.bytes;
		}
	}
	return best;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: fresh STRATA FILE...\n");
		return 2;
	}
	printf("%10s %8s %8s %8s %8s %8s\n", "MB", "row ms", "find ms", "all ms", "x read",
	       "KB sent");
	for (int i = 2; i < argc; i++) {
		char row[TEXT_MAX], finding[TEXT_MAX];
		struct stat status;
		if (stat(argv[i], &status) != 0 ||
		    !read_first(argv[1], "operators", "name", argv[i], row) ||
		    !read_first(argv[1], "advice", "problem", argv[i], finding)) {
			printf("%s: no operators, or no findings\n", argv[i]);
			continue;
		}
		struct shown rows = measure(argv[1], "operators", argv[i], row);
		struct shown findings = measure(argv[1], "advice", argv[i], finding);
		printf("%10.1f %8.0f %8.0f %8.0f %8.1f %8.1f  %s\n", (double)status.st_size / 1e6,
		       rows.text_ms, findings.text_ms, rows.last_ms,
		       rows.last_ms / read_ms(argv[i]), (double)rows.bytes / 1e3, argv[i]);
		fflush(stdout);
	}
	return 0;
}
