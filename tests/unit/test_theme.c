/* Themes: complete, readable, with distinguishable roles. */
#include "test.h"
#include "file_case.h"

#include "base/buffer.h"
#include "base/error.h"
#include "tui/term/terminal.h"
#include "tui/term/theme.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parsing ---- */

/* Each file in the folder is one. */
static int shipped_themes(void)
{
	char pattern[4096];
	glob_t found;
	snprintf(pattern, sizeof pattern, "%s/themes/*.theme", getenv("srcdir"));
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	int count = (int)found.gl_pathc;
	globfree(&found);
	return count;
}

TEST(shipped_themes_are_complete)
{
	static const int colors[] = { 0, 8, 16, 256 };
	struct buffer names = { 0 };
	int count = 0;

	theme_names(&names);
	for (char *rest, *name = strtok_r(names.data, " ", &rest); name;
	     name = strtok_r(NULL, " ", &rest), count++) {
		for (size_t i = 0; i < sizeof colors / sizeof colors[0]; i++) {
			struct theme theme;
			struct error error = { 0 };
			bool good = theme_load(&theme, name, colors[i], &error);
			assert_string_equal(error.message, "");
			assert_true(good);
			for (int role = 0; role < ROLE_COUNT; role++) {
				assert_true(theme.look[role].foreground <
					    (colors[i] ? colors[i] : 1));
				assert_true(theme.look[role].background <
					    (colors[i] ? colors[i] : 1));
			}
			/* the selection never looks like text, whatever the colors */
			assert_memory_not_equal(&theme.look[ROLE_SELECTION], &theme.look[ROLE_TEXT],
						sizeof theme.look[0]);
		}
	}
	assert_int_equal(count, shipped_themes());
	buffer_free(&names);
}

/* A theme of TEXT and one look for all other roles. */
static struct theme theme_of(const char *text, int colors)
{
	char path[] = "./theme-XXXXXX";
	struct theme theme;
	struct error error = { 0 };
	FILE *file = fdopen(mkstemp(path), "w");

	for (int role = 0; role < ROLE_COUNT; role++)
		if (strncmp(text, role_info((enum role)role)->name,
			    strlen(role_info((enum role)role)->name)) != 0)
			fprintf(file, "%s red default -\n", role_info((enum role)role)->name);
	fputs(text, file);
	fclose(file);
	bool loaded = theme_load(&theme, path, colors, &error);
	remove(path);
	assert_string_equal(error.message, "");
	assert_true(loaded);
	return theme;
}

/* Written #rrggbb, a color is exact where the terminal shows all, else the nearest or the next. */
TEST(exact_colors_where_the_terminal_shows_them)
{
	static const char text[] = "kernel #123456/yellow #ff8700 -\n";

	setenv("COLORTERM", "truecolor", 1);
	struct theme theme = theme_of(text, 256);
	assert_int_equal(theme.look[ROLE_KERNEL].foreground, COLOR_RGB + 0x123456);
	assert_int_equal(theme_color_rgb(theme.look[ROLE_KERNEL].foreground), 0x123456);
	assert_int_equal(theme_of(text, 16).look[ROLE_KERNEL].foreground, 3);
	setenv("COLORTERM", "24bit", 1);
	theme = theme_of(text, 256);
	assert_int_equal(theme.look[ROLE_KERNEL].background, COLOR_RGB + 0xff8700);
	AUTO_BUFFER struct buffer out = { 0 };
	look_start(&out, &theme.look[ROLE_KERNEL]);
	assert_string_equal(buffer_text(&out), "\033[0;38;2;18;52;86;48;2;255;135;0m");
	setenv("COLORTERM", "yes", 1);
	theme = theme_of(text, 256);
	assert_int_equal(theme.look[ROLE_KERNEL].foreground, 23); /* #005f5f */
	assert_int_equal(theme.look[ROLE_KERNEL].background, 208);
	unsetenv("COLORTERM");
	assert_int_equal(theme_of(text, 256).look[ROLE_KERNEL].foreground, 23);
	assert_int_equal(theme_of(text, 8).look[ROLE_KERNEL].foreground, 3);
}

