/* Expectations 25 to 31: navigation, forward and back. */
#include "expect.h"

#include "base/buffer.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

EXPECTATION(25_back_restores_state)
{
	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	press(pty, "3", "1/70");
	press(pty, ":sort calls\r", "Calls▼");
	press(pty, "&aten\r", "&aten (");
	press(pty, "\033[6~\033[6~jj", "&aten (");
	pty_settle(pty);
	expect_selected(pty, "aten::");
	char *before = strdup(pty_text(pty));
	for (int i = 0; i < 2; i++) {
		press(pty, i ? "l" : "\r", "[Calls]");
		expect_text(pty, "1/");
		press(pty, "G", "100%");
		press(pty, i ? "\033" : "\177", "[3 Operators]");
		expect_text(pty, "&aten (");
		pty_settle(pty);
		assert_string_equal(pty_text(pty), before);
	}
	free(before);
}

EXPECTATION(26_breadcrumb_shows_location)
{
	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	press(pty, "2", "[2 Layers]");
	press(pty, "/BatchNorm2d_0\r", " of ");
	expect_selected(pty, "BatchNorm2d_0");
	press(pty, "\r", "run > ResNet_0 > BatchNorm2d_0");
	press(pty, "\r", "run > ResNet_0 > BatchNorm2d_0 > ");
	press(pty, ":steps 3..4\r", "run > steps 3..4 > ResNet_0 > BatchNorm2d_0 > ");
	/* five levels deep: a narrow screen drops the outermost parts and keeps the innermost */
	pty_settle(pty); /* the end of the line may come later */
	char *deep = strdup(strstr(pty_text(pty), "run > steps"));
	deep[strcspn(deep, "\n")] = '\0';
	char innermost[256];
	snprintf(innermost, sizeof innermost, "%s", strrchr(deep, '>') + 2);
	free(deep);
	pty_resize(pty, 24, 44);
	expect_text(pty, "… > ");
	expect_gone(pty, "run >");
	expect_text(pty, innermost);
	pty_resize(pty, ROWS, WIDE);
	expect_text(pty, "run > steps 3..4 > ResNet_0");
	for (int i = 0; i < 3; i++)
		pty_send(pty, "\177");
	expect_gone(pty, "run >");
	expect_text(pty, "[2 Layers]");
}

EXPECTATION(27_position_is_shown)
{
	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	press(pty, "3", "1% 1/70");
	press(pty, ":35\r", "50% 35/70");
	press(pty, "G", "100% 70/70");
	press(pty, "&batch_norm\r", "&batch_norm (4 of 70)");
	expect_text(pty, "/4");
	press(pty, ":filter\r", "/70");
	expect_gone(pty, "&batch_norm");
	press(pty, "2", "[2 Layers]");
	press(pty, "G", "100% 40/40");
	press(pty, "?", "[help]");
	press(pty, "G", "100%");
	pty_resize(pty, 3, 20);
	press(pty, "q", "40/40"); /* without the share if there is no room */
}

EXPECTATION(28_q_asks_at_the_top_and_Q_does_not)
{
	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	press(pty, "3\r", "[Calls]");
	press(pty, "\r", "[Launches]");
	press(pty, "q", "[Calls]");
	press(pty, "q", "[3 Operators]");
	press(pty, "q", "press q again to quit");
	press(pty, "j", " 2/70"); /* any key between the two q resets the question */
	press(pty, "q", "press q again to quit");
	expect_alive(pty);
	/* q closes help and menus */
	press(pty, "?", "[help]");
	press(pty, "q", "[3 Operators]");
	press(pty, "s", "Sort By");
	pty_send(pty, "q");
	expect_gone(pty, "Sort By");
	expect_alive(pty);
	pty_send(pty, "\003");
	expect_text(pty, "press Ctrl-C again");
	expect_alive(pty);
	press(pty, "\r", "[Calls]");
	pty_send(pty, "Q");
	expect_exit(pty, 0);
}

/* Bytes less than this apart belong to one key. */
enum { SPLIT_MS = 40 };

