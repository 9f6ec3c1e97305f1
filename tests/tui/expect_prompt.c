/* Expectations 37 to 40: prompt, help, configuration, paste and mouse. */
#include "expect.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

EXPECTATION(37_prompt_cancels_completes_and_suggests)
{
	static const char *const cancels[] = { "\033", "\003", "\007" };
	static const char *const prompts[][2] = {
		{ ":", ":view" }, { "/", "/view" }, { "&", "&view" }, { ";", "sql> view" }
	};

	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	press(pty, "3", "1/70");
	for (size_t i = 0; i < sizeof cancels / sizeof cancels[0]; i++) {
		for (size_t k = 0; k < sizeof prompts / sizeof prompts[0]; k++) {
			press(pty, prompts[k][0], prompts[k][0][0] == ';' ? "sql>" : prompts[k][0]);
			press(pty, "view", prompts[k][1]);
			pty_send(pty, cancels[i]);
			expect_gone(pty, prompts[k][1]);
			expect_text(pty, "1/70");
		}
	}
	/* Tab: commands, options, columns, views */
	press(pty, ":fil\t", ":filter");
	press(pty, "\025view kern\t", ":view kernels");
	press(pty, "\r", "[4 Kernels]");
	press(pty, ":set asc\t", ":set ascii");
	pty_send(pty, "\003");
	expect_gone(pty, ":set");
	press(pty, "3", "1/70");
	press(pty, ":sort gpu_s\t", ":sort gpu_self_");
	press(pty, "\t", ":sort gpu_self_ns");
	pty_send(pty, "\003");
	expect_gone(pty, ":sort");
	/* an unknown word is named, with the closest match */
	press(pty, ":sotr calls\r", "unknown command 'sotr'");
	expect_text(pty, "did you mean 'sort'?");
	press(pty, ":view kernel\r", "unknown view 'kernel'");
	expect_text(pty, "did you mean 'kernels'?");
	press(pty, ":sort cals\r", "unknown column 'cals'");
	expect_text(pty, "did you mean 'calls'?");
	press(pty, ":set asci\r", "unknown option 'asci'");
	expect_text(pty, "did you mean 'ascii'?");
	press(pty, ":theme drak\r", "unknown theme 'drak'");
	expect_text(pty, "dark");
}

/* ---- help ---- */

struct keys { /* one line of --list-keys */
	char action[64], context[64], keys[128], help[256];
};

static bool next_keys(const char **text, struct keys *keys)
{
	int used = 0;

	if (sscanf(*text, "%63[^\t]\t%63[^\t]\t%127[^\t]\t%255[^\n]\n%n", keys->action,
		   keys->context, keys->keys, keys->help, &used) != 4)
		return false;
	*text += used;
	return true;
}

/* TEXT without blanks and newlines, so that wrapping does not matter. */
static char *squeeze(const char *text)
{
	char *out = malloc(strlen(text) + 1), *to = out;

	for (; *text; text++) {
		if (!strchr(" \n\t", *text))
			*to++ = *text;
	}
	*to = '\0';
	return out;
}

/* The whole help, read screen by screen. */
static char *whole_help(struct pty *pty, const char *key)
{
	size_t length = 0, cap = 1 << 20;
	char *out = malloc(cap);

	press(pty, key, "[help]");
	out[0] = '\0';
	for (int page = 0; page < 200; page++) {
		pty_settle(pty);
		for (int row = 3; row < pty->rows - 1; row++) {
			const char *line = pty_line(pty, row); /* after the '>' column */
			length += (size_t)snprintf(out + length, cap - length, "%s\n",
						   *line ? line + 1 : line);
		}
		if (strstr(pty_line(pty, pty->rows - 1), "100% "))
			break;
		char *position = strdup(strstr(pty_line(pty, pty->rows - 1), "% "));
		pty_send(pty, "\033[6~");
		expect_gone(pty, position);
		free(position);
	}
	char *squeezed = squeeze(out);
	free(out);
	return squeezed;
}

