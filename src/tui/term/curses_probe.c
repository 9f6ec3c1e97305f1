#include "tui/term/curses_probe.h"

#include "base/embedded.h"
#include "base/error.h"
#include "base/mem.h"
#include "tui/term/emergency.h"
#include "base/text.h"
#include "text_tables.h"

#include <curses.h>
#include <stdlib.h>
#include <term.h>
#include <unistd.h>

/* Resets all modes the explorer may set outside terminfo. */
#define MODES_OFF "\033[?2004l\033[?1006l\033[?1002l\033[?1000l"

static void prepare_emergency(int fd)
{
	static const char *const names[] = { "sgr0", "oc", "cnorm", "rmcup" };
	emergency_prepare(fd);
	emergency_add(MODES_OFF);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *text = tigetstr(names[i]);
		if (text && text != (const char *)-1)
			emergency_add(text);
	}
}

static const struct {
	const char *families, *stand_in;
} stand_ins[] = { TERMINAL_STAND_INS };

static bool known(const char *name)
{
	int status;
	return setupterm(name, STDOUT_FILENO, &status) == OK && status == 1;
}

/* By the entries compiled in; TERMINFO takes them as they are, in base64. */
static bool known_without_database(const char *name)
{
	AUTO_FREE char *file = mem_printf("%s.terminfo", name);
	const struct embedded *entry = embedded_find(file);
	return entry && setenv("TERMINFO", (const char *)entry->bytes, 1) == 0 && known(name);
}

/* Terminfo name to use for terminal NAME that IS_KNOWN or stands in for it; NULL if there is none.
 */
static const char *find_name(const char *name, bool (*is_known)(const char *name))
{
	const char *found = is_known(name) ? name : NULL;
	AUTO_FREE char *family = mem_strndup(name, strcspn(name, "-+. "));
	for (size_t i = 0; i < sizeof stand_ins / sizeof stand_ins[0] && !found; i++)
		if (text_is_listed(stand_ins[i].families, family) &&
		    is_known(stand_ins[i].stand_in))
			found = stand_ins[i].stand_in;
	return found;
}

const char *curses_probe(struct error *error)
{
	const char *name = getenv("TERM");
	if (!name || !*name) {
		error_usage(error, "TERM is not set; use 'strata report'");
		return NULL;
	}
	const char *drawn_as = find_name(name, known);
	if (!drawn_as)
		drawn_as = find_name(name, known_without_database);
	if (!drawn_as) {
		error_usage(error,
			    "unknown terminal '%s'; set TERM to a known one or use 'strata report'",
			    name);
		return NULL;
	}
	const char *address = tigetstr("cup");
	bool usable = strcmp(name, "dumb") != 0 && address && address != (const char *)-1;
	prepare_emergency(STDOUT_FILENO);
	del_curterm(cur_term);
	if (usable)
		return drawn_as;
	error_usage(error, "terminal '%s' cannot position the cursor; use 'strata report'", name);
	return NULL;
}

int curses_indexed_colors(void)
{
	int count = tigetnum("CO");
	return count > 8 ? count : 8;
}

/*
 * Put TO, which is no longer, in place of the prefix FROM of a capability. The text is that of the
 * open terminal, which curses sends.
 */
static void replace_prefix(const char *capability, const char *from, const char *to)
{
	char *text = tigetstr(capability);
	size_t length = strlen(from), kept = strlen(to);
	if (!text || text == (char *)-1 || strncmp(text, from, length) != 0)
		return;
	memcpy(text, to, kept);
	memmove(text + kept, text + length, strlen(text + length) + 1);
}

void curses_keep_character_set(void)
{
	replace_prefix("sgr", "%?%p9%t\033(0%e\033(B%;\033[0", "\033["); /* 0 is the default */
	replace_prefix("sgr0", "\033(B", "");
}
