#include "tui/text/text_pane.h"

#include "base/text.h"
#include "tui/core/tui.h"

enum { LABEL_MAX = 32, BESIDE_FROM = 120 };

struct text_entry {
	char *label; /* NULL: a heading */
	char *text;
};

/* A screen line, wrapped to the current width. */
struct text_line {
	size_t entry;
	size_t from, length; /* part of the entry's text */
	bool first;          /* has the label */
};

struct text_pane {
	struct pane pane;
	struct pane *parts[TEXT_PARTS]; /* texts in place of its own; NULL: none */
	int here;                       /* of these, the one that keys move */
	GROWING(struct text_entry, entries, entry_count);
	GROWING(struct text_line, lines, line_count);
	int wrapped_to, label_width;
	size_t cursor, top;
	size_t wanted; /* entry to select at first */
	int page, first_row, first_column;
	char *title; /* NULL: the name */
	char *path;  /* the file whose lines are shown, from this one on; NULL: none */
	int64_t first;
};

/* Of several parts the one that keys move. */
static struct text_pane *text_of_pane(const struct pane *pane)
{
	struct text_pane *self = (struct text_pane *)pane;
	return (struct text_pane *)(self->parts[self->here] ?: &self->pane);
}

/* ---- content ---- */

void text_pane_item(struct pane *pane, const char *label, const char *text)
{
	struct text_pane *self = text_of_pane(pane);
	*mem_push(self->entries, self->entry_count) =
		(struct text_entry){ label ? mem_strdup(label) : NULL, mem_strdup(text) };
	self->wrapped_to = 0;
}

void text_pane_heading(struct pane *pane, const char *text)
{
	if (text_of_pane(pane)->entry_count > 0)
		text_pane_item(pane, "", "");
	text_pane_item(pane, NULL, text);
}

void text_pane_file(struct pane *pane, const char *title, const char *path, int64_t first,
		    int64_t wanted)
{
	struct text_pane *self = text_of_pane(pane);
	self->title = mem_strdup(title);
	self->path = path ? mem_strdup(path) : NULL;
	self->first = first;
	self->wanted = (size_t)(wanted - first);
}

void text_pane_parts(struct pane *pane, struct pane *const parts[TEXT_PARTS])
{
	struct text_pane *self = (struct text_pane *)pane;
	memcpy(self->parts, parts, TEXT_PARTS * sizeof *parts);
	self->here = TEXT_PARTS - 1;
}

struct pane *text_pane_lines(const char *name, const char *lines)
{
	struct pane *pane = text_pane_new(name);
	for (struct strip_line line; strip_next(&lines, &line);) {
		AUTO_FREE char *label = mem_strndup(line.label, line.label_length);
		AUTO_FREE char *text = mem_strndup(line.text, line.text_length);
		text_pane_item(pane, label, text);
	}
	return pane;
}

/* ---- wrapping ---- */

static void wrap(struct text_pane *self, struct grid *grid, int columns)
{
	self->line_count = 0;
	self->label_width = 0;
	self->wrapped_to = columns;
	for (size_t i = 0; i < self->entry_count; i++) {
		const char *label = self->entries[i].label;
		int width = label ? grid_width(grid, label, strlen(label)) : 0;
		if (width > self->label_width && width <= LABEL_MAX)
			self->label_width = width;
	}
	lower_to(self->label_width, columns / 2);
	int room = columns - self->label_width - 4;
	for (size_t i = 0; i < self->entry_count; i++) {
		const char *text = self->entries[i].text;
		const char *label = self->entries[i].label;
		size_t length = strlen(text), at = 0;
		bool own_line = label && grid_width(grid, label, strlen(label)) > self->label_width;
		if (own_line)
			*mem_push(self->lines, self->line_count) =
				(struct text_line){ i, 0, 0, true };
		do {
			int columns_here = label ? room : columns - 1;
			size_t take = grid_wrap(grid, text + at, length - at,
						columns_here > 8 ? columns_here : 8);
			*mem_push(self->lines, self->line_count) =
				(struct text_line){ i, at, take, at == 0 && !own_line };
			at += take;
		} while (at < length);
	}
}

/* ---- drawing ---- */

static void draw_text_line(struct text_pane *self, struct tui *tui, size_t index, struct rect at)
{
	const struct text_line *line = &self->lines[index];
	const struct text_entry *entry = &self->entries[line->entry];
	struct grid *grid = &tui->grid;
	int base = index == self->cursor ? ROLE_SELECTION : ROLE_TEXT;
	grid_fill(grid, at.row, at.column, at.columns, base, ' ');
	if (!entry->label) {
		grid_put(grid, at.row, at.column + 1, at.columns - 1,
			 base == ROLE_TEXT ? ROLE_ACCENT : base, entry->text + line->from,
			 line->length);
		return;
	}
	if (line->first) /* a long label gets its own line */
		grid_field(grid, at.row, at.column + 2,
			   line->length > 0 ? self->label_width : at.columns - 2,
			   base == ROLE_TEXT ? ROLE_KEY : base, GRID_LEFT, entry->label,
			   strlen(entry->label));
	grid_put(grid, at.row, at.column + self->label_width + 4,
		 at.columns - self->label_width - 4, base, entry->text + line->from, line->length);
}

