#include "tui/widget/prompt.h"

#include "base/text.h"
#include "picture/grid.h"
#include "picture/role.h"

#include <ctype.h>

enum {
	HISTORY_MAX = 500,
	NOTE_ABOVE_ROWS = 4, /* minimum screen rows for a separate note row */
};

/* ---- history ---- */

void history_add(struct history *history, const char *line)
{
	if (!*line)
		return;
	for (size_t i = 0; i < history->count; i++) {
		if (!strcmp(history->lines[i], line) || (i == 0 && history->count == HISTORY_MAX)) {
			mem_free(history->lines[i]);
			history->count--;
			memmove(history->lines + i, history->lines + i + 1,
				(history->count - i) * sizeof *history->lines);
			break;
		}
	}
	*mem_push(history->lines, history->count) = mem_strdup(line);
}

void history_free(struct history *history)
{
	mem_free_each(history->lines, history->count);
	mem_free(history->lines);
	*history = (struct history){ 0 };
}

/* ---- completion ---- */

void completion_add(struct completion *completion, const char *word, size_t length)
{
	*mem_push(completion->words, completion->count) = mem_strndup(word, length);
}

/* ---- the line ---- */

static void set_line(struct prompt *prompt, const char *text)
{
	buffer_clear(&prompt->line);
	buffer_puts(&prompt->line, text);
	prompt->cursor = prompt->line.length;
}

static void forget_completion(struct prompt *prompt)
{
	struct completion *completion = &prompt->completion;
	mem_free_each(completion->words, completion->count);
	mem_free(completion->words);
	*completion = (struct completion){ 0 };
	prompt->completion_at = 0;
}

void prompt_open(struct prompt *prompt, enum prompt_kind kind, const char *label,
		 struct history *history, const char *text)
{
	prompt->open = true;
	prompt->kind = kind;
	prompt->label = label;
	prompt->history = history;
	prompt->history_at = history->count;
	prompt->note[0] = '\0';
	set_line(prompt, text);
	forget_completion(prompt);
}

void prompt_close(struct prompt *prompt)
{
	prompt->open = false;
	mem_free(prompt->typed);
	prompt->typed = NULL;
	forget_completion(prompt);
}

void prompt_free(struct prompt *prompt)
{
	prompt_close(prompt);
	buffer_free(&prompt->line);
	buffer_free(&prompt->killed);
}

/* Replace LENGTH bytes at AT by TEXT and move the cursor after it. */
static void splice(struct prompt *prompt, size_t at, size_t length, const char *text,
		   size_t text_length)
{
	AUTO_FREE char *tail = mem_strdup(buffer_text(&prompt->line) + at + length);
	prompt->line.length = at;
	if (prompt->line.data)
		prompt->line.data[at] = '\0';
	buffer_add(&prompt->line, text, text_length);
	prompt->cursor = prompt->line.length;
	buffer_puts(&prompt->line, tail);
}

