/* Themes: each is whole, readable, and tells apart what must be told apart. */
#include "base/buffer.h"
#include "base/error.h"
#include "tui/term/theme.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- reading ---- */

static void every_shipped_theme_is_whole(void **state)
{
	static const int colors[] = { 0, 8, 16, 256 };
	struct buffer names = { 0 };
	int count = 0;
	(void)state;

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
			/* the selection is never like the text, whatever the colours */
			assert_memory_not_equal(&theme.look[ROLE_SELECTION], &theme.look[ROLE_TEXT],
						sizeof theme.look[0]);
		}
	}
	assert_int_equal(count, 6);
	buffer_free(&names);
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

static void a_bad_theme_is_told_by_line(void **state)
{
	struct theme theme;
	struct error error = { 0 };
	(void)state;

	check_bad_theme("text default\n", "a line is: role foreground background attributes");
	check_bad_theme("# so\nnosuch red blue -\n", "no role is named 'nosuch'");
	check_bad_theme("text pink default -\n", "'pink' is no colour");
	check_bad_theme("text 256 default -\n", "'256' is no colour");
	check_bad_theme("text #12345g default -\n", "'#12345g' is no colour");
	check_bad_theme("text red default blink\n", "'blink' is no attribute");
	check_bad_theme("text red default -\n", "the theme does not say how 'dim' looks");
	assert_false(theme_load(&theme, "nosuch", 8, &error));
	assert_non_null(strstr(error.message, "no theme is named 'nosuch'; there are: "));
	assert_non_null(strstr(error.message, "default high-contrast light mono"));
}

/* ---- colours as eyes get them ---- */

struct color {
	double part[3]; /* red, green, blue in light, 0 to 1 */
};

/* A colour of xterm's palette from 16 on; below are the user's own. */
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

/* The contrast of WCAG 2, from 1 (none) to 21. */
static double contrast(struct color a, struct color b)
{
	double first = luminance(a) + 0.05, second = luminance(b) + 0.05;

	return first > second ? first / second : second / first;
}

enum { BLACK = 16, WHITE = 231 };

/* Each colour stands out from its own background, or from those that terminals have. */
static void check_readable(const char *name, bool on_dark, bool on_light, double least)
{
	struct theme theme;

	assert_true(theme_load(&theme, name, 256, NULL));
	for (int role = 0; role < ROLE_COUNT; role++) {
		int ink = theme.look[role].foreground, paper = theme.look[role].background;
		if (role == ROLE_BORDER || ink < 16) /* a rule may be faint; the user's own */
			continue;
		if (paper >= 16)
			assert_true(contrast(palette(ink), palette(paper)) >= least);
		if (paper < 0 && on_dark)
			assert_true(contrast(palette(ink), palette(BLACK)) >= least);
		if (paper < 0 && on_light)
			assert_true(contrast(palette(ink), palette(WHITE)) >= least);
	}
}

static void every_role_of_every_theme_can_be_read(void **state)
{
	(void)state;

	check_readable("default", true, true, 3);
	check_readable("dark", true, false, 4.5);
	check_readable("light", false, true, 4.5);
	check_readable("mono", true, true, 3);
	check_readable("cvd", true, true, 3);
	check_readable("high-contrast", true, true, 7);
}

/* ---- colour blindness ---- */

/* Machado, Oliveira, Fernandes 2009: what light of three colours is to whom a cone is missing. */
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

/* CIE L*a*b* of sRGB light under D65. */
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

/* The least difference of two roles' colours over the three kinds of blindness. */
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

static void the_theme_for_the_colour_blind_stays_apart_for_them(void **state)
{
	static const enum role pairs[][2] = {
		{ ROLE_FORWARD, ROLE_BACKWARD },
		{ ROLE_KERNEL, ROLE_COMMUNICATION },
		{ ROLE_ACCENT, ROLE_WARNING }, /* faster and slower */
	};
	struct theme theme, dark;
	(void)state;

	assert_true(theme_load(&theme, "cvd", 256, NULL));
	assert_true(theme_load(&dark, "dark", 256, NULL));
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
		assert_true(least_difference(&theme, pairs[i][0], pairs[i][1]) > 40);
	/* so the measure does say no where there is a reason to */
	assert_true(least_difference(&dark, ROLE_WARNING, ROLE_KERNEL) < 40);
}

/* ---- without colour ---- */

static void what_must_be_told_apart_is_without_colours(void **state)
{
	static const enum role apart[] = { ROLE_SELECTION, ROLE_MATCH,    ROLE_SORTED,
					   ROLE_FORWARD,   ROLE_BACKWARD, ROLE_COMMUNICATION };
	static const int count = sizeof apart / sizeof apart[0];
	struct theme mono, file;
	(void)state;

	theme_mono(&mono);
	for (int i = 0; i < count; i++) {
		for (int k = 0; k < i; k++)
			assert_int_not_equal(mono.look[apart[i]].attributes,
					     mono.look[apart[k]].attributes);
	}
	/* the file and what is compiled in are one theme */
	assert_true(theme_load(&file, "mono", 256, NULL));
	for (int role = 0; role < ROLE_COUNT; role++)
		assert_memory_equal(&file.look[role], &mono.look[role], sizeof mono.look[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shipped_theme_is_whole),
		cmocka_unit_test(a_bad_theme_is_told_by_line),
		cmocka_unit_test(every_role_of_every_theme_can_be_read),
		cmocka_unit_test(the_theme_for_the_colour_blind_stays_apart_for_them),
		cmocka_unit_test(what_must_be_told_apart_is_without_colours),
	};
	const char *srcdir = getenv("srcdir");

	setenv("STRATA_DATADIR", srcdir ? srcdir : "..", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
