#include "model/frame_name.h"

#include "base/platform.h"
#include "model/profile.h"

#include <ctype.h>

/* The digits before END; their first, or END. LINE saturates. */
static size_t line_before(const char *text, size_t end, int64_t *line)
{
	size_t at = end;
	int64_t unit = 1;
	*line = 0;
	for (; at && isdigit((unsigned char)text[at - 1]) && end - at < 18; at--, unit *= 10)
		*line += unit * (text[at - 1] - '0');
	return at;
}

/* "path/file.py(12): function" */
static bool split_torch(struct frame_name *parts, const char *text, size_t length)
{
	for (size_t at = length; at-- > 1;) {
		size_t close = at - 1;
		if (text[at] != ':' || text[close] != ')')
			continue;
		size_t open = line_before(text, close, &parts->line);
		if (open == close && open && text[open - 1] == '?')
			open--, parts->line = NO_VALUE;
		if (open == close || open < 2 || text[open - 1] != '(')
			continue;
		size_t name = at + 1 + (at + 1 < length && strchr(" _", text[at + 1]));
		parts->file = (struct text_slice){ text, open - 1 };
		parts->function = (struct text_slice){ text + name, length - name };
		return true;
	}
	return false;
}

static bool is_file(const char *text, size_t length)
{
	return length > 3 &&
	       (memcmp(text + length - 3, ".py", 3) == 0 || memchr(text, '/', length) ||
		memchr(text, '\\', length) || (text[0] == '<' && text[length - 1] == '>'));
}

/* "function (path/file.py:12)"; native frames have only "(libc.so.6)" */
static bool split_spy(struct frame_name *parts, const char *text, size_t length)
{
	if (length < 4 || text[length - 1] != ')')
		return false;
	const char *open = platform_memrchr(text, '(', length);
	if (!open || open < text + 2 || open[-1] != ' ')
		return false;
	size_t from = (size_t)(open + 1 - text), end = length - 1;
	size_t digits = line_before(text, end, &parts->line);
	bool numbered = digits < end && digits > from && text[digits - 1] == ':';
	if (numbered)
		end = digits - 1;
	else
		parts->line = NO_VALUE;
	if (!numbered && !is_file(text + from, end - from))
		return false;
	parts->file = (struct text_slice){ text + from, end - from };
	parts->function = (struct text_slice){ text, (size_t)(open - 1 - text) };
	return true;
}

/* "path/file.py:function:12" */
static bool split_austin(struct frame_name *parts, const char *text, size_t length)
{
	size_t digits = line_before(text, length, &parts->line);
	if (digits == length || digits < 4 || text[digits - 1] != ':')
		return false;
	size_t end = digits - 1;
	const char *colon = platform_memrchr(text, ':', end);
	if (!colon || !is_file(text, (size_t)(colon - text)))
		return false;
	parts->file = (struct text_slice){ text, (size_t)(colon - text) };
	parts->function = (struct text_slice){ colon + 1, end - (size_t)(colon + 1 - text) };
	return parts->function.length > 0;
}

void frame_name_split(struct frame_name *parts, const char *text, size_t length)
{
	if (split_torch(parts, text, length) || split_spy(parts, text, length) ||
	    split_austin(parts, text, length))
		return;
	*parts = (struct frame_name){ .function = { text, length },
				      .file = { "", 0 },
				      .line = NO_VALUE };
}
