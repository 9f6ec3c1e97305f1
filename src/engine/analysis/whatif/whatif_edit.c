#include "analysis/whatif/whatif_edit.h"

#include "base/error.h"
#include "base/pattern.h"
#include "derived/kernel_family.h"

#include <stdlib.h>

enum {
	TOUCHES_KERNELS = 1 << LIMIT_KERNELS | 1 << LIMIT_STREAM,
	TOUCHES_COMMUNICATION = 1 << LIMIT_COMMUNICATION,
	TOUCHES_COPIES = 1 << LIMIT_COPIES,
	TOUCHES_LAUNCHES = 1 << LIMIT_LAUNCHES,
	TOUCHES_HOST = 1 << LIMIT_HOST,
	TOUCHES_WAITS = 1 << LIMIT_SYNCHRONIZATION,
};

const struct whatif_kind whatif_kinds[WHATIF_KINDS] = { WHATIF_KINDS_ROWS };

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

static bool set_families(struct whatif_edit *edit, const char *text, struct error *error)
{
	AUTO_PATTERN struct pattern *pattern = pattern_new(text, error);
	edit->families = 0;
	for (int i = 0; i < KERNEL_FAMILIES && pattern; i++) {
		const char *name = kernel_family_name((enum kernel_family)i);
		if (pattern_match(pattern, name, strlen(name), NULL, NULL))
			edit->families |= 1u << i;
	}
	return edit->families ||
	       (pattern &&
		error_set(error, ERROR_USAGE,
			  "no family of kernels matches \"%s\" (the view kernels lists them)",
			  text));
}

/* "under:layer3", "family:gemm"; WORD is changed. */
static bool narrow_edit(struct whatif_edit *edit, char *word, struct error *error)
{
	char *value = word;
	const char *name = strsep(&value, ":");
	if (strcmp(name, "family") == 0)
		return set_families(edit, value, error);
	if (!edit->scope) {
		edit->scope = mem_alloc(sizeof *edit->scope);
		scope_init(edit->scope);
	}
	return scope_set(edit->scope, name, value, error) &&
	       (!edit->scope->filter ||
		error_set(error, ERROR_USAGE, "a filter of an edit follows its kind: KIND:REGEX"));
}

/* Threads have no families, streams and devices; who comes last is not of a part of the run. */
static bool check_scope(const struct whatif_edit *edit, struct error *error)
{
	const struct whatif_kind *kind = &whatif_kinds[edit->what];
	const struct scope *scope = edit->scope;
	bool of_work = edit->families || (scope && (scope->streams.count || scope->devices.count));
	bool whole = edit->what == WHATIF_STRAGGLER && (of_work || scope || edit->name);
	return (!whole && (!of_work || kind->touches & WHATIF_OF_WORK)) ||
	       error_set(error, ERROR_USAGE, "the edit \"%s\" cannot be narrowed%s", kind->text,
			 whole ? "" : " by family, stream or device");
}

/* A kind with its name, what narrows it, or a factor: a word, or after the colon. */
static bool parse_word(struct whatif_edit *edit, char *word, struct error *error)
{
	const char *colon = strchr(word, ':'), *rest = colon ? colon + 1 : "";
	int kind = kind_of_word(word, colon ? (size_t)(colon - word) : strlen(word));
	if (kind == WHATIF_KINDS && word[0] == 'x')
		return set_factor(edit, word + 1, error);
	if (kind == WHATIF_KINDS && colon)
		return narrow_edit(edit, word, error);
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
	return check_scope(edit, error);
}

void whatif_edit_clear(struct whatif_edit *edit)
{
	pattern_free(edit->name);
	if (edit->scope)
		scope_clear(edit->scope);
	mem_free(edit->scope);
	edit->name = NULL;
	edit->scope = NULL;
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