/* A cube of six levels of red, green and blue, then greys, as xterm shows them. */
TEST(indexed_colors_are_those_of_xterm)
{
	static const int level[] = { 0x00, 0x5f, 0x87, 0xaf, 0xd7, 0xff };
	int color = 16;
	for (int red = 0; red < 6; red++)
		for (int green = 0; green < 6; green++)
			for (int blue = 0; blue < 6; blue++)
				assert_int_equal(theme_color_rgb(color++),
						 level[red] << 16 | level[green] << 8 |
							 level[blue]);
	for (int grey = 0x08; grey <= 0xee; grey += 10)
		assert_int_equal(theme_color_rgb(color++), grey << 16 | grey << 8 | grey);
	assert_int_equal(color, 256);
}

/* Each color of the palette and of RGB is sent in the shortest way that each terminal knows. */
TEST(colors_are_sent_as_terminals_know_them)
{
	for (int color = -1; color < 256; color++) {
		AUTO_BUFFER struct buffer out = { 0 }, expected = { 0 };
		const struct look ink = { .foreground = color, .background = -1 };
		const struct look paper = { .foreground = -1, .background = color };
		look_start(&out, &ink);
		look_start(&out, &paper);
		if (color < 0)
			buffer_puts(&expected, "\033[0m\033[0m");
		else if (color < 8)
			buffer_printf(&expected, "\033[0;3%dm\033[0;4%dm", color, color);
		else if (color < 16)
			buffer_printf(&expected, "\033[0;9%dm\033[0;10%dm", color - 8, color - 8);
		else
			buffer_printf(&expected, "\033[0;38;5;%dm\033[0;48;5;%dm", color, color);
		assert_string_equal(buffer_text(&out), buffer_text(&expected));
	}
}

/* The names of all colors, in terminals with 8, 16 and 256: eight have bold for the bright ones. */
TEST(named_colors_are_numbered)
{
	static const char *const names[] = { "black", "red",     "green", "yellow",
					     "blue",  "magenta", "cyan",  "white" };
	static const int counts[] = { 8, 16, 256 };
	for (int i = 0; i < 16; i++)
		for (size_t c = 0; c < 3; c++) {
			AUTO_FREE char *text = mem_printf("kernel %s%s default -\n",
							  i < 8 ? "" : "bright-", names[i % 8]);
			AUTO_FREE char *number = mem_printf("kernel %d default -\n", i);
			struct theme theme = theme_of(text, counts[c]);
			struct theme same = theme_of(number, counts[c]);
			const struct look *look = &theme.look[ROLE_KERNEL];
			bool bright = i >= 8 && counts[c] == 8;
			assert_int_equal(look->foreground, bright ? i - 8 : i);
			assert_int_equal(look->attributes, bright ? STYLE_BOLD : 0);
			assert_memory_equal(look, &same.look[ROLE_KERNEL], sizeof *look);
		}
}

