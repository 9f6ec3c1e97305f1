#include "base/text.h"

#include "base/buffer.h"
#include "base/text_slice.h"
#include "text_tables.h"

#include <ctype.h>
#include <utf8proc.h>

size_t text_decode(const char *text, size_t length, int32_t *point)
{
	unsigned char first = (unsigned char)*text;
	if (first < 0x80) {
		*point = first;
		return 1;
	}
	utf8proc_int32_t decoded;
	utf8proc_ssize_t used =
		utf8proc_iterate((const utf8proc_uint8_t *)text,
				 (utf8proc_ssize_t)(length < 4 ? length : 4), &decoded);
	*point = used > 0 ? decoded : -1;
	return used > 0 ? (size_t)used : 1;
}

size_t text_encode(uint32_t point, char out[4])
{
	return (size_t)utf8proc_encode_char((utf8proc_int32_t)point, (utf8proc_uint8_t *)out);
}

/*
 * Zero or ambiguous width despite a harmless category: variation selectors change the width of
 * their neighbour, terminals disagree on fillers.
 */
static const struct {
	int32_t first, last;
} tricky[] = { TRICKY_CHARACTER_ROWS };

bool text_is_unsafe(int32_t point)
{
	if (point < 0x80)
		return point < 0x20 || point == 0x7f;
	for (size_t i = 0; i < sizeof tricky / sizeof *tricky; i++) {
		if (point >= tricky[i].first && point <= tricky[i].last)
			return true;
	}
	switch (utf8proc_category(point)) {
	case UTF8PROC_CATEGORY_CC: /* controls */
	case UTF8PROC_CATEGORY_CF: /* direction, joiners, byte order mark, tags */
	case UTF8PROC_CATEGORY_CS: /* surrogates */
	case UTF8PROC_CATEGORY_CN: /* noncharacters and unassigned code points */
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP: return true;
	default: return false;
	}
}

int text_point_width(int32_t point)
{
	if (point < 0x80)
		return point >= 0x20 && point != 0x7f;
	if (utf8proc_category(point) == UTF8PROC_CATEGORY_CO)
		return 1;
	int width = utf8proc_charwidth(point);
	return width < 0 ? 0 : width;
}

static void escape_point(struct buffer *out, int32_t point, unsigned char byte)
{
	static const char letters[] = { ['\n'] = 'n', ['\t'] = 't', ['\r'] = 'r' };
	if (point < 0)
		buffer_printf(out, "\\x%02x", byte);
	else if ((size_t)point < sizeof letters && letters[point])
		buffer_printf(out, "\\%c", letters[point]);
	else if (point < 0x80)
		buffer_printf(out, "\\x%02x", (unsigned)point);
	else if (point < 0x10000)
		buffer_printf(out, "\\u%04x", (unsigned)point);
	else
		buffer_printf(out, "\\U%08x", (unsigned)point);
}

void text_escape(struct buffer *out, const char *text, size_t length)
{
	size_t kept = 0; /* start of the current safe stretch */
	for (size_t i = 0; i < length;) {
		int32_t point;
		size_t used = text_decode(text + i, length - i, &point);
		if (text_is_unsafe(point)) {
			buffer_add(out, text + kept, i - kept);
			escape_point(out, point, (unsigned char)text[i]);
			kept = i + used;
		}
		i += used;
	}
	buffer_add(out, text + kept, length - kept);
}

size_t text_head(const char *text, size_t length, size_t columns, size_t *width)
{
	size_t i = 0;
	*width = 0;
	while (i < length) {
		int32_t point;
		bool plain = text[i] >= 0x20 && text[i] < 0x7f; /* most are */
		size_t used = plain ? 1 : text_decode(text + i, length - i, &point);
		size_t wide = plain ? 1 : (size_t)text_point_width(point);
		if (*width + wide > columns)
			break;
		*width += wide;
		i += used;
	}
	return i;
}

size_t text_width(const char *text, size_t length)
{
	size_t width;
	text_head(text, length, SIZE_MAX, &width);
	return width;
}

/* Does the blank at AT separate a number from a unit, which is a word of up to four letters? */
static bool is_before_unit(const char *text, size_t length, size_t at)
{
	enum { UNIT_MAX = 4 };
	size_t end = at + 1;
	while (end < length && text[end] != ' ')
		end++;
	return at > 0 && isdigit((unsigned char)text[at - 1]) && end - at - 1 <= UNIT_MAX;
}

static bool is_break(const char *text, size_t length, size_t at)
{
	return text[at] == ' ' && !is_before_unit(text, length, at);
}

