/*
 * Each theme on real screens: every cell is readable, busy cells of the timeline differ from idle
 * ones, also from the terminal's own colors.
 */
#include "test.h"

#include "explorer_case.h"

#include <math.h>
#include <string.h>

static const char *const paths[] = { "demo.trace.json.gz" };

struct ink {
	double part[3]; /* sRGB, 0 to 1 */
};

/* A terminal: its text and background. */
struct paper {
	const char *name;
	int text, background; /* colors of the xterm palette */
};

static const struct paper dark = { "dark", 252, 16 }, light = { "light", 16, 231 };

/* The xterm palette. */
static struct ink ink_of(int index)
{
	static const int basic[16] = { 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
				       0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
				       0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff };
	struct ink ink;
	for (int i = 0; i < 3; i++) {
		int step = (index - 16) / (i == 0 ? 36 : i == 1 ? 6 : 1) % 6;
		int value = index < 16     ? basic[index] >> (16 - 8 * i) & 255
			    : index >= 232 ? 8 + 10 * (index - 232)
			    : step         ? 55 + 40 * step
					   : 0;
		ink.part[i] = value / 255.0;
	}
	return ink;
}

static double luminance(struct ink ink)
{
	static const double weight[3] = { 0.2126, 0.7152, 0.0722 };
	double sum = 0;
	for (int i = 0; i < 3; i++) {
		double s = ink.part[i];
		sum += weight[i] * (s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
	}
	return sum;
}

/* WCAG 2 contrast ratio of a look on a terminal. */
static double contrast(const struct look *look, const struct paper *paper)
{
	struct ink ink = ink_of(look->foreground < 0 ? paper->text : look->foreground);
	struct ink ground = ink_of(look->background < 0 ? paper->background : look->background);
	for (int i = 0; i < 3 && look->attributes & STYLE_DIM; i++)
		ink.part[i] = (2 * ink.part[i] + ground.part[i]) / 3; /* as xterm draws it */
	double a = luminance(ink) + 0.05, b = luminance(ground) + 0.05;
	return a > b ? a / b : b / a;
}

/* Bars, lines and blocks, from U+2500 to U+28FF. */
static bool is_drawing(const char *bytes)
{
	return bytes[0] == '\xe2' && (unsigned char)bytes[1] >= 0x94 &&
	       (unsigned char)bytes[1] <= 0xa3;
}

static void check_cells(struct explorer *explorer, const char *screen, const struct paper *paper,
			double text, double drawing)
{
	const struct theme *theme = &explorer->app.tui.theme;
	const struct grid *grid = &explorer->app.tui.grid;
	for (int row = 0; row < grid->rows; row++) {
		for (int column = 0; column < grid->columns; column++) {
			const struct cell *cell = grid_cell(grid, row, column);
			if (!cell->width || !strcmp(cell->bytes, " ") || cell->role == ROLE_BORDER)
				continue;
			double ratio = contrast(&theme->look[cell->role], paper);
			if (ratio < (is_drawing(cell->bytes) ? drawing : text))
				fail_msg("theme %s on %s, %s, row %d, column %d: '%s' of role %d "
					 "has contrast %.2f",
					 theme->name, paper->name, screen, row, column, cell->bytes,
					 cell->role, ratio);
		}
	}
}

/* A theme and a terminal it is made for. */
struct drawn_case {
	char theme[64];
	int colors;
	const struct paper *paper;
	double text, drawing; /* least contrast */
};

/* Other contrasts than of most themes. */
static const struct drawn_case exceptions[] = {
	{ "cvd", 256, &light, 3, 3 },
	{ "default", 8, &dark, 3.5, 3 }, /* xterm has a dark red */
	{ "high-contrast", 256, &dark, 7, 4.5 },
	{ "high-contrast", 256, &light, 7, 4.5 },
};

enum { CASES_MAX = 100 };
static struct drawn_case cases[CASES_MAX];
static size_t case_count;

static void add_case(const char *theme, int colors, const struct paper *paper)
{
	struct drawn_case *added = &cases[case_count++];
	assert_true(case_count <= CASES_MAX);
	*added = (struct drawn_case){ "", colors, paper, 4.5, 3 };
	snprintf(added->theme, sizeof added->theme, "%s", theme);
	for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
		if (!strcmp(exceptions[i].theme, theme) && exceptions[i].colors == colors &&
		    exceptions[i].paper == paper)
			*added = exceptions[i];
}

/* All shipped themes; the default one is for few colors, which differ between terminals. */
static void find_cases(void)
{
	struct buffer names = { 0 };
	case_count = 0;
	theme_names(&names);
	for (char *rest, *name = strtok_r(names.data, " ", &rest); name;
	     name = strtok_r(NULL, " ", &rest)) {
		struct theme theme;
		bool few = !strcmp(name, "default");
		assert_true(theme_load(&theme, name, 256, NULL));
		if (theme.background != BACKGROUND_LIGHT)
			add_case(name, few ? 16 : 256, &dark);
		if (few)
			add_case(name, 8, &dark);
		if (theme.background != BACKGROUND_DARK && !few)
			add_case(name, 256, &light);
	}
	assert_true(case_count >= 9);
	buffer_free(&names);
}

static void open_screen(struct explorer *explorer, const char *size)
{
	find_cases();
	explorer_open_size(explorer, paths, 1, size);
	explorer->app.tui.settings.ascii = false;
	explorer_settle(explorer);
}

static void show(struct explorer *explorer, const char *keys)
{
	explorer_type(explorer, keys);
	explorer_settle(explorer);
}

static void check_screens(const char *size)
{
	static const char *const screens[] = { "1",
					       "2",
					       "3",
					       "4<Enter>",
					       "5",
					       "5++++",
					       "}",
					       "6",
					       "7",
					       "8",
					       "9",
					       "3/aten<Enter>",
					       "4<Space>",
					       ":view gaps<Enter>",
					       ":view plot-flame<Enter>",
					       ":view plot-memory<Enter>",
					       ":view plot-roofline<Enter>",
					       ":view plot-steps<Enter>",
					       ":view plot-utilization<Enter>",
					       "?",
					       ":nonsense<Enter>" };
	struct explorer explorer;

	open_screen(&explorer, size);
	for (size_t i = 0; i < sizeof screens / sizeof *screens; i++) {
		show(&explorer, screens[i]);
		for (size_t k = 0; k < case_count; k++) {
			assert_true(theme_load(&explorer.app.tui.theme, cases[k].theme,
					       cases[k].colors, NULL));
			check_cells(&explorer, screens[i], cases[k].paper, cases[k].text,
				    cases[k].drawing);
		}
	}
	explorer_close(&explorer);
}

TEST(screens_are_readable)
{
	check_screens("160x45");
	check_screens("80x24");
	check_screens("40x12");
}

/* The row whose label is TEXT, below the top lines. */
static int row_of(const struct grid *grid, const char *text)
{
	enum { TOP_LINES = 3 };
	for (int row = TOP_LINES; row < grid->rows; row++) {
		struct buffer line = { 0 };
		grid_row_text(grid, row, &line);
		bool found = strstr(buffer_text(&line), text) != NULL;
		buffer_free(&line);
		if (found)
			return row;
	}
	fail_msg("no row has '%s'", text);
	return -1;
}

/* An idle cell is blank on the background of texts; a busy one has visible ink or ground. */
TEST(busy_and_idle_cells_differ)
{
	struct explorer explorer;
	int idle = 0, busy = 0;

	open_screen(&explorer, "160x45");
	show(&explorer, "5");
	const struct grid *grid = &explorer.app.tui.grid;
	int row = row_of(grid, "GPU0 busy");
	for (int column = 22; column < grid->columns; column++) {
		const struct cell *cell = grid_cell(grid, row, column);
		bool blank = !strcmp(cell->bytes, " ");
		if (cell->role == ROLE_BORDER)
			continue; /* a tick of the ruler */
		idle += blank;
		busy += !blank;
		for (size_t k = 0; k < case_count; k++) {
			assert_true(theme_load(&explorer.app.tui.theme, cases[k].theme,
					       cases[k].colors, NULL));
			const struct look *page = explorer.app.tui.theme.look;
			const struct look *look = &page[cell->role];
			if (blank)
				assert_true(look->background == page->background &&
					    !(look->attributes & STYLE_REVERSE));
			else
				assert_true(contrast(look, cases[k].paper) >= 3);
		}
	}
	assert_true(idle > 5 && busy > 50);
	explorer_close(&explorer);
}

/* Cells of the screen with the same letter of a part as the cell before. */
static int repeated_letters(struct explorer *explorer, const char *theme, int colors)
{
	int count = 0;
	assert_true(theme_load(&explorer->app.tui.theme, theme, 256, NULL));
	explorer->app.tui.colors = colors;
	show(explorer, "2");
	show(explorer, "1");
	const struct grid *grid = &explorer->app.tui.grid;
	for (int i = 1; i < grid->rows * grid->columns; i++)
		count += grid->cells[i].filled == FILLED_LETTER && grid->cells[i].bytes[0] != ' ' &&
			 !strcmp(grid->cells[i].bytes, grid->cells[i - 1].bytes);
	return count;
}

/* A part is filled with its letter, as far as no color tells it. */
TEST(letters_of_parts_stand_once_in_colors)
{
	static const char *const colored[] = { "dark", "light", "cvd" };
	struct explorer explorer;

	open_screen(&explorer, "160x45");
	assert_true(repeated_letters(&explorer, "dark", 0) > 5);
	assert_true(repeated_letters(&explorer, "mono", 256) > 5);
	for (size_t i = 0; i < sizeof colored / sizeof *colored; i++)
		assert_int_equal(repeated_letters(&explorer, colored[i], 256), 0);
	explorer_close(&explorer);
}

/* A control: the measure finds an unreadable look. */
TEST(measure_finds_bad_contrast)
{
	const struct look white = { 231, -1, 0 }, faint = { 240, -1, STYLE_DIM };

	assert_true(contrast(&white, &light) < 1.1);
	assert_true(contrast(&white, &dark) > 20);
	assert_true(contrast(&faint, &dark) < 3);
}
