/*
 * Options of :set and the options menu.
 */
#include "base/text.h"
#include "tui/app/app.h"

#include <langinfo.h>

static const struct option_info options[] = { SETTINGS_ROWS };

const struct option_info *option_at(size_t index)
{
	return index < sizeof options / sizeof options[0] ? &options[index] : NULL;
}

bool *option_flag(struct settings *settings, const struct option_info *option)
{
	return (bool *)((char *)settings + option->offset);
}

static int truth(const char *value)
{
	static const char *const words[2][4] = { { "off", "no", "false", "0" },
						 { "on", "yes", "true", "1" } };
	for (int t = 0; t < 2; t++)
		for (int i = 0; i < 4; i++)
			if (!strcmp(words[t][i], value))
				return t;
	return -1;
}

static const char *nearest_option(const char *name)
{
	struct text_near near = { .name = name };
	for (size_t i = 0; option_at(i); i++)
		text_near_try(&near, options[i].name, text_distance(name, options[i].name));
	return near.best;
}

bool option_set(struct app *app, const char *name, const char *value, struct error *error)
{
	for (size_t i = 0; option_at(i); i++) {
		bool off = !strncmp(name, "no", 2) && !strcmp(name + 2, options[i].name);
		if (!off && strcmp(name, options[i].name) != 0)
			continue;
		int wanted = off ? 0 : *value ? truth(value) : 1;
		if (wanted < 0)
			return error_usage(error, "'%s' must be on or off", name);
		if (!wanted && options[i].offset == offsetof(struct settings, ascii) &&
		    strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
			return error_usage(error, "this locale is ASCII only");
		*option_flag(&app->tui.settings, &options[i]) = wanted;
		if (app->term)
			app->term->ops->mouse(app->term, app->tui.settings.mouse);
		app->tui.dirty = true;
		return true;
	}
	return error_usage(error, "unknown option '%s'%s%s%s", name,
			   DID_YOU_MEAN(nearest_option(name), "'"));
}