size_t text_wrap(const char *text, size_t length, size_t fits, bool whole)
{
	if (fits >= length)
		return length;
	size_t at = fits;
	while (at > 0 && !is_break(text, length, at))
		at--;
	size_t word = at + 1;
	while (word < length && (whole || word - at <= fits + 1) && !is_break(text, length, word))
		word++;
	bool breaks_word = at == 0 || (at <= fits / 2 && word - at - 1 > fits);
	if (breaks_word && !whole)
		return fits;
	if (at == 0)
		at = word;
	while (at < length && text[at] == ' ')
		at++;
	return at;
}

size_t text_path_end(const char *text, size_t length, size_t parts)
{
	size_t end = 0;
	if (!length || *text != '/')
		return 0;
	while (end < length && text[end] != '(' && text[end] != ':')
		end++;
	while (end > 0) {
		parts -= text[--end] == '/';
		if (!parts)
			return end + 1;
	}
	return 0;
}

size_t text_folders(const char *text, size_t length)
{
	size_t name = text_path_end(text, length, 1), end = name;
	while (end < length && text[end] != '(' && text[end] != ':')
		end++;
	return end + 1 < length && isdigit((unsigned char)text[end + 1]) ? name : 0;
}

const char *text_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

bool text_ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), own = strlen(end);
	return length > own && strcmp(text + length - own, end) == 0;
}

static bool next_word(const char **words, struct text_slice *word)
{
	*word = (struct text_slice){ *words, strcspn(*words, "|") };
	*words += word->length + ((*words)[word->length] == '|');
	return word->length;
}

int text_choice(const char *text, size_t length, const char *words)
{
	int place = 0;
	for (struct text_slice word; next_word(&words, &word); place++)
		if (word.length == length && !memcmp(word.text, text, length))
			return place;
	return -1;
}

size_t text_start(const char *text, size_t length, const char *words)
{
	for (struct text_slice word; next_word(&words, &word);)
		if (word.length <= length && !strncmp(text, word.text, word.length))
			return word.length;
	return 0;
}

size_t text_end(const char *text, size_t length, const char *words)
{
	for (struct text_slice word; next_word(&words, &word);)
		if (word.length <= length &&
		    !memcmp(text + length - word.length, word.text, word.length))
			return word.length;
	return 0;
}

bool text_has_one(const char *text, size_t length, const char *words)
{
	for (struct text_slice word; next_word(&words, &word);)
		if (memmem(text, length, word.text, word.length))
			return true;
	return false;
}

bool text_holds_one(const char *text, const char *words)
{
	for (; *text; text++)
		for (const char *at = words, *next; *at; at = next + (*next == '|')) {
			next = strchrnul(at, '|');
			if (!strncasecmp(text, at, (size_t)(next - at)))
				return true;
		}
	return false;
}

bool text_is_listed(const char *words, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = words; length && (at = strstr(at, word)); at += length)
		if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

size_t text_distance(const char *a, const char *b)
{
	enum { LENGTH_MAX = 63 };
	size_t n = strnlen(a, LENGTH_MAX), m = strnlen(b, LENGTH_MAX),
	       row[LENGTH_MAX + 1][LENGTH_MAX + 1];

	for (size_t i = 0; i <= n; i++)
		row[i][0] = i;
	for (size_t j = 0; j <= m; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		for (size_t j = 1; j <= m; j++) {
			bool swapped =
				i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
			size_t least = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			lower_to(least, row[i - 1][j] + 1);
			if (row[i][j - 1] + 1 < least)
				least = row[i][j - 1] + 1;
			if (swapped && row[i - 2][j - 2] + 1 < least)
				least = row[i - 2][j - 2] + 1;
			row[i][j] = least;
		}
	}
	return row[n][m];
}

void text_near_try(struct text_near *near, const char *candidate, size_t slips)
{
	size_t length = strlen(near->name), slips_max = length < 3 ? 0 : (length + 1) / 3;
	if (slips >= (near->best ? near->slips : slips_max + 1))
		return;
	near->best = candidate;
	near->slips = slips;
}

void text_escape_markup(struct buffer *out, const char *text, size_t length)
{
	AUTO_BUFFER struct buffer safe = { 0 };
	text_escape(&safe, text, length);
	for (size_t i = 0; i < safe.length; i++) {
		char c = safe.data[i];
		if (c == '&')
			buffer_puts(out, "&amp;");
		else if (c == '<')
			buffer_puts(out, "&lt;");
		else if (c == '>')
			buffer_puts(out, "&gt;");
		else if (c == '"')
			buffer_puts(out, "&quot;");
		else
			buffer_putc(out, c);
	}
}
