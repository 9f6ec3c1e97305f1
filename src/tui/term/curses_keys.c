/*
 * Translates curses keys.
 */
#define NCURSES_WIDECHAR 1
#include "tui/term/curses_keys.h"

#include "base/clock.h"

#include <curses.h>
#include <wchar.h>

enum { FIRST_OWN_KEY = 0x1000, SEQUENCE_MAX = 32 };

/* Sequences sent by terminals regardless of their terminfo entry. */
static const struct {
	const char *sequence;
	tui_key key;
} extra_keys[] = { TERMINAL_SEQUENCES_ROWS };

enum { EXTRA_COUNT = sizeof extra_keys / sizeof extra_keys[0] };

static const struct {
	int code;
	tui_key key;
} curses_keys[] = { CURSES_KEYS_ROWS };

static tui_key translate(int code)
{
	if (code >= FIRST_OWN_KEY && code < FIRST_OWN_KEY + EXTRA_COUNT)
		return extra_keys[code - FIRST_OWN_KEY].key;
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return TUI_KEY_F1 + (tui_key)(code - KEY_F(1));
	for (size_t i = 0; i < sizeof curses_keys / sizeof curses_keys[0]; i++)
		if (curses_keys[i].code == code)
			return curses_keys[i].key;
	return TUI_KEY_NONE;
}

static tui_key plain_key(wint_t c)
{
	switch (c) {
	case '\r':
	case '\n': return TUI_KEY_ENTER;
	case '\t': return TUI_KEY_TAB;
	case '\b':
	case 0x7f: return TUI_KEY_BACKSPACE;
	case ' ': return TUI_KEY_SPACE;
	default: return (tui_key)c;
	}
}

/* ---- slow lines ---- */

/*
 * One character or key code, as from get_wch, assembling multi-byte characters that arrive byte by
 * byte.
 */
static int next_code(wint_t *code)
{
	mbstate_t state = { 0 };
	wchar_t wide;
	size_t used;
	int byte = getch();
	if (byte == ERR)
		return ERR;
	*code = (wint_t)byte;
	if (byte > 0xff)
		return KEY_CODE_YES;
	timeout(get_escdelay());
	do {
		char c = (char)byte;
		used = mbrtowc(&wide, &c, 1, &state);
	} while (used == (size_t)-2 && (byte = getch()) >= 0 && byte <= 0xff);
	nodelay(stdscr, TRUE);
	if (used == (size_t)-1 || used == (size_t)-2)
		wide = L'\0'; /* not a character: no key */
	*code = (wint_t)wide;
	return OK;
}

/* Rest of a sequence up to its final letter, "1;5Z"; false on timeout. */
static bool rest_of_sequence(char text[SEQUENCE_MAX])
{
	int length = 0, byte;
	timeout(get_escdelay());
	do {
		byte = getch();
		if (length < SEQUENCE_MAX - 1)
			text[length++] = (char)byte;
	} while (byte >= 0x20 && byte < 0x40);
	text[length] = '\0';
	nodelay(stdscr, TRUE);
	return byte >= 0x40 && byte < 0x7f;
}

/* ---- the mouse ---- */

/*
 * Reports are parsed here in both encodings, since curses knows only that of terminfo and, with the
 * mouse off, would read the rest of a report as keys.
 */
static struct mouse_event reported;

/* Converts a meaningful report to TUI_KEY_MOUSE. */
static tui_key mouse_key(int button, int column, int row, bool released)
{
	enum { WITH_CONTROL = 16, RIGHT = 2, WHEEL = 64 };
	button &= ~WITH_CONTROL;
	if (column < 0 || row < 0 || (button & ~(WHEEL | 1) && button != RIGHT) || button == 1)
		return TUI_KEY_NONE;
	reported = (struct mouse_event){ .row = row, .column = column, .released = released };
	reported.right = button == RIGHT;
	reported.wheel = button == 64 ? -1 : button == 65 ? 1 : 0;
	return TUI_KEY_MOUSE;
}

/* Button, column and row are one byte each after "M"; button 3 is a release. */
static tui_key x10_mouse(void)
{
	int byte[3] = { 0 };
	timeout(get_escdelay());
	for (int i = 0; i < 3; i++)
		byte[i] = getch() - 32;
	nodelay(stdscr, TRUE);
	return mouse_key(byte[0] == 3 ? 0 : byte[0], byte[1] - 1, byte[2] - 1, byte[0] == 3);
}

