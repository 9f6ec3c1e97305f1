#include "tui/core/tui.h"

#include "report/output.h"
#include "session/load.h"

#include <unistd.h>

static bool look_alike(const struct theme *theme, int a, int b)
{
	return theme->look[a].foreground == theme->look[b].foreground &&
	       theme->look[a].background == theme->look[b].background;
}

/* Of passes of operators, or of families of kernels and copies. */
static bool colors_distinguish(const struct theme *theme)
{
	bool alike = look_alike(theme, ROLE_FORWARD, ROLE_BACKWARD);
	for (int role = ROLE_KERNEL; role <= ROLE_COMMUNICATION; role++)
		for (int other = ROLE_KERNEL; other < role; other++)
			alike |= look_alike(theme, role, other);
	return !alike;
}

bool tui_shows_letters(const struct tui *tui)
{
	return tui->settings.letters || tui->colors == 0 || !colors_distinguish(&tui->theme);
}

struct pane *tui_pane(const struct tui *tui)
{
	return tui->nav.here ? tui->nav.here->pane : NULL;
}

void tui_say(struct tui *tui, enum message_kind kind, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	tui->host->say(tui, kind, format, arguments);
	va_end(arguments);
}

void tui_say_error(struct tui *tui, const struct error *error)
{
	enum { POSITION = 16 }; /* columns beside a message */
	if (error->code == ERROR_CANCELLED) {
		if (!tui->replacing)
			tui_say(tui, MESSAGE_INFO, "canceled");
	} else if (error->where[0]) {
		tui_say(tui, MESSAGE_ERROR, "%s (%s)", error->message, error->where);
	} else {
		bool fits = strlen(error->message) + POSITION < (size_t)tui->grid.columns;
		tui_say(tui, MESSAGE_ERROR, "%s",
			fits || !*error->brief ? error->message : error->brief);
	}
}

bool tui_write(struct tui *tui, const char *path, const char *what, struct buffer *text,
	       struct error *error)
{
	struct output output;
	bool good = output_open(&output, path, STDOUT_FILENO, true, error);
	if (good) {
		output.text = *text;
		good = output_commit(&output, error);
	} else {
		buffer_free(text);
	}
	if (good && what)
		tui_say(tui, MESSAGE_INFO, "%s written to %s", what, path);
	return good;
}

bool search_set(struct search *search, const char *text, struct error *error)
{
	/* only increases, so that no match counts for another search */
	static unsigned serial;
	struct pattern *pattern = *text ? pattern_new(text, error) : NULL;
	if (*text && !pattern)
		return false;
	search_clear(search);
	*search = (struct search){ mem_strdup(text), pattern, ++serial };
	return true;
}

void search_clear(struct search *search)
{
	mem_free(search->text);
	pattern_free(search->pattern);
	*search = (struct search){ 0 };
}

struct shared_run *shared_run_new(struct run *run)
{
	struct shared_run *shared = mem_zalloc(1, sizeof *shared);
	shared->run = run;
	shared->references = 1;
	return shared;
}

void shared_run_drop(struct shared_run *shared)
{
	if (!shared || --shared->references > 0)
		return;
	run_free(shared->run);
	mem_free(shared);
}
