/*
 * The arguments of protocol 0, which are lines of text.
 */
#include "base/buffer.h"
#include "input/pickle/pickle_private.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

bool pickle_number_line(struct plain_pickle *pickle, char code)
{
	enum { DIGITS_MAX = 64 };
	const char *line;
	char text[DIGITS_MAX + 1], *end;
	size_t length;
	if (!pickle_take_line(pickle, &line, &length))
		return false;
	if (length > DIGITS_MAX)
		return pickle_push(pickle, plain_make(PLAIN_OTHER, 0));
	memcpy(text, line, length);
	text[length] = 0;
	if (code == 'I' && length == 2 && text[0] == '0' && (text[1] == '0' || text[1] == '1'))
		return pickle_push(pickle, plain_make(PLAIN_BOOL, text[1] == '1'));
	if (code == 'F') {
		double real = strtod(text, &end);
		return (end != text && !*end &&
			pickle_push(pickle, pickle_make_real(pickle, real))) ||
		       pickle_wrong(pickle, "invalid number");
	}
	if (length && text[length - 1] == 'L')
		text[length - 1] = 0;
	errno = 0;
	int64_t number = strtoll(text, &end, 10);
	if (end == text || *end)
		return pickle_wrong(pickle, "invalid number");
	return pickle_push(pickle, errno == ERANGE ? plain_make(PLAIN_OTHER, 0)
						   : pickle_make_int(pickle, number));
}

static void add_character(struct buffer *out, uint32_t code)
{
	if (code < 0x80) {
		buffer_putc(out, (char)code);
	} else if (code < 0x800) {
		buffer_putc(out, (char)(0xc0 | code >> 6));
		buffer_putc(out, (char)(0x80 | (code & 63)));
	} else if (code < 0x10000) {
		buffer_putc(out, (char)(0xe0 | code >> 12));
		buffer_putc(out, (char)(0x80 | (code >> 6 & 63)));
		buffer_putc(out, (char)(0x80 | (code & 63)));
	} else {
		buffer_putc(out, (char)(0xf0 | (code >> 18 & 7)));
		buffer_putc(out, (char)(0x80 | (code >> 12 & 63)));
		buffer_putc(out, (char)(0x80 | (code >> 6 & 63)));
		buffer_putc(out, (char)(0x80 | (code & 63)));
	}
}

/* The hexadecimal digits of an escape after its letter; 0: none. */
static size_t escape_digits(char letter, bool quoted)
{
	return letter == 'u' && !quoted   ? 4
	       : letter == 'U' && !quoted ? 8
	       : letter == 'x' && quoted  ? 2
					  : 0;
}

static int hex_of(char digit)
{
	return isdigit((unsigned char)digit)    ? digit - '0'
	       : isxdigit((unsigned char)digit) ? tolower((unsigned char)digit) - 'a' + 10
						: -1;
}

/* \uXXXX and \UXXXXXXXX of protocol 0 texts; \xXX and \c of quoted ones. */
static size_t add_escape(struct buffer *out, const char *at, size_t left, bool quoted)
{
	static const char letters[] = "ntr", meant[] = "\n\t\r";
	size_t digits = left > 1 ? escape_digits(at[1], quoted) : 0, used = 2;
	uint32_t code = 0;
	for (size_t i = 0; i < digits && used < left && hex_of(at[used]) >= 0; i++)
		code = code << 4 | (uint32_t)hex_of(at[used++]);
	if (digits && used == digits + 2) {
		add_character(out, code);
		return used;
	}
	if (quoted && left > 1) {
		const char *letter = strchr(letters, at[1]);
		buffer_putc(out, letter && *letter ? meant[letter - letters] : at[1]);
		return 2;
	}
	buffer_putc(out, '\\');
	return 1;
}

bool pickle_text_line(struct plain_pickle *pickle, bool quoted)
{
	AUTO_BUFFER struct buffer out = { 0 };
	const char *line;
	size_t length;
	if (!pickle_take_line(pickle, &line, &length))
		return false;
	if (quoted) {
		if (length < 2 || (*line != '\'' && *line != '"') || line[length - 1] != *line)
			return pickle_wrong(pickle, "text without quotes");
		line++;
		length -= 2;
	}
	if (!memchr(line, '\\', length))
		return pickle_push_text(pickle, line, length);
	for (size_t i = 0; i < length;) {
		if (line[i] == '\\')
			i += add_escape(&out, line + i, length - i, quoted);
		else
			buffer_putc(&out, line[i++]);
	}
	pickle_push_text(pickle, BUFFERED(&out));
	return true;
}

bool pickle_slot_line(struct plain_pickle *pickle, bool (*act)(struct plain_pickle *, uint64_t))
{
	const char *line;
	size_t length;
	uint64_t slot = 0;
	if (!pickle_take_line(pickle, &line, &length))
		return false;
	if (!length || length > 18)
		return pickle_wrong(pickle, "impossible memo");
	for (size_t i = 0; i < length; i++) {
		if (!isdigit((unsigned char)line[i]))
			return pickle_wrong(pickle, "impossible memo");
		slot = slot * 10 + (uint64_t)(line[i] - '0');
	}
	return act(pickle, slot);
}

bool pickle_global_lines(struct plain_pickle *pickle)
{
	uint32_t names[2]; /* module and name */
	for (int i = 0; i < 2; i++) {
		const char *line;
		size_t length;
		if (!pickle_take_line(pickle, &line, &length))
			return false;
		names[i] = intern_add(pickle->strings, line, length);
	}
	return pickle_push_global(pickle, names[0], names[1]);
}