/* Everything in --list-keys is in the help: keys, description, name. */
static void check_help(struct pty *pty, const char *key, const char *list)
{
	struct keys keys;
	int count = 0;
	char *help = whole_help(pty, key);

	for (const char *at = list; next_keys(&at, &keys); count++) {
		char line[512];
		snprintf(line, sizeof line, "%s%s(%s)", keys.keys, keys.help, keys.action);
		char *wanted = squeeze(line);
		if (!strstr(help, wanted))
			print_error("the help lacks '%s' in:\n%.3000s\n", line, help);
		assert_non_null(strstr(help, wanted));
		free(wanted);
	}
	assert_true(count > 60);
	free(help);
}

EXPECTATION(38_help_matches_keys)
{
	struct keys keys;
	size_t length;

	char *list = output_of("./strata --list-keys");
	struct pty *pty = run_demo(utf8, 60, 120);
	press(pty, "2", "[2 Layers]");
	check_help(pty, "?", list);
	press(pty, "/zoom|collapse all\r", " of "); /* it can be searched */
	expect_text(pty, "Collapse all");
	press(pty, "q", "[2 Layers]");
	/* all are in the manual */
	char *manual = read_whole(source_path("man/strata-keys.7"), &length);
	for (const char *at = list; next_keys(&at, &keys);) {
		char *help = strndup(keys.help, strcspn(keys.help, "-'\\"));
		assert_non_null(strstr(manual, help));
		free(help);
	}
	mem_free(manual);
	free(list);
	expectation_teardown(NULL);
	/* the help lists rebound keys, and they work */
	static const char config[] = "bind all <C-t> help\nunbind all ?\n"
				     "bind table K sort-menu\n";
	write_whole(scratch("keys"), config, sizeof config - 1);
	char command[256];
	snprintf(command, sizeof command, "./strata --config %s --list-keys", scratch("keys"));
	list = output_of(command);
	assert_non_null(strstr(list, "<C-t>"));
	pty = run_strata(utf8, 60, 120, "--config", scratch("keys"), "--demo", NULL);
	expect_text(pty, "[1 Overview]");
	press(pty, "3", "1/70");
	press(pty, "?", "? does nothing here");
	press(pty, "K", "Sort By");
	pty_send(pty, "\033");
	expect_gone(pty, "Sort By");
	check_help(pty, "\024", list);
	free(list);
}

/* ---- configuration ---- */

static void make_folder(const char *path)
{
	char command[512];

	snprintf(command, sizeof command, "mkdir -p %s", path);
	free(output_of(command));
}

static void copy_theme(const char *path, const char *line)
{
	size_t length;
	char *text;
	FILE *file = fopen(path, "w");

	text = read_whole(source_path("themes/mono.theme"), &length);
	assert_non_null(file);
	fputs(text, file);
	fputs(line, file);
	fclose(file);
	free(text);
}

static void quit(struct pty *pty)
{
	pty_send(pty, "Q");
	expect_exit(pty, 0);
	expectation_teardown(NULL);
}

