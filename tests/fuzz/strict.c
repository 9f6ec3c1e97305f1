#include "strict.h"

#include "base/text.h"
#include "input/json.h"
#include "serve/server.h"

#include <ctype.h>
#include <string.h>

/* ---- JSON ---- */

bool strict_json(const char *text, size_t length, bool lines, size_t *wrong)
{
	size_t end;
	for (size_t at = 0; at < length; at = end + 1) {
		const char *newline = lines ? memchr(text + at, '\n', length - at) : NULL;
		end = newline ? (size_t)(newline - text) : length;
		*wrong = at;
		if (!server_is_json(text + at, end - at))
			return false;
	}
	return length || lines;
}

static size_t count_items(const struct json_slice *list, int64_t below)
{
	size_t count = 0;
	for (struct json_members at = json_members(list); json_each(&at); count++) {
		int64_t number;
		if (below && (!json_int(&at.value, &number) || number < 0 || number >= below))
			return SIZE_MAX;
	}
	return count;
}

static bool is_sampled(const struct json_slice *profile, size_t frames)
{
	struct json_slice samples, weights;
	if (!json_find_type(profile, "samples", JSON_ARRAY, &samples) ||
	    !json_find_type(profile, "weights", JSON_ARRAY, &weights))
		return false;
	for (struct json_members at = json_members(&samples); json_each(&at);)
		if (count_items(&at.value, (int64_t)frames) == SIZE_MAX)
			return false;
	return count_items(&samples, 0) == count_items(&weights, 0);
}

bool strict_speedscope(const char *text, size_t length, size_t *wrong)
{
	struct json_slice file, shared, frames, profiles;
	if (!strict_json(text, length, false, wrong) ||
	    !json_document(text, length, JSON_OBJECT, &file, wrong) ||
	    !json_find_type(&file, "shared", JSON_OBJECT, &shared) ||
	    !json_find_type(&shared, "frames", JSON_ARRAY, &frames) ||
	    !json_find_type(&file, "profiles", JSON_ARRAY, &profiles))
		return false;
	for (struct json_members at = json_members(&profiles); json_each(&at);)
		if (!is_sampled(&at.value, count_items(&frames, 0)))
			return false;
	return true;
}

/* ---- lines ---- */

/* The end of a field that begins at AT; LENGTH + 1 if it is none. */
static size_t field_end(const char *text, size_t length, size_t at, char separator, bool quoted)
{
	if (!quoted || at == length || text[at] != '"') {
		while (at < length && text[at] != separator && text[at] != '\n' &&
		       !(quoted && text[at] == '"'))
			at++;
		return at < length && text[at] == '"' && quoted ? length + 1 : at;
	}
	for (at++; at < length; at++) {
		if (text[at] != '"')
			continue;
		if (at + 1 == length || text[at + 1] != '"')
			return at + 1;
		at++;
	}
	return length + 1;
}

bool strict_fields(const char *text, size_t length, char separator, bool quoted, size_t *wrong)
{
	size_t wanted = 0, fields = 1;
	for (size_t at = 0; at < length; at++) {
		*wrong = at;
		at = field_end(text, length, at, separator, quoted);
		if (at < length && text[at] == '\r')
			at++;
		if (at >= length || (text[at] != separator && text[at] != '\n'))
			return false;
		fields++;
		if (text[at] == separator)
			continue;
		wanted = wanted ?: fields;
		if (fields != wanted)
			return false;
		fields = 1;
	}
	return fields == 1;
}

bool strict_stacks(const char *text, size_t length, size_t *wrong)
{
	for (size_t at = 0; at < length;) {
		const char *end = memchr(text + at, '\n', length - at);
		*wrong = at;
		if (!end)
			return false;
		size_t number = (size_t)(end - text);
		while (number > at && isdigit((unsigned char)text[number - 1]))
			number--;
		if (text + number == end || number == at || text[number - 1] != ' ')
			return false;
		for (; text + at < end; at++)
			if (iscntrl((unsigned char)text[at]))
				return false;
		at++;
	}
	return true;
}