EXPECTATION(29_escape_is_immediate_and_split_sequences_are_keys)
{
	const char *const patient[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", "ESCDELAY=3000",
					NULL };
	const char *const plain_terminal[] = { "TERM=vt100", "LC_ALL=C.UTF-8", "NO_COLOR", NULL };
	int tried = 0;

	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	press(pty, "3", "1/70");
	press(pty, "\033", "top level");
	expectation_teardown(NULL);
	/*
	 * by default a sequence may take 50 ms a byte; attempts in which the machine was slower do
	 * not count: their bytes were keys, which may have led anywhere
	 */
	for (int seen = 0; seen < 5 && tried < 100; tried++) {
		pty = run_demo(utf8, ROWS, WIDE);
		press(pty, "3", " 1/70");
		bool fair = pty_send_slowly(pty, "\033[B", 5) < SPLIT_MS;
		fair &= pty_send_slowly(pty, "\033[6~", 5) < SPLIT_MS;
		fair &= pty_send_slowly(pty, "\033[5~", 5) < SPLIT_MS;
		if (fair) {
			press(pty, "j", " 3/70");
			seen++;
		}
		expectation_teardown(NULL);
	}
	/* the forms of a key that terminals send whatever their terminfo entry says */
	static const struct {
		const char *bytes, *position;
	} forms[] = {
		{ "\033[4~", " 70/70" }, { "\033[1~", " 1/70" },  { "\033OF", " 70/70" },
		{ "\033OH", " 1/70" },   { "\033[8~", " 70/70" }, { "\033[7~", " 1/70" },
		{ "\033OB", " 2/70" },   { "\033OA", " 1/70" },   { "\033[B", " 2/70" },
	};
	for (int vt100 = 0; vt100 < 2; vt100++) {
		pty = run_demo(vt100 ? plain_terminal : utf8, ROWS, WIDE);
		press(pty, "3", "1/70");
		for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
			press(pty, forms[i].bytes, forms[i].position);
		expectation_teardown(NULL);
	}
	/* on a slow line the option raises the limit */
	pty = run_demo(patient, ROWS, WIDE);
	press(pty, "3", "1/70");
	pty_send_slowly(pty, "\033[B", 120);
	expect_text(pty, " 2/70");
	pty_send_slowly(pty, "\033OB", 120);
	expect_text(pty, " 3/70");
	pty_send_slowly(pty, "\033[1;5Z", 120); /* an unknown key does nothing */
	pty_send_slowly(pty, "k", 0);
	expect_text(pty, " 2/70");
	expect_gone(pty, "does nothing here");
	press(pty, "/", "/");
	pty_send_slowly(pty, "\303\251t\303\251", 120); /* also multi-byte characters */
	expect_text(pty, "/été");
	pty_send(pty, "\007"); /* Ctrl-G */
	expect_gone(pty, "/été");
	press(pty, "\017", "[1 Overview]");     /* Ctrl-O */
	pty_send_slowly(pty, "\033[1;3C", 120); /* Alt-Right */
	expect_text(pty, "[3 Operators]");
	press(pty, "\033", "top level");
}

/* Every sequence that terminals send for a key, in two terminals: where the key is bound to
 * nothing, it is named. What is no key is swallowed whole. */
EXPECTATION(29_keys_are_those_that_terminals_send)
{
	static const struct {
		const char *bytes, *name;
	} keys[] = {
		{ "\033[A", "<Up>" },
		{ "\033OA", "<Up>" },
		{ "\033[B", "<Down>" },
		{ "\033OB", "<Down>" },
		{ "\033[C", "<Right>" },
		{ "\033OC", "<Right>" },
		{ "\033[D", "<Left>" },
		{ "\033OD", "<Left>" },
		{ "\033[1;2C", "<S-Right>" },
		{ "\033[1;2D", "<S-Left>" },
		{ "\033[1;3C", "<M-Right>" },
		{ "\033[1;3D", "<M-Left>" },
		{ "\033\033[C", "<M-Right>" },
		{ "\033\033[D", "<M-Left>" },
		{ "\033[H", "<Home>" },
		{ "\033[1~", "<Home>" },
		{ "\033[7~", "<Home>" },
		{ "\033OH", "<Home>" },
		{ "\033[F", "<End>" },
		{ "\033[4~", "<End>" },
		{ "\033[8~", "<End>" },
		{ "\033OF", "<End>" },
		{ "\033[2~", "<Insert>" },
		{ "\033[3~", "<Delete>" },
		{ "\033[5~", "<PageUp>" },
		{ "\033[6~", "<PageDown>" },
		{ "\033[Z", "<S-Tab>" },
		{ "\t", "<Tab>" },
		{ "\r", "<Enter>" },
		{ "\n", "<Enter>" },
		{ "\033OM", "<Enter>" },
		{ "\177", "<Backspace>" },
		{ "\b", "<Backspace>" },
		{ " ", "<Space>" },
		{ "\033OP", "<F1>" },
		{ "\033[11~", "<F1>" },
		{ "\033[[A", "<F1>" },
		{ "\033OQ", "<F2>" },
		{ "\033[12~", "<F2>" },
		{ "\033[[B", "<F2>" },
		{ "\033OR", "<F3>" },
		{ "\033[13~", "<F3>" },
		{ "\033OS", "<F4>" },
		{ "\033[14~", "<F4>" },
		{ "\033[15~", "<F5>" },
		{ "\033[[E", "<F5>" },
		{ "\033[17~", "<F6>" },
		{ "\001", "<C-a>" },
		{ "\025", "<C-u>" },
		{ "\033b", "<M-b>" },
		{ "\033\001", "<M-C-a>" },
		{ "\303\251", "\303\251" },
		{ "\033\303\251", "<M-\303\251>" },
		{ "\033\033[A", "<M-Up>" },
		{ "\033\033OP", "<M-F1>" },
	};
	static const char *const no_keys[] = { "\033[1;5Z",     "\033[99~",  "\033[<0;10;7M",
					       "\033[<0;10;7m", "\033[M !!", "\033[?62c",
					       "\377",          "\033OZ" };
	const char *const xterm[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", "ESCDELAY=3000",
				      NULL };
	const char *const linux_console[] = { "TERM=linux", "LC_ALL=C.UTF-8", "ESCDELAY=3000",
					      NULL };
	AUTO_BUFFER struct buffer config = { 0 };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		buffer_printf(&config, "unbind all %s\nunbind table %s\n", keys[i].name,
			      keys[i].name);
	write_text_in(scratch("."), "config", buffer_text(&config));
	AUTO_FREE char *option = mem_printf("--config=%s", scratch("config"));
	for (int console = 0; console < 2; console++) {
		struct pty *pty = run_strata(console ? linux_console : xterm, ROWS, WIDE, "--demo",
					     "--view=kernels", option, NULL);
		expect_text(pty, " 1/");
		for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
			AUTO_FREE char *text = mem_printf("%s does nothing here", keys[i].name);
			press(pty, keys[i].bytes, text);
			press(pty, "~", "~ does nothing here");
		}
		for (size_t i = 0; i < sizeof no_keys / sizeof *no_keys; i++) {
			press(pty, "j", " 2/");
			pty_send(pty, no_keys[i]);
			press(pty, "k", " 1/");
			assert_null(strstr(pty_text(pty), "does nothing here"));
		}
		expectation_teardown(NULL);
	}
}