/* The ink of a cell in a picture, "fill=\"#rrggbb\"", and of one without a color. */
TEST(pictures_have_the_colors_of_the_theme)
{
	static const struct {
		const char *color, *ink;
	} cases[] = {
		{ "black", "#000000" }, { "red", "#cd0000" }, { "bright-white", "#ffffff" },
		{ "16", "#000000" },    { "17", "#00005f" },  { "231", "#ffffff" },
		{ "232", "#080808" },   { "255", "#eeeeee" }, { "default", "#d8d8d8" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		AUTO_BUFFER struct buffer out = { 0 };
		AUTO_FREE char *text = mem_printf("kernel %s default -\n", cases[i].color);
		struct theme theme = theme_of(text, 256);
		struct grid grid = { 0 };
		theme.background = BACKGROUND_DARK;
		grid_resize(&grid, 1, 4);
		grid_puts(&grid, 0, 0, 4, ROLE_KERNEL, "here");
		screenshot_svg(&grid, &theme, &out);
		const char *at = strstr(buffer_text(&out), ">here<");
		assert_non_null(at);
		if (!strstr(buffer_text(&out), cases[i].ink))
			fail_msg("%s: %s", cases[i].color, buffer_text(&out));
		grid_free(&grid);
	}
}

static void check_bad_theme(const char *text, const char *message)
{
	char path[] = "./theme-XXXXXX";
	struct theme theme;
	struct error error = { 0 };
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");

	fputs(text, file);
	fclose(file);
	assert_false(theme_load(&theme, path, 256, &error));
	assert_string_equal(error.message, message);
	assert_non_null(strstr(error.where, path));
	remove(path);
}

TEST(theme_errors_have_line_numbers)
{
	struct theme theme;
	struct error error = { 0 };

	check_bad_theme("text default\n", "expected: role foreground background attributes");
	check_bad_theme("# so\nnosuch red blue -\n", "unknown role 'nosuch'");
	check_bad_theme("text pink default -\n", "unknown color 'pink'");
	check_bad_theme("text 256 default -\n", "unknown color '256'");
	check_bad_theme("text #12345g default -\n", "unknown color '#12345g'");
	check_bad_theme("text red default blink\n", "unknown attribute 'blink'");
	check_bad_theme("text red default -\n", "the theme lacks the role 'dim'");
	assert_false(theme_load(&theme, "nosuch", 8, &error));
	assert_non_null(strstr(error.message, "unknown theme 'nosuch'; themes: "));
	assert_non_null(strstr(error.message, "default high-contrast light mono"));
}

/* ---- color perception ---- */

struct color {
	double part[3]; /* red, green, blue, linear, 0 to 1 */
};

/* Color of the xterm palette from 16 on; lower ones are user-defined. */
static struct color palette(int index)
{
	struct color color;

	for (int i = 0; i < 3; i++) {
		int step = (index - 16) / (i == 0 ? 36 : i == 1 ? 6 : 1) % 6;
		int value = index >= 232 ? 8 + 10 * (index - 232) : step ? 55 + 40 * step : 0;
		double s = value / 255.0;
		color.part[i] = s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
	}
	return color;
}

static double luminance(struct color color)
{
	return 0.2126 * color.part[0] + 0.7152 * color.part[1] + 0.0722 * color.part[2];
}

/* WCAG 2 contrast ratio, from 1 (none) to 21. */
static double contrast(struct color a, struct color b)
{
	double first = luminance(a) + 0.05, second = luminance(b) + 0.05;

	return first > second ? first / second : second / first;
}

enum { BLACK = 16, WHITE = 231 };

/* Each color contrasts with its own background, or with common terminal backgrounds. */
static void check_readable(const char *name, bool on_dark, bool on_light, double least)
{
	struct theme theme;

	assert_true(theme_load(&theme, name, 256, NULL));
	for (int role = 0; role < ROLE_COUNT; role++) {
		int ink = theme.look[role].foreground, paper = theme.look[role].background;
		if (role == ROLE_BORDER ||
		    ink < 16) /* rules may be faint; colors below 16 are user-defined */
			continue;
		if (paper >= 16)
			assert_true(contrast(palette(ink), palette(paper)) >= least);
		if (paper < 0 && on_dark)
			assert_true(contrast(palette(ink), palette(BLACK)) >= least);
		if (paper < 0 && on_light)
			assert_true(contrast(palette(ink), palette(WHITE)) >= least);
	}
}

TEST(roles_are_readable)
{
	check_readable("default", true, true, 3);
	check_readable("dark", true, false, 4.5);
	check_readable("light", false, true, 4.5);
	check_readable("mono", true, true, 3);
	check_readable("cvd", true, false, 4.5);
	check_readable("cvd", false, true, 3);
	check_readable("high-contrast", true, true, 7);
}

/* ---- color blindness ---- */

/* Machado, Oliveira, Fernandes 2009: linear RGB as seen without one type of cone. */
static const double blindness[3][3][3] = {
	{ { 0.152286, 1.052583, -0.204868 }, /* protanopia */
	  { 0.114503, 0.786281, 0.099216 },
	  { -0.003882, -0.048116, 1.051998 } },
	{ { 0.367322, 0.860646, -0.227968 }, /* deuteranopia */
	  { 0.280085, 0.672501, 0.047413 },
	  { -0.011820, 0.042940, 0.968881 } },
	{ { 1.255528, -0.076749, -0.178779 }, /* tritanopia */
	  { -0.078411, 0.930809, 0.147602 },
	  { 0.004733, 0.691367, 0.303900 } },
};

static struct color seen_by(const double eye[3][3], struct color color)
{
	struct color seen;

	for (int i = 0; i < 3; i++) {
		double sum = 0;
		for (int k = 0; k < 3; k++)
			sum += eye[i][k] * color.part[k];
		seen.part[i] = sum < 0 ? 0 : sum > 1 ? 1 : sum;
	}
	return seen;
}

static double lab_curve(double t)
{
	return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

/* CIE L*a*b* of linear sRGB under D65. */
static void lab(struct color color, double out[3])
{
	const double *p = color.part;
	double x = lab_curve((0.4124 * p[0] + 0.3576 * p[1] + 0.1805 * p[2]) / 0.9505);
	double y = lab_curve(luminance(color));
	double z = lab_curve((0.0193 * p[0] + 0.1192 * p[1] + 0.9505 * p[2]) / 1.089);

	out[0] = 116 * y - 16;
	out[1] = 500 * (x - y);
	out[2] = 200 * (y - z);
}

static double difference(struct color a, struct color b)
{
	double p[3], q[3];

	lab(a, p);
	lab(b, q);
	return sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2));
}