/* TEXT is "<0;10;7M"; it ends in "m" on release. */
static tui_key sgr_mouse(const char *text)
{
	int button, column, row;
	char last;
	if (sscanf(text, "<%5d;%5d;%5d%c", &button, &column, &row, &last) != 4)
		return TUI_KEY_NONE;
	return mouse_key(button, column - 1, row - 1, last == 'm');
}

/* The Linux console's mouse arrives through curses. */
static tui_key console_mouse(void)
{
	MEVENT mouse;
	if (getmouse(&mouse) != OK)
		return TUI_KEY_NONE;
	int button = mouse.bstate & BUTTON4_PRESSED                       ? 64
		     : mouse.bstate & BUTTON5_PRESSED                     ? 65
		     : mouse.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED) ? 0
									  : -1;
	return mouse_key(button, mouse.x, mouse.y, false);
}

bool curses_mouse_event(struct terminal *term, struct mouse_event *event)
{
	*event = reported;
	return true;
}

/* ---- questions to the terminal ---- */

/*
 * The background color (OSC 11), then device attributes (DA1): every terminal answers these, so an
 * answer to them says that none to the first will come.
 */
static const char question[] = "\033]11;?\033\\\033[c";
static int64_t asked_ns; /* 0: not asked */
static bool answered;
static enum background background;

void curses_ask_background(struct terminal *term)
{
	term->ops->send(term, question, sizeof question - 1);
	asked_ns = clock_ns();
}

enum background curses_background(const struct terminal *term)
{
	return background;
}

bool curses_awaits_answer(void)
{
	enum { LATE_S = 2 };
	return asked_ns && !answered && clock_ns() - asked_ns < LATE_S * INT64_C(1000000000);
}

/* The answer after "ESC ]", up to BEL or ESC \; Alt-] when there is none. */
static tui_key color_answer(void)
{
	char text[64];
	size_t length = 0;
	int byte;
	timeout(get_escdelay());
	while ((byte = getch()) >= 0x20 && byte < 0x7f)
		if (length < sizeof text - 1)
			text[length++] = (char)byte;
	if (byte == 033)
		getch();
	nodelay(stdscr, TRUE);
	text[length] = '\0';
	if (strncmp(text, "11;", 3) != 0)
		return length ? TUI_KEY_NONE : ']' | TUI_KEY_ALT;
	background = background_of_color(text + 3);
	return TUI_KEY_BACKGROUND;
}

/*
 * After an escape character: nothing means the Esc key, a character means Alt, and the rest of an
 * unknown sequence is swallowed.
 */
static tui_key after_escape(void)
{
	char text[SEQUENCE_MAX];
	wint_t c;
	int status = next_code(&c);
	if (status == KEY_CODE_YES) {
		tui_key key = translate((int)c);
		return key == TUI_KEY_NONE ? key : key | TUI_KEY_ALT;
	}
	if (status == ERR)
		return TUI_KEY_ESCAPE;
	if (c == 033)
		return TUI_KEY_ESCAPE;
	if (c == ']' && asked_ns)
		return color_answer();
	if (c != '[' && c != 'O')
		return plain_key(c) | TUI_KEY_ALT;
	if (!rest_of_sequence(text) || c != '[')
		return TUI_KEY_NONE;
	if (*text == '?' && text[strlen(text) - 1] == 'c')
		answered = true;
	return !strcmp(text, "M") ? x10_mouse() : *text == '<' ? sgr_mouse(text) : TUI_KEY_NONE;
}

tui_key curses_key(void)
{
	wint_t c;
	for (;;) {
		int status = next_code(&c);
		if (status == ERR)
			return TUI_KEY_NONE;
		tui_key key = status != KEY_CODE_YES ? c == 033 ? after_escape() : plain_key(c)
			      : (int)c == KEY_MOUSE ? console_mouse()
						     : translate((int)c);
		if (key != TUI_KEY_NONE)
			return key;
	}
}

void curses_define_keys(void)
{
	define_key(NULL, KEY_MOUSE);
	for (size_t i = 0; i < EXTRA_COUNT; i++) {
		define_key(extra_keys[i].sequence, 0); /* overrides any earlier definition */
		define_key(extra_keys[i].sequence, FIRST_OWN_KEY + (int)i);
	}
}
