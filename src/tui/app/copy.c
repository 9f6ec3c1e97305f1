#include "base/number.h"
#include "tui/app/app.h"
#include "tui/term/xdg.h"

#include <stdlib.h>

enum { SCREEN_PART = 500 }; /* screen does not pass on longer strings */

static void add_base64(struct buffer *out, const char *text, size_t length)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < length; i += 3) {
		unsigned part = 0;
		for (size_t k = 0; k < 3; k++)
			part = part << 8 | (i + k < length ? (unsigned char)text[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			buffer_putc(out, i + k > length ? '=' : digits[part >> (18 - 6 * k) & 63]);
	}
}

/*
 * tmux passes on a sequence wrapped in its own escape, with inner escapes doubled, if configured.
 */
static void wrap_for_tmux(struct buffer *out, const struct buffer *sequence)
{
	buffer_puts(out, "\033Ptmux;");
	for (size_t i = 0; i < sequence->length; i++) {
		if (sequence->data[i] == '\033')
			buffer_putc(out, '\033');
		buffer_putc(out, sequence->data[i]);
	}
	buffer_puts(out, "\033\\");
}

static void wrap_for_screen(struct buffer *out, const struct buffer *sequence)
{
	for (size_t i = 0; i < sequence->length; i += SCREEN_PART) {
		size_t left = sequence->length - i;
		buffer_puts(out, "\033P");
		buffer_add(out, sequence->data + i, left < SCREEN_PART ? left : SCREEN_PART);
		buffer_puts(out, "\033\\");
	}
}

void copy_sequence(struct buffer *out, const char *text, size_t length, bool tmux, bool screen)
{
	AUTO_BUFFER struct buffer sequence = { 0 };
	buffer_puts(&sequence, "\033]52;c;");
	add_base64(&sequence, text, length);
	buffer_putc(&sequence, '\a');
	/* depending on its settings tmux handles the sequence, passes it on, or neither */
	if (!screen)
		buffer_add(out, sequence.data, sequence.length);
	if (tmux)
		wrap_for_tmux(out, &sequence);
	if (screen)
		wrap_for_screen(out, &sequence);
}

/* The Linux console prints sequences that it does not know. */
static bool understands(const struct app *app)
{
	const char *term = getenv("TERM");
	return app->tui.settings.clipboard && app->term->ops->send && term &&
	       strncmp(term, "linux", 5) != 0 && strncmp(term, "vt", 2) != 0;
}

static void copy_into_file(struct app *app, const struct buffer *text, const char *what)
{
	char path[XDG_PATH_MAX], size[NUMBER_MAX];
	number_bytes(size, (double)text->length);
	if (state_write_text(&app->tui.state, "copied", text->data, text->length, path,
			     sizeof path))
		app_say(app, MESSAGE_INFO, "%s, %s: no clipboard; saved to %s", what, size, path);
	else
		app_say(app, MESSAGE_WARNING, "%s, %s: no clipboard; use :write FILE", what, size);
}

void copy_text(struct app *app, const struct buffer *text, const char *what)
{
	AUTO_BUFFER struct buffer sequence = { 0 };
	char size[NUMBER_MAX];
	if (!understands(app) || text->length > COPY_MAX) {
		copy_into_file(app, text, what);
		return;
	}
	copy_sequence(&sequence, text->data, text->length, app_is_set("TMUX"), app_is_set("STY"));
	app->term->ops->send(app->term, sequence.data, sequence.length);
	app_say(app, MESSAGE_INFO, "copied to the terminal's clipboard%s: %s, %s",
		app_is_set("TMUX") ? " (tmux needs set-clipboard on)" : "", what,
		number_bytes(size, (double)text->length));
}

/* Describes the text: a single name, or the number of rows. */
static void copy_describe(char out[120], const struct buffer *text, size_t count, bool whole)
{
	if (count > 1)
		snprintf(out, 120, "%zu %s", count, whole ? "rows" : "names");
	else if (whole)
		snprintf(out, 120, "the row");
	else
		snprintf(out, 120, "'%.100s'", text->data);
}

void copy_rows(struct app *app, bool whole)
{
	struct pane *pane = app_pane(app);
	AUTO_BUFFER struct buffer text = { 0 };
	char what[120];
	size_t count = pane->ops->copy(pane, &app->tui, whole, &text);
	/* one without a newline, so that pasting into a shell does not run it */
	if (count == 1 && text.length && text.data[text.length - 1] == '\n')
		text.data[--text.length] = '\0';
	if (text.length == 0) { /* also of a row without a name: the clipboard stays */
		app_say(app, MESSAGE_INFO, "nothing to copy here");
	} else {
		copy_describe(what, &text, count, whole);
		copy_text(app, &text, what);
	}
}
