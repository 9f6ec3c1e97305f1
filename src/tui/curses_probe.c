#include "tui/curses_probe.h"

#include "base/error.h"
#include "tui/emergency.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

/* Whatever modes the explorer may have set beyond those of terminfo. */
#define MODES_OFF "\033[?2004l\033[?1006l\033[?1002l\033[?1000l"

static void prepare_emergency(int fd)
{
	static const char *const names[] = { "sgr0", "cnorm", "rmcup" };

	emergency_prepare(fd);
	emergency_add(MODES_OFF);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *text = tigetstr(names[i]);
		if (text && text != (const char *)-1)
			emergency_add(text);
	}
}

bool curses_probe(struct error *error)
{
	const char *name = getenv("TERM");
	int status;

	if (!name || !*name)
		return error_set(error, ERROR_USAGE,
				 "TERM is not set; 'strata report' prints without a terminal");
	if (setupterm(NULL, STDOUT_FILENO, &status) != OK || status != 1)
		return error_set(error, ERROR_USAGE,
				 "the terminal '%s' is not known here; set TERM to one that is, "
				 "or print with 'strata report'",
				 name);
	const char *address = tigetstr("cup");
	bool usable = strcmp(name, "dumb") != 0 && address && address != (const char *)-1;
	prepare_emergency(STDOUT_FILENO);
	del_curterm(cur_term);
	if (usable)
		return true;
	return error_set(error, ERROR_USAGE,
			 "the terminal '%s' cannot move its cursor; 'strata report' prints without",
			 name);
}