void prompt_insert(struct prompt *prompt, const char *text, size_t length)
{
	AUTO_BUFFER struct buffer clean = { 0 };
	for (size_t i = 0; i < length; i++)
		buffer_putc(&clean,
			    (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? ' ' : text[i]);
	splice(prompt, prompt->cursor, 0, BUFFERED(&clean));
	forget_completion(prompt);
}

static size_t left_of(const struct prompt *prompt, size_t at)
{
	const char *text = buffer_text(&prompt->line);
	do {
		if (at == 0)
			return 0;
		at--;
	} while (((unsigned char)text[at] & 0xc0) == 0x80);
	return at;
}

static size_t right_of(const struct prompt *prompt, size_t at)
{
	int32_t point;
	if (at >= prompt->line.length)
		return prompt->line.length;
	return at + text_decode(prompt->line.data + at, prompt->line.length - at, &point);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || (c & 0x80);
}

/* The end of the word to the left (STEP -1) or right (1). */
static size_t word_end(const struct prompt *prompt, int step)
{
	const char *text = buffer_text(&prompt->line);
	size_t at = prompt->cursor, last = step > 0 ? prompt->line.length : 0;
	for (int in_word = 0; in_word < 2; in_word++)
		while (at != last && is_word(text[step > 0 ? at : at - 1]) == in_word)
			at += (size_t)step;
	return at;
}

/* Erase [FROM, TO); KEEP it for prompt-yank. */
static void erase(struct prompt *prompt, size_t from, size_t to, bool keep)
{
	if (from >= to)
		return;
	if (keep) {
		buffer_clear(&prompt->killed);
		buffer_add(&prompt->killed, prompt->line.data + from, to - from);
	}
	splice(prompt, from, to - from, "", 0);
}

static void show_history(struct prompt *prompt, size_t at)
{
	if (prompt->history_at == prompt->history->count) {
		mem_replace(prompt->typed, mem_strdup(buffer_text(&prompt->line)));
	}
	prompt->history_at = at;
	if (at < prompt->history->count)
		set_line(prompt, prompt->history->lines[at]);
	else
		set_line(prompt, prompt->typed);
}

static void recall(struct prompt *prompt)
{
	const char *text = prompt->history_at == prompt->history->count || !prompt->typed
				   ? buffer_text(&prompt->line)
				   : prompt->typed;
	for (size_t i = prompt->history_at; i-- > 0;) {
		if (strstr(prompt->history->lines[i], text)) {
			show_history(prompt, i);
			return;
		}
	}
	strcpy(prompt->note, "no match in the history");
}

/* ---- completing ---- */

static size_t common_prefix(const struct completion *completion)
{
	size_t length = strlen(completion->words[0]);
	for (size_t i = 1; i < completion->count; i++) {
		size_t same = 0;
		while (same < length && completion->words[i][same] == completion->words[0][same])
			same++;
		length = same;
	}
	return length;
}

static void take_completion(struct prompt *prompt, const char *word, size_t length)
{
	size_t start = prompt->completion.start;
	splice(prompt, start, prompt->cursor - start, word, length);
}

static void complete(struct prompt *prompt, bool back)
{
	struct completion *completion = &prompt->completion;
	if (completion->count > 1) {
		size_t at = prompt->completion_at, last = completion->count - 1;
		if (back)
			prompt->completion_at = at == 0 || at > last ? last : at - 1;
		else
			prompt->completion_at = at >= last ? 0 : at + 1;
		const char *word = completion->words[prompt->completion_at];
		take_completion(prompt, word, strlen(word));
		return;
	}
	forget_completion(prompt);
	if (!prompt->complete)
		return;
	prompt->complete(prompt->context, buffer_text(&prompt->line), prompt->cursor, completion);
	prompt->completion_at = completion->count;
	if (completion->count == 0) {
		strcpy(prompt->note, "no completions");
		return;
	}
	size_t common = common_prefix(completion), typed = prompt->cursor - completion->start;
	const char *first = completion->words[0];
	if (strncmp(first, buffer_text(&prompt->line) + completion->start, typed) != 0) {
		common = strlen(first); /* found otherwise: they are taken one after another */
		prompt->completion_at = 0;
	}
	if (common >= typed)
		take_completion(prompt, first, common);
	if (completion->count == 1) {
		if (prompt->cursor == prompt->line.length)
			splice(prompt, prompt->cursor, 0, " ", 1);
		forget_completion(prompt);
	}
}

/* ---- actions ---- */

static bool prompt_move(struct prompt *prompt, enum action action)
{
	switch (action) {
	case ACTION_PROMPT_LEFT: prompt->cursor = left_of(prompt, prompt->cursor); return true;
	case ACTION_PROMPT_RIGHT: prompt->cursor = right_of(prompt, prompt->cursor); return true;
	case ACTION_PROMPT_WORD_LEFT: prompt->cursor = word_end(prompt, -1); return true;
	case ACTION_PROMPT_WORD_RIGHT: prompt->cursor = word_end(prompt, 1); return true;
	case ACTION_PROMPT_BEGIN: prompt->cursor = 0; return true;
	case ACTION_PROMPT_END: prompt->cursor = prompt->line.length; return true;
	default: return false;
	}
}

static void change(struct prompt *prompt, enum action action)
{
	size_t at = prompt->cursor;
	switch (action) {
	case ACTION_PROMPT_ERASE: erase(prompt, left_of(prompt, at), at, false); break;
	case ACTION_PROMPT_DELETE: {
		size_t end = right_of(prompt, at);
		erase(prompt, at, end, false);
		break;
	}
	case ACTION_PROMPT_ERASE_WORD: erase(prompt, word_end(prompt, -1), at, true); break;
	case ACTION_PROMPT_ERASE_BEGIN: erase(prompt, 0, at, true); break;
	case ACTION_PROMPT_ERASE_END: erase(prompt, at, prompt->line.length, true); break;
	case ACTION_PROMPT_YANK: splice(prompt, at, 0, BUFFERED(&prompt->killed)); break;
	case ACTION_PROMPT_OLDER:
		if (prompt->history_at > 0)
			show_history(prompt, prompt->history_at - 1);
		break;
	case ACTION_PROMPT_NEWER:
		if (prompt->history_at < prompt->history->count)
			show_history(prompt, prompt->history_at + 1);
		break;
	case ACTION_PROMPT_RECALL: recall(prompt); break;
	default: break;
	}
}

bool prompt_edit(struct prompt *prompt, enum action action)
{
	prompt->note[0] = '\0';
	prompt->note_is_error = false;
	if (action == ACTION_PROMPT_COMPLETE || action == ACTION_PROMPT_COMPLETE_BACK) {
		complete(prompt, action == ACTION_PROMPT_COMPLETE_BACK);
		return true;
	}
	forget_completion(prompt);
	if (prompt_move(prompt, action))
		return false;
	change(prompt, action);
	return true;
}

/* ---- drawing ---- */

static void draw_completions(const struct prompt *prompt, struct grid *grid, int row, int columns)
{
	const struct completion *completion = &prompt->completion;
	size_t first = 0;
	int column = 1;
	grid_fill(grid, row, 0, columns, ROLE_MENU, ' ');
	/* start at the page with the selected word */
	for (size_t i = 0; i < completion->count && i <= prompt->completion_at; i++) {
		int width = (int)strlen(completion->words[i]) + 2;
		if (column + width > columns) {
			first = i;
			column = 1;
		}
		column += width;
	}
	if (prompt->completion_at == completion->count)
		first = 0;
	column = 1;
	for (size_t i = first; i < completion->count && column < columns; i++)
		column += 2 + grid_puts(grid, row, column, columns - column,
					i == prompt->completion_at ? ROLE_SELECTION : ROLE_MENU,
					completion->words[i]);
}

void prompt_draw(struct prompt *prompt, struct grid *grid, int row, int columns)
{
	const char *text = buffer_text(&prompt->line);
	size_t from = 0;
	grid_fill(grid, row, 0, columns, ROLE_TEXT, ' ');
	int label = grid_puts(grid, row, 0, columns, ROLE_PROMPT, prompt->label);
	int note = grid_width(grid, prompt->note, strlen(prompt->note));
	int room = columns - label - 1;
	int written = grid_width(grid, text, prompt->line.length);
	/* next to the line, otherwise above it, otherwise over it */
	bool beside = note + 2 < room / 2 || note + 2 + written <= room;
	bool above = note > 0 && !beside && row >= NOTE_ABOVE_ROWS && prompt->completion.count < 2;
	if (note > 0 && beside)
		room -= note + 2;
	/* keep the cursor visible */
	while (grid_width(grid, text + from, prompt->cursor - from) > room)
		from = right_of(prompt, from);
	grid_put(grid, row, label, room, ROLE_TEXT, text + from, prompt->line.length - from);
	enum role role = prompt->note_is_error ? ROLE_ERROR : ROLE_DIM;
	if (above) {
		grid_fill(grid, row - 1, 0, columns, role, ' ');
		grid_puts(grid, row - 1, 1, columns - 1, role, prompt->note);
	} else if (note > 0) {
		grid_puts(grid, row, columns - note > label ? columns - note : label, note, role,
			  prompt->note);
	}
	grid->cursor_row = row;
	grid->cursor_column = label + grid_width(grid, text + from, prompt->cursor - from);
	grid->show_cursor = true;
	if (prompt->completion.count > 1 && row > 0)
		draw_completions(prompt, grid, row - 1, columns);
}