/* ---- pages ---- */

enum { DEEPEST = 64, LONGEST = 32 };

struct page {
	const char *text;
	size_t length, at;
	char open[DEEPEST][LONGEST];
	size_t depth;
};

static bool begins(const struct page *page, const char *text)
{
	size_t length = strlen(text);
	return page->length - page->at >= length &&
	       memcmp(page->text + page->at, text, length) == 0;
}

static bool skip(struct page *page, const char *text)
{
	bool there = begins(page, text);
	page->at += there ? strlen(text) : 0;
	return there;
}

/* A name of an element or an attribute, at most LONGEST - 1 bytes. */
static bool read_name(struct page *page, char name[LONGEST])
{
	size_t used = 0;
	while (page->at < page->length && used + 1 < LONGEST &&
	       (isalnum((unsigned char)page->text[page->at]) ||
		(used && strchr("-:", page->text[page->at]) && page->text[page->at])))
		name[used++] = page->text[page->at++];
	name[used] = 0;
	return used > 0;
}

/* One character, or the entity that stands for it. */
static bool read_character(struct page *page)
{
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
	int32_t point;
	for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
		if (skip(page, entities[i]))
			return true;
	size_t used = text_decode(page->text + page->at, page->length - page->at, &point);
	bool turns = (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
	if (point < 0 || turns || point == '&' || point == '<' || point == 0x7f ||
	    (point < ' ' && point != '\n' && point != '\t'))
		return false;
	page->at += used;
	return true;
}

static bool read_attributes(struct page *page)
{
	char name[LONGEST];
	while (begins(page, " ") || begins(page, "\n")) {
		page->at++;
		if (begins(page, "/"))
			break;
		if (!read_name(page, name))
			return false;
		if (!skip(page, "="))
			continue;
		if (!skip(page, "\""))
			return false;
		while (page->at < page->length && !begins(page, "\""))
			if (!read_character(page))
				return false;
		if (!skip(page, "\""))
			return false;
	}
	return true;
}

static bool is_one_of(const char *name, const char *names)
{
	return text_is_listed(names, name);
}

/* What may end where NAME begins or, AT_END, where it ends. */
static void end_optional(struct page *page, const char *name, bool at_end)
{
	while (page->depth) {
		const char *inner = page->open[page->depth - 1];
		bool cell = is_one_of(inner, "td th"), row = strcmp(inner, "tr") == 0;
		if (!(cell && (is_one_of(name, at_end ? "tr tbody thead table" : "td th tr"))) &&
		    !(row && (is_one_of(name, at_end ? "tbody thead table" : "tr"))))
			return;
		page->depth--;
	}
}

static bool read_end(struct page *page)
{
	char name[LONGEST];
	if (!read_name(page, name) || !skip(page, ">"))
		return false;
	end_optional(page, name, true);
	return page->depth && strcmp(page->open[--page->depth], name) == 0;
}

static bool read_element(struct page *page)
{
	char name[LONGEST], end[LONGEST + 4];
	if (skip(page, "/"))
		return read_end(page);
	if (!read_name(page, name) || !read_attributes(page))
		return false;
	end_optional(page, name, false);
	bool empty = skip(page, "/") || is_one_of(name, "meta link br hr input img");
	if (!skip(page, ">") || page->depth == DEEPEST)
		return false;
	if (empty)
		return true;
	strcpy(page->open[page->depth++], name);
	if (!is_one_of(name, "script style"))
		return true;
	strcat(strcat(strcpy(end, "</"), name), ">");
	const char *rest = page->text + page->at;
	const char *found = memmem(rest, page->length - page->at, end, strlen(end));
	page->at += found ? (size_t)(found - rest) : 0;
	return found;
}

bool strict_page(const char *text, size_t length, size_t *wrong)
{
	struct page page = { .text = text, .length = length };
	bool good = skip(&page, "<!DOCTYPE html>");
	while (good && page.at < length) {
		*wrong = page.at;
		good = skip(&page, "<") ? read_element(&page) : read_character(&page);
	}
	return good && !page.depth;
}
