#include "base/text.h"

#include "base/buffer.h"

#include <ctype.h>
#include <string.h>
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
} tricky[] = {
	{ 0x034f, 0x034f },   { 0x115f, 0x1160 },   { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },
	{ 0x3164, 0x3164 },   { 0xfe00, 0xfe0f },   { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },
	{ 0x1f3fb, 0x1f3ff }, { 0xe0000, 0xe0fff },
};

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

size_t text_width(const char *text, size_t length)
{
	size_t width = 0;
	for (size_t i = 0; i < length;) {
		int32_t point;
		i += text_decode(text + i, length - i, &point);
		width += (size_t)text_point_width(point);
	}
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

/* Bytes of the longest head of at most COLUMNS columns; *WIDTH is its width. */
static size_t head_bytes(const char *text, size_t length, size_t columns, size_t *width)
{
	size_t i = 0;
	*width = 0;
	while (i < length) {
		int32_t point;
		size_t used = text_decode(text + i, length - i, &point);
		size_t wide = (size_t)text_point_width(point);
		if (*width + wide > columns)
			break;
		*width += wide;
		i += used;
	}
	return i;
}

/* Start of the longest tail of at most COLUMNS columns; never a combining mark. */
static size_t tail_start(const char *text, size_t length, size_t total, size_t columns,
			 size_t *width)
{
	size_t i = 0, passed = 0;
	while (i < length) {
		int32_t point;
		size_t used = text_decode(text + i, length - i, &point);
		int wide = text_point_width(point);
		if (wide && total - passed <= columns)
			break;
		passed += (size_t)wide;
		i += used;
	}
	*width = total - passed;
	return i;
}

/* Bytes of a namespace without a name at the start of TEXT. */
static size_t unnamed_length(const char *text, size_t length)
{
	static const char *const unnamed[] = { "(anonymous namespace)::", "<unnamed>::" };
	for (size_t i = 0; i < sizeof unnamed / sizeof *unnamed; i++) {
		size_t size = strlen(unnamed[i]);
		if (length > size && !memcmp(text, unnamed[i], size))
			return size;
	}
	return 0;
}

/*
 * Start of the function's own name in a C++ signature ("void at::native::softmax<float>(int)"),
 * after return type and namespaces; LENGTH for other text.
 */
static size_t function_start(const char *text, size_t length)
{
	size_t start = 0;
	if (!length || (text[length - 1] != ')' && text[length - 1] != '>'))
		return length;
	for (size_t i = 0; i < length; i++) {
		size_t unnamed = unnamed_length(text + i, length - i);
		if (unnamed) {
			i += unnamed - 1;
			start = i + 1;
		} else if (text[i] == '<' || text[i] == '(') {
			return i > start ? start : length;
		} else if (text[i] == ' ') {
			start = i + 1;
		} else if (text[i] == ':' && i + 1 < length && text[i + 1] == ':') {
			start = i + 2;
		}
	}
	return length;
}

/* Append without namespaces: "f<at::Half, std::array<int, 2>>" as "f<Half, array<int, 2>>". */
static void add_unqualified(struct buffer *out, const char *text, size_t length)
{
	size_t word = out->length; /* start of the last identifier */
	for (size_t i = 0; i < length; i++) {
		size_t unnamed = unnamed_length(text + i, length - i);
		if (unnamed) {
			i += unnamed - 1;
		} else if (text[i] == ':' && i + 1 < length && text[i + 1] == ':') {
			out->length = word;
			i++;
		} else {
			buffer_putc(out, text[i]);
			if (!isalnum((unsigned char)text[i]) && text[i] != '_')
				word = out->length;
		}
	}
}

/* End of the place at the start of "train.py(12): <module>", which is no signature; 0: none. */
static size_t frame_end(const char *text, size_t length)
{
	const char *open = memchr(text, '(', length), *end = text + length;
	if (!open || open + 1 == end || !isdigit((unsigned char)open[1]))
		return 0;
	const char *close = memmem(open, (size_t)(end - open), "): ", 3);
	return close ? (size_t)(close + 1 - text) : 0;
}

/* Likewise where nothing but a function follows: no further frames of a stack. */
static size_t place_end(const char *text, size_t length)
{
	size_t end = frame_end(text, length);
	bool stack =
		memchr(text + end, ';', length - end) || memmem(text + end, length - end, " < ", 3);
	return stack ? 0 : end;
}

bool text_address(const char *text, size_t length, size_t *start)
{
	static const char mark[] = " object at 0x";
	size_t end = length, digits = sizeof mark - 1;
	if (!length || text[length - 1] != '>')
		return false;
	const char *at = memmem(text, length, mark, digits);
	for (size_t i = at ? (size_t)(at - text) + digits : length; i + 1 < length; i++)
		end = isxdigit((unsigned char)text[i]) ? end : i;
	if (!at || end < length)
		return false;
	*start = (size_t)(at - text);
	return true;
}

/* "<built-in method items of dict object at 0x7f12>", with or without the address. */
struct method {
	size_t name, name_end, type, type_end; /* offsets */
};

/* False: TEXT is something else. */
static bool split_method(const char *text, size_t length, struct method *method)
{
	static const char head[] = "<built-in method ", of[] = " of ";
	size_t start = sizeof head - 1;
	if (length <= start || memcmp(text, head, start) != 0 || text[length - 1] != '>')
		return false;
	const char *end = memmem(text + start, length - start, of, sizeof of - 1);
	if (!end)
		return false;
	method->name = start;
	method->name_end = (size_t)(end - text);
	method->type = method->name_end + sizeof of - 1;
	method->type_end = length - 1;
	text_address(text, length, &method->type_end);
	return method->type_end > method->type;
}

/* Bytes before the parameters of a signature that ends in them; LENGTH if it has none. */
static size_t parameters_start(const char *text, size_t length)
{
	size_t depth = 0;
	for (size_t i = length; i-- > 1;) {
		depth += text[i] == ')';
		depth -= text[i] == '(' && depth;
		if (!depth)
			return text[i] == '(' ? i : length;
	}
	return length;
}

/* A text to be elided: HEAD columns stay at its start. */
struct elided {
	size_t length, width, head;
};

/*
 * What is kept of a signature in too few COLUMNS: it loses its parameters, and its template
 * arguments where little of them would be left.
 */
static struct elided shorten(const char *text, size_t length, size_t columns)
{
	enum { ARGUMENTS_MIN = 8 };
	size_t name = 0, kept = parameters_start(text, length);
	while (name < kept && text[name] != '<')
		name++;
	size_t wide = text_width(text, name);
	if (columns < wide + ARGUMENTS_MIN && columns <= text_width(text, kept))
		return (struct elided){ name, wide, columns / 2 };
	return (struct elided){ kept, text_width(text, kept), columns - 1 };
}

/* Likewise of a place with its function: first the function gives way, then the file. */
static struct elided shorten_place(const char *text, size_t length, size_t columns)
{
	enum { SEPARATOR = 2, FUNCTION_MIN = 4, FILE_MIN = 4 };
	size_t end = place_end(text, length), wide = text_width(text, end);
	size_t file = (size_t)((const char *)memchr(text, '(', end) - text);
	size_t line = text_width(text + file, end - file), before = wide + SEPARATOR;
	if (columns >= before + FUNCTION_MIN)
		return (struct elided){ length, text_width(text, length),
					before + (columns - before) / 2 };
	bool both = columns >= FILE_MIN + 1 + line;
	return (struct elided){ end, wide, both ? columns - 1 - line : columns / 2 };
}

static struct elided shorten_middle(const char *text, size_t length, size_t columns)
{
	return (struct elided){ length, text_width(text, length), columns / 2 };
}

/* Append TEXT, which is wider than COLUMNS. */
static size_t elide(struct buffer *out, const char *text, struct elided kept, size_t columns,
		    const char *mark)
{
	if (kept.width < columns) {
		buffer_add(out, text, kept.length);
		buffer_puts(out, mark);
		return kept.width + 1;
	}
	size_t head_width, tail_width;
	size_t head = head_bytes(text, kept.length, kept.head, &head_width);
	size_t tail =
		tail_start(text, kept.length, kept.width, columns - 1 - head_width, &tail_width);
	buffer_add(out, text, head);
	buffer_puts(out, mark);
	buffer_add(out, text + tail, kept.length - tail);
	return head_width + 1 + tail_width;
}

/* Start of a place without the leading folders that make its line wider than COLUMNS. */
static size_t folders_end(const char *text, size_t length, size_t columns)
{
	size_t end = place_end(text, length), total = text_width(text, length), start = 0;
	for (size_t i = 0; i < end && text[i] != '(' && total > columns; i++)
		if (text[i] == '/') {
			total -= text_width(text + start, i + 1 - start);
			start = i + 1;
		}
	return start;
}

/* Append the first of the shorter forms of a method of C that fits, else the shortest. */
static void add_method(struct buffer *out, const char *text, const struct method *method,
		       size_t columns)
{
	for (int left_out = 0; left_out < 3; left_out++) {
		buffer_clear(out);
		buffer_puts(out, left_out < 2 ? "<built-in " : "<");
		buffer_add(out, text + method->name, method->name_end - method->name);
		if (left_out < 1) {
			buffer_puts(out, " of ");
			buffer_add(out, text + method->type, method->type_end - method->type);
		}
		buffer_putc(out, '>');
		if (text_width(out->data, out->length) <= columns)
			return;
	}
}

typedef struct elided shortening(const char *text, size_t length, size_t columns);

/* Append what is left of TEXT before it is elided in COLUMNS, and say how to do that. */
static shortening *reduce(struct buffer *out, const char *text, size_t length, size_t columns)
{
	struct method method;
	size_t start = function_start(text, length);
	if (place_end(text, length)) {
		start = folders_end(text, length, columns);
		buffer_add(out, text + start, length - start);
		return shorten_place;
	}
	if (split_method(text, length, &method)) {
		add_method(out, text, &method, columns);
	} else if (start < length && !frame_end(text + start, length - start)) {
		add_unqualified(out, text + start, length - start);
		return shorten;
	} else {
		buffer_add(out, text, length);
	}
	return shorten_middle;
}

/* Append TEXT in at most COLUMNS columns. */
static size_t fit(struct buffer *out, const char *text, size_t length, size_t columns,
		  const char *mark)
{
	size_t total = text_width(text, length);
	if (total <= columns) {
		buffer_add(out, text, length);
		return total;
	}
	struct buffer plain = { 0 };
	shortening *kept_of = reduce(&plain, text, length, columns);
	total = text_width(plain.data, plain.length);
	if (total <= columns)
		buffer_add(out, plain.data, plain.length);
	else if (!columns)
		total = 0;
	else
		total = elide(out, plain.data, kept_of(plain.data, plain.length, columns), columns,
			      mark);
	buffer_free(&plain);
	return total;
}

size_t text_elide(struct buffer *out, const char *text, size_t length, size_t columns, bool unicode)
{
	size_t indent = 0;
	if (text_width(text, length) <= columns) {
		buffer_add(out, text, length);
		return text_width(text, length);
	}
	while (indent < length && indent < columns && text[indent] == ' ')
		indent++;
	buffer_add(out, text, indent);
	return indent +
	       fit(out, text + indent, length - indent, columns - indent, unicode ? "\u2026" : "~");
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
			if (row[i - 1][j] + 1 < least)
				least = row[i - 1][j] + 1;
			if (row[i][j - 1] + 1 < least)
				least = row[i][j - 1] + 1;
			if (swapped && row[i - 2][j - 2] + 1 < least)
				least = row[i - 2][j - 2] + 1;
			row[i][j] = least;
		}
	}
	return row[n][m];
}

void text_escape_markup(struct buffer *out, const char *text, size_t length)
{
	struct buffer safe = { 0 };
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
	buffer_free(&safe);
}