static void draw_text(struct text_pane *self, struct tui *tui, struct rect body)
{
	size_t page = body.rows > 0 ? (size_t)body.rows : 1;
	if (self->wrapped_to != body.columns) {
		bool begins = self->line_count == 0;
		size_t entry = self->cursor < self->line_count ? self->lines[self->cursor].entry
							       : self->wanted;
		wrap(self, &tui->grid, body.columns);
		self->cursor = 0;
		while (self->cursor + 1 < self->line_count &&
		       self->lines[self->cursor].entry < entry)
			self->cursor++;
		if (begins && self->cursor > page / 2)
			self->top = self->cursor - page / 2;
	}
	self->page = (int)page;
	self->first_row = body.row;
	self->first_column = body.column;
	lower_to(self->top, self->cursor);
	if (self->cursor >= self->top + page)
		self->top = self->cursor - page + 1;
	for (int i = 0; i < body.rows && self->top + (size_t)i < self->line_count; i++) {
		struct rect at = { body.row + i, body.column, 1, body.columns };
		draw_text_line(self, tui, self->top + (size_t)i, at);
	}
	tui->grid.cursor_row = body.row + (int)(self->cursor - self->top);
	tui->grid.cursor_column = body.column;
}

/* The parts beside each other or, on a narrow screen, below; the one of the cursor last. */
static void text_draw(struct pane *pane, struct tui *tui, struct rect body)
{
	struct text_pane *self = (struct text_pane *)pane;
	bool beside = body.columns >= BESIDE_FROM;
	int rows = beside ? body.rows : body.rows / TEXT_PARTS;
	int columns = beside ? body.columns / TEXT_PARTS : body.columns;
	if (!self->parts[0])
		draw_text(self, tui, body);
	for (int n = 1; n <= TEXT_PARTS && self->parts[0] && rows > 1; n++) {
		int i = (self->here + n) % TEXT_PARTS;
		struct rect at = { body.row + (beside ? 0 : i * rows),
				   body.column + (beside ? i * columns : 0), rows - 1, columns };
		grid_puts(&tui->grid, at.row++, at.column + 1, columns - 2,
			  i == self->here ? ROLE_SELECTION : ROLE_ACCENT, self->parts[i]->name);
		draw_text((struct text_pane *)self->parts[i], tui, at);
	}
}

/* ---- moving and searching ---- */

static void select_line(struct text_pane *self, size_t line)
{
	if (line >= self->line_count)
		line = self->line_count > 0 ? self->line_count - 1 : 0;
	self->cursor = line;
}

static bool entry_matches(const struct text_entry *entry, const struct pattern *pattern)
{
	return (entry->label &&
		pattern_match(pattern, entry->label, strlen(entry->label), NULL, NULL)) ||
	       pattern_match(pattern, entry->text, strlen(entry->text), NULL, NULL);
}

/* Show a heading with what follows it. */
static void show_section(struct text_pane *self, size_t line)
{
	size_t page = (size_t)self->page;
	size_t last = self->line_count > page ? self->line_count - page : 0;
	if (!self->entries[self->lines[line].entry].label)
		self->top = line < last ? line : last;
}

/* First line from FROM in DIRECTION, wrapping around, whose entry matches. */
static void text_pane_find(struct text_pane *self, struct tui *tui, size_t from, int direction)
{
	size_t count = self->line_count, hits = 0, nth = 0;
	if (!tui->search.pattern || count == 0)
		return;
	for (size_t i = 0; i < self->entry_count; i++)
		hits += entry_matches(&self->entries[i], tui->search.pattern);
	if (hits == 0) {
		tui_say(tui, MESSAGE_WARNING, "no match for '%s'", tui->search.text);
		return;
	}
	size_t at = from % count;
	while (!self->lines[at].first ||
	       !entry_matches(&self->entries[self->lines[at].entry], tui->search.pattern))
		at = direction > 0 ? (at + 1) % count : (at + count - 1) % count;
	for (size_t i = 0; i <= self->lines[at].entry; i++)
		nth += entry_matches(&self->entries[i], tui->search.pattern);
	bool wrapped = direction > 0 ? at < from : at > from;
	select_line(self, at);
	show_section(self, at);
	tui_say(tui, MESSAGE_INFO, "%zu of %zu matches '%s'%s", nth, hits, tui->search.text,
		!wrapped        ? ""
		: direction > 0 ? ", wrapped to the top"
				: ", wrapped to the bottom");
}

