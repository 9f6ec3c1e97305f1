/* Expectations 18 to 24: character sets, colors and columns. */
#include "expect.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <wchar.h>

/* ---- characters ---- */

static bool all_ascii(const struct pty *pty)
{
	for (size_t i = 0; i < pty->raw_length; i++) {
		if ((unsigned char)pty->raw[i] >= 0x80)
			return false;
	}
	return pty->raw_length > 0;
}

/* True if the lines are equal except for glyphs without an ASCII equivalent. */
static bool same_line(const char *line, const char *plain)
{
	if (strstr(line, "\u2026"))
		return true; /* truncated elsewhere: an ASCII ellipsis takes three columns */
	while (*line || *plain) {
		if ((unsigned char)*line >= 0x80) {
			do
				line++;
			while (((unsigned char)*line & 0xc0) == 0x80);
			plain += *plain != '\0';
			continue;
		}
		if (*line != *plain) /* end of a bar or a rule */
			return plain[strspn(plain, " #")] == '\0' &&
			       line[strspn(line, "-")] == '\0';
		line++;
		plain++;
	}
	return true;
}

static void compare_screens(struct pty *rich, struct pty *plain)
{
	pty_settle(rich);
	pty_settle(plain);
	for (int row = 0; row < rich->rows; row++) {
		if (same_line(pty_line(rich, row), pty_line(plain, row)))
			continue;
		print_error("'%s'\n'%s'\n", pty_line(rich, row), pty_line(plain, row));
		fail();
	}
}

EXPECTATION(18_without_utf8_output_is_ascii)
{
	static const char *const keys[][2] = { { "2", "[2 Layers]" },
					       { "3", "[3 Operators]" },
					       { "4", "[4 Kernels]" } };

	struct pty *rich = run_demo(utf8, ROWS, WIDE), *plain = run_demo(ascii, ROWS, WIDE);
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		for (int k = 0; k < 2; k++) {
			struct pty *pty = k ? rich : plain;
			press(pty, keys[i][0], keys[i][1]);
			expect_text(pty, "1/");
			press(pty, "j", " 2/");
		}
		compare_screens(rich, plain);
	}
	assert_true(all_ascii(plain));
	assert_false(all_ascii(rich));
}

EXPECTATION(19_ascii_option_and_utf8_blocks)
{
	const char *const environment[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8",
					    "STRATA_ASCII=1", NULL };

	struct pty *pty = run_strata(utf8, ROWS, WIDE, "--ascii", "--demo", NULL);
	expect_text(pty, "[1 Overview]");
	press(pty, "3", "########");
	assert_true(all_ascii(pty));
	expectation_teardown(NULL);
	pty = run_demo(environment, ROWS, WIDE);
	press(pty, "3", "########");
	assert_true(all_ascii(pty));
	expectation_teardown(NULL);
	pty = run_demo(utf8, ROWS, WIDE);
	press(pty, "3", "█");
	press(pty, ":set ascii\r", "########");
	expect_gone(pty, "█");
	press(pty, ":set noascii\r", "█");
	expect_gone(pty, "#");
	for (int i = 0; i < 4; i++) { /* no braille by default */
		char begin[3] = { (char)0xe2, (char)(0xa0 + i), '\0' };
		assert_false(pty_wrote(pty, begin));
	}
}

/* ---- color ---- */

struct colors_used {
	bool eight, bright, indexed, direct;
};

/* One color of a sequence, "38;5;208" or "31"; returns how many numbers it used. */
static int note_color(struct colors_used *used, const int *number, int count)
{
	int n = number[0];

	if ((n == 38 || n == 48) && count > 1) {
		used->indexed |= number[1] == 5;
		used->direct |= number[1] == 2;
		return number[1] == 5 ? 3 : 5;
	}
	used->eight |= (n >= 30 && n <= 37) || (n >= 40 && n <= 47);
	used->bright |= (n >= 90 && n <= 97) || (n >= 100 && n <= 107);
	return 1;
}

/* All colors sent. */
static struct colors_used colors_used(const struct pty *pty)
{
	struct colors_used used = { 0 };

	for (size_t i = 0; i + 2 < pty->raw_length; i++) {
		int number[16] = { 0 }, count = 1;
		if (pty->raw[i] != '\033' || pty->raw[i + 1] != '[')
			continue;
		size_t at = i + 2;
		for (; at < pty->raw_length && strchr("0123456789;:", pty->raw[at]); at++) {
			if (pty->raw[at] == ';' || pty->raw[at] == ':')
				count += count < 16;
			else
				number[count - 1] = 10 * number[count - 1] + pty->raw[at] - '0';
		}
		for (int k = 0; at < pty->raw_length && pty->raw[at] == 'm' && k < count;)
			k += note_color(&used, number + k, count - k);
	}
	return used;
}