/* Smallest color difference of two roles over the three kinds of color blindness. */
static double least_difference(const struct theme *theme, enum role a, enum role b)
{
	double least = 1000;

	for (int i = 0; i < 3; i++) {
		double apart =
			difference(seen_by(blindness[i], palette(theme->look[a].foreground)),
				   seen_by(blindness[i], palette(theme->look[b].foreground)));
		least = apart < least ? apart : least;
	}
	return least;
}

TEST(colorblind_theme_is_distinguishable)
{
	static const enum role pairs[][2] = {
		{ ROLE_FORWARD, ROLE_BACKWARD },
		{ ROLE_KERNEL, ROLE_COMMUNICATION },
		{ ROLE_ACCENT, ROLE_WARNING }, /* faster and slower */
	};
	struct theme theme, dark;

	assert_true(theme_load(&theme, "cvd", 256, NULL));
	assert_true(theme_load(&dark, "dark", 256, NULL));
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
		assert_true(least_difference(&theme, pairs[i][0], pairs[i][1]) > 40);
	assert_true(least_difference(&theme, ROLE_KERNEL, ROLE_POINTWISE) > 15);
	/* a negative control for the measure */
	assert_true(least_difference(&dark, ROLE_WARNING, ROLE_KERNEL) < 40);
}

/* ---- kinds on the timeline ---- */

/* Color of the blocks of a role: its background, if it has one of its own; NORMAL: default. */
static struct color block_color(const struct look *look, int normal)
{
	int index = look->background >= 0 ? look->background : look->foreground;
	return palette(index < 0 ? normal : index);
}

/* Operators have the colors of their pass, kernels and copies those of their family. */
static const enum role passes[] = { ROLE_FORWARD, ROLE_BACKWARD, ROLE_KERNEL, ROLE_MEMCPY,
				    ROLE_COMMUNICATION };
static const enum role families[] = { ROLE_KERNEL,      ROLE_GEMM,      ROLE_ATTENTION,
				      ROLE_CONVOLUTION, ROLE_POINTWISE, ROLE_NORMALIZATION,
				      ROLE_REDUCTION,   ROLE_MEMCPY,    ROLE_COMMUNICATION };

/* Not all are on one lane; those of one hue also differ in boldness. */
static const enum role lanes[] = { ROLE_KERNEL,      ROLE_GEMM,       ROLE_ATTENTION,
				   ROLE_CONVOLUTION, ROLE_POINTWISE,  ROLE_NORMALIZATION,
				   ROLE_REDUCTION,   ROLE_MEMCPY,     ROLE_COMMUNICATION,
				   ROLE_MODULE,      ROLE_ANNOTATION, ROLE_RUNTIME,
				   ROLE_PYTHON,      ROLE_FORWARD,    ROLE_BACKWARD };

static void check_kinds(const char *name, const enum role *kinds, size_t count, int normal,
			double least)
{
	struct theme theme;

	assert_true(theme_load(&theme, name, 256, NULL));
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < i; k++) {
			double apart = difference(block_color(&theme.look[kinds[i]], normal),
						  block_color(&theme.look[kinds[k]], normal));
			if (apart < least)
				fail_msg("%s: roles %d and %d differ by %.0f", name, kinds[i],
					 kinds[k], apart);
		}
	}
}

