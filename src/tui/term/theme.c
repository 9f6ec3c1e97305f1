#include "tui/term/theme.h"

#include "base/buffer.h"
#include "base/compare.h"
#include "base/embedded.h"
#include "base/error.h"
#include "base/small_file.h"
#include "tui/term/xdg.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef PKGDATADIR
#define PKGDATADIR ""
#endif

static const char *const color_names[8] = { "black", "red",     "green", "yellow",
					    "blue",  "magenta", "cyan",  "white" };

void theme_mono(struct theme *theme)
{
	snprintf(theme->name, sizeof theme->name, "mono");
	theme->background = BACKGROUND_UNKNOWN;
	for (int i = 0; i < ROLE_COUNT; i++) {
		theme->look[i] = (struct look){ -1, -1, 0 };
		role_attributes(role_info((enum role)i)->mono, &theme->look[i].attributes);
	}
}

/* ---- search path ---- */

enum { DIR_MAX = 3 };

/* Directory N of the search path; false if it does not apply. */
static bool theme_directory(int n, char out[XDG_PATH_MAX])
{
	const char *value;
	switch (n) {
	case 0:
		value = getenv("STRATA_DATADIR");
		return value && *value &&
		       snprintf(out, XDG_PATH_MAX, "%s/themes", value) < XDG_PATH_MAX;
	case 1: return xdg_config(out, "themes");
	default: snprintf(out, XDG_PATH_MAX, "%s/themes", PKGDATADIR); return true;
	}
}

/* The file of theme NAME in directory N; false if there cannot be one. */
static bool theme_path(int n, const char *name, char out[XDG_PATH_MAX])
{
	if (!theme_directory(n, out))
		return false;
	size_t length = strlen(out), room = XDG_PATH_MAX - length;
	return (size_t)snprintf(out + length, room, "/%s.theme", name) < room;
}

static FILE *open_embedded(const char *name, char path[XDG_PATH_MAX])
{
	snprintf(path, XDG_PATH_MAX, "%s.theme", name);
	const struct embedded *file = embedded_find(path);
	return file ? fmemopen((void *)(uintptr_t)file->bytes, file->length, "r") : NULL;
}

static FILE *open_theme(const char *name, char path[XDG_PATH_MAX])
{
	if (strchr(name, '/')) {
		snprintf(path, XDG_PATH_MAX, "%s", name);
		return fopen(path, "r");
	}
	for (int i = 0; i < DIR_MAX; i++) {
		FILE *file = theme_path(i, name, path) ? fopen(path, "r") : NULL;
		if (file)
			return file;
	}
	return open_embedded(name, path);
}

COMPARE_ITEMS(theme_compare_names, char *const, strcmp(*x, *y))

struct theme_names {
	GROWING(char *, names, count);
};

/* Add the name of a theme file. */
static void theme_add_name(struct theme_names *names, const char *file)
{
	const char *end = strstr(file, ".theme");
	if (!end || end == file || end[6] != '\0')
		return;
	*mem_push(names->names, names->count) = mem_strndup(file, (size_t)(end - file));
}

static void find_names(struct theme_names *names)
{
	char path[XDG_PATH_MAX];
	for (int i = 0; i < DIR_MAX; i++) {
		DIR *dir = theme_directory(i, path) ? opendir(path) : NULL;
		if (!dir)
			continue;
		for (struct dirent *entry; (entry = readdir(dir));)
			theme_add_name(names, entry->d_name);
		closedir(dir);
	}
	for (const struct embedded *file = embedded_files; file->name; file++)
		theme_add_name(names, file->name);
}

void theme_names(struct buffer *out)
{
	struct theme_names found = { 0 };
	find_names(&found);
	qsort(found.names, found.count, sizeof *found.names, theme_compare_names);
	for (size_t i = 0; i < found.count; i++)
		if (i == 0 || strcmp(found.names[i], found.names[i - 1]) != 0)
			buffer_printf(out, "%s%s", out->length > 0 ? " " : "", found.names[i]);
	mem_free_each(found.names, found.count);
	mem_free(found.names);
}

/* ---- parsing ---- */