EXPECTATION(39_config)
{
	static const char config[] = "# mine\nbind table X sort-menu\nset nosuch on\ntheme mine\n";
	char xdg[256], home[256];
	const char *const own[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR", xdg,
				    NULL };
	const char *const default_place[] = {
		"TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR", home, "XDG_CONFIG_HOME", NULL
	};
	const char *const homeless[] = {
		"TERM=xterm-256color", "LC_ALL=C.UTF-8", "HOME", "XDG_CONFIG_HOME",
		"XDG_STATE_HOME",      "XDG_CACHE_HOME", NULL
	};
	const char *const read_only[] = {
		"TERM=xterm-256color", "LC_ALL=C.UTF-8", "HOME=/proc", "XDG_CONFIG_HOME",
		"XDG_STATE_HOME",      "XDG_CACHE_HOME", NULL
	};

	make_folder(scratch("own/strata/themes"));
	make_folder(scratch("house/.config/strata/themes"));
	write_whole(scratch("own/strata/config"), config, sizeof config - 1);
	write_whole(scratch("house/.config/strata/config"), config, sizeof config - 1);
	copy_theme(scratch("own/strata/themes/mine.theme"), "text red default -\n");
	copy_theme(scratch("house/.config/strata/themes/mine.theme"), "text red default -\n");
	snprintf(xdg, sizeof xdg, "XDG_CONFIG_HOME=%s", scratch("own"));
	snprintf(home, sizeof home, "HOME=%s", scratch("house"));
	for (int i = 0; i < 2; i++) {
		/*
		 * the invalid line is reported inside, and affects neither the others nor the exit
		 * status
		 */
		struct pty *pty = run_strata(i ? default_place : own, ROWS, WIDE, "--demo", NULL);
		expect_text(pty, "config:3: unknown option 'nosuch'");
		expect_text(pty, "1/");
		press(pty, "3", "1/70");
		expect_gone(pty, "nosuch");
		press(pty, "X", "Sort By");
		pty_send(pty, "\033");
		expect_gone(pty, "Sort By");
		assert_true(pty_wrote(pty, "\033[31m")); /* in the theme next to it */
		quit(pty);
	}
	/* ignored, and another one */
	struct pty *pty = run_strata(own, ROWS, WIDE, "--ignore-config", "--demo", NULL);
	expect_text(pty, "1/");
	press(pty, "3", "1/70");
	press(pty, "X", "X does nothing here");
	assert_false(pty_wrote(pty, "nosuch"));
	quit(pty);
	write_whole(scratch("another"), "bind table X help\n", 18);
	pty = run_strata(own, ROWS, WIDE, "--config", scratch("another"), "--demo", NULL);
	expect_text(pty, "1/");
	press(pty, "3", "1/70");
	press(pty, "X", "[help]");
	quit(pty);
	/* a theme that lacks a role is refused by name */
	write_whole(scratch("own/strata/themes/thin.theme"), "text red default -\n", 19);
	pty = run_strata(own, ROWS, WIDE, "--ignore-config", "--demo", NULL);
	expect_text(pty, "1/");
	press(pty, ":theme thin\r", "the theme lacks the role");
	press(pty, ":theme mine\r", "Search");
	expect_sent(pty, "\033[31m");
	quit(pty);
	/* an invalid theme given on the command line is refused before the screen opens */
	pty = run_strata(own, ROWS, WIDE, "--ignore-config", "--theme", "thin", "--demo", NULL);
	expect_exit(pty, 2);
	/* no home directory, or an unwritable one */
	for (int i = 0; i < 2; i++) {
		pty = run_strata(i ? homeless : read_only, ROWS, WIDE, "--demo", NULL);
		expect_text(pty, "[1 Overview]");
		press(pty, "3", "1/70");
		press(pty, "/batch\r", "matches 'batch'");
		quit(pty);
	}
}

/* ---- paste and mouse ---- */

static void check_mouse(struct pty *pty, const char *mode, const char *wheel, const char *click,
			const char *tab)
{
	press(pty, "3", "1/70");
	/* off: the terminal selects text, and no mouse sequence has an effect */
	assert_false(pty_wrote(pty, "1000h"));
	pty_send(pty, wheel);
	press(pty, "j", " 2/70");
	char on[32], off[32];
	snprintf(on, sizeof on, "\033[?%sh", mode);
	snprintf(off, sizeof off, "\033[?%sl", mode);
	pty_send(pty, ":set mouse\r");
	expect_sent(pty, on);
	press(pty, wheel, " 5/70");
	press(pty, click, " 2/70");
	press(pty, tab, "[2 Layers]");
	pty_send(pty, ":set nomouse\r");
	expect_sent(pty, off);
	pty_send(pty, wheel);
	press(pty, "j", " 2/40");
}

