#include "base/any_of.h"
#include "input/text_lines.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

bool text_line(const char **text, const char *end, const char **line, size_t *length)
{
	if (*text >= end)
		return false;
	const char *stop = memchr(*text, '\n', (size_t)(end - *text));
	*line = *text;
	*length = (size_t)((stop ? stop : end) - *text);
	*text = stop ? stop + 1 : end;
	if (*length && (*line)[*length - 1] == '\r')
		--*length;
	return true;
}

static bool text_lines_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct text_slice slice_trim(struct text_slice word)
{
	while (word.length && text_lines_is_blank(word.text[0]))
		word.text++, word.length--;
	while (word.length && text_lines_is_blank(word.text[word.length - 1]))
		word.length--;
	return word;
}

struct text_slice slice_until(struct text_slice word, const char *at)
{
	return (struct text_slice){ word.text, (size_t)(at - word.text) };
}

struct text_slice slice_from(struct text_slice word, const char *at)
{
	return (struct text_slice){ at, (size_t)(word.text + word.length - at) };
}

bool slice_skip(struct text_slice *word, const char *text)
{
	if (!slice_begins(*word, text))
		return false;
	*word = slice_from(*word, word->text + strlen(text));
	return true;
}

struct text_slice slice_next(struct text_slice *line)
{
	*line = slice_trim(*line);
	struct text_slice word = { line->text, 0 };
	while (word.length < line->length && !text_lines_is_blank(line->text[word.length]))
		word.length++;
	line->text += word.length;
	line->length -= word.length;
	return word;
}

struct text_slice slice_last(struct text_slice *line)
{
	*line = slice_trim(*line);
	size_t from = line->length;
	while (from && !text_lines_is_blank(line->text[from - 1]))
		from--;
	struct text_slice word = slice_from(*line, line->text + from);
	line->length = from;
	return word;
}

struct text_slice slice_cell(struct text_slice *line)
{
	*line = slice_trim(*line);
	struct text_slice cell = { line->text, 0 };
	while (cell.length < line->length && line->text[cell.length] != '\t' &&
	       !(line->text[cell.length] == ' ' && cell.length + 1 < line->length &&
		 line->text[cell.length + 1] == ' '))
		cell.length++;
	*line = slice_from(*line, line->text + cell.length);
	return slice_trim(cell);
}

bool slice_count(struct text_slice word, int64_t *value)
{
	*value = 0;
	if (!word.length)
		return false;
	return !any_of(i, word.length,
		       !isdigit((unsigned char)word.text[i]) ||
			       __builtin_mul_overflow(*value, 10, value) ||
			       __builtin_add_overflow(*value, word.text[i] - '0', value));
}

bool slice_real(struct text_slice word, double *value)
{
	char copy[64], *end;
	if (!word.length || word.length >= sizeof copy ||
	    !(isdigit((unsigned char)word.text[0]) || strchr("+-.", word.text[0])))
		return false;
	for (size_t i = 0; i < word.length; i++)
		copy[i] = word.text[i];
	copy[word.length] = 0;
	*value = strtod(copy, &end);
	return !*end && isfinite(*value);
}

bool slice_commas(struct text_slice word, double *value)
{
	char plain[48];
	size_t length = 0;
	for (size_t i = 0; i < word.length && length < sizeof plain; i++)
		if (word.text[i] != ',')
			plain[length++] = word.text[i];
	return length < sizeof plain && slice_real((struct text_slice){ plain, length }, value);
}

bool slice_scaled(struct text_slice word, const struct text_unit *units, double *value)
{
	while (units->suffix && !slice_ends(word, units->suffix))
		units++;
	if (!units->suffix)
		return false;
	word.length -= strlen(units->suffix);
	if (!slice_real(slice_trim(word), value))
		return false;
	*value *= units->factor;
	return true;
}
