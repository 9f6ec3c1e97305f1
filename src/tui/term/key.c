#include "tui/term/key.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
	tui_key key;
	const char *name;
} names[] = {
#define NAMED(key, name) { key, name },
	KEY_ROWS(NAMED){ TUI_KEY_PASTE_BEGIN, "Paste" },
	{ TUI_KEY_PASTE_END, "PasteEnd" },
	{ '<', "lt" },
	{ '>', "gt" },
};

enum { NAME_COUNT = sizeof names / sizeof names[0] };

char *tui_key_name(tui_key key, char out[TUI_KEY_NAME_MAX])
{
	const char *alt = key & TUI_KEY_ALT ? "M-" : "";
	tui_key plain = key & ~(tui_key)TUI_KEY_ALT;
	for (size_t i = 0; i < NAME_COUNT; i++) {
		if (names[i].key == plain && (plain >= TUI_KEY_SPECIAL || *alt)) {
			snprintf(out, TUI_KEY_NAME_MAX, "<%s%s>", alt, names[i].name);
			return out;
		}
	}
	if (plain >= TUI_KEY_F1 && plain <= TUI_KEY_F12) {
		snprintf(out, TUI_KEY_NAME_MAX, "<%sF%u>", alt, plain - TUI_KEY_F1 + 1);
	} else if (plain < 0x20) {
		snprintf(out, TUI_KEY_NAME_MAX, "<%sC-%c>", alt, (int)(plain | 0x60));
	} else {
		char point[5] = { 0 };
		text_encode(plain, point);
		snprintf(out, TUI_KEY_NAME_MAX, *alt ? "<%s%s>" : "%s%s", alt, point);
	}
	return out;
}

/* Parse the key name of LENGTH bytes between angle brackets. */
static tui_key special_key(const char *text, size_t length)
{
	for (size_t i = 0; i < NAME_COUNT; i++)
		if (strlen(names[i].name) == length && !strncasecmp(names[i].name, text, length))
			return names[i].key;
	if (length > 2 && text[1] == '-' && (text[0] == 'M' || text[0] == 'm')) {
		tui_key key = special_key(text + 2, length - 2);
		if (key == TUI_KEY_NONE && length == 3)
			key = (unsigned char)text[2];
		return key == TUI_KEY_NONE ? key : key | TUI_KEY_ALT;
	}
	if (length == 3 && text[1] == '-' && (text[0] == 'C' || text[0] == 'c'))
		return tui_key_ctrl(text[2]);
	if ((length == 2 || length == 3) && (text[0] == 'F' || text[0] == 'f')) {
		int number = text[1] - '0';
		if (length == 3)
			number = number * 10 + text[2] - '0';
		if (number >= 1 && number <= 12)
			return TUI_KEY_F1 + (tui_key)number - 1;
	}
	return TUI_KEY_NONE;
}

size_t tui_key_parse(const char *text, size_t length, tui_key *key)
{
	if (text[0] == '<') {
		const char *close = memchr(text, '>', length);
		if (!close || close == text + 1) {
			*key = '<';
			return 1;
		}
		*key = special_key(text + 1, (size_t)(close - text) - 1);
		return *key == TUI_KEY_NONE ? 0 : (size_t)(close - text) + 1;
	}
	int32_t point;
	size_t used = text_decode(text, length, &point);
	*key = point == ' ' ? TUI_KEY_SPACE : point < 0 ? '?' : (tui_key)point;
	return used;
}
