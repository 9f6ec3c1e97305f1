#include "tui/term/xdg.h"

#include <stdio.h>
#include <stdlib.h>

static bool xdg_below(char out[XDG_PATH_MAX], const char *variable, const char *fallback,
		      const char *name)
{
	const char *base = getenv(variable), *home = getenv("HOME");
	int length;
	if (base && base[0] == '/')
		length = snprintf(out, XDG_PATH_MAX, "%s/strata%s%s", base, *name ? "/" : "", name);
	else if (home && home[0] == '/')
		length = snprintf(out, XDG_PATH_MAX, "%s/%s/strata%s%s", home, fallback,
				  *name ? "/" : "", name);
	else
		return false;
	return length < XDG_PATH_MAX;
}

bool xdg_config(char out[XDG_PATH_MAX], const char *name)
{
	return xdg_below(out, "XDG_CONFIG_HOME", ".config", name);
}

bool xdg_state(char out[XDG_PATH_MAX], const char *name)
{
	return xdg_below(out, "XDG_STATE_HOME", ".local/state", name);
}

bool xdg_cache(char out[XDG_PATH_MAX])
{
	return xdg_below(out, "XDG_CACHE_HOME", ".cache", "");
}
