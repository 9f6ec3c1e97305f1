/*
 * Keys as numbers and names. A key is a code point, a control character (1-26) or a special key
 * below; TUI_KEY_ALT is added for Alt. Names are the character itself, or "<Down>", "<C-o>",
 * "<M-Left>", "<Space>", "<lt>".
 */
#pragma once

#include "base/listed.h"
#include "text_tables.h"

#include <stddef.h>
#include <stdint.h>

typedef uint32_t tui_key;

enum {
	TUI_KEY_NONE = 0,
	TUI_KEY_SPECIAL = 0x200000,
	KEY_ROWS(LISTED) TUI_KEY_F1,
	TUI_KEY_F12 = TUI_KEY_F1 + 11,
	/* terminal events */
	TUI_KEY_MOUSE,
	TUI_KEY_RESIZE,
	TUI_KEY_BACKGROUND, /* the terminal told its background color */
	TUI_KEY_PASTE_BEGIN,
	TUI_KEY_PASTE_END,
	TUI_KEY_HANGUP,
	TUI_KEY_ALT = 0x1000000,
};

#define tui_key_ctrl(letter) ((tui_key)((letter)&0x1f))

enum { TUI_KEY_NAME_MAX = 24 };

/* Write the name of KEY to OUT. */
char *tui_key_name(tui_key key, char out[TUI_KEY_NAME_MAX]);

/* Parse a key name at TEXT (LENGTH > 0 bytes); returns the bytes used, 0 if unknown. */
size_t tui_key_parse(const char *text, size_t length, tui_key *key);