int theme_cube_color(int rgb)
{
	int part[3] = { rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255 };
	int index = 16, scale = 36;
	for (int i = 0; i < 3; i++, scale /= 6)
		index += scale * (part[i] < 48 ? 0 : part[i] < 115 ? 1 : (part[i] - 35) / 40);
	return index;
}

int theme_color_rgb(int color)
{
	static const int level[6] = { 0, 95, 135, 175, 215, 255 };
	int cube = color - 16;
	if (color >= COLOR_RGB)
		return color - COLOR_RGB;
	return color >= 232 ? (8 + 10 * (color - 232)) * 0x010101
			    : level[cube / 36] << 16 | level[cube / 6 % 6] << 8 | level[cube % 6];
}

static int named_color(const char *text)
{
	int bright = 0;
	if (!strncmp(text, "bright-", 7)) {
		bright = 8;
		text += 7;
	}
	for (int i = 0; i < 8; i++)
		if (!strcmp(text, color_names[i]))
			return i + bright;
	return -2;
}

static bool shows_all_colors(void)
{
	const char *says = getenv("COLORTERM");
	return says && (!strcmp(says, "truecolor") || !strcmp(says, "24bit"));
}

/* A color number; -1: the terminal's default, -2: invalid. */
static int parse_color(const char *text)
{
	char *end;
	if (!strcmp(text, "default"))
		return -1;
	if (text[0] == '#' && strlen(text) == 7) {
		int rgb = (int)strtoul(text + 1, &end, 16);
		if (*end)
			return -2;
		return shows_all_colors() ? COLOR_RGB + rgb : theme_cube_color(rgb);
	}
	if (text[0] >= '0' && text[0] <= '9') {
		long number = strtol(text, &end, 10);
		return *end || number > 255 ? -2 : (int)number;
	}
	return named_color(text);
}

static bool can_show(int color, int colors)
{
	return color < colors || (color >= COLOR_RGB && colors >= 256);
}

/*
 * First alternative in TEXT ("208/yellow") that COLORS colors can show. With eight colors, a bright
 * color becomes the normal one in bold.
 */
static bool choose_color(char *text, int colors, int *color, unsigned *attributes)
{
	int last = -2;

	/* below 256, only the first sixteen colors are standardized */
	if (colors < 256 && colors > 16)
		colors = 16;
	for (char *rest, *word = strtok_r(text, "/", &rest); word;
	     word = strtok_r(NULL, "/", &rest)) {
		last = parse_color(word);
		if (last == -2)
			return false;
		if (can_show(last, colors))
			break;
	}
	if (!can_show(last, colors)) {
		*attributes |= last >= 8 && last < 16 ? STYLE_BOLD : 0;
		last = last >= 8 && last < 16 ? last - 8 : -1;
	}
	*color = last;
	return last != -2;
}

/* "background dark" or "background light" */
static bool parse_background(struct theme *theme, char **rest, struct error *error)
{
	const char *word = strtok_r(NULL, " \t\r\n", rest);
	bool light = word && !strcmp(word, "light");
	theme->background = light ? BACKGROUND_LIGHT : BACKGROUND_DARK;
	return light || (word && !strcmp(word, "dark")) ||
	       error_usage(error, "expected: background dark or light");
}

static bool theme_parse_line(struct theme *theme, bool seen[ROLE_COUNT], char *line, int colors,
			     struct error *error)
{
	char *rest, *word[3];
	struct look look = { -1, -1, 0 };
	int role = 0;
	for (int i = 0; i < 3; i++) {
		word[i] = strtok_r(i == 0 ? line : NULL, " \t\r\n", &rest);
		if (i == 0 && (!word[0] || word[0][0] == '#'))
			return true;
		if (i == 0 && !strcmp(word[0], "background"))
			return parse_background(theme, &rest, error);
		if (!word[i])
			return error_usage(error,
					   "expected: role foreground background attributes");
	}
	while (role < ROLE_COUNT && strcmp(role_info((enum role)role)->name, word[0]) != 0)
		role++;
	if (role == ROLE_COUNT)
		return error_usage(error, "unknown role '%s'", word[0]);
	for (int i = 1; i < 3; i++) {
		if (!choose_color(word[i], colors, i == 1 ? &look.foreground : &look.background,
				  &look.attributes))
			return error_usage(error, "unknown color '%s'", word[i]);
	}
	for (char *name; (name = strtok_r(NULL, " \t\r\n", &rest));)
		if (!role_attributes(name, &look.attributes))
			return error_usage(error, "unknown attribute '%s'", name);
	theme->look[role] = look;
	seen[role] = true;
	return true;
}

