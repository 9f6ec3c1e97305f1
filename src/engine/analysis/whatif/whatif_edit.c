#include "analysis/whatif/whatif_edit.h"

#include "base/error.h"
#include "base/pattern.h"

#include <stdlib.h>

enum {
	ON_KERNELS = 1 << LIMIT_KERNELS | 1 << LIMIT_STREAM,
	ON_COMMUNICATION = 1 << LIMIT_COMMUNICATION,
	ON_COPIES = 1 << LIMIT_COPIES,
	ON_LAUNCHES = 1 << LIMIT_LAUNCHES,
	ON_HOST = 1 << LIMIT_HOST,
	ON_WAITS = 1 << LIMIT_SYNCHRONIZATION,
};

const struct whatif_kind whatif_kinds[WHATIF_KINDS] = {
	[WHATIF_KERNELS] = { "kernels x0.5", 0.5, ON_KERNELS, 0.05, 0.05 },
	[WHATIF_COMMUNICATION] = { "comm x0.5", 0.5, ON_COMMUNICATION, 0.25, 0.05 },
	[WHATIF_HIDE] = { "hide", 0, ON_COMMUNICATION, 1, 0.05 },
	[WHATIF_COPIES] = { "copies x0", 0, ON_COPIES, 0.15, 0.15 },
	[WHATIF_REMOVE] = { "remove", 0, ON_KERNELS | ON_LAUNCHES, 0.15, 0.15 },
	[WHATIF_FUSE] = { "fuse x0.5", 0.5, ON_KERNELS | ON_LAUNCHES, 0.3, 0.3 },
	[WHATIF_MOVE] = { "move", 0, ON_KERNELS, 1, 0.05 },
	[WHATIF_HOST] = { "host x0.5", 0.5, ON_HOST | ON_LAUNCHES, 0.15, 0.15 },
	[WHATIF_PAUSES] = { "pauses x0", 0, ON_HOST, 0.15, 0.15 },
	[WHATIF_LAUNCHES] = { "launches x0.15", 0.15, ON_LAUNCHES, 0.15, 0.15 },
	[WHATIF_GRAPHS] = { "graphs", 0, ON_LAUNCHES, 0.15, 0.15 },
	[WHATIF_NO_SYNC] = { "nosync", 0, ON_WAITS, 0.15, 0.15 },
	[WHATIF_LOADER] = { "loader", 0, ON_HOST, 0.3, 0.05 },
	[WHATIF_COMPILE] = { "compile", 0, ON_HOST, 0.15, 0.15 },
	[WHATIF_ALLOCATION] = { "alloc", 0, ON_HOST, 0.15, 0.15 },
	[WHATIF_UNBLOCK] = { "unblock", 0, ON_WAITS, 0.15, 0.15 },
};

/* ---- text ---- */

static int kind_of_word(const char *word, size_t length)
{
	int kind = 0;
	while (kind < WHATIF_KINDS && (strcspn(whatif_kinds[kind].text, " ") != length ||
				       memcmp(word, whatif_kinds[kind].text, length) != 0))
		kind++;
	return kind;
}

static bool set_factor(struct whatif_edit *edit, const char *text, struct error *error)
{
	char *end;
	edit->factor = strtod(text, &end);
	return (end != text && !*end && edit->factor >= 0 && edit->factor <= WHATIF_FACTOR_MAX) ||
	       error_set(error, ERROR_USAGE, "the factor of an edit is x0 to x%d, not \"x%s\"",
			 WHATIF_FACTOR_MAX, text);
}

/* A kind with its name, or a factor: a word, or after the colon. */
static bool parse_word(struct whatif_edit *edit, const char *word, struct error *error)
{
	const char *colon = strchr(word, ':'), *rest = colon ? colon + 1 : "";
	int kind = kind_of_word(word, colon ? (size_t)(colon - word) : strlen(word));
	if (kind == WHATIF_KINDS && word[0] == 'x')
		return set_factor(edit, word + 1, error);
	if (kind == WHATIF_KINDS)
		return error_set(error, ERROR_USAGE,
				 "unknown edit \"%s\" (WHAT IF in strata(1) lists them)", word);
	edit->what = (enum whatif_what)kind;
	edit->factor = whatif_kinds[kind].factor;
	if (rest[0] == 'x' && rest[1] && !rest[1 + strspn(rest + 1, "0123456789.")])
		return set_factor(edit, rest + 1, error);
	pattern_free(edit->name);
	edit->name = *rest ? pattern_new(rest, error) : NULL;
	return !*rest || edit->name;
}

bool whatif_edit_parse(struct whatif_edit *edit, const char *text, struct error *error)
{
	AUTO_FREE char *words = mem_strdup(text);
	char *rest = words;
	*edit = (struct whatif_edit){ .factor = whatif_kinds[WHATIF_KERNELS].factor };
	if (!text[strspn(text, " ")])
		return error_set(error, ERROR_USAGE, "the edit is empty");
	for (char *word; (word = strsep(&rest, " ")) != NULL;)
		if (*word && !parse_word(edit, word, error))
			return false;
	return true;
}

void whatif_edit_clear(struct whatif_edit *edit)
{
	pattern_free(edit->name);
	edit->name = NULL;
}

bool whatif_edits_parse(struct whatif_edits *edits, const char *text, struct error *error)
{
	AUTO_FREE char *copy = mem_strdup(text);
	char *rest = copy;
	edits->count = 0;
	for (char *part; (part = strsep(&rest, ";")) != NULL;) {
		if (edits->count == WHATIF_EDITS_MAX)
			return error_set(error, ERROR_USAGE, "at most %d edits at once",
					 WHATIF_EDITS_MAX);
		if (!whatif_edit_parse(&edits->item[edits->count++], part, error))
			return false;
	}
	return true;
}

void whatif_edits_clear(struct whatif_edits *edits)
{
	while (edits->count)
		whatif_edit_clear(&edits->item[--edits->count]);
}