/* Column of the text in this row, or -1. */
static int column_of(struct pty *pty, int row, const char *text)
{
	const char *line = pty_line(pty, row), *found = strstr(line, text);
	int column = 0;

	if (!found)
		return -1;
	for (; line < found; line++)
		column += ((unsigned char)*line & 0xc0) != 0x80;
	return column;
}

static struct pty_look look_of(struct pty *pty, const char *line, const char *text)
{
	int row = pty_find(pty, line);

	assert_true(row >= 0 && column_of(pty, row, text) >= 0);
	return pty_look(pty, row, column_of(pty, row, text));
}

/* Information shown by color must be shown in another way, too. */
static void check_without_colors(struct pty *pty)
{
	press(pty, "3", "[3 Operators]");
	press(pty, "/batch\r", " of ");
	pty_settle(pty); /* the share arrives a little later */
	press(pty, "k", "Search");
	expect_selected(pty, "aten");
	pty_settle(pty);
	int row = pty_find(pty, ">aten");
	assert_true(row > 0 && pty_look(pty, row, 3).reverse);
	struct pty_look hit = look_of(pty, " aten::cudnn_batch_norm ", "batch");
	struct pty_look text = look_of(pty, " aten::mm", "mm");
	assert_true(hit.underline || hit.reverse || hit.bold);
	assert_false(text.underline || text.reverse || text.bold);
	struct pty_look sorted = look_of(pty, "GPU Total", "GPU Self▼");
	struct pty_look header = look_of(pty, "GPU Total", "Calls");
	assert_true(sorted.underline && !header.underline);
	press(pty, ":nonsense\r", "unknown command");
	struct pty_look error = look_of(pty, "unknown command", "unknown");
	assert_true(error.bold || error.reverse);
	struct colors_used used = colors_used(pty);
	assert_false(used.eight || used.bright || used.indexed || used.direct);
}

