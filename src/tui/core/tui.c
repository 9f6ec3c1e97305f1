#include "tui/core/tui.h"

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
	if (error->code == ERROR_CANCELLED) {
		if (!tui->replacing)
			tui_say(tui, MESSAGE_INFO, "canceled");
	} else if (error->where[0]) {
		tui_say(tui, MESSAGE_ERROR, "%s (%s)", error->message, error->where);
	} else {
		tui_say(tui, MESSAGE_ERROR, "%s", error->message);
	}
}