EXPECTATION(40_paste_runs_nothing_and_mouse_is_optional)
{
	const char *const screen[] = { "TERM=screen-256color", "LC_ALL=C.UTF-8", "NO_COLOR", NULL };
	static const char sgr_wheel[] = "\033[<65;10;10M", x10_wheel[] = "\033[Ma**";
	static const char sgr_click[] = "\033[<0;10;6M\033[<0;10;6m",
			  x10_click[] = "\033[M *&\033[M#*&";
	static const char sgr_tab[] = "\033[<0;16;2M\033[<0;16;2m",
			  x10_tab[] = "\033[M 0\"\033[M#0\"";

	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	assert_true(pty_wrote(pty, "\033[?2004h"));
	pty_send(pty, "\033[200~3Q:quit\rQQqq\003\003\033[201~");
	expect_alive(pty);
	expect_text(pty, "[1 Overview]");
	/* pasted into a prompt it is text, joined into one line */
	press(pty, "/\033[200~no\nsuch\ttext\033[201~", "/no such text");
	pty_send(pty, "\003");
	expect_gone(pty, "/no such text");
	/* its end may arrive late */
	pty_send(pty, "\033[200~Q");
	pty_settle(pty);
	pty_send(pty, "Q\033[201~");
	expect_alive(pty);
	expectation_teardown(NULL);

	check_mouse(run_demo(utf8, ROWS, WIDE), "1006;1000", sgr_wheel, sgr_click, sgr_tab);
	expectation_teardown(NULL);
	check_mouse(run_demo(utf8, ROWS, WIDE), "1006;1000", x10_wheel, x10_click, x10_tab);
	expectation_teardown(NULL);
	check_mouse(run_demo(screen, ROWS, WIDE), "1000", x10_wheel, x10_click, x10_tab);
	expectation_teardown(NULL);
	check_mouse(run_demo(screen, ROWS, WIDE), "1000", sgr_wheel, sgr_click, sgr_tab);
}

/* An endless query shows progress, stops on a key, and the explorer continues. */
EXPECTATION(endless_query_stops_on_key)
{
	static const char *const keys[] = { "\003", "\033" };

	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		pty_send(pty, ":sql WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
			      " SELECT max(i) FROM n\r");
		expect_text(pty, "Esc cancels");
		press(pty, keys[i], "canceled");
		press(pty, ":sql SELECT 40 + 2 AS answer\r", "42");
	}
	expect_alive(pty);
}

/* As in psql, query errors are shown at the prompt, where the query can be edited. */
EXPECTATION(query_error_stays_at_prompt)
{
	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	press(pty, ";SELEC 40 + 2 AS answer\r", "SQL: near \"SELEC\": syntax error");
	expect_text(pty, "sql> SELEC 40 + 2 AS answer");
	press(pty, "\001\033f", "sql> SELEC 40");
	expect_gone(pty, "syntax error");
	press(pty, "T\r", "42");
	expect_gone(pty, "sql>");
	press(pty, "q", "[1 Overview]");
	/* an error that does not fit next to the line is shown above it; Esc leaves */
	press(pty,
	      ";SELECT name, calls, gpu_total_ns, cpu_total_ns FROM operators ORDER BY gpu_totl_ns\r",
	      "no such column");
	expect_text(pty, "FROM operators ORDER BY gpu_totl_ns");
	pty_send(pty, "\033");
	expect_gone(pty, "sql>");
	expect_text(pty, "[1 Overview]");
}

/* The editor has the terminal as a shell does; then the same screen is drawn again. */
EXPECTATION(editor_has_the_terminal)
{
	static const char editor[] = "#!/bin/sh\n"
				     "stty -a | grep -q ' icanon' && echo ordinary terminal\n"
				     "echo \"editing $1 of ${2##*/}\"\n"
				     "read answer && echo \"got $answer\"\n"
				     "sleep 1\n";
	char variable[512], command[512];
	const char *const environment[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", "VISUAL",
					    variable, NULL };

	write_whole(scratch("resnet.py"), "x = 1\n", 6);
	write_whole(scratch("editor"), editor, sizeof editor - 1);
	assert_int_equal(chmod(scratch("editor"), 0755), 0);
	snprintf(variable, sizeof variable, "EDITOR=%s", scratch("editor"));
	snprintf(command, sizeof command, ":source %s\r", scratch(""));
	struct pty *pty = run_demo(environment, ROWS, WIDE);
	press(pty, "4", "[4 Kernels]");
	press(pty, command, "looked for in");
	press(pty, "V", "editing +89 of resnet.py");
	expect_text(pty, "ordinary terminal");
	press(pty, "yes\r", "got yes");
	expect_text(pty, "[4 Kernels]");
	expect_gone(pty, "editing");
	expect_text(pty, "Search");
	assert_true(pty_find(pty, "Search") == pty->rows - 1);
	press(pty, "j", " 2/");
}