TEST(kinds_on_the_timeline_have_different_colors)
{
	enum { LIGHT_TEXT = 252, PASSES = sizeof passes / sizeof *passes };
	enum { FAMILIES = sizeof families / sizeof *families };
	struct theme basic;

	check_kinds("dark", passes, PASSES, LIGHT_TEXT, 35);
	check_kinds("light", passes, PASSES, BLACK, 35);
	check_kinds("cvd", passes, PASSES, LIGHT_TEXT, 30);
	check_kinds("cvd", passes, PASSES, BLACK, 30);
	check_kinds("high-contrast", passes, PASSES, LIGHT_TEXT, 35);
	check_kinds("high-contrast", passes, PASSES, BLACK, 35);
	check_kinds("dark", families, FAMILIES, LIGHT_TEXT, 30);
	check_kinds("light", families, FAMILIES, BLACK, 30);
	check_kinds("dark", lanes, sizeof lanes / sizeof *lanes, LIGHT_TEXT, 18);
	check_kinds("light", lanes, sizeof lanes / sizeof *lanes, BLACK, 18);
	check_kinds("high-contrast", families, FAMILIES, LIGHT_TEXT, 30);
	check_kinds("high-contrast", families, FAMILIES, BLACK, 30);
	/* the basic colors, which terminals define, differ by number */
	assert_true(theme_load(&basic, "default", 16, NULL));
	for (size_t i = 0; i < FAMILIES; i++)
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(basic.look[families[i]].foreground,
					     basic.look[families[k]].foreground);
	assert_int_not_equal(basic.look[ROLE_FORWARD].foreground,
			     basic.look[ROLE_BACKWARD].foreground);
}

/* Of 17 to 255 colors only the first sixteen are the same everywhere. */
TEST(terminals_of_some_colors_get_the_basic_ones)
{
	static const char *const names[] = { "default", "dark", "light", "cvd", "high-contrast" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct theme basic, more;
		assert_true(theme_load(&basic, names[i], 16, NULL));
		for (int colors = 17; colors < 256; colors += 7) {
			assert_true(theme_load(&more, names[i], colors, NULL));
			assert_memory_equal(more.look, basic.look, sizeof basic.look);
		}
	}
}

/* A theme of before kernels had families. */
TEST(families_that_a_theme_lacks_look_like_other_kernels)
{
	struct theme theme;
	char path[] = "./theme-XXXXXX", line[256];
	FILE *shipped = fopen(source_path("themes/dark.theme"), "r");
	int fd = mkstemp(path), left_out = 0;
	FILE *file = fdopen(fd, "w");

	assert_non_null(shipped);
	while (fgets(line, sizeof line, shipped)) {
		bool family = !strncmp(line, "gemm ", 5) || !strncmp(line, "reduction ", 10);
		left_out += family;
		if (!family)
			fputs(line, file);
	}
	fclose(shipped);
	fclose(file);
	assert_int_equal(left_out, 2);
	assert_true(theme_load(&theme, path, 256, NULL));
	assert_memory_equal(&theme.look[ROLE_GEMM], &theme.look[ROLE_KERNEL], sizeof *theme.look);
	assert_memory_equal(&theme.look[ROLE_REDUCTION], &theme.look[ROLE_KERNEL],
			    sizeof *theme.look);
	assert_memory_not_equal(&theme.look[ROLE_ATTENTION], &theme.look[ROLE_KERNEL],
				sizeof *theme.look);
	remove(path);
}

/* Values, from bad to good, look like worse, a warning and better, unless the theme has them. */
TEST(values_that_a_theme_lacks_are_worse_or_better)
{
	struct theme theme;
	const struct look *value = &theme.look[ROLE_VALUE_1];

	assert_true(theme_load(&theme, "dark", 256, NULL));
	for (int i = 1; i < ROLE_VALUES; i++)
		assert_int_not_equal(value[i].foreground, value[i - 1].foreground);
	assert_true(theme_load(&theme, "default", 8, NULL));
	assert_memory_equal(&value[0], &theme.look[ROLE_WORSE], sizeof *value);
	assert_memory_equal(&value[2], &theme.look[ROLE_WARNING], sizeof *value);
	assert_memory_equal(&value[4], &theme.look[ROLE_BETTER], sizeof *value);
}

