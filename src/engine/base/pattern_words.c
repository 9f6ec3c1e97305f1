/*
 * Conservative scan of an expression: in which words each alternative must find letters.
 */
#include "base/pattern_words.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct pattern_words_scan {
	const char *at;
	const char *const *words; /* NULL-terminated */
	bool given_up;            /* found an unsupported construct */
};

/* Do these letters occur next to each other in one of the words, ignoring case? */
static bool occurs_in_words(const struct pattern_words_scan *scan, const char *letters,
			    size_t length)
{
	for (const char *const *word = scan->words; *word; word++)
		for (const char *at = *word; strlen(at) >= length; at++)
			if (strncasecmp(at, letters, length) == 0)
				return true;
	return false;
}

/* Skip a character class, starting at "[". */
static void skip_class(struct pattern_words_scan *scan)
{
	scan->at++;
	scan->at += *scan->at == '^';
	scan->at += *scan->at == ']';
	for (; *scan->at && *scan->at != ']'; scan->at++) {
		if (*scan->at == '[' || *scan->at == '\\')
			scan->given_up |= *scan->at == '[' || scan->at[1] == 'Q' || !scan->at[1];
		if (*scan->at == '\\' && scan->at[1])
			scan->at++;
	}
	scan->at += *scan->at == ']';
}

/* Of the groups that start with "(?", only those that do not change their surroundings. */
static bool is_plain_group(const char *at)
{
	return at[1] != '*' && (at[1] != '?' || (at[2] && strchr(":=!<", at[2])) ||
				strncmp(at, "(?-i)", 5) == 0 || strncmp(at, "(?i)", 4) == 0);
}

/* Skip a group unexamined. */
static void skip_group(struct pattern_words_scan *scan)
{
	int depth = 0;
	do {
		if (*scan->at == '[') {
			skip_class(scan);
			continue;
		}
		if (*scan->at == '(') {
			scan->given_up |= !is_plain_group(scan->at);
			depth++;
		}
		depth -= *scan->at == ')';
		if (*scan->at == '\\') {
			scan->at++;
			scan->given_up |= *scan->at == 'Q';
		}
		scan->at += *scan->at != 0;
	} while (depth > 0 && *scan->at && !scan->given_up);
}

/* Consume a required literal letter; false when anything else is next. */
static bool accept_letter(struct pattern_words_scan *scan, char *letter)
{
	const char *next = scan->at + 1;
	if (!isalpha((unsigned char)*scan->at) || (*next && strchr("?*{", *next)))
		return false;
	*letter = *scan->at++;
	return true;
}

static void skip_other(struct pattern_words_scan *scan)
{
	switch (*scan->at) {
	case '[': skip_class(scan); break;
	case '(': skip_group(scan); break;
	case '\\':
		/* "\x41", "\p{Lu}" and the like have operands; these escapes do not */
		scan->given_up |= !scan->at[1] || (isalnum((unsigned char)scan->at[1]) &&
						   !strchr("dDwWsSbBhHvVAzZ", scan->at[1]));
		scan->at += 1 + (scan->at[1] != 0);
		break;
	default: scan->at++;
	}
}

/* Does the alternative need letters that no word has? */
static bool needs_new_letters(struct pattern_words_scan *scan)
{
	bool needs = false;
	while (*scan->at && *scan->at != '|' && !scan->given_up) {
		char letters[64];
		size_t count = 0;
		while (count < sizeof letters && accept_letter(scan, &letters[count]))
			count++;
		if (count)
			needs |= !occurs_in_words(scan, letters, count);
		else
			skip_other(scan);
	}
	return needs;
}

bool pattern_needs_letters(const char *text, const char *const *words)
{
	struct pattern_words_scan scan = { .at = text, .words = words };
	for (;;) {
		bool needs = needs_new_letters(&scan);
		if (!needs || scan.given_up)
			return false;
		if (!*scan.at)
			return true;
		scan.at++;
	}
}
