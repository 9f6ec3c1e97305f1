/*
 * The options that :set and the options menu change.
 */
#include "base/error.h"
#include "base/text.h"
#include "tui/app/app.h"

#include <langinfo.h>
#include <string.h>

static bool *ascii_flag(struct settings *settings)
{
	return &settings->ascii;
}

static bool *clipboard_flag(struct settings *settings)
{
	return &settings->clipboard;
}

static bool *braille_flag(struct settings *settings)
{
	return &settings->braille;
}

static bool *letters_flag(struct settings *settings)
{
	return &settings->letters;
}

static bool *detail_flag(struct settings *settings)
{
	return &settings->detail;
}

static bool *mouse_flag(struct settings *settings)
{
	return &settings->mouse;
}

static bool *restore_flag(struct settings *settings)
{
	return &settings->restore;
}

static bool *split_flag(struct settings *settings)
{
	return &settings->split;
}

static bool *state_flag(struct settings *settings)
{
	return &settings->state;
}

static const struct option_info options[] = {
	{ "ascii", "Use ASCII only", ascii_flag },
	{ "braille", "Draw plots in braille dots (finer than blocks)", braille_flag },
	{ "clipboard", "Copy through the terminal (OSC 52); off: to a file", clipboard_flag },
	{ "detail", "Show the detail strip", detail_flag },
	{ "letters", "Mark timeline colors with letters, too", letters_flag },
	{ "mouse", "Use the mouse (disables selection by the terminal)", mouse_flag },
	{ "restore", "Reopen a file in its last view", restore_flag },
	{ "split", "Show the contents of the row in a second pane", split_flag },
	{ "state", "Save history, bookmarks and last view", state_flag },
};

const struct option_info *option_at(size_t index)
{
	return index < sizeof options / sizeof options[0] ? &options[index] : NULL;
}

static int truth(const char *value)
{
	static const char *const words[2][4] = { { "off", "no", "false", "0" },
						 { "on", "yes", "true", "1" } };
	for (int t = 0; t < 2; t++) {
		for (int i = 0; i < 4; i++) {
			if (!strcmp(words[t][i], value))
				return t;
		}
	}
	return -1;
}

static const char *nearest_option(const char *name)
{
	size_t best = 0;
	for (size_t i = 1; option_at(i); i++) {
		if (text_distance(name, options[i].name) < text_distance(name, options[best].name))
			best = i;
	}
	return options[best].name;
}

bool option_set(struct app *app, const char *name, const char *value, struct error *error)
{
	for (size_t i = 0; option_at(i); i++) {
		bool off = !strncmp(name, "no", 2) && !strcmp(name + 2, options[i].name);
		if (!off && strcmp(name, options[i].name) != 0)
			continue;
		int wanted = off ? 0 : *value ? truth(value) : 1;
		if (wanted < 0)
			return error_set(error, ERROR_USAGE, "'%s' must be on or off", name);
		if (!wanted && options[i].flag == ascii_flag &&
		    strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
			return error_set(error, ERROR_USAGE, "this locale is ASCII only");
		*options[i].flag(&app->tui.settings) = wanted;
		if (app->term)
			app->term->ops->mouse(app->term, app->tui.settings.mouse);
		app->tui.dirty = true;
		return true;
	}
	return error_set(error, ERROR_USAGE, "unknown option '%s'; did you mean '%s'?", name,
			 nearest_option(name));
}