EXPECTATION(30_links_work_both_ways)
{
	char there[512], back[512];

	struct pty *pty = run_strata(utf8, ROWS, 140, "--demo", "--view", "links", NULL);
	expect_text(pty, "1/");
	pty_settle(pty);
	snprintf(back, sizeof back, "%s", selected_line(pty));
	press(pty, "]", "backward");
	expect_selected(pty, "bwd");
	pty_settle(pty);
	snprintf(there, sizeof there, "%s", selected_line(pty));
	for (int i = 0; i < 2; i++) {
		/* back to the very row, by either key */
		press(pty, i ? "\177" : "[", "[Links]");
		expect_selected(pty, back);
		press(pty, "]", "backward");
		expect_selected(pty, there);
	}
	press(pty, "[", "[Links]");
	press(pty, "[", "forward");
	expect_selected(pty, "fwd");
	pty_settle(pty);
	snprintf(back, sizeof back, "%s", selected_line(pty));
	/* a row without a link says so and stays */
	press(pty, "[", "no forward operator");
	assert_string_equal(selected_line(pty), back);
	/* a finding leads to what it is about, the state of the input to nothing */
	press(pty, "1", "[1 Overview]");
	press(pty, "]", "[4 Kernels]");
	press(pty, "[", "[1 Overview]");
	press(pty, "G", "Input");
	press(pty, "]", "nothing is linked");
}

EXPECTATION(31_jump_list_leads_back_to_start)
{
	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	press(pty, "3", "1/70");
	press(pty, "/batch_norm_b\r", " 3/70");
	press(pty, "\r", "[Calls]"); /* drill */
	expect_text(pty, "1/60");
	press(pty, "]", "[Launches]"); /* link */
	expect_selected(pty, "kernel");
	press(pty, ":7\r", " 7/"); /* go to a row by number */
	press(pty, "4", "[4 Kernels]");
	/* step by step */
	press(pty, "\017", "[Launches]");
	expect_text(pty, " 7/");
	pty_send(pty, "\017");
	expect_gone(pty, " 7/");
	press(pty, "\017", "1/60");
	press(pty, "\017", " 3/70");
	press(pty, "\017", " 1/70");
	press(pty, "\017", "[1 Overview]");
	press(pty, "\017", "no earlier jump");
	/* and forward again */
	press(pty, "\033[1;3C", " 1/70");
	press(pty, "\033[1;3C", " 3/70");
	press(pty, "\033[1;3C", "1/60");
}

/* w predicts the finding, Enter draws the prediction on the timeline. */
EXPECTATION(two_keys_from_a_finding_to_its_prediction)
{
	struct pty *pty = run_demo(utf8, 45, 140);
	press(pty, ":view advice\r", "[9 Advice]");
	press(pty, "/Synchronization stalls\r", "matches 'Synchronization stalls'");
	press(pty, "w", "step 15.07 ms -> 11.44 ms");
	press(pty, "\033[C", "this edit has no factor");
	press(pty, "\r", "[5 Timeline]");
	expect_text(pty, "what-if: step 15.07 ms -> 11.44 ms");
	expect_text(pty, "   predicted ");
	press(pty, "Z", "reloaded");
	expect_gone(pty, "   predicted ");
}

/* A key changes the factor, and the prediction beside it. */
EXPECTATION(a_factor_is_slid)
{
	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	press(pty, "4", "[4 Kernels]");
	press(pty, "w", "x 0.50 ");
	expect_text(pty, "step 15.07 ms -> ");
	press(pty, "0", "x 0.00 ");
	expect_text(pty, "-> 14.2");
	press(pty, "\033[C\033[C", "x 0.10 ");
	press(pty, "\033", "Enter Open");
	expect_gone(pty, "What if");
}
