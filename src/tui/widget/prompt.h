/*
 * A line editor with readline keys, history and completion, independent of its use.
 */
#pragma once

#include "base/buffer.h"
#include "tui/widget/action.h"

struct grid;

enum prompt_kind { PROMPT_COMMAND, PROMPT_SEARCH, PROMPT_FILTER, PROMPT_SQL, PROMPT_KINDS };

/* Earlier lines, oldest first. */
struct history {
	GROWING(char *, lines, count);
};

/* An existing line moves to the end. */
void history_add(struct history *history, const char *line);
void history_free(struct history *history);

/* Candidates for the word before the cursor. */
struct completion {
	size_t start; /* byte offset of the word */
	GROWING(char *, words, count);
};

void completion_add(struct completion *completion, const char *word, size_t length);

struct prompt {
	bool open;
	enum prompt_kind kind;
	const char *label; /* ":", "/" … */
	struct buffer line;
	size_t cursor;  /* byte offset */
	char note[200]; /* shown at the right: an error, a count */
	bool note_is_error;

	struct buffer killed;
	struct history *history;
	size_t history_at; /* == history->count: the line being typed */
	char *typed;       /* that line, while a history line is shown */
	struct completion completion;
	size_t completion_at; /* == count: none selected yet */

	/* Fill COMPLETION for LINE up to CURSOR. */
	void (*complete)(void *context, const char *line, size_t cursor,
			 struct completion *completion);
	void *context;
};

void prompt_open(struct prompt *prompt, enum prompt_kind kind, const char *label,
		 struct history *history, const char *text);
void prompt_close(struct prompt *prompt);
void prompt_free(struct prompt *prompt);

/* Insert typed or pasted text; control characters become blanks. */
void prompt_insert(struct prompt *prompt, const char *text, size_t length);

/* Perform an editing action. True if the line may have changed. */
bool prompt_edit(struct prompt *prompt, enum action action);

/* Draw into one row; completion candidates into the row above. */
void prompt_draw(struct prompt *prompt, struct grid *grid, int row, int columns);