/* ---- without color ---- */

TEST(roles_are_distinguishable_without_color)
{
	static const enum role apart[] = { ROLE_SELECTION, ROLE_MATCH,    ROLE_SORTED,
					   ROLE_FORWARD,   ROLE_BACKWARD, ROLE_COMMUNICATION };
	static const int count = sizeof apart / sizeof apart[0];
	struct theme mono, file;

	theme_mono(&mono);
	for (int i = 0; i < count; i++) {
		for (int k = 0; k < i; k++)
			assert_int_not_equal(mono.look[apart[i]].attributes,
					     mono.look[apart[k]].attributes);
	}
	/* the file equals the built-in theme */
	assert_true(theme_load(&file, "mono", 256, NULL));
	for (int role = 0; role < ROLE_COUNT; role++)
		assert_memory_equal(&file.look[role], &mono.look[role], sizeof mono.look[0]);
}

/* ---- the default theme ---- */

TEST(background_is_known_from_answers)
{
	static const struct {
		const char *text;
		enum background background;
	} colors[] = { { "rgb:0000/0000/0000", BACKGROUND_DARK },
		       { "rgb:ffff/ffff/ffff", BACKGROUND_LIGHT },
		       { "rgb:fd/f6/e3", BACKGROUND_LIGHT },
		       { "rgb:0/2b/36", BACKGROUND_DARK },
		       { "rgb:ffff/ffff", BACKGROUND_UNKNOWN },
		       { "rgb:fffff/ffff/ffff", BACKGROUND_UNKNOWN },
		       { "rgb://", BACKGROUND_UNKNOWN },
		       { "#ffffff", BACKGROUND_UNKNOWN },
		       { "", BACKGROUND_UNKNOWN } },
	  numbers[] = { { "15;0", BACKGROUND_DARK },         { "0;15", BACKGROUND_LIGHT },
			{ "0;default;7", BACKGROUND_LIGHT }, { "12;8", BACKGROUND_DARK },
			{ "0;default", BACKGROUND_UNKNOWN }, { "15", BACKGROUND_UNKNOWN },
			{ "0;99", BACKGROUND_UNKNOWN },      { ";", BACKGROUND_UNKNOWN } };

	for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
		assert_int_equal(background_of_color(colors[i].text), colors[i].background);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		assert_int_equal(background_of_numbers(numbers[i].text), numbers[i].background);
}

TEST(default_theme_follows_the_background)
{
	static const struct {
		enum background background;
		int colors;
		const char *like;
	} cases[] = { { BACKGROUND_LIGHT, 256, "light" },
		      { BACKGROUND_DARK, 256, "dark" },
		      { BACKGROUND_UNKNOWN, 256, "dark" },
		      { BACKGROUND_LIGHT, 8, "default" } };

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct theme theme, like;
		assert_true(theme_load_default(&theme, cases[i].background, cases[i].colors, NULL));
		assert_true(theme_load(&like, cases[i].like, cases[i].colors, NULL));
		assert_memory_equal(theme.look, like.look, sizeof theme.look);
		assert_string_equal(theme.name, "default");
		assert_int_equal(theme.background == BACKGROUND_LIGHT,
				 strcmp(cases[i].like, "light") == 0);
	}
}

/* The frames of a flame graph: modules, their operators, and the kernels of these. */
TEST(operators_have_a_color_of_their_own)
{
	static const char *const names[] = { "dark", "light" };
	static const enum role others[] = { ROLE_TEXT,   ROLE_MODULE,  ROLE_KERNEL,    ROLE_MEMCPY,
					    ROLE_PYTHON, ROLE_RUNTIME, ROLE_ANNOTATION };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct theme theme;
		assert_true(theme_load(&theme, names[i], 256, NULL));
		for (size_t other = 0; other < sizeof others / sizeof *others; other++)
			assert_int_not_equal(theme.look[ROLE_OPERATOR].foreground,
					     theme.look[others[other]].foreground);
	}
}

static int find_themes(void **state)
{
	return setenv("STRATA_DATADIR", source_path("."), 1);
}

TEST_PROGRAM(find_themes, NULL)
