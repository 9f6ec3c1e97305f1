/*
 * Elides names that would read alike so that they do not.
 */
#include "base/buffer.h"
#include "base/text.h"

#define SEPARATORS " ,<>(){}:_"

enum { WHOLE = 1 << 13 }; /* columns, more than any name has */

struct text_distinct_parts {
	const char *mark;
	size_t columns;
};

/* Where the part of A begins in which it differs from B. */
static size_t difference(const struct buffer *a, const struct buffer *b)
{
	const char *text = buffer_text(a), *other = buffer_text(b);
	size_t at = 0;
	while (text[at] && text[at] == other[at])
		at++;
	while (at && !strchr(SEPARATORS, text[at - 1]))
		at--;
	return at;
}

/* The end of SHOWN, after its mark, in at most COLUMNS; the start is left out. */
static const char *tail_of(const char *tail, size_t columns)
{
	size_t length = strlen(tail);
	while (text_width(tail, length) > columns) {
		int32_t point;
		size_t first = text_decode(tail, length, &point);
		tail += first;
		length -= first;
	}
	return tail;
}

/* HEAD…PIECE…, where the end of the name was left out. */
static void join_start(struct buffer *out, const struct text_distinct_parts *parts,
		       const char *head, size_t length, const char *piece)
{
	size_t mark = text_width(parts->mark, strlen(parts->mark)), half = parts->columns / 2;
	size_t width, kept = text_head(head, length, half, &width);
	size_t room = parts->columns - width - mark;
	bool cut = text_width(piece, strlen(piece)) > room;
	buffer_add(out, head, kept);
	buffer_puts(out, parts->mark);
	buffer_add(out, piece, text_head(piece, strlen(piece), cut ? room - mark : room, &width));
	buffer_puts(out, cut ? parts->mark : "");
}

/* HEAD…WORD…TAIL, with the first word of PIECE. */
static void join_all(struct buffer *out, const struct text_distinct_parts *parts, const char *head,
		     size_t length, const char *piece, const char *tail)
{
	size_t marks = 2 * text_width(parts->mark, strlen(parts->mark));
	size_t word = strcspn(piece, SEPARATORS), room = parts->columns - marks, width;
	word = text_head(piece, word ? word : 1 + strcspn(piece + 1, SEPARATORS), room / 3, &width);
	room -= width;
	tail = tail_of(tail, room - room / 3);
	room -= text_width(tail, strlen(tail));
	buffer_add(out, head, text_head(head, length, room, &width));
	buffer_puts(out, parts->mark);
	buffer_add(out, piece, word);
	buffer_puts(out, parts->mark);
	buffer_puts(out, tail);
}

bool text_elide_apart(struct buffer *out, const char *text, size_t length, const char *other,
		      size_t other_length, size_t columns, bool unicode)
{
	enum { COLUMNS_MIN = 12 };
	const struct text_distinct_parts parts = { unicode ? "…" : "~", columns };
	AUTO_BUFFER struct buffer shown = { 0 }, alike = { 0 }, whole = { 0 }, other_whole = { 0 };
	text_elide(&shown, text, length, columns, unicode);
	text_elide(&alike, other, other_length, columns, unicode);
	text_elide(&whole, text, length, WHOLE, unicode);
	text_elide(&other_whole, other, other_length, WHOLE, unicode);
	const char *mark = strstr(buffer_text(&shown), parts.mark);
	size_t at = difference(&whole, &other_whole);
	bool apart = columns >= COLUMNS_MIN && mark && at < whole.length &&
		     !strcmp(buffer_text(&shown), buffer_text(&alike));
	const char *tail = mark ? mark + strlen(parts.mark) : NULL;
	if (apart && *tail)
		join_all(out, &parts, buffer_text(&shown), (size_t)(mark - shown.data),
			 buffer_text(&whole) + at, tail);
	else if (apart)
		join_start(out, &parts, buffer_text(&shown), (size_t)(mark - shown.data),
			   buffer_text(&whole) + at);
	return apart;
}
