/*
 * A part of a text that lives elsewhere, and what it is or begins and ends with.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* LENGTH bytes from TEXT, without a terminating NUL; length 0: none, or unknown. */
struct text_slice {
	const char *text;
	size_t length;
};

static inline bool text_is(const char *text, size_t length, const char *word)
{
	/* most words differ in their first byte */
	return (length ? *text == *word : !*word) && length == strlen(word) &&
	       memcmp(text, word, length) == 0;
}

static inline bool text_begins(const char *text, size_t length, const char *head)
{
	return length >= strlen(head) && memcmp(text, head, strlen(head)) == 0;
}

static inline bool text_ends(const char *text, size_t length, const char *end)
{
	size_t own = strlen(end);
	return length >= own && memcmp(text + length - own, end, own) == 0;
}

/*
 * Of WORDS, "this|that": the place of the one that TEXT is, -1: none; how many bytes the first
 * takes that TEXT begins or ends with, 0: none. LENGTH may be SIZE_MAX for a TEXT that ends in NUL,
 * but not for its end.
 */
int text_choice(const char *text, size_t length, const char *words);
size_t text_start(const char *text, size_t length, const char *words);
size_t text_end(const char *text, size_t length, const char *words);

/* Is one of WORDS in the LENGTH bytes of TEXT; in TEXT, in capitals or not? */
bool text_has_one(const char *text, size_t length, const char *words);
bool text_holds_one(const char *text, const char *words);

/* Does TEXT (or NULL) begin with one of WORDS; is WORD one? */
static inline bool text_begins_one(const char *text, const char *words)
{
	return text && text_start(text, (size_t)-1, words);
}

static inline bool text_is_one(const char *word, const char *words)
{
	return text_choice(word, strlen(word), words) >= 0;
}

/* Take the next item off a LIST that commas separate; false at its end, and of NULL. */
static inline bool text_next_item(const char **list, struct text_slice *item)
{
	const char *at = *list ? *list : "";
	*item = (struct text_slice){ at, strcspn(at, ",") };
	at += item->length;
	*list = at + (*at == ',');
	return *list != item->text;
}

static inline bool slice_is(struct text_slice slice, const char *word)
{
	return text_is(slice.text, slice.length, word);
}

static inline bool slice_begins(struct text_slice slice, const char *head)
{
	return text_begins(slice.text, slice.length, head);
}

static inline bool slice_ends(struct text_slice slice, const char *end)
{
	return text_ends(slice.text, slice.length, end);
}

/* Where TEXT is first in a slice, or NULL. */
static inline const char *slice_find(struct text_slice slice, const char *text)
{
	return slice.length ? memmem(slice.text, slice.length, text, strlen(text)) : NULL;
}