static bool read_theme(struct theme *theme, struct buffer *text, const char *path, int colors,
		       struct error *error)
{
	bool seen[ROLE_COUNT] = { false };
	size_t at = 0, length;
	char *line;
	for (int number = 1; (line = small_file_line(text, &at, &length)); number++) {
		if (!theme_parse_line(theme, seen, line, colors, error)) {
			error_where(error, "%s:%d", path, number);
			return false;
		}
	}
	for (int i = 0; i < ROLE_COUNT; i++) {
		if (!seen[i] && i > ROLE_KERNEL && i < ROLE_MEMCPY) {
			theme->look[i] = theme->look[ROLE_KERNEL]; /* a family of kernels */
		} else if (!seen[i] && i >= ROLE_VALUE_1) {        /* from bad to good */
			theme->look[i] = theme->look[i < ROLE_VALUE_3   ? ROLE_WORSE
						     : i > ROLE_VALUE_3 ? ROLE_BETTER
									: ROLE_WARNING];
		} else if (!seen[i]) {
			error_usage(error, "the theme lacks the role '%s'",
				    role_info((enum role)i)->name);
			error_where(error, "%s", path);
			return false;
		}
	}
	return true;
}

bool theme_load(struct theme *theme, const char *name, int colors, struct error *error)
{
	char path[XDG_PATH_MAX];
	struct theme loaded;
	FILE *file = open_theme(name, path);
	if (!file) {
		AUTO_BUFFER struct buffer names = { 0 };
		theme_names(&names);
		error_usage(error, "unknown theme '%s'; themes: %s", name, buffer_text(&names));
		return false;
	}
	theme_mono(&loaded);
	AUTO_BUFFER struct buffer text = { 0 };
	bool good = small_file_read(&text, file, "theme", path, error) &&
		    read_theme(&loaded, &text, path, colors, error);
	fclose(file);
	if (!good)
		return false;
	if (colors < 8)
		theme_mono(&loaded);
	snprintf(loaded.name, sizeof loaded.name, "%s", name);
	*theme = loaded;
	return true;
}

/* ---- the default theme ---- */

enum background background_of_color(const char *text)
{
	static const double weight[3] = { 0.299, 0.587, 0.114 };
	double light = 0;
	if (strncmp(text, "rgb:", 4) != 0)
		return BACKGROUND_UNKNOWN;
	text += 4;
	for (int i = 0; i < 3; i++) {
		char *end;
		unsigned long part = strtoul(text, &end, 16);
		long digits = end - text;
		if (digits < 1 || digits > 4 || (i < 2 && *end != '/'))
			return BACKGROUND_UNKNOWN;
		light += weight[i] * (double)part / (double)((1UL << 4 * digits) - 1);
		text = end + 1;
	}
	return light > 0.5 ? BACKGROUND_LIGHT : BACKGROUND_DARK;
}

enum background background_of_numbers(const char *text)
{
	const char *last = strrchr(text, ';');
	char *end;
	long color = last ? strtol(last + 1, &end, 10) : -1;
	if (color < 0 || color > 15 || end == last + 1 || *end)
		return BACKGROUND_UNKNOWN;
	return color == 7 || color > 8 ? BACKGROUND_LIGHT : BACKGROUND_DARK;
}

/* Did the user write a theme file of this name? */
static bool is_users(const char *name)
{
	char path[XDG_PATH_MAX];
	return theme_path(1, name, path) && access(path, R_OK) == 0;
}

bool theme_load_default(struct theme *theme, enum background background, int colors,
			struct error *error)
{
	const char *name = colors < 256 || is_users("default") ? "default"
			   : background == BACKGROUND_LIGHT    ? "light"
							       : "dark";
	if (!theme_load(theme, name, colors, error))
		return false;
	snprintf(theme->name, sizeof theme->name, "default");
	return true;
}