EXPECTATION(20_meaning_does_not_depend_on_color)
{
	const char *const environment[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR=1",
					    NULL };
	const char *const empty[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR=", NULL };

	check_without_colors(run_demo(environment, ROWS, WIDE));
	struct pty *pty = run_strata(utf8, ROWS, WIDE, "--color=never", "--demo", NULL);
	expect_text(pty, "[1 Overview]");
	check_without_colors(pty);
	expectation_teardown(NULL);
	/* empty NO_COLOR has no effect */
	pty = run_demo(empty, ROWS, WIDE);
	press(pty, "2", "[2 Layers]");
	pty_settle(pty);
	assert_true(colors_used(pty).indexed);
}

/* Terminal descriptions with 16 and with 16 million colors. */
static void write_terminals(void)
{
	static const char source[] =
		"strata-16|16 colours, colors#16, pairs#256,\n"
		"\tsetaf=\\E[%?%p1%{8}%<%t%p1%{30}%+%e%p1%{82}%+%;%dm,\n"
		"\tsetab=\\E[%?%p1%{8}%<%t%p1%{40}%+%e%p1%{92}%+%;%dm, use=xterm,\n"
		"strata-direct|direct colours, RGB, colors#0x1000000, pairs#0x7FFF, ccc@, initc@,\n"
		"\tsetaf=\\E[%?%p1%{8}%<%t3%p1%d%e38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;"
		"%p1%{255}%&%d%;m,\n"
		"\tsetab=\\E[%?%p1%{8}%<%t4%p1%d%e48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;"
		"%p1%{255}%&%d%;m, use=xterm-256color,\n";
	char command[256];

	write_whole(scratch("terminals.ti"), source, sizeof source - 1);
	snprintf(command, sizeof command, "tic -x -o %s %s 2>&1", scratch("terminfo"),
		 scratch("terminals.ti"));
	free(output_of(command));
}

static struct pty *run_with_colors(const char *term, const char *theme)
{
	char name[64], terminfo[256];
	const char *const environment[] = {
		name, terminfo, "LC_ALL=C.UTF-8", "NO_COLOR", "COLORTERM=truecolor", NULL
	};

	snprintf(name, sizeof name, "TERM=%s", term);
	snprintf(terminfo, sizeof terminfo,
		 "TERMINFO_DIRS=%s:/etc/terminfo:/lib/terminfo:"
		 "/usr/share/terminfo",
		 scratch("terminfo"));
	struct pty *pty = run_strata(environment, ROWS, WIDE, "--theme", theme, "--demo", NULL);
	expect_text(pty, "[1 Overview]");
	press(pty, "2", "[2 Layers]");
	press(pty, "/conv\r", " of ");
	pty_settle(pty);
	return pty;
}

EXPECTATION(21_colors_match_terminal)
{
	static const struct {
		const char *term;
		struct colors_used max;
	} tiers[] = {
		{ "xterm", { .eight = true } },
		{ "strata-16", { .eight = true, .bright = true } },
		{ "xterm-256color", { .eight = true, .bright = true, .indexed = true } },
		{ "strata-direct", { .eight = true, .direct = true } },
		{ "vt100", { 0 } },
	};

	write_terminals();
	for (size_t i = 0; i < sizeof tiers / sizeof tiers[0]; i++) {
		const struct colors_used max = tiers[i].max;
		struct colors_used used = colors_used(run_with_colors(tiers[i].term, "dark"));
		assert_true(used.eight <= max.eight && used.bright <= max.bright);
		assert_int_equal(used.indexed, max.indexed);
		assert_int_equal(used.direct, max.direct);
		assert_true(used.eight || used.bright || used.indexed || used.direct || !max.eight);
		expectation_teardown(NULL);
	}
	/* the theme's color in either encoding: headings are 117, #87d7ff */
	assert_true(pty_wrote(run_with_colors("strata-direct", "dark"), "38;2;135;215;255"));
	expectation_teardown(NULL);
	/* by default the terminal's own background and colors */
	struct pty *pty = run_with_colors("xterm-256color", "default");
	press(pty, "3", "aten::mm");
	pty_settle(pty);
	struct pty_look name = look_of(pty, " aten::mm ", "aten"),
			rest = pty_look(pty, ROWS - 3, 90);
	assert_true(name.plain_background && name.plain_foreground);
	assert_true(rest.plain_background && rest.plain_foreground);
}

/* Colors of a theme written #rrggbb, exact where the terminal shows all of them. */
EXPECTATION(exact_colors_of_a_theme)
{
	char theme[128], command[512];

	snprintf(theme, sizeof theme, "%s", scratch("exact.theme"));
	snprintf(command, sizeof command, "sed 's/^header .*/header #123456 236 -/' '%s' >'%s'",
		 source_path("themes/dark.theme"), theme);
	free(output_of(command));
	write_terminals();
	/* as a color of the palette, which is restored */
	struct pty *pty = run_with_colors("xterm-256color", theme);
	assert_true(pty_wrote(pty, "\033]4;255;rgb:12/34/56"));
	assert_true(pty_wrote(pty, "38;5;255"));
	pty_send(pty, "Q");
	expect_sent(pty, "\033]104");
	expectation_teardown(NULL);
	/* as it is */
	assert_true(pty_wrote(run_with_colors("strata-direct", theme), "38;2;18;52;86"));
	expectation_teardown(NULL);
	/* where it is not said: the nearest */
	const char *const silent[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR", NULL };
	pty = run_strata(silent, ROWS, WIDE, "--theme", theme, "--demo", NULL);
	press(pty, "3", "[3 Operators]");
	pty_settle(pty);
	assert_false(pty_wrote(pty, "\033]4;"));
	assert_true(pty_wrote(pty, "38;5;23"));
}

/* The terminal's answer, however late and however cut, is no key and chooses the theme. */
EXPECTATION(default_theme_follows_the_terminal)
{
	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	assert_true(pty_wrote(pty, "\033]11;?\033\\"));
	press(pty, "3", "[3 Operators]");
	pty_settle(pty);
	assert_true(pty_wrote(pty, "48;5;236m"));
	assert_false(pty_wrote(pty, "48;5;253m"));
	pty_send(pty, "\033]11;rgb:ffff/ffff/ffff\033\\");
	expect_sent(pty, "48;5;253m");
	pty_settle(pty);
	press(pty, "j", " 2/70");
	/* a theme that was chosen stays */
	press(pty, ":theme dark\r", "[3 Operators]");
	pty_settle(pty);
	size_t before = pty->raw_length;
	pty_send(pty, "\033]11;rgb:ffff/ffff/ffff\007");
	press(pty, "j", " 3/70");
	assert_true(pty->raw_length - before < 2048);
	expectation_teardown(NULL);

	const char *const told[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR",
				     "COLORFGBG=0;15", NULL };
	pty = run_demo(told, ROWS, WIDE);
	press(pty, "3", "[3 Operators]");
	pty_settle(pty);
	assert_true(pty_wrote(pty, "48;5;253m"));
	assert_false(pty_wrote(pty, "\033]11;?"));
}

/* ---- columns ---- */

static const char hostile[] = "{\"traceEvents\": [\n"
#define NAMED(name, ts)                                                                            \
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" ts    \
	",\"dur\":15}"
	NAMED("plain", "0") "," NAMED("\\u001b[2J\\u001b[31mred\\u001b]0;title\\u0007", "20") "," NAMED("new\\nline\\ttab\\rreturn\\b", "40") "," NAMED(
		"\\u202eoverride\\u200b\\ufeff",
		"60") "," NAMED("\\u65e5\\u672c\\u8a9e\\u306e\\u540d\\u524d",
				"80") "," NAMED("e\\u0301\\u0301\\u0301\\u0301\\u0301\\u0301\\u0301\\u0301\\u0301x",
						"100") "," NAMED("\\u009b31m\\u007f",
								 "120") "," NAMED("\tbare tab and \377\376 bytes \303",
										  "140") "," NAMED("\\ud83d\\udc68\\u200d\\ud83d\\udc69\\u200d\\ud83d\\udc67 family",
												   "160") "," NAMED("\\u2764\\ufe0f \\ud83c\\uddeb\\ud83c\\uddf7 flags",
														    "180") "," NAMED("\\u0301begins with a mark",
																     "200") "," NAMED("\\ud800 half",
																		      "220") "]}\n";
enum { HOSTILE_NAMES = 12 };

/* Last non-blank column of the row. */
static int last_column(struct pty *pty, int row)
{
	const char *line = pty_line(pty, row);
	wchar_t wide[1024];
	size_t count = mbstowcs(wide, line, 1024);
	int width = wcswidth(wide, count == (size_t)-1 ? 0 : count);

	return width - 1;
}

static void check_hostile(struct pty *pty, const char *last)
{
	expect_text(pty, last);
	press(pty, ":columns name,calls,cpu_total_ns\r", "Calls  CPU Total");
	pty_settle(pty);
	int first = pty_find(pty, ">plain");
	assert_true(first > 0);
	for (int i = 1; i < HOSTILE_NAMES; i++) {
		assert_non_null(strstr(pty_line(pty, first + i), " 1   15.00 us"));
		assert_int_equal(last_column(pty, first + i), last_column(pty, first));
	}
	/* nothing from a name was sent as a control sequence */
	assert_false(pty_wrote(pty, "\033[2J\033[31mred"));
	assert_false(pty_wrote(pty, "\033]0;title"));
	assert_false(pty_wrote(pty, "\302\233"));
	assert_false(pty_wrote(pty, "\342\200\256"));
	/* the cursor is positioned line by line */
	for (int i = 0; i < HOSTILE_NAMES; i++) {
		char position[16];
		snprintf(position, sizeof position, "%d/%d", i + 1, HOSTILE_NAMES);
		expect_text(pty, position);
		assert_int_equal(*pty_line(pty, first + i), '>');
		pty_send(pty, "j");
	}
}

EXPECTATION(22_hostile_names_stay_in_their_cells)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	write_whole(scratch("hostile.json"), hostile, sizeof hostile - 1);
	check_hostile(
		run_strata(utf8, ROWS, 80, "--view", "operators", scratch("hostile.json"), NULL),
		"half");
	struct pty *pty =
		run_strata(ascii, ROWS, 80, "--view", "operators", scratch("hostile.json"), NULL);
	check_hostile(pty, "half");
	assert_true(all_ascii(pty));
}

/* Column at which the text below this heading ends. */
static int right_edge(struct pty *pty, int header, const char *title)
{
	int at = column_of(pty, header, title);

	assert_true(at > 0);
	return at + (int)strlen(title) - 1;
}

static void check_numbers(struct pty *pty, int header, const char *title)
{
	int edge = right_edge(pty, header, title);
	wchar_t line[1024];

	for (int row = header + 1; row < header + 8; row++) {
		size_t count = mbstowcs(line, pty_line(pty, row), 1024);
		assert_true(count != (size_t)-1 && (int)count > edge);
		assert_true(line[edge] != L' ');
		assert_true((int)count == edge + 1 || line[edge + 1] == L' ');
		if (line[edge] != L's')
			continue;
		/* a time: two decimals and the unit, "715.91 us" */
		assert_true(line[edge - 2] == L' ' && line[edge - 5] == L'.');
	}
}

/* The name is on the screen, possibly wrapped. */
static bool shows_name(struct pty *pty, const char *name)
{
	char *text = strdup(pty_text(pty)), *to = text;

	for (const char *from = text; *from; from++) {
		if (*from != '\n' && *from != ' ')
			*to++ = *from;
	}
	*to = '\0';
	bool shown = strstr(text, name) != NULL;
	free(text);
	return shown;
}

EXPECTATION(23_numbers_align_and_names_are_elided_in_the_middle)
{
	static const char full[] =
		"sm80_xmma_wgrad_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_"
		"tilesize128x128x64_stage3_warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn";

	setlocale(LC_CTYPE, "C.UTF-8");
	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	press(pty, "3", "[3 Operators]");
	expect_text(pty, "1/70");
	pty_settle(pty);
	int header = pty_find(pty, "Calls");
	check_numbers(pty, header, "Calls");
	check_numbers(pty, header, "GPU Self");
	check_numbers(pty, header, "GPU Total");
	check_numbers(pty, header, "CPU Self");
	check_numbers(pty, header, "CPU Total");
	pty_resize(pty, 24, 80);
	press(pty, "4", "[4 Kernels]");
	press(pty, "g", " 1/");
	/* elided in the middle: what it computes and its tile identify it */
	expect_selected(pty, ">sm80_xmma_wgrad");
	assert_non_null(strstr(selected_line(pty), "…128x128x64…"));
	/* and in full below */
	for (int waited = 0; waited < PATIENCE_MS && !shows_name(pty, full); waited += 20)
		pty_read(pty, 20);
	assert_true(shows_name(pty, full));
}

static void check_cursor(struct pty *pty)
{
	int row, column;

	pty_settle(pty);
	pty_cursor(pty, &row, &column);
	assert_int_equal(*pty_line(pty, row), '>');
	assert_int_equal(column, 0);
}

static const char *const links[] = { "VTE_VERSION=7600", "LC_ALL=C.UTF-8", NULL };

static bool has_links(struct pty *pty, size_t from)
{
	pty_settle(pty);
	return memmem(pty->raw + from, pty->raw_length - from, "]8;;", 4) != NULL;
}

/* Once more where the row shows it, with its file, if that is here; in terminals that follow it. */
EXPECTATION(24_places_in_code_are_links)
{
	static const char *const others[][4] = {
		{ "TERM=linux", "LC_ALL=C.UTF-8", NULL },
		{ "TERM=xterm-256color", "LC_ALL=C.UTF-8", NULL },
		{ "VTE_VERSION=7600", "NO_COLOR=1", "LC_ALL=C.UTF-8", NULL },
	};
	mkdir(scratch("a b"), 0755);
	write_text_in(scratch("a b"), "place.py", "pass\npass\n");
	write_text_in(scratch("a b"), "run.txt", "a;place.py(2): here 9\na;gone.py(2): there 5\n");
	struct pty *pty =
		run_strata(links, ROWS, WIDE, scratch("a b/run.txt"), "--view", "stacks", NULL);
	expect_selected(pty, "here");
	expect_sent(pty, "a%20b/place.py\033\\place.py\033]8;;\033\\");
	expect_sent(pty, "\033]8;;file:///");
	pty_settle(pty);
	size_t before = pty->raw_length;
	press(pty, "j", " 2/2");
	assert_false(has_links(pty, before));
	/* the cells that were linked are sent without the link */
	assert_non_null(memmem(pty->raw + before, pty->raw_length - before, "place.py\0338", 10));
	pty_send(pty, ":set nolinks\r");
	pty_settle(pty);
	before = pty->raw_length;
	press(pty, "k", " 1/2");
	assert_false(has_links(pty, before));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		pty = run_strata(others[i], ROWS, WIDE, scratch("a b/run.txt"), "--view", "stacks",
				 NULL);
		expect_selected(pty, "here");
		assert_false(has_links(pty, 0));
	}
}

EXPECTATION(24_cursor_is_on_selected_row)
{
	int row, column;

	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	check_cursor(pty);
	press(pty, "3", "1/70");
	check_cursor(pty);
	press(pty, "jjj", " 4/70");
	check_cursor(pty);
	press(pty, "G", "70/70");
	check_cursor(pty);
	press(pty, "2", "[2 Layers]");
	press(pty, "jj", " 3/");
	check_cursor(pty);
	press(pty, ":vie", ":vie"); /* at a prompt, the cursor is at the insertion point */
	pty_settle(pty);
	pty_cursor(pty, &row, &column);
	assert_int_equal(row, ROWS - 1);
	assert_int_equal(column, 4);
}
