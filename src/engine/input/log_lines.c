/*
 * The lines of a log in which tables were printed, without what a logger or launcher put before
 * each: "g43: ", "[rank0]: ", "(Worker pid=7) INFO 11-05 13:22:49 [worker.py:210] ".
 */
#include "input/text_format.h"

#include "base/any_of.h"

#include <ctype.h>

/* ---- escape sequences ---- */

/* The end of the sequence at AT: ESC, "[", parameters, a letter. */
static const char *skip_escape(const char *at, const char *end)
{
	at++;
	if (at < end && *at == '[')
		for (at++; at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x40;)
			at++;
	return at < end ? at + 1 : end;
}

static void remove_escapes(struct buffer *text)
{
	enum { ESCAPE = 0x1b };
	char *to = text->length ? memchr(text->data, ESCAPE, text->length) : NULL;
	if (!to)
		return;
	const char *at = to, *end = text->data + text->length;
	while (at < end)
		if (*at == ESCAPE)
			at = skip_escape(at, end);
		else
			*to++ = *at++;
	*to = 0;
	text->length = (size_t)(to - text->data);
}

/* ---- prefixes ---- */

static bool log_lines_is_digit(char c)
{
	return isdigit((unsigned char)c);
}

static bool joins(struct text_slice word, size_t i, const char *marks)
{
	return i && i + 1 < word.length && strchr(marks, word.text[i]) &&
	       log_lines_is_digit(word.text[i - 1]) && log_lines_is_digit(word.text[i + 1]);
}

/*
 * The end of the number at FROM, with those joined to it ("13:22:49,123", "11-05", but not
 * "10.0.16.95" or "1,0"): *TIME when it is a time or date, which differs from line to line.
 */
static size_t number_end(struct text_slice word, size_t from, bool *time)
{
	size_t i = from;
	for (*time = false; i < word.length; i++)
		if (joins(word, i, ":-/"))
			*time = true;
		else if (!log_lines_is_digit(word.text[i]) && !joins(word, i, ".,"))
			break;
	return i;
}

/* Does LINE begin with PREFIX, but for times? */
static bool has_prefix(struct text_slice line, struct text_slice prefix)
{
	if (line.length < prefix.length)
		return false;
	for (size_t i = 0; i < prefix.length;) {
		bool time = false;
		size_t end =
			log_lines_is_digit(prefix.text[i]) ? number_end(prefix, i, &time) : i + 1;
		for (; i < end; i++)
			if (line.text[i] != prefix.text[i] &&
			    !(time && log_lines_is_digit(prefix.text[i]) &&
			      log_lines_is_digit(line.text[i])))
				return false;
	}
	return true;
}

/* A table in Markdown, and one that is indented, have no prefix. */
static bool is_prefix(struct text_slice word)
{
	if (word.length > LOG_PREFIX_MAX)
		return false;
	return any_of(i, word.length,
		      isalnum((unsigned char)word.text[i]) || strchr("#>*/", word.text[i]));
}

static uint32_t source_of(const struct log_lines *lines, struct text_slice line)
{
	for (uint32_t i = 1; i < lines->known_count; i++)
		if (has_prefix(line, lines->known[i].prefix))
			return i;
	return 0;
}

/* Note the prefix of a line that has a HEADING. */
static void parse_prefix(struct log_lines *lines, struct text_slice line, const char *heading)
{
	struct text_slice prefix = { line.text, (size_t)(heading - line.text) };
	while (prefix.length && strchr(" \t", prefix.text[prefix.length - 1]))
		prefix.length--;
	if (is_prefix(prefix) && lines->known_count < LOG_SOURCES_MAX && !source_of(lines, line))
		lines->known[lines->known_count++].prefix = prefix;
}

/* ---- lines ---- */

/* A message of several lines has its prefix once. */
static void drop_lone_prefixes(struct log_lines *lines)
{
	enum { LINES_MIN = 3 }; /* of a table */
	size_t kept = 1;
	for (size_t i = 0; i < lines->count; i++)
		lines->known[source_of(lines, lines->lines[i])].lines++;
	for (size_t i = 1; i < lines->known_count; i++)
		if (lines->known[i].lines >= LINES_MIN)
			lines->known[kept++] = lines->known[i];
	lines->known_count = kept;
}

/* Bring the lines of each source together, and take their prefixes off. */
static void sort_lines(struct log_lines *lines)
{
	AUTO_FREE struct text_slice *from = lines->lines;
	size_t starts[LOG_SOURCES_MAX] = { 0 }, next = 0;
	AUTO_FREE uint32_t *sources = mem_zalloc(lines->count, sizeof *lines->sources);
	for (size_t i = 0; i < lines->count; i++)
		starts[sources[i] = source_of(lines, from[i])]++;
	for (size_t i = 0; i < lines->known_count; i++) {
		size_t count = starts[i];
		starts[i] = next;
		next += count;
	}
	lines->lines = mem_zalloc(lines->count, sizeof *lines->lines);
	for (size_t i = 0; i < lines->count; i++) {
		size_t to = starts[sources[i]]++, skip = lines->known[sources[i]].prefix.length;
		lines->lines[to] =
			(struct text_slice){ from[i].text + skip, from[i].length - skip };
		lines->sources[to] = sources[i];
	}
}

void log_lines_take(struct log_lines *lines, struct buffer *text, log_heading *heading)
{
	*lines = (struct log_lines){ .known_count = 1 };
	remove_escapes(text);
	const char *at = buffer_text(text), *end = at + text->length;
	for (struct text_slice line; text_line(&at, end, &line.text, &line.length);) {
		const char *table = heading(line);
		*mem_push(lines->lines, lines->count) = line;
		if (table)
			parse_prefix(lines, line, table);
	}
	lines->sources = mem_zalloc(lines->count, sizeof *lines->sources);
	drop_lone_prefixes(lines);
	if (lines->known_count > 1)
		sort_lines(lines);
}

CLEAR_MEMBERS(log_lines_free, struct log_lines, OWN(lines) OWN(sources))

void log_source_name(const struct log_lines *lines, uint32_t source, struct buffer *name)
{
	struct text_slice prefix = lines->known[source].prefix;
	buffer_clear(name);
	if (lines->known_count < 3 || !source)
		return;
	for (size_t i = 0; i < prefix.length;) {
		bool time = false, blank = !name->length || name->data[name->length - 1] == ' ';
		size_t end =
			log_lines_is_digit(prefix.text[i]) ? number_end(prefix, i, &time) : i + 1;
		if (!time && !(blank && prefix.text[i] == ' '))
			buffer_add(name, prefix.text + i, end - i);
		i = end;
	}
	while (name->length && strchr(" :-", name->data[name->length - 1]))
		name->data[--name->length] = 0;
}