static bool text_act(struct pane *pane, struct tui *tui, enum action action)
{
	struct text_pane *whole = (struct text_pane *)pane, *self = text_of_pane(pane);
	size_t line = self->cursor;
	int rows = action_rows(action, self->page);
	if (rows < -1 || (rows > 1 && self->top + 2 * (size_t)rows <= self->line_count))
		self->top = action_moved(self->top, rows);
	if (rows)
		select_line(self, action_moved(line, rows));
	switch (action) {
	case ACTION_FIRST: select_line(self, 0); return true;
	case ACTION_LAST: select_line(self, self->line_count); return true;
	case ACTION_EDIT:
		if (!self->path)
			return false;
		tui->host->edit(tui, self->path, self->first + (int64_t)self->lines[line].entry);
		return true;
	case ACTION_VIEW_NEXT:
	case ACTION_VIEW_PREVIOUS:
		if (whole->parts[0])
			whole->here += action == ACTION_VIEW_NEXT ? 1 : TEXT_PARTS - 1;
		whole->here %= TEXT_PARTS;
		return whole->parts[0];
	default: return rows != 0;
	}
}

static bool text_can(struct pane *pane, struct tui *tui, enum action action)
{
	if (action == ACTION_EDIT)
		return text_of_pane(pane)->path != NULL;
	return action != ACTION_SOURCE && action != ACTION_DRILL && action != ACTION_CENTER &&
	       action != ACTION_SCROLL_LEFT && action != ACTION_SCROLL_RIGHT &&
	       action != ACTION_DETAIL;
}

static void text_state(struct pane *pane, struct buffer *out)
{
	const struct text_pane *self = text_of_pane(pane);
	buffer_printf(out, "  %s", self->title ? self->title : pane->name);
}

static void text_position(struct pane *pane, struct buffer *out)
{
	const struct text_pane *self = text_of_pane(pane);
	pane_position(out, self->cursor, self->line_count);
}

static size_t text_row(const struct pane *pane)
{
	return text_of_pane(pane)->cursor;
}

static void text_go(struct pane *pane, size_t line)
{
	select_line(text_of_pane(pane), line);
}

static void text_search(struct pane *pane, struct tui *tui, size_t origin, int direction)
{
	struct text_pane *self = text_of_pane(pane);
	if (direction)
		origin = self->cursor + (direction > 0 ? 1 : self->line_count - 1);
	text_pane_find(self, tui, origin, direction ?: 1);
}

static void copy_entry(const struct text_entry *entry, struct buffer *out)
{
	if (entry->label && *entry->label) {
		text_escape(out, entry->label, strlen(entry->label));
		buffer_putc(out, '\t');
	}
	text_escape(out, entry->text, strlen(entry->text));
	buffer_putc(out, '\n');
}

/* The unwrapped line, or (WHOLE) all lines. */
static size_t text_copy(struct pane *pane, struct tui *tui, bool whole, struct buffer *out)
{
	const struct text_pane *self = text_of_pane(pane);
	if (self->cursor >= self->line_count)
		return 0;
	if (!whole) {
		copy_entry(&self->entries[self->lines[self->cursor].entry], out);
		return 1;
	}
	for (size_t i = 0; i < self->entry_count; i++)
		copy_entry(&self->entries[i], out);
	return self->entry_count;
}

static void text_click(struct pane *pane, struct tui *tui, int row, int column, bool twice)
{
	struct text_pane *whole = (struct text_pane *)pane, *self;
	for (int i = 0; i < TEXT_PARTS && (self = (struct text_pane *)whole->parts[i]); i++)
		if (row >= self->first_row && column >= self->first_column)
			whole->here = i;
	self = text_of_pane(pane);
	if (row >= self->first_row)
		select_line(self, self->top + (size_t)(row - self->first_row));
}

static void text_free(struct pane *pane)
{
	AUTO_FREE struct text_pane *self = (struct text_pane *)pane;
	for (int i = 0; i < TEXT_PARTS && self->parts[i]; i++)
		text_free(self->parts[i]);
	for (size_t i = 0; i < self->entry_count; i++)
		mem_free_all(self->entries[i].label, self->entries[i].text);
	mem_free_all(self->entries, self->lines, self->title, self->path);
}

static const struct pane_ops text_pane_ops = { TEXT_PANE_OPS };

struct pane *text_pane_new(const char *name)
{
	struct text_pane *self = pane_new(sizeof *self, &text_pane_ops, name);
	self->page = 1;
	return &self->pane;
}
